//! A workspace in use for hours: all commands that write are killed at any moment, while a page is
//! served, the disk fills up, the web stalls and clocks step.

#![allow(clippy::print_stdout, reason = "what it prints is what it is for")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use magpie_values::Timestamp;

use crate::demo::{Demo, Web, json, output};
use crate::places::Places;
use crate::{guests, step};

/// The generated web.
const WEB: [&str; 5] = ["--sites", "8", "--seed", "5", "--light"];

/// Settings besides those of the demonstration.
const SETTINGS: &str = "
[fetch]
retry_wait = \"50ms\"
first_byte_timeout = \"3s\"
total_timeout = \"10s\"

[archive]
quota = \"64 MB\"
";

/// Commands that write, each with its share of the turns. `{sites}` is a file with the first pages.
const COMMANDS: [(&str, u32); 10] = [
    ("learn --sites {sites} --pages 400", 3),
    ("recrawl", 6),
    ("watch --budget 20000/day", 8),
    ("watch --once", 4),
    ("focus --sites {sites}", 2),
    ("surface --requests 40", 3),
    ("reread", 1),
    ("objects cluster", 2),
    ("archive prune", 1),
    ("export objects --out objects.jsonl", 2),
];

/// The same where there is a browser.
const WITH_BROWSER: (&str, u32) = ("crawl {home} --pages 15 --set render.pages=all", 3);

/// Share of commands that are killed.
const KILLED: f64 = 0.7;

/// Longest time of a command before it is killed; one that is spared has ten times as much.
const LONGEST: Duration = Duration::from_secs(12);

/// Kills after which the workspace is checked.
const CHECKED_AFTER: u32 = 12;

/// Size of the file system on which the workspace lies, if it can be made.
const DISK: u64 = 1 << 30;

/// Time that passes for the workspace between two commands.
const BETWEEN: Duration = Duration::from_secs(5 * 3_600);

/// Longest step of a clock backwards.
const STEP_BACK: Duration = Duration::from_secs(120);

const WEEK: Duration = Duration::from_secs(7 * 86_400);

/// Options of a soak.
pub(crate) struct Options {
    pub(crate) hours: f64,
    pub(crate) seed: u32,
    pub(crate) is_optimised: bool,
}

#[derive(Default)]
struct Counts {
    ended: BTreeMap<String, u32>,
    killed: BTreeMap<String, u32>,
    failed: BTreeMap<String, u32>,
    /// Errors of commands that met no fault.
    errors: BTreeMap<String, u32>,
    stalls: u32,
    full_disks: u32,
    steps_back: u32,
    checks: u32,
    /// Most memory of a command, in kB.
    memory: u64,
}

