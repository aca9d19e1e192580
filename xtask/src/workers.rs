//! The cost of a page that workers fetch, beside that of one in a folder.

#![allow(clippy::print_stdout, reason = "what it prints is what it is for")]

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use serde_json::json;

use crate::demo::{Background, Demo, Postgres, Web, json, output};
use crate::places::Places;
use crate::{guests, step};

/// Crawls a generated web with `magpie crawl` in a folder, and with workers and PostgreSQL
#[derive(Parser)]
#[command(name = "cargo xtask bench workers --", max_term_width = 110)]
struct Options {
    /// Number of workers
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    workers: u8,
    /// Number of sites; some of many ask for a delay in their robots.txt
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=300))]
    sites: u32,
    /// Build the optimised program first and measure it, instead of that for debugging
    #[arg(long)]
    release: bool,
}

/// The measured part of a crawl.
struct Row {
    name: String,
    pages: u64,
    /// Time of the crawl.
    seconds: f64,
    /// CPU time of Magpie's processes, and of PostgreSQL.
    cpu: [f64; 2],
}

impl Row {
    fn per_cpu_second(&self) -> f64 {
        self.pages as f64 / self.cpu.iter().sum::<f64>()
    }
}

pub(crate) fn run(places: &Places, is_json: bool, arguments: &[std::ffi::OsString]) -> Result<()> {
    let name = ["workers".into()];
    let options = Options::parse_from(name.iter().chain(arguments));
    ensure!(
        cfg!(target_os = "linux"),
        "CPU time of PostgreSQL is read in /proc, which only Linux has"
    );
    let mut build = vec!["build", "--package", "magpie"];
    if options.release {
        build.push("--release");
    }
    step::run(&format!("cargo {}", build.join(" ")), places.cargo().args(&build))?;
    guests::build_vertical(places, "events")?;
    places.build_lab(false)?;
    let demo = Demo::begin(places, if options.release { "release" } else { "debug" })?;
    let sites = options.sites.to_string();
    let web = Web::serve(
        &demo,
        0,
        0,
        &["--sites", &sites, "--light", "--calm", "--deep", "0"],
    )?;
    let rows = [
        in_folder(&demo, &web)?,
        with_workers(places, &demo, &web, &options)?,
    ];
    let ratio = rows[1].per_cpu_second() / rows[0].per_cpu_second();
    if is_json {
        for row in &rows {
            let [magpie, postgres] = row.cpu;
            let row = json!({
                "name": row.name, "pages": row.pages, "seconds": row.seconds, "cpu": magpie, "postgres_cpu": postgres,
                "pages_per_cpu_second": row.per_cpu_second(),
            });
            println!("{row}");
        }
        println!("{}", json!({"ratio": ratio}));
        return Ok(());
    }
    println!(
        "\n{:16} {:>7} {:>7} {:>9} {:>11} {:>15} {:>9}",
        "", "pages", "time", "CPU time", "PostgreSQL", "pages/CPU s", "pages/s"
    );
    for row in &rows {
        println!(
            "{:16} {:>7} {:>5.1} s {:>7.1} s {:>9.1} s {:>15.0} {:>9.0}",
            row.name,
            row.pages,
            row.seconds,
            row.cpu[0],
            row.cpu[1],
            row.per_cpu_second(),
            row.pages as f64 / row.seconds
        );
    }
    println!(
        "\npages of workers and PostgreSQL for each CPU second, divided by those in a folder: {ratio:.2}"
    );
    Ok(())
}

fn in_folder(demo: &Demo, web: &Web) -> Result<Row> {
    let run = |arguments: &[&str]| output(&mut demo.command(&demo.magpie, arguments));
    run(&["init", "first", "--vertical", "events"])?;
    // Compiles the vertical, which is kept for all crawls.
    run(&[
        "crawl",
        &web.homes[0],
        "--pages",
        "1",
        "--proxy",
        &web.proxy,
        "--workspace",
        "first",
    ])?;
    run(&["init", "events", "--vertical", "events"])?;
    let begin = Instant::now();
    let [cpu, _] = crawl(demo, web, &["--workspace", "events"], || Ok([0.0; 2]))?;
    Ok(Row {
        name: "a folder".to_owned(),
        seconds: begin.elapsed().as_secs_f64(),
        pages: pages(demo, "events")?,
        cpu: [cpu, 0.0],
    })
}

