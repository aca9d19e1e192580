//! Skipped tests.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// Variable with the file that lists skipped tests. `cargo xtask test` sets it and counts the
/// lines.
pub const SKIPPED: &str = "MAGPIE_SKIPPED";

/// Prints that the running test is skipped, and adds a line to the file that [`SKIPPED`] names.
///
/// A test that misses several things has one line: the thread of a test has the test's name.
///
/// # Panics
/// Panics if the file can't be written.
#[expect(clippy::print_stdout, reason = "a skipped test prints a line")]
pub fn skip(reason: impl Display) {
    static LISTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    println!("skipped: {reason}");
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let is_new = LISTED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(test.clone());
    let Some(list) = std::env::var_os(SKIPPED).filter(|_| is_new) else {
        return;
    };
    // One write in append mode: processes of other tests write to the same file.
    let line = format!("{test}: {}\n", reason.to_string().replace('\n', " "));
    let file = File::options().create(true).append(true).open(list);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .expect("the list of skipped tests can be written");
}

/// Returns `true` if a program can be started. Skips the test otherwise.
pub fn has_program(name: &str) -> bool {
    let found = std::process::Command::new(name).arg("--version").output();
    let is_here = found.is_ok_and(|output| output.status.success());
    if !is_here {
        skip(format_args!("{name} is not installed"));
    }
    is_here
}