struct Soak {
    demo: Demo,
    workspace: PathBuf,
    web: Web,
    week: u32,
    random: Random,
    commands: Vec<(&'static str, u32)>,
    /// The time of the workspace.
    now: Timestamp,
    begins: Timestamp,
    counts: Counts,
    /// Pages that the workspace had at the last check. A page that was stored stays.
    pages: u64,
    has_disk: bool,
}

pub(crate) fn run(places: &Places, options: &Options) -> Result<()> {
    let profile = if options.is_optimised { "release" } else { "debug" };
    guests::build_vertical(places, "events")?;
    places.build_programs(false)?;
    if options.is_optimised {
        let build = ["build", "--release", "--package", "magpie"];
        step::run(&format!("cargo {}", build.join(" ")), places.cargo().args(build))?;
    }
    let mut soak = Soak::begin(Demo::begin(places, profile)?, options.seed)?;
    let page = Page::serve(&soak)?;
    let outcome = soak.last(Duration::from_secs_f64(options.hours * 3_600.0));
    let served = page.end();
    let outcome = outcome.and_then(|()| soak.end());
    soak.print(&served);
    outcome?;
    let [_, other] = served;
    ensure!(
        other == 0,
        "the page failed {other} times with something else than 503"
    );
    Ok(())
}

impl Soak {
    fn begin(demo: Demo, seed: u32) -> Result<Soak> {
        let disk = demo.folder.join("disk");
        fs::create_dir_all(&disk)?;
        let has_disk = mount(&disk);
        if !has_disk {
            step::say("skipped: full disks, since a file system can't be made (that needs root)");
        }
        let web = Web::serve(&demo, 0, 0, &WEB)?;
        let workspace = disk.join("events");
        let mut commands = COMMANDS.to_vec();
        match ["chromium", "google-chrome"].into_iter().any(is_program) {
            true => commands.push(WITH_BROWSER),
            false => step::say("skipped: rendering, since there is no Chromium"),
        }
        let now = Timestamp::from(SystemTime::now());
        let soak = Soak {
            week: 0,
            random: Random(u64::from(seed) * 2 + 1),
            commands,
            now,
            begins: now,
            counts: Counts::default(),
            pages: 0,
            has_disk,
            workspace,
            web,
            demo,
        };
        let folder = soak.workspace.display().to_string();
        soak.demo.settings("disk/events", &soak.web)?;
        let settings = soak.workspace.join("magpie.toml");
        let text = fs::read_to_string(&settings)? + SETTINGS;
        fs::write(settings, text)?;
        let sites = soak.demo.folder.join("sites.txt");
        fs::write(sites, soak.web.homes.join("\n") + "\n")?;
        step::say("learning the sites, which takes some minutes: one of them does not answer");
        let learn = [
            "learn",
            "--sites",
            "sites.txt",
            "--pages",
            "400",
            "--workspace",
            &folder,
        ];
        output(&mut soak.demo.command(&soak.demo.magpie, &learn))?;
        Ok(soak)
    }

    /// Runs commands until a time is over.
    fn last(&mut self, time: Duration) -> Result<()> {
        let began = Instant::now();
        let mut unchecked = 0;
        while began.elapsed() < time {
            self.pass_time()?;
            unchecked += u32::from(self.turn()?);
            if unchecked >= CHECKED_AFTER {
                unchecked = 0;
                self.check()?;
            }
        }
        Ok(())
    }

    /// Lets some hours pass. The web changes every week.
    fn pass_time(&mut self) -> Result<()> {
        self.now = self.now + BETWEEN.mul_f64(self.random.share() * 2.0);
        let passed = self.now.since(self.begins).as_secs() / WEEK.as_secs();
        let week = u32::try_from(passed)?;
        if week > self.week {
            self.week = week;
            let port = self.web.port;
            self.web.stop();
            self.web = Web::serve(&self.demo, week, port, &WEB)?;
        }
        Ok(())
    }