fn with_workers(places: &Places, demo: &Demo, web: &Web, options: &Options) -> Result<Row> {
    let server = Postgres::start(places)?;
    let there = demo.on_server(&server);
    let archive = demo.folder.join("archive");
    fs::create_dir_all(&archive)?;
    let archive = format!("file://{}", archive.display());
    let init = [
        "init",
        &there.address,
        "--archive",
        &archive,
        "--vertical",
        "events",
    ];
    output(&mut there.command(&there.magpie, &init))?;
    let workers: Vec<Background> = (0..options.workers)
        .map(|_| there.start(&["worker"]))
        .collect::<Result<_>>()?;
    thread::sleep(Duration::from_secs(2));
    let postmaster = postmaster(&there.address)?;
    let of_others = || {
        let workers = workers
            .iter()
            .map(|worker| cpu_of(worker.0.id()).map(|used| used.seconds));
        Ok([workers.sum::<Result<f64>>()?, cpu_with_children(postmaster)?])
    };
    let begin = Instant::now();
    let cpu = crawl(&there, web, &[], of_others)?;
    Ok(Row {
        name: format!("{} workers", options.workers),
        seconds: begin.elapsed().as_secs_f64(),
        pages: pages(&there, &there.address)?,
        cpu,
    })
}

/// Crawls the web. Returns the CPU time of the command and of others: Magpie's and PostgreSQL's.
fn crawl(
    demo: &Demo,
    web: &Web,
    workspace: &[&str],
    of_others: impl Fn() -> Result<[f64; 2]>,
) -> Result<[f64; 2]> {
    let mut arguments = vec!["crawl", "--quiet", "--delay", "0s", "--proxy", &web.proxy];
    arguments.extend([
        "--set",
        "politeness.autothrottle=false",
        "--set",
        "politeness.requests=8",
    ]);
    arguments.extend(workspace);
    step::say(&format!("magpie {} SITE…", arguments.join(" ")));
    arguments.extend(web.homes.iter().map(String::as_str));
    let before = of_others()?;
    let mut command = demo.start(&arguments)?;
    let used = loop {
        let used = cpu_of(command.0.id())?;
        if used.has_ended {
            break used.seconds;
        }
        thread::sleep(Duration::from_millis(20));
    };
    let after = of_others()?;
    let status = command.0.wait()?;
    if !status.success() {
        bail!("`magpie crawl` ended with {status}");
    }
    Ok([used + after[0] - before[0], after[1] - before[1]])
}

fn pages(demo: &Demo, workspace: &str) -> Result<u64> {
    let arguments = ["status", "--json", "--workspace", workspace];
    let status = json(&mut demo.command(&demo.magpie, &arguments))?
        .pop()
        .unwrap_or_default();
    status["pages"].as_u64().context("`magpie status` shows no pages")
}

/// The CPU time of a process, and of its children that it has waited for.
struct Used {
    seconds: f64,
    /// It has ended, and nobody has waited for it.
    has_ended: bool,
    parent: u32,
}

/// Ticks of the clock in a second, in which Linux states CPU times on all machines of today.
const TICKS: f64 = 100.0;

fn cpu_of(process: u32) -> Result<Used> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).context("a process has ended")?;
    // The name of the program may have any letter.
    let (_, fields) = stat.rsplit_once(')').context("/proc has another form")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let number = |place: usize| fields.get(place).and_then(|field| field.parse::<u32>().ok());
    let ticks: u32 = (11..15).filter_map(number).sum();
    Ok(Used {
        seconds: f64::from(ticks) / TICKS,
        has_ended: fields.first() == Some(&"Z"),
        parent: number(1).unwrap_or_default(),
    })
}

fn processes() -> Result<impl Iterator<Item = u32>> {
    let entries = fs::read_dir("/proc").context("can't read /proc")?.flatten();
    Ok(entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()))
}

fn cpu_with_children(parent: u32) -> Result<f64> {
    // Those that end meanwhile count for their parent.
    let children = processes()?.filter_map(|process| cpu_of(process).ok());
    let children = children.filter(|used| used.parent == parent);
    Ok(cpu_of(parent)?.seconds + children.map(|used| used.seconds).sum::<f64>())
}

/// Returns the first process of the server at an address.
fn postmaster(address: &str) -> Result<u32> {
    let port = address.rsplit(':').next().and_then(|rest| rest.split('/').next());
    let option = format!("port={}", port.context("an address has a port")?);
    let is_it = |process: &u32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0);
        let is_server = words
            .next()
            .is_some_and(|program| program.ends_with(b"/postgres"));
        is_server && words.any(|word| word == option.as_bytes())
    };
    processes()?
        .find(is_it)
        .context("the process of PostgreSQL was not found")
}
