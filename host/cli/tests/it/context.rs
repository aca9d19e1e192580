//! A temporary folder in which the program runs, and its output in a form that does not vary.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

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
    (r"\bsha256:[0-9a-f]{12,}", "sha256:[DIGEST]"),
    // Sizes of archives and of pages with a date on them.
    (r#""(\w+_)?bytes":\d+"#, r#""${1}bytes":"[SIZE]""#),
    (r"\b\d[\d,]*(\.\d+)? (B|KiB|MiB|GiB)\b", "[SIZE]"),
];

/// A temporary folder with the program in it.
pub(crate) struct TestContext {
    folder: tempfile::TempDir,
    /// The time at which each command begins.
    now: Option<&'static str>,
    /// A variable of each command.
    variable: Option<(&'static str, String)>,
}

impl TestContext {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        fs::create_dir(folder.path().join("home")).expect("a home");
        fs::create_dir(folder.path().join("work")).expect("a folder to work in");
        Self {
            folder,
            now: None,
            variable: None,
        }
    }

    /// Makes a folder with a workspace `ws` that has a vertical and settings.
    pub(crate) fn with_workspace(vertical: &str, settings: impl AsRef<[u8]>) -> Self {
        let context = Self::new();
        context.workspace("ws", &[magpie_tests::vertical(vertical)], settings);
        context
    }

    /// Makes a workspace with components and settings.
    pub(crate) fn workspace(&self, name: &str, components: &[PathBuf], settings: impl AsRef<[u8]>) {
        self.ok(&format!("init {name}"));
        for component in components {
            let file = component.file_name().expect("a name");
            fs::copy(component, self.path(name).join("verticals").join(file)).expect("copied");
        }
        self.write(&format!("{name}/magpie.toml"), settings);
    }

    /// Starts the clock of each command at a time.
    pub(crate) fn at(mut self, now: &'static str) -> Self {
        self.now = Some(now);
        self
    }

    /// Sets a variable for each command.
    pub(crate) fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.variable = Some((name, value.to_owned()));
        self
    }

    /// Returns a path in the folder in which the program runs.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join("work").join(below)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder");
        fs::write(path, content).expect("written");
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect(name)
    }

    /// Returns the program with the words of a line, in an environment that has nothing of the
    /// caller's.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = program(&self.path(""));
        let now = self.now.filter(|_| !line.contains("--now"));
        command
            .args(words(line))
            .args(now.iter().flat_map(|now| ["--now", now]))
            .env("HOME", self.folder.path().join("home"))
            .envs(self.variable.clone())
            .stdin(Stdio::null());
        if self.now.is_some() {
            // Each command starts at the same time. Compiling holds up the first one, so that its
            // pages are fetched at other times than those of the next.
            command.env_remove("MAGPIE_CACHE_DIR");
        }
        command
    }

    #[track_caller]
    pub(crate) fn run(&self, line: &str) -> Ran {
        Ran::of(line, &mut self.command(line))
    }

    /// Runs a command that must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, line: &str) -> Ran {
        self.run(line).ends(0)
    }

    /// Runs a command that must fail with an exit code, and returns all that it printed.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, line: &str) -> Ran {
        self.run(line).ends(code)
    }

    /// Runs a command that must succeed, and returns the JSON that it printed.
    #[track_caller]
    pub(crate) fn json(&self, line: &str) -> Vec<Value> {
        self.ok(line).json()
    }

    /// Starts a command in the background and discards its output.
    pub(crate) fn start(&self, line: &str) -> Running {
        let mut command = self.command(line);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Running(command.spawn().expect("it runs"))
    }

    /// Learns sites in the workspace `ws`.
    #[track_caller]
    pub(crate) fn learn(&self, sites: &[String]) -> Ran {
        self.write("sites.txt", sites.join("\n"));
        self.ok("learn -w ws --sites sites.txt")
    }

    /// Runs commands one after the other, and returns what each printed and its exit code.
    pub(crate) fn transcript<'a>(&self, lines: impl IntoIterator<Item = &'a str>) -> String {
        lines
            .into_iter()
            .map(|line| self.run(line).transcript())
            .collect()
    }

    /// Runs commands, and compares output, errors and exit codes with `snapshots/NAME.snap`.
    pub(crate) fn snapshot<'a>(&self, name: &str, lines: impl IntoIterator<Item = &'a str>) {
        assert_filtered(self, name, &self.transcript(lines));
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
fn program(folder: &Path) -> Command {
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

/// Returns the words of a line. Single quotes hold together a word with spaces.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, part) in line.split('\'').enumerate() {
        match place % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// A process that is killed when this is dropped.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    /// Kills the process after a time, as `kill -9` does.
    pub(crate) fn kill_after(self, time: Duration) {
        std::thread::sleep(time);
        drop(self);
    }

    /// Asks the process to end, as the manager of services does.
    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        let kill = Command::new("kill").arg(self.0.id().to_string()).status();
        assert!(kill.expect("kill runs").success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A command that has ended, and what it printed.
pub(crate) struct Ran {
    line: String,
    code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn of(line: &str, command: &mut Command) -> Ran {
        let output = command.output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran {
            line: line.to_owned(),
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{}: {}", self.line, self.text());
        self
    }

    /// Asserts that all parts were printed.
    #[track_caller]
    pub(crate) fn says<const N: usize>(self, parts: [&str; N]) -> Ran {
        let text = self.text();
        for part in parts {
            assert!(text.contains(part), "{}: no {part:?} in {text}", self.line);
        }
        self
    }

    /// Asserts that none of the parts were printed.
    #[track_caller]
    pub(crate) fn lacks<const N: usize>(self, parts: [&str; N]) -> Ran {
        let text = self.text();
        for part in parts {
            assert!(!text.contains(part), "{}: {part:?} in {text}", self.line);
        }
        self
    }

    pub(crate) fn text(&self) -> String {
        self.out.clone() + &self.err
    }

    /// Returns the lines of JSON, also of a command that failed.
    #[track_caller]
    pub(crate) fn json(&self) -> Vec<Value> {
        let lines = self.out.lines().map(serde_json::from_str);
        lines
            .collect::<Result<_, _>>()
            .unwrap_or_else(|error| panic!("{}: {error}: {}", self.line, self.text()))
    }

    /// Returns the last line of JSON.
    #[track_caller]
    pub(crate) fn last(&self) -> Value {
        let last = self.json().pop();
        last.unwrap_or_else(|| panic!("{}: {}", self.line, self.text()))
    }

    /// Returns the command with its output and exit code.
    fn transcript(&self) -> String {
        let words: Vec<String> = words(&self.line).iter().map(|word| quoted(word)).collect();
        let mut text = format!("$ magpie {}\n", words.join(" "));
        for (name, printed) in [("stdout", &self.out), ("stderr", &self.err)] {
            if !printed.is_empty() {
                let _ = writeln!(text, "----- {name} -----\n{}", printed.trim_end());
            }
        }
        let code = self.code.map_or("none".to_owned(), |code| code.to_string());
        text + &format!("----- exit code {code} -----\n\n")
    }
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