    /// Runs a command, with or without a fault, and perhaps kills it. Returns true if it was
    /// killed.
    fn turn(&mut self) -> Result<bool> {
        let command = self.random.weighted(&self.commands);
        let now = match self.random.share() < 0.1 {
            true => {
                self.counts.steps_back += 1;
                self.now - STEP_BACK.mul_f64(self.random.share())
            }
            false => self.now,
        };
        let home = self.web.homes[self.random.below(self.web.homes.len())].clone();
        let sites = self.demo.folder.join("sites.txt").display().to_string();
        let words = command
            .split(' ')
            .map(|word| word.replace("{sites}", &sites).replace("{home}", &home));
        let mut arguments: Vec<String> = words.collect();
        let name = arguments[0].clone();
        arguments.extend(["--workspace".to_owned(), self.workspace.display().to_string()]);
        if name != "export" && name != "archive" {
            arguments.extend(["--now".to_owned(), now.to_string()]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let log = fs::File::create(self.demo.folder.join("command.log"))?;
        let mut child = self
            .demo
            .command(&self.demo.magpie, &arguments)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("can't run magpie")?;
        let is_killed = self.random.share() < KILLED || command.contains("--budget");
        let limit = match is_killed {
            true => LONGEST.mul_f64(self.random.share().powi(2)),
            false => LONGEST * 10,
        };
        let began = Instant::now();
        let mut fault = self.random.share();
        loop {
            if let Some(status) = child.try_wait()? {
                let counted = if status.success() {
                    &mut self.counts.ended
                } else {
                    &mut self.counts.failed
                };
                *counted.entry(name.clone()).or_default() += 1;
                let said = self.said();
                // Errors have codes of their own. A panic ends with 101, and a signal has no code.
                ensure!(
                    status.code().is_some_and(|code| code != 101),
                    "magpie {} ended with {status}: {said}",
                    arguments.join(" ")
                );
                if !status.success() && fault > 0.0 {
                    let error = said.lines().find(|line| line.starts_with("error"));
                    let error = error.or(said.lines().last()).unwrap_or("no message");
                    let error = format!("{name}: {error}");
                    *self.counts.errors.entry(error).or_default() += 1;
                }
                return Ok(false);
            }
            self.counts.memory = self.counts.memory.max(memory_of(&child));
            if began.elapsed() >= limit {
                child.kill()?;
                child.wait()?;
                *self.counts.killed.entry(name).or_default() += 1;
                return Ok(true);
            }
            if fault > 0.9 {
                fault = 0.0;
                self.fail()?;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stalls the web, or fills the disk, for some seconds.
    fn fail(&mut self) -> Result<()> {
        let time = Duration::from_secs(3).mul_f64(self.random.share());
        if self.has_disk && self.random.share() < 0.5 {
            self.counts.full_disks += 1;
            let ballast = self.workspace.with_file_name("ballast");
            let block = vec![0_u8; 1 << 16];
            let mut file = fs::File::create(&ballast)?;
            while file.write_all(&block).is_ok() {}
            thread::sleep(time);
            drop(file);
            fs::remove_file(ballast)?;
        } else {
            self.counts.stalls += 1;
            self.web.signal("STOP")?;
            thread::sleep(time);
            self.web.signal("CONT")?;
        }
        Ok(())
    }

    /// Checks that the workspace is whole, and has the pages that it had.
    fn check(&mut self) -> Result<()> {
        self.counts.checks += 1;
        let folder = self.workspace.display().to_string();
        let run = |arguments: &[&str]| {
            let mut command = self.demo.command(&self.demo.magpie, arguments);
            let output = command.output().context("can't run magpie")?;
            let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
            ensure!(
                output.status.success(),
                "magpie {}: {}",
                arguments.join(" "),
                String::from_utf8_lossy(&said)
            );
            Ok(output.stdout)
        };
        run(&["archive", "verify", "--workspace", &folder])?;
        let status = run(&["status", "--json", "--workspace", &folder])?;
        let status: serde_json::Value = serde_json::from_slice(&status)?;
        let pages = status["pages"]
            .as_u64()
            .context("status has no number of pages")?;
        ensure!(
            pages >= self.pages,
            "there were {} pages, and now there are {pages}",
            self.pages
        );
        self.pages = pages;
        Ok(())
    }

    /// Lets the commands end that finish what was killed, and looks for what was left.
    fn end(&mut self) -> Result<()> {
        let folder = self.workspace.display().to_string();
        let now = (self.now + BETWEEN).to_string();
        for command in ["recrawl", "objects cluster"] {
            let mut arguments: Vec<&str> = command.split(' ').collect();
            arguments.extend(["--workspace", &folder, "--now", &now]);
            output(&mut self.demo.command(&self.demo.magpie, &arguments))?;
        }
        let arguments = ["export", "objects", "--out", "-", "--workspace", &folder];
        let objects = json(&mut self.demo.command(&self.demo.magpie, &arguments))?;
        ensure!(!objects.is_empty(), "the workspace has no objects");
        self.check()?;
        let left = leftovers(&self.workspace)?;
        ensure!(left.is_empty(), "files were left: {left:?}");
        println!("{} objects", objects.len());
        Ok(())
    }

    /// Returns what the last command printed.
    fn said(&self) -> String {
        fs::read_to_string(self.demo.folder.join("command.log")).unwrap_or_default()
    }

    fn print(&self, served: &[u64; 2]) {
        let Counts {
            ended,
            killed,
            failed,
            ..
        } = &self.counts;
        println!(
            "\n{:10} {:>7} {:>7} {:>7}",
            "command", "ended", "killed", "failed"
        );
        let mut names: Vec<&String> = ended.keys().chain(killed.keys()).chain(failed.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let of = |counts: &BTreeMap<String, u32>| counts.get(name).copied().unwrap_or_default();
            println!("{name:10} {:>7} {:>7} {:>7}", of(ended), of(killed), of(failed));
        }
        println!(
            "\n{} kills, {} stalls of the web, {} full disks, {} clocks stepped back, {} weeks, {} checks",
            killed.values().sum::<u32>(),
            self.counts.stalls,
            self.counts.full_disks,
            self.counts.steps_back,
            self.week,
            self.counts.checks
        );
        for (error, times) in &self.counts.errors {
            println!("{times} times without a fault: {error}");
        }
        println!(
            "{} pages; {} answers of the page, {} failures; {} MB at most",
            self.pages,
            served[0],
            served[1],
            self.counts.memory / 1_000
        );
    }
}

impl Drop for Soak {
    fn drop(&mut self) {
        if self.has_disk {
            let disk = self.demo.folder.join("disk");
            // Lazily: a process that was just killed may still have a file open.
            let _ = Command::new("umount").arg("--lazy").arg(disk).status();
        }
    }
}

/// A page that is served and asked for the whole time.
struct Page {
    server: Child,
    is_over: Arc<AtomicBool>,
    reader: JoinHandle<[u64; 2]>,
}

impl Page {
    fn serve(soak: &Soak) -> Result<Page> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        drop(listener);
        let arguments = [
            "serve",
            "--workspace",
            &soak.workspace.display().to_string(),
            "--listen",
            &address.to_string(),
        ];
        let mut command = soak.demo.command(&soak.demo.magpie, &arguments);
        let server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        Ok(Page {
            server: server.context("can't run magpie serve")?,
            is_over,
            reader: thread::spawn(move || ask(address, &ends)),
        })
    }

    /// Returns the numbers of answers and of failures.
    fn end(mut self) -> [u64; 2] {
        self.is_over.store(true, Ordering::Relaxed);
        let counted = self.reader.join().unwrap_or([0, 1]);
        let _ = self.server.kill();
        let _ = self.server.wait();
        counted
    }
}

/// Asks a server for pages. An answer that it is busy or that there is nothing yet is no failure.
fn ask(address: SocketAddr, is_over: &AtomicBool) -> [u64; 2] {
    const PATHS: [&str; 6] = [
        "/",
        "/sites",
        "/events?q=music",
        "/events.ics",
        "/api/v1/objects?vertical=events",
        "/plan",
    ];
    let [mut answers, mut failures] = [0, 0];
    for path in PATHS.into_iter().cycle() {
        thread::sleep(Duration::from_millis(300));
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        match status_of(address, path) {
            Some(200 | 404 | 503) => answers += 1,
            Some(_) => failures += 1,
            // It is starting.
            None if answers == 0 => {}
            None => failures += 1,
        }
    }
    [answers, failures]
}

fn status_of(address: SocketAddr, path: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    let patience = Some(Duration::from_secs(60));
    stream.set_read_timeout(patience).ok()?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let line = String::from_utf8_lossy(&answer);
    line.split(' ').nth(1)?.parse().ok()
}

/// Makes a small file system in a folder.
fn mount(folder: &Path) -> bool {
    let mut mount = Command::new("mount");
    mount
        .args(["-t", "tmpfs", "-o", &format!("size={DISK}"), "magpie"])
        .arg(folder);
    mount
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn is_program(name: &str) -> bool {
    let mut command = Command::new(name);
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Returns the most memory that a process had, in kB.
fn memory_of(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or_default()
}

/// Returns temporary files that no process will remove.
fn leftovers(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut left = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "part" || end == "tmp") {
                left.push(path);
            }
        }
    }
    Ok(left)
}

/// Random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number from 0 up to 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, end: usize) -> usize {
        (self.share() * end as f64) as usize
    }

    fn weighted<T: Copy>(&mut self, all: &[(T, u32)]) -> T {
        let mut left = self.share() * f64::from(all.iter().map(|(_, weight)| weight).sum::<u32>());
        for (one, weight) in all {
            left -= f64::from(*weight);
            if left < 0.0 {
                return *one;
            }
        }
        all[0].0
    }
}
