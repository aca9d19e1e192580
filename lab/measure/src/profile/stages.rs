//! The CPU time of stages, from the samples of `perf`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Samples a second; a prime, so that they do not coincide with timers.
const FREQUENCY: u32 = 997;

/// The stage of frames that are compiled Wasm.
const WASM: &str = "extract";

/// The stage of samples in which no frame is known.
pub(super) const REST: &str = "rest";

const RULES: &str = include_str!("stages.txt");

/// The stages in the order in which a page passes through them.
pub(super) const ORDER: [&str; 15] = [
    "fetch", "decode", "links", "decide", "parse", "lend", WASM, "check", "compress", "commit", "cluster",
    "patterns", "select", "navigate", REST,
];

/// CPU seconds by stage.
pub(super) type Seconds = BTreeMap<&'static str, f64>;

/// Returns the command before which a program's command line is sampled into a file.
pub(super) fn sampler(file: &Path) -> Vec<OsString> {
    let frequency = FREQUENCY.to_string();
    let words = [
        "perf",
        "record",
        "--quiet",
        "--event",
        "cpu-clock",
        "--freq",
        &frequency,
    ];
    let words = words.into_iter().chain(["--call-graph", "fp", "--output"]);
    let mut command: Vec<OsString> = words.map(OsString::from).collect();
    command.extend([file.into(), "--".into()]);
    command
}

/// Reads the samples of a file.
pub(super) fn read(file: &Path) -> Result<Seconds> {
    let mut perf = Command::new("perf");
    perf.args(["script", "--fields", "ip,sym,dso", "--no-inline", "--input"]);
    let output = perf
        .arg(file)
        .stderr(Stdio::null())
        .output()
        .context("can't start perf, which Debian has in linux-perf")?;
    if !output.status.success() {
        bail!("perf script ended with {}", output.status);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let rules = rules();
    let mut seconds = Seconds::new();
    for stack in text.split("\n\n").filter(|stack| !stack.trim().is_empty()) {
        let stage = stack.lines().find_map(|frame| stage(frame, &rules));
        *seconds.entry(stage.unwrap_or(REST)).or_default() += 1.0 / f64::from(FREQUENCY);
    }
    Ok(seconds)
}

/// Returns stages and the beginnings of their functions.
fn rules() -> Vec<(&'static str, &'static str)> {
    let lines = RULES.lines().filter(|line| !line.starts_with('#'));
    let words = lines.map(str::split_whitespace);
    let pairs = words.filter_map(|mut words| words.next().map(|stage| words.map(move |word| (stage, word))));
    pairs.flatten().collect()
}

/// Returns the stage of a frame: `    55d0 magpie_page::page::Page::outline+0x12 (/path/magpie)`.
fn stage(frame: &str, rules: &[(&'static str, &'static str)]) -> Option<&'static str> {
    let (_, frame) = frame.trim().split_once(' ')?;
    let (function, object) = frame.rsplit_once(" (")?;
    if function == "[unknown]" {
        // perf names the file in which a compiler at run time would describe its code.
        let is_wasm = object.contains("/perf-") || object.contains("anon");
        return is_wasm.then_some(WASM);
    }
    // `<magpie_page::Page as Drop>::drop`, `<&mut magpie_page::Page>::read`
    let function = function.trim_start_matches(['<', '&', '(', '[']);
    let function = function.trim_start_matches("mut ").trim_start_matches("dyn ");
    rules
        .iter()
        .find(|(_, word)| function.starts_with(word))
        .map(|(stage, _)| *stage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_the_stage_of_its_function() {
        let rules = rules();
        for (frame, expected) in [
            (
                "   55d0a magpie_page::page::Page::outline (/x/magpie)",
                Some("parse"),
            ),
            (
                "   55d0a <magpie_sqlite::Store as core::ops::Drop>::drop (/x/magpie)",
                Some("commit"),
            ),
            ("   7f00a [unknown] (/tmp/perf-32096.map)", Some("extract")),
            ("   7f00a [unknown] (//anon)", Some("extract")),
            ("   7f00a [unknown] (/usr/lib/libc.so.6)", None),
            (
                "   7f00a core::ptr::drop_in_place::<magpie_page::Page> (/x/magpie)",
                None,
            ),
            (
                "   55d0a magpie_patterns::select::choose (/x/magpie)",
                Some("select"),
            ),
            (
                "   55d0a magpie_patterns::pattern::induce (/x/magpie)",
                Some("patterns"),
            ),
        ] {
            assert_eq!(stage(frame, &rules), expected, "{frame}");
        }
    }

    #[test]
    fn every_rule_has_a_stage_that_is_listed() {
        assert!(rules().iter().all(|(stage, _)| ORDER.contains(stage)));
        assert!(rules().len() > 20);
    }
}
