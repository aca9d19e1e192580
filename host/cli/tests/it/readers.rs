//! Readers that are not ours, from PyPI: a reader of calendars, and a tester of APIs.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PACKAGES: [&str; 2] = ["icalendar==7.3.2", "schemathesis==4.32.5"];

/// Returns the folder of the programs of a Python environment with the packages. Skips the test
/// and returns `None` where it can't be made.
pub(crate) fn programs() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/readers");
    let programs = folder.join("bin");
    let list = PACKAGES.join(" ");
    let marker = folder.join("installed");
    if std::fs::read_to_string(&marker).is_ok_and(|installed| installed == list) {
        return Some(programs);
    }
    let made = ran(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&folder))
    .and_then(|()| {
        let mut pip = Command::new(programs.join("python"));
        pip.args("-m pip install --quiet --no-input --retries=1 --timeout=20".split(' '));
        ran(pip.arg("--disable-pip-version-check").args(PACKAGES))
    });
    match made {
        Ok(()) => {
            std::fs::write(marker, list).expect("written");
            Some(programs)
        }
        Err(reason) => {
            magpie_test_support::skip(format_args!("{list} can't be installed: {reason}"));
            None
        }
    }
}

fn ran(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

/// Reads a calendar with the package `icalendar`, and returns what a script prints of its `events`.
pub(crate) fn read_calendar(programs: &Path, calendar: &str, script: &str) -> String {
    const READ: &str = "import json, sys, icalendar\n\
        calendar = icalendar.Calendar.from_ical(sys.stdin.buffer.read())\n\
        assert not calendar.errors, calendar.errors\n\
        events = list(calendar.walk('VEVENT'))\n\
        assert all(not event.errors for event in events), [event.errors for event in events]\n";
    let mut reader = Command::new(programs.join("python"))
        .args(["-c", &format!("{READ}{script}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = reader.stdin.take().expect("it is piped");
    input.write_all(calendar.as_bytes()).expect("written");
    drop(input);
    let output = reader.wait_with_output().expect("it ends");
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{problem}");
    String::from_utf8(output.stdout).expect("text")
}
