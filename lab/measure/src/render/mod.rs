//! Cost of a rendered page: Magpie's renderer and Crawlee with Playwright, with the same Chromium.
//!
//! The lab serves sites that show their objects by scripts. Each contestant is a process that
//! renders the same pages of them, several times in turns. All CPU time counts: that of the
//! process, of the browser, and of every process that either has started (`family`).

mod family;
mod ours;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::crawl::installed;
use crate::crawl::process::last_words;
use crate::figure::{Figure, Report, tell};
use crate::sample::Samples;

/// The package of the other contestant.
const CRAWLEE: &str = "crawlee[playwright]==1.11.0";

/// Upper bound on the time of a contestant.
const LIMIT: Duration = Duration::from_secs(600);

/// The web of the lab: enough sites for every style of scripts.
const WEB: [&str; 8] = ["--scripted", "100", "--sites", "12", "--deep", "0", "--seed", "7"];

/// Options of a run.
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    /// Pages that each contestant renders in a round
    #[arg(long, value_name = "N", default_value_t = 100)]
    pages: usize,
    /// Number of rounds of the comparison of renderers
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Pages at the same time
    #[arg(long, value_name = "N", default_value_t = 2)]
    at_once: usize,
    /// The browser of both contestants
    #[arg(long, value_name = "FILE", default_value = "/usr/bin/chromium")]
    chromium: PathBuf,
    /// A process of the benchmark: renders the URLs of this file
    #[arg(long = "url-list", value_name = "FILE", hide = true)]
    urls: Option<PathBuf>,
    /// The lab's proxy
    #[arg(long, hide = true, default_value = "")]
    proxy: String,
}

struct Contestant {
    name: &'static str,
    does: &'static str,
    command: Box<dyn Fn() -> Command>,
    costs: Vec<f64>,
    rendered: usize,
    bytes: f64,
    wall: f64,
}

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    match &options.urls {
        Some(urls) => ours::run(urls, &options.proxy, &options.chromium, options.at_once),
        None => measure(options, report),
    }
}

fn measure(options: &Options, report: &mut Report) -> Result<()> {
    if !options.chromium.is_file() {
        let file = options.chromium.display();
        tell(&format!(
            "skipped: the comparison of renderers, since there is no {file}"
        ));
        return Ok(());
    }
    if !family::adopt() {
        tell("skipped: the comparison of renderers, since this system does not tell the time of processes");
        return Ok(());
    }
    let program = std::env::current_exe().context("can't tell where this program lies")?;
    let lab = program.with_file_name("magpie-lab");
    if !lab.is_file() {
        bail!("{} is missing: build it with this program", lab.display());
    }
    let scratch = tempfile::tempdir()?;
    let urls = pages(&lab, options.pages)?;
    let list = scratch.path().join("urls.txt");
    std::fs::write(&list, urls.join("\n"))?;
    let web = Web::start(&lab)?;
    let mut contestants = contestants(options, &program, &list, &web.proxy, scratch.path())?;
    for round in 1..=options.rounds.max(1) {
        for contestant in &mut contestants {
            tell(&format!(
                "{} pages, round {round}: {}",
                urls.len(),
                contestant.name
            ));
            contestant.once(urls.len(), web.process.id(), scratch.path())?;
        }
    }
    let median = |costs: &[f64]| Samples::new(costs.to_vec());
    for contestant in &contestants {
        let figure = Figure::of(
            format!("a rendered page: {}", contestant.name),
            &median(&contestant.costs),
            "CPU s/1,000 pages",
        );
        report.add(
            figure
                .beside("rendered", contestant.rendered as f64)
                .beside(
                    "KB of documents/page",
                    contestant.bytes / contestant.rendered.max(1) as f64 / 1e3,
                )
                .beside("s of the last round", contestant.wall)
                .note(contestant.does),
        );
    }
    if let [ours, others @ ..] = contestants.as_slice() {
        for other in others {
            let ratios = median(&ours.costs).over(&median(&other.costs));
            let name = format!("a rendered page: {} over {}", ours.name, other.name);
            report.add(Figure::of(name, &ratios, "times the CPU time").at_most(1.0));
        }
    }
    Ok(())
}

