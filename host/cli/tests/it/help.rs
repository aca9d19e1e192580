//! The help of every command, found by walking from the first.

use crate::context::{TestContext, assert_filtered};

/// Returns the names of the commands that a help text lists.
pub(crate) fn commands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn of_every_command() {
    let context = TestContext::new();
    let mut waiting = vec![Vec::<String>::new()];
    while let Some(path) = waiting.pop() {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let output = context.command(&arguments).output().expect("it runs");
        let help = String::from_utf8_lossy(&output.stdout);
        waiting.extend(
            commands(&help)
                .into_iter()
                .map(|name| [path.clone(), vec![name]].concat()),
        );
        let name = [vec!["help".to_owned()], path.clone()].concat().join("-");
        assert_filtered(
            &context,
            &format!("help/{name}"),
            &context.transcript(&[&arguments]),
        );
    }
}
