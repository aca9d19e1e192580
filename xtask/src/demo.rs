//! The whole program on a small web: from a few objects to a recrawl a week later, and the savings.
//!
//! The lab serves the web; everything else is a command of an operator, and is shown as such.

#![allow(clippy::print_stdout, reason = "what it prints is what it is for")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use magpie_values::Timestamp;
use serde_json::Value;

use crate::guests;
use crate::places::Places;

const PLAN: &str = "\
This builds the vertical `events`, `magpie` and `magpie-lab`, which takes about ten minutes of two cores
the first time, and seconds after that. Then it learns three generated sites from a few seed objects and
recrawls them a week later by three methods, which takes about 20 seconds. It needs no network except for
Rust packages, and writes only below `target`.
";

/// The web that is shown.
const WEB: [&str; 5] = ["--vertical", "events", "--seed", "7", "--readable"];

/// Settings of the workspace: the web is behind a proxy, and its servers need no politeness.
const SETTINGS: &str = "
[network]
proxy = \"{proxy}\"

[politeness]
delay = \"0s\"
autothrottle = false
requests = 8

[search]
url = \"http://find.test\"
delay = \"0s\"
";

/// The time between learning and the recrawl.
const WEEK: Duration = Duration::from_secs(7 * 86_400);

#[derive(clap::Args, Default)]
pub(crate) struct Arguments {
    /// Serve the workspace as a web page at the end, until Ctrl-C
    #[arg(long, conflicts_with = "workers")]
    serve: bool,
    /// Learn the same web with this many workers and PostgreSQL instead, kill one of them, and
    /// compare the objects with those of a folder
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    workers: Option<u8>,
}

pub(crate) fn run(places: &Places, arguments: &Arguments) -> Result<()> {
    println!("{PLAN}");
    guests::build_vertical(places, "events")?;
    places.build_programs(false)?;
    match arguments.workers {
        Some(workers) => with_workers(places, workers),
        None => show(places, arguments),
    }
}

/// Shows that workers come to what one process comes to, also if one of them is killed.
fn with_workers(places: &Places, workers: u8) -> Result<()> {
    let demo = Demo::begin(places, "debug")?;
    let web = Web::serve(&demo, 0, 0, &WEB)?;
    demo.settings("events", &web)?;
    demo.learn()?;
    println!("\n--- the same on a server, with {workers} workers ---");
    let server = Postgres::start(places)?;
    let archive = format!("file://{}", demo.folder.join("archive").display());
    fs::create_dir_all(demo.folder.join("archive"))?;
    let there = demo.on_server(&server);
    there.shown(&[
        "init",
        &there.address,
        "--archive",
        &archive,
        "--vertical",
        "events",
    ])?;
    for (key, value) in [
        ("network.proxy", web.proxy.as_str()),
        ("politeness.delay", "20ms"),
        ("politeness.autothrottle", "false"),
        ("search.url", "http://find.test"),
        ("search.delay", "0s"),
        ("workers.lease", "2s"),
    ] {
        there.shown(&["config", key, "--write", value])?;
    }
    let mut crew = Vec::new();
    for number in 1..=workers {
        println!("$ magpie worker  # {number}");
        crew.push(there.start(&["worker"])?);
    }
    thread::sleep(Duration::from_secs(2));
    println!("$ magpie learn --seeds seeds.jsonl");
    let mut learning = there.start(&["learn", "--seeds", "seeds.jsonl"])?;
    thread::sleep(Duration::from_secs(2));
    println!("$ kill -9  # worker 1");
    drop(crew.remove(0));
    there.shown(&["status"])?;
    let ended = learning.0.wait()?;
    if !ended.success() {
        bail!("`magpie learn` with workers ended with {ended}");
    }
    let (folder, shared) = (demo.objects("events")?, there.objects(&there.address)?);
    println!("\nobjects in the folder: {folder}; on the server: {shared}");
    match folder == shared {
        true => Ok(()),
        false => bail!("the workers came to other objects than one process"),
    }
}

