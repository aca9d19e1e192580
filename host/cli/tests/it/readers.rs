//! Readers that are not ours, from PyPI: a reader of calendars, and a tester of APIs.

use std::path::{Path, PathBuf};
use std::process::Command;

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
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-input",
            "--retries=1",
            "--timeout=20",
        ]);
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