/// Returns the URLs of pages whose objects are shown by scripts alone, taken evenly from the sites.
fn pages(lab: &Path, most: usize) -> Result<Vec<String>> {
    let output = Command::new(lab)
        .arg("truth")
        .args(WEB)
        .arg("--json")
        .output()
        .context("can't run magpie-lab")?;
    let mut by_site: Vec<Vec<String>> = Vec::new();
    for line in output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let line: Value = serde_json::from_slice(line).context("the lab's truth is no JSON")?;
        let is_wanted = line["scripted"] == true && line["broken"] == false && line["forbidden"] == false;
        let (Some(url), Some(site)) = (line["page"].as_str(), line["site"].as_u64()) else {
            continue;
        };
        let site = usize::try_from(site)?;
        if by_site.len() <= site {
            by_site.resize(site + 1, Vec::new());
        }
        if is_wanted {
            by_site[site].push(url.to_owned());
        }
    }
    let longest = by_site.iter().map(Vec::len).max().unwrap_or(0);
    let turns = (0..longest).flat_map(|turn| by_site.iter().filter_map(move |pages| pages.get(turn)));
    let urls: Vec<String> = turns.take(most).cloned().collect();
    match urls.is_empty() {
        true => bail!("the lab has no page that scripts show"),
        false => Ok(urls),
    }
}

/// The lab's web, until it is dropped.
struct Web {
    process: Child,
    proxy: String,
}

impl Web {
    fn start(lab: &Path) -> Result<Web> {
        let mut process = Command::new(lab)
            .arg("serve")
            .args(WEB)
            .arg("--json")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("can't start magpie-lab")?;
        let output = process.stdout.take().context("its output is piped")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let described: Value = serde_json::from_str(&line).context("the lab says no address")?;
        let proxy = described["proxy"].as_str().unwrap_or_default().to_owned();
        Ok(Web { process, proxy })
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // One that has ended by itself needs no end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn contestants(
    options: &Options,
    program: &Path,
    list: &Path,
    proxy: &str,
    scratch: &Path,
) -> Result<Vec<Contestant>> {
    let contestant = |name, does, command: Box<dyn Fn() -> Command>| Contestant {
        name,
        does,
        command,
        costs: Vec::new(),
        rendered: 0,
        bytes: 0.0,
        wall: 0.0,
    };
    let (own, urls, chromium) = (program.to_owned(), list.to_owned(), options.chromium.clone());
    let (lab, at_once) = (proxy.to_owned(), options.at_once.to_string());
    let ours = move || {
        let mut command = Command::new(&own);
        command
            .args(["render", "--proxy", &lab, "--at-once", &at_once, "--url-list"])
            .arg(&urls)
            .arg("--chromium")
            .arg(&chromium);
        command
    };
    let mut all = vec![contestant(
        "Magpie",
        "a fresh context for each page, requests by its own client, waits until the page is at rest",
        Box::new(ours),
    )];
    let target = program
        .ancestors()
        .nth(2)
        .context("this program lies in no target folder")?;
    let environment = target.join("contestants/crawlee-playwright");
    std::fs::create_dir_all(&environment)?;
    match installed(&environment, CRAWLEE) {
        Err(error) => tell(&format!("left out: Crawlee, since it can't be had: {error:#}")),
        Ok(python) => {
            for (name, does, mode) in [
                ("Crawlee", "as it ships, waits until the network is idle", "all"),
                (
                    "Crawlee without pictures",
                    "the same, with its `block_requests` for pictures, fonts and styles",
                    "block",
                ),
            ] {
                let (python, list, proxy) = (python.clone(), list.to_owned(), proxy.to_owned());
                let (chromium, folder) = (options.chromium.clone(), scratch.to_owned());
                let at_once = options.at_once.to_string();
                let command = move || {
                    let mut command = Command::new(&python);
                    command
                        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("contestants/crawlee/render.py"))
                        .arg(&list)
                        .args([&proxy, &at_once])
                        .arg(&chromium)
                        .arg(mode)
                        .env("CRAWLEE_STORAGE_DIR", folder.join("storage"))
                        .current_dir(&folder);
                    command
                };
                all.push(contestant(name, does, Box::new(command)));
            }
        }
    }
    Ok(all)
}

impl Contestant {
    fn once(&mut self, pages: usize, server: u32, scratch: &Path) -> Result<()> {
        let storage = scratch.join("storage");
        if storage.exists() {
            std::fs::remove_dir_all(&storage).context("can't clean up")?;
        }
        let log = scratch.join("log.txt");
        let used = family::run(&mut (self.command)(), &log, LIMIT, server)?;
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        // Each page is a line: its URL and the bytes of its document.
        let documents: Vec<f64> = text
            .lines()
            .filter_map(|line| line.strip_prefix("rendered ")?.rsplit_once(' ')?.1.parse().ok())
            .collect();
        if documents.len() * 10 < pages * 9 {
            bail!(
                "{} rendered {} of {pages} pages:\n{}",
                self.name,
                documents.len(),
                last_words(&log)
            );
        }
        self.rendered = documents.len();
        self.bytes = documents.iter().sum();
        self.wall = used.wall;
        self.costs.push(used.cpu * 1_000.0 / documents.len() as f64);
        Ok(())
    }
}
