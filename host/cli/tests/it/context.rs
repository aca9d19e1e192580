//! A temporary folder in which the program runs, and its output in a form that does not vary.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Texts that vary from run to run or between machines, and their replacement.
///
/// They are applied in this order.
const FILTERS: &[(&str, &str)] = &[
    (r"127\.0\.0\.1:\d+", "[HOST]"),
    // Cursors have the name of the workspace in them, which is random.
    (r"\b63[0-9a-f]{40}\b", "[CURSOR]"),
    (r"process \d+", "process [PID]"),
    // A crawl that ends may cancel probes before they are sent.
    (r#""requests":\d+"#, r#""requests":"[COUNT]""#),
    // A command that takes some seconds prints its progress.
    (r"(?m)^[\d,]+ pages  [\d.,]+/s  .*\n", ""),
    // Times: `2026-05-01T12:30:00.123Z`, `2026-05-01 12:30`, and milliseconds since 1970.
    (
        r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?( ?UTC|Z|[+-]\d\d:\d\d)?",
        "[DATE]",
    ),
    (r"\w{3}, \d\d \w{3} 20\d\d \d\d:\d\d:\d\d GMT", "[DATE]"),
    (r"\b1[78]\d{11}\b", "[DATE]"),
    // Durations, as people and as programs read them.
    (
        r"\b\d[\d,]*(\.\d+)? (ns|µs|ms|s|min|h)( \d+ (s|min))?\b",
        "[DURATION]",
    ),
    (r"\d[\d,.]* pages/s", "[SPEED] pages/s"),
    (
        r#""(\w*seconds|\w*_ms|duration|elapsed|took)":[\d.e-]+"#,
        r#""$1":"[DURATION]""#,
    ),
    (r#""(\w*_ms)":\[[\d.e,-]+\]"#, r#""$1":"[DURATION]""#),
    // Shares and expected values that depend on durations.
    (r"\d+\.\d{7,}", "[NUMBER]"),
    (r#"("offset":|"length":|\.gz at )\d+\b"#, "${1}[OFFSET]"),
    // Test guests are built on each machine.
    (r"\b(sha256|blake3):[0-9a-f]{12,}", "$1:[DIGEST]"),
    // Sizes of archives and of pages with a date on them.
    (r#""(\w+_)?bytes":\d+"#, r#""${1}bytes":"[SIZE]""#),
    (r"\b\d[\d,]*(\.\d+)? (B|KiB|MiB|GiB)\b", "[SIZE]"),
];

/// A temporary folder with the program in it.
pub(crate) struct TestContext {
    folder: tempfile::TempDir,
    /// The time at which each command begins.
    now: Option<&'static str>,
}

impl TestContext {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        fs::create_dir(folder.path().join("home")).expect("a home");
        fs::create_dir(folder.path().join("work")).expect("a folder to work in");
        Self { folder, now: None }
    }

    /// Makes a folder with a workspace `ws` that has a vertical and settings.
    pub(crate) fn with_workspace(vertical: &str, settings: &str) -> Self {
        let context = Self::new();
        let init = context.command(&["init", "ws"]).output().expect("it runs");
        assert!(init.status.success(), "{init:?}");
        let component = context.path().join("ws/verticals").join(vertical);
        fs::copy(magpie_tests::vertical(vertical), component.with_extension("wasm")).expect("copied");
        context.write("ws/magpie.toml", settings);
        context
    }

    /// Starts the clock of each command at a time.
    pub(crate) fn at(mut self, now: &'static str) -> Self {
        self.now = Some(now);
        self
    }

    /// Returns the folder in which the program runs.
    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder");
        fs::write(path, content).expect("written");
    }

    /// Returns the program with arguments, in an environment that has nothing of the caller's.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program(&self.path());
        command
            .args(arguments)
            .args(self.now.iter().flat_map(|now| ["--now", now]))
            .env("HOME", self.folder.path().join("home"))
            .stdin(Stdio::null());
        if self.now.is_some() {
            // Each command starts at the same time. Compiling holds up the first one, so that its
            // pages are fetched at other times than those of the next.
            command.env_remove("MAGPIE_CACHE_DIR");
        }
        command
    }

    /// Learns sites in the workspace `ws`.
    pub(crate) fn learn(&self, sites: &[String]) {
        self.write("sites.txt", sites.join("\n"));
        let mut learn = self.command(&["learn", "-w", "ws", "--sites", "sites.txt"]);
        let learned = learn.output().expect("it runs");
        assert!(
            learned.status.success(),
            "{}",
            String::from_utf8_lossy(&learned.stderr)
        );
    }

    /// Runs commands one after the other, and returns what each printed and its exit code.
    pub(crate) fn transcript(&self, commands: &[&[&str]]) -> String {
        let mut text = String::new();
        for arguments in commands {
            let output = self.command(arguments).output().expect("it runs");
            add(&mut text, arguments, &output);
        }
        text
    }

    /// Returns the filters for output of this context.
    pub(crate) fn filters(&self) -> Vec<(String, &'static str)> {
        let folder = self.folder.path();
        let real = fs::canonicalize(folder).expect("the folder exists");
        let mut filters: Vec<(String, &'static str)> = Vec::new();
        for folder in [real.as_path(), folder] {
            let name = folder.display().to_string().replace('.', r"\.");
            filters.push((format!("{name}/work"), "[WORK]"));
            filters.push((format!("{name}/home"), "[HOME]"));
        }
        // Names of generic functions depend on the compiler that built the guest.
        filters.push((
            r"_export_extract_cabi::<[^>]*>".to_owned(),
            "_export_extract_cabi",
        ));
        filters.extend(FILTERS.iter().map(|(found, by)| ((*found).to_owned(), *by)));
        filters
    }
}

/// Returns the program in a folder that is also its user's home, without the variables of the
/// caller that change what it does. Components that it compiles are shared by all tests.
pub(crate) fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magpie"));
    for (name, _) in std::env::vars_os() {
        let lower = name.to_string_lossy().to_ascii_lowercase();
        let is_ours = ["magpie_", "xdg_"].iter().any(|prefix| lower.starts_with(prefix));
        if is_ours || lower.ends_with("_proxy") || ["columns", "no_color"].contains(&&*lower) {
            command.env_remove(name);
        }
    }
    command
        .current_dir(folder)
        .env("HOME", folder)
        .env("MAGPIE_CACHE_DIR", magpie_tests::compiled());
    command
}

/// Adds a command with its output and exit code to a transcript.
fn add(text: &mut String, arguments: &[&str], output: &Output) {
    let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
    let _ = writeln!(text, "$ magpie {}", words.join(" "));
    let mut part = |name: &str, bytes: &[u8]| {
        let printed = String::from_utf8_lossy(bytes);
        if !printed.is_empty() {
            let _ = writeln!(text, "----- {name} -----\n{}", printed.trim_end());
        }
    };
    part("stdout", &output.stdout);
    part("stderr", &output.stderr);
    let code = output
        .status
        .code()
        .map_or("none".to_owned(), |code| code.to_string());
    let _ = writeln!(text, "----- exit code {code} -----\n");
}

/// Returns a word as it is typed in a shell.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:=,@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{word}'")
    }
}

/// Compares a text with the file `snapshots/NAME.snap`, after replacing what varies.
///
/// `INSTA_UPDATE=always` writes the file.
pub(crate) fn assert_filtered(context: &TestContext, name: &str, text: &str) {
    let (folder, name) = name.rsplit_once('/').unwrap_or(("", name));
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots");
    let mut settings = insta::Settings::new();
    for (found, by) in context.filters() {
        settings.add_filter(&found, by);
    }
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path(snapshots.join(folder));
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Runs commands, and compares output, errors and exit codes with the file `snapshots/NAME.snap`.
macro_rules! magpie_snapshot {
    ($context:expr, $name:expr, $([$($argument:expr),* $(,)?]),+ $(,)?) => {{
        let text = $context.transcript(&[$(&[$($argument),*]),+]);
        $crate::context::assert_filtered(&$context, &$name, &text);
    }};
}

pub(crate) use magpie_snapshot;