/// Shows programs that were built already.
pub(crate) fn show(places: &Places, arguments: &Arguments) -> Result<()> {
    let demo = Demo::begin(places, "debug")?;
    let web = Web::serve(&demo, 0, 0, &WEB)?;
    demo.settings("events", &web)?;
    demo.learn()?;
    let port = web.port;
    drop(web);
    demo.copies()?;
    println!("\n--- a week passes: the web has new objects, others have expired ---");
    let web = Web::serve(&demo, 1, port, &WEB)?;
    let rows = demo.methods()?;
    drop(web);
    demo.end(&rows)?;
    match arguments.serve {
        true => demo.serve(),
        false => Ok(()),
    }
}

#[derive(Clone)]
pub(crate) struct Demo {
    pub(crate) magpie: PathBuf,
    magpie_lab: PathBuf,
    verticals: PathBuf,
    pub(crate) folder: PathBuf,
    /// The address of the workspace, if it is on a server, and the password.
    pub(crate) address: String,
    password: String,
}

/// A process that is killed when this is dropped.
pub(crate) struct Background(pub(crate) Child);

impl Drop for Background {
    fn drop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A PostgreSQL server that ends with this.
pub(crate) struct Postgres {
    child: Child,
    address: String,
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // It ends the server when its standard input does.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

impl Postgres {
    pub(crate) fn start(places: &Places) -> Result<Postgres> {
        let mut cargo = places.cargo();
        cargo.args(["run", "--quiet", "--example", "servers", "--", "--postgres"]);
        let mut child = cargo
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("can't run cargo")?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("the server printed nothing")?;
        BufReader::new(stdout).read_line(&mut line)?;
        match line.trim() {
            "" => bail!("PostgreSQL did not start"),
            address => Ok(Postgres {
                address: address.to_owned(),
                child,
            }),
        }
    }
}

/// A row of the table at the end.
struct Row {
    method: &'static str,
    patterns: String,
    pages: u64,
    bytes: u64,
    distinct: u64,
    correct: u64,
}

/// Workspaces that the same web is recrawled in, and how.
const METHODS: [(&str, &str); 3] = [
    ("full", "everything again"),
    ("all-patterns", "all patterns"),
    ("selective", "selected patterns"),
];

impl Demo {
    /// Empties the folder of the demonstration.
    pub(crate) fn begin(places: &Places, profile: &str) -> Result<Demo> {
        Demo::begin_in(places, profile, "demo")
    }

    /// Empties a folder below `target`.
    pub(crate) fn begin_in(places: &Places, profile: &str, folder: &str) -> Result<Demo> {
        let folder = places.root().join("target").join(folder);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("can't remove {}", folder.display()))?;
        }
        fs::create_dir_all(&folder)?;
        Ok(Demo {
            magpie: places.program(profile, "magpie"),
            magpie_lab: places.program("debug", "magpie-lab"),
            verticals: places.built_verticals(),
            folder,
            address: String::new(),
            password: String::new(),
        })
    }

    /// Returns the same with a workspace on a server.
    pub(crate) fn on_server(&self, server: &Postgres) -> Demo {
        let (before, host) = server.address.split_once('@').unwrap_or_default();
        let (user, password) = before.rsplit_once(':').unwrap_or_default();
        Demo {
            address: format!("{user}@{host}"),
            password: password.to_owned(),
            ..self.clone()
        }
    }

    /// Returns the number of objects in a workspace.
    fn objects(&self, workspace: &str) -> Result<usize> {
        let arguments = ["export", "objects", "--out", "-", "--workspace", workspace];
        Ok(json(&mut self.command(&self.magpie, &arguments))?.len())
    }

