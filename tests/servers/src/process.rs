//! Programs that run to their end, and servers that run in the background.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

/// Runs a server and a watcher. The watcher waits until the standard input is closed, which also
/// happens when the process that started it is killed. It then ends the server, removes the folder
/// `$1`, and ends the process group. The script ends when the server does.
const WATCHED: &str = r#"
folder="$1"
shift
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{
    cat <&3 >/dev/null
    kill -KILL $server
    rm -rf "$folder"
    kill -KILL -$$
} >/dev/null 2>&1 &
exec 3<&-
wait $server
"#;

/// Interval and limit of the wait for the end of a killed process group. In a container whose first
/// process does not collect ended processes, the group never disappears.
#[cfg(unix)]
const POLL: Duration = Duration::from_millis(5);
#[cfg(unix)]
const MAX_END: Duration = Duration::from_millis(500);

/// Runs a program to its end. The error has the last line of its output.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let program = Path::new(command.get_program());
    let program = program
        .file_name()
        .unwrap_or(OsStr::new("?"))
        .to_string_lossy()
        .into_owned();
    let arguments = command.get_args().map(OsStr::to_string_lossy);
    let what = arguments.fold(program, |what, argument| what + " " + &argument);
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("can't run `{what}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let [errors, text] = [&output.stderr, &output.stdout].map(|bytes| String::from_utf8_lossy(bytes));
    let last = last_line(&errors)
        .or_else(|| last_line(&text))
        .unwrap_or("no output");
    Err(format!("`{what}` failed: {last}"))
}

/// Returns the last line that is not blank.
pub(crate) fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
}

/// A server with its children. They are killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Background {
    child: Child,
}

impl Background {
    /// Starts a server whose output goes to the log. The folder is removed if this process is
    /// killed.
    pub(crate) fn spawn(command: &Command, log: File, folder: &Path) -> std::io::Result<Background> {
        let mut watched = Command::new("sh");
        watched.args(["-c", WATCHED, "sh"]).arg(folder);
        watched.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => watched.env(name, value),
                None => watched.env_remove(name),
            };
        }
        if let Some(folder) = command.get_current_dir() {
            watched.current_dir(folder);
        }
        watched.stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut watched, 0);
        Ok(Background {
            child: watched.spawn()?,
        })
    }

    /// Returns the exit status of the server if it has ended.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        #[cfg(unix)]
        let group = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        #[cfg(unix)]
        if let Some(group) = group {
            // The group may have ended by itself.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The server is no child of this process, and ends a moment later.
        #[cfg(unix)]
        if let Some(group) = group {
            let killed = Instant::now();
            while rustix::process::test_kill_process_group(group).is_ok() && killed.elapsed() < MAX_END {
                std::thread::sleep(POLL);
            }
        }
    }
}
