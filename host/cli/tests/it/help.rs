//! The help of every command, found by walking from the first.

use crate::context::TestContext;

/// Returns the names of the commands that a help text lists.
fn commands(help: &str) -> impl Iterator<Item = &str> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
}

/// Calls a function with each command and its help.
pub(crate) fn of_each_command(context: &TestContext, mut look: impl FnMut(&str, &str)) {
    let mut waiting = vec![String::new()];
    while let Some(command) = waiting.pop() {
        let help = context.ok(&format!("{command} --help")).out;
        waiting.extend(commands(&help).map(|name| format!("{command} {name}").trim().to_owned()));
        look(&command, &help);
    }
}

#[test]
fn of_every_command() {
    let context = TestContext::new();
    of_each_command(&context, |command, help| {
        let first = help.lines().next().unwrap_or_default();
        assert!(!first.is_empty() && !first.ends_with('.'), "{command}: {first:?}");
        let name = format!("help {command}").trim().replace(' ', "-");
        context.snapshot(&format!("help/{name}"), [format!("{command} --help").as_str()]);
    });
}