    /// Starts a command in the background.
    pub(crate) fn start(&self, arguments: &[&str]) -> Result<Background> {
        let mut command = self.command(&self.magpie, arguments);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        child.map(Background).context("can't run magpie")
    }

    /// Makes a workspace for a web.
    pub(crate) fn settings(&self, name: &str, web: &Web) -> Result<()> {
        self.shown(&["init", name, "--vertical", "events"])?;
        let workspace = self.folder.join(name);
        let settings = SETTINGS.replace("{proxy}", &web.proxy);
        Ok(fs::write(workspace.join("magpie.toml"), settings)?)
    }

    fn learn(&self) -> Result<()> {
        let mut seeds = vec!["seeds"];
        seeds.extend(WEB);
        println!("\n$ magpie-lab {} > seeds.jsonl", seeds.join(" "));
        let printed = output(&mut self.command(&self.magpie_lab, &seeds))?;
        fs::write(self.folder.join("seeds.jsonl"), printed)?;
        self.shown(&["learn", "--workspace", "events", "--seeds", "seeds.jsonl"])?;
        self.shown(&["patterns", "--workspace", "events"])
    }

    /// The same workspace for every method.
    fn copies(&self) -> Result<()> {
        for (method, _) in METHODS {
            if method != "selective" {
                copy_folder(&self.folder.join("events"), &self.folder.join(method))?;
            }
        }
        Ok(())
    }

    fn methods(&self) -> Result<Vec<Row>> {
        self.shown(&["recrawl", "--workspace", "events", "--later", "1w"])?;
        self.shown(&["objects", "--workspace", "events", "--limit", "8"])?;
        println!("\n--- the same week by other methods, in copies of the workspace ---");
        let row = |(method, name)| self.row(method, name);
        METHODS.into_iter().map(row).collect()
    }

    fn row(&self, method: &'static str, name: &'static str) -> Result<Row> {
        let workspace = if method == "selective" { "events" } else { method };
        if method != "selective" {
            let arguments = [
                "recrawl",
                "--workspace",
                workspace,
                "--later",
                "1w",
                "--method",
                method,
            ];
            println!("$ magpie {}", arguments.join(" "));
            output(&mut self.command(&self.magpie, &arguments))?;
        }
        let sites = json(&mut self.command(&self.magpie, &["sites", "--workspace", workspace, "--json"]))?;
        let last = |site: &Value| {
            site["rounds"]
                .as_array()
                .and_then(|rounds| rounds.last().cloned())
        };
        let sum = |key: &str| {
            let rounds = sites.iter().filter_map(last);
            rounds.filter_map(|round| round[key].as_u64()).sum()
        };
        let patterns =
            json(&mut self.command(&self.magpie, &["patterns", "--workspace", workspace, "--json"]))?;
        let counted = patterns
            .iter()
            .filter(|row| method == "all-patterns" || row["chosen"] == true);
        let mut score = vec!["score", workspace, "--json", "--week", "1"];
        score.extend(WEB);
        let score = json(&mut self.command(&self.magpie_lab, &score))?
            .pop()
            .unwrap_or_default();
        let number = |key: &str| score[key].as_u64().unwrap_or_default();
        Ok(Row {
            method: name,
            patterns: match method {
                "full" => "–".to_owned(),
                _ => counted.count().to_string(),
            },
            pages: sum("pages"),
            bytes: sum("bytes"),
            distinct: number("distinct"),
            correct: number("correct"),
        })
    }

    /// Serves the workspace as of the week that has passed.
    fn serve(&self) -> Result<()> {
        let later = (Timestamp::from(SystemTime::now()) + WEEK).to_string();
        let arguments = ["serve", "--workspace", "events", "--now", &later];
        println!("\n$ magpie {}", arguments.join(" "));
        let status = self.command(&self.magpie, &arguments).status()?;
        match status.success() {
            true => Ok(()),
            false => bail!("the web page ended with {status}"),
        }
    }

