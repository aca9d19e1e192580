//! Runs other programs: without the settings of an outer cargo, with their output kept for errors,
//! and with a time limit where they may hang.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::{Error, Result};

/// Maximum number of stderr lines to keep: enough for a page of compiler errors.
const MAX_LINES: usize = 400;

/// Interval at which a program with a time limit is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Variables of cargo (prefixes) that the inner build inherits: where it keeps its files, and how
/// it reaches registries. All others under `CARGO_` belong to the outer build.
const INHERITED_CARGO_VARIABLES: [&str; 7] = [
    "CARGO_HOME",
    "CARGO_BUILD_JOBS",
    "CARGO_NET_",
    "CARGO_HTTP_",
    "CARGO_REGISTRY_",
    "CARGO_REGISTRIES_",
    "CARGO_SOURCE_",
];

/// Creates a command that inherits no settings from a cargo or rustup that started this process. A
/// wrapper, flags or a toolchain for the host would break a build for Wasm.
pub(crate) fn clean_command(program: &Path) -> Command {
    let mut command = Command::new(program);
    // Only the names are read, in order to remove the variables.
    for (name, _) in std::env::vars_os() {
        if belongs_to_outer_build(&name) {
            command.env_remove(name);
        }
    }
    command
}

fn belongs_to_outer_build(name: &OsStr) -> bool {
    const EXACT: [&str; 11] = [
        "CARGO",
        "MAKEFLAGS",
        "RUSTC",
        "RUSTC_BOOTSTRAP",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTDOC",
        "RUSTDOCFLAGS",
        "RUSTFLAGS",
        "RUSTUP_TOOLCHAIN",
        "RUST_RECURSION_COUNT",
    ];
    let Some(name) = name.to_str() else { return false };
    if INHERITED_CARGO_VARIABLES
        .iter()
        .any(|kept| name.starts_with(kept))
    {
        return false;
    }
    EXACT.contains(&name) || name.starts_with("CARGO_") || name.starts_with("__CARGO")
}

/// Runs a program and returns its stdout.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(start_error(command))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let mut tail = Tail::default();
    String::from_utf8_lossy(&output.stderr)
        .lines()
        .for_each(|line| tail.push(line));
    Err(Error::Command {
        what: describe(command),
        output: tail.text(),
    })
}

pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    /// Last lines of its stderr.
    pub(crate) stderr_tail: String,
}

/// Runs a program and passes each line of its stderr to `on_line` immediately.
pub(crate) fn stream(command: &mut Command, on_line: &dyn Fn(&str)) -> Result<Finished> {
    let mut child = spawn_piped(command)?;
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    // Both pipes must be read concurrently, or the program blocks on a full one.
    let (stdout, stderr_tail) = std::thread::scope(|scope| {
        let stdout = scope.spawn(move || read_lossy(stdout));
        let mut tail = Tail::default();
        for_each_line(stderr, |line| {
            on_line(line);
            tail.push(line);
        });
        (stdout.join().unwrap_or_default(), tail.text())
    });
    let status = child.wait().map_err(start_error(command))?;
    Ok(Finished {
        status,
        stdout,
        stderr_tail,
    })
}

/// Runs a program that may hang. On timeout it is killed together with its children.
pub(crate) fn run_within(command: &mut Command, timeout: Duration) -> Result<()> {
    // A group of its own, so that a timeout also ends the programs that this one started.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = spawn_piped(command)?;
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    // Nobody needs this output, but the program blocks when the pipe is full.
    drain(stdout);
    let stderr_tail = drain(stderr);
    let Some(status) = wait_within(&mut child, timeout).map_err(start_error(command))? else {
        // The readers are not joined here: a child that survived could keep a pipe open for ever.
        kill_group(&mut child);
        return Err(Error::TimedOut {
            what: describe(command),
            seconds: timeout.as_secs(),
        });
    };
    if status.success() {
        return Ok(());
    }
    Err(Error::Command {
        what: describe(command),
        output: stderr_tail.join().unwrap_or_default(),
    })
}

/// The command as a person would type it, without its environment.
pub(crate) fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(name)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy);
    let words: Vec<_> = words.collect();
    format!("`{}`", words.join(" "))
}

fn spawn_piped(command: &mut Command) -> Result<Child> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().map_err(start_error(command))
}

fn start_error(command: &Command) -> impl FnOnce(std::io::Error) -> Error + use<> {
    let program = command.get_program().to_string_lossy().into_owned();
    move |source| Error::Start { program, source }
}

fn wait_within(child: &mut Child, timeout: Duration) -> std::io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() >= timeout {
            return Ok(None);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Kills a program and its children; it may end by itself in the meantime.
fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    // Without it the ended program stays in the process table.
    let _ = child.wait();
}

/// Reads a pipe to its end in a thread, and keeps the last lines.
fn drain(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut tail = Tail::default();
        for_each_line(pipe, |line| tail.push(line));
        tail.text()
    })
}

fn read_lossy(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // A broken pipe ends early; the program's exit status shows if that matters.
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn for_each_line(pipe: Option<impl Read>, mut each: impl FnMut(&str)) {
    let Some(pipe) = pipe else { return };
    for line in BufReader::new(pipe).split(b'\n') {
        let Ok(line) = line else { return };
        each(String::from_utf8_lossy(&line).trim_end());
    }
}

/// The last lines of a text.
#[derive(Default)]
struct Tail {
    lines: VecDeque<String>,
    dropped: usize,
}

impl Tail {
    fn push(&mut self, line: &str) {
        if self.lines.len() == MAX_LINES {
            self.lines.pop_front();
            self.dropped += 1;
        }
        self.lines.push_back(line.to_owned());
    }

    fn text(self) -> String {
        let mut lines: Vec<String> = Vec::new();
        if self.dropped > 0 {
            lines.push(format!("({} lines before these)", self.dropped));
        }
        lines.extend(self.lines);
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_an_outer_cargo_are_not_passed_on() {
        for name in [
            "CARGO",
            "CARGO_TARGET_DIR",
            "CARGO_ENCODED_RUSTFLAGS",
            "RUSTFLAGS",
            "__CARGO_X",
            "RUSTUP_TOOLCHAIN",
        ] {
            assert!(belongs_to_outer_build(OsStr::new(name)), "{name}");
        }
        for name in [
            "CARGO_HOME",
            "CARGO_NET_OFFLINE",
            "CARGO_REGISTRIES_MINE_TOKEN",
            "PATH",
            "RUSTUP_HOME",
        ] {
            assert!(!belongs_to_outer_build(OsStr::new(name)), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_hanging_program_is_stopped() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 60 & sleep 60"]);
        let started = Instant::now();
        let error = run_within(&mut command, Duration::from_millis(200)).unwrap_err();
        assert!(matches!(error, Error::TimedOut { .. }), "{error}");
        assert!(started.elapsed() < Duration::from_secs(30));
    }

    #[cfg(unix)]
    #[test]
    fn a_failure_contains_the_program_output() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo no such luck >&2; exit 3"]);
        let error = run_within(&mut command, Duration::from_secs(30)).unwrap_err();
        assert!(error.to_string().contains("no such luck"), "{error}");
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        let mut tail = Tail::default();
        (0..MAX_LINES + 5).for_each(|number| tail.push(&format!("line {number}")));
        let text = tail.text();
        assert!(
            text.starts_with("(5 lines before these)\nline 5\n"),
            "{}",
            &text[..60]
        );
    }
}