    fn end(&self, rows: &[Row]) -> Result<()> {
        println!("\nCosts of the week, and objects in the workspace:\n");
        println!(
            "{:20} {:>8} {:>6} {:>9} {:>9} {:>8}",
            "method", "patterns", "pages", "kilobytes", "distinct", "correct"
        );
        for row in rows {
            println!(
                "{:20} {:>8} {:>6} {:>9} {:>9} {:>8}",
                row.method,
                row.patterns,
                row.pages,
                row.bytes / 1_000,
                row.distinct,
                row.correct
            );
        }
        let reports = self.folder.join("events/reports");
        let mut files: Vec<PathBuf> = fs::read_dir(&reports)
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        files.sort();
        println!();
        for file in files {
            println!("report: {}", file.display());
        }
        println!(
            "the workspace: {} (try `{} objects --help` in it)",
            self.folder.join("events").display(),
            self.magpie.display()
        );
        Ok(())
    }

    pub(crate) fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).args(arguments);
        command.env("MAGPIE_VERTICALS", &self.verticals);
        if !self.address.is_empty() {
            command
                .env("MAGPIE_WORKSPACE", &self.address)
                .env("PGPASSWORD", &self.password);
        }
        command
    }

    /// Runs a command as a person would, and shows it.
    fn shown(&self, arguments: &[&str]) -> Result<()> {
        println!("\n$ magpie {}", arguments.join(" "));
        let mut command = self.command(&self.magpie, arguments);
        let status = command.status().context("can't run magpie")?;
        match status.success() {
            true => Ok(()),
            false => bail!("magpie {} failed", arguments.join(" ")),
        }
    }
}

pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.stderr(Stdio::null()).output();
    let output = output.with_context(|| format!("can't run {command:?}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => bail!("{command:?} failed"),
    }
}

/// Returns the JSON objects that a command prints, one a line.
pub(crate) fn json(command: &mut Command) -> Result<Vec<Value>> {
    let output = String::from_utf8(output(command)?)?;
    let lines = output.lines().map(|line| Ok(serde_json::from_str(line)?));
    lines.collect()
}

/// The lab's server, which ends with this.
pub(crate) struct Web {
    child: Child,
    pub(crate) proxy: String,
    /// First pages of the sites.
    pub(crate) homes: Vec<String>,
    pub(crate) port: u16,
}

impl Web {
    pub(crate) fn serve(demo: &Demo, week: u32, port: u16, web: &[&str]) -> Result<Web> {
        let (week, port) = (week.to_string(), port.to_string());
        let mut arguments = vec!["serve", "--json", "--week", &week, "--port", &port];
        arguments.extend(web);
        let mut command = demo.command(&demo.magpie_lab, &arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("can't run magpie-lab")?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("magpie-lab printed nothing")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let said: Value = serde_json::from_str(&line).context("magpie-lab printed no address")?;
        let proxy = said["proxy"].as_str().context("magpie-lab printed no address")?;
        let port = proxy.rsplit(':').next().and_then(|port| port.parse().ok());
        let sites = said["sites"].as_array().into_iter().flatten();
        let homes = sites.filter_map(|site| site["home"].as_str().map(str::to_owned));
        Ok(Web {
            proxy: proxy.to_owned(),
            homes: homes.collect(),
            port: port.context("magpie-lab printed no port")?,
            child,
        })
    }
}

impl Web {
    /// Ends the server, so that its port is free.
    pub(crate) fn stop(&mut self) {
        // It may have ended by itself, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends the server a signal: `STOP`, `CONT`.
    pub(crate) fn signal(&self, name: &str) -> Result<()> {
        let mut kill = Command::new("kill");
        let status = kill.args(["-s", name, &self.child.id().to_string()]).status();
        match status.context("can't run kill")?.success() {
            true => Ok(()),
            false => bail!("magpie-lab can't be sent the signal {name}"),
        }
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.stop();
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}
