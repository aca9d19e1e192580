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

/// Crawls a generated web with `magpie crawl` in a folder, and with workers and PostgreSQL. Prints
/// the cost of a page, and the memory of the processes
#[derive(Parser)]
#[command(name = "cargo xtask bench workers --", max_term_width = 110)]
struct Options {
    /// Numbers of workers; the web is crawled once with each number
    #[arg(long, value_delimiter = ',', default_values_t = [2], value_parser = clap::value_parser!(u8).range(1..=16))]
    workers: Vec<u8>,
    /// Size of the web, as that of `magpie-lab serve`
    #[arg(long, default_value = "small")]
    size: String,
    /// Number of sites
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=5000))]
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
    used: Used,
}

/// The resources of a crawl.
#[derive(Clone, Copy, Default)]
struct Used {
    /// CPU time of Magpie's processes, and of PostgreSQL.
    cpu: [f64; 2],
    /// The most memory of the command, and of a worker, in megabytes.
    memory: [f64; 2],
}

impl Row {
    fn per_cpu_second(&self) -> f64 {
        self.pages as f64 / self.used.cpu.iter().sum::<f64>()
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
        &[
            "--size",
            &options.size,
            "--sites",
            &sites,
            "--light",
            "--calm",
            "--deep",
            "0",
        ],
    )?;
    let mut rows = vec![in_folder(&demo, &web)?];
    for workers in &options.workers {
        rows.push(with_workers(places, &demo, &web, *workers)?);
    }
    let ratio = |row: &Row| row.per_cpu_second() / rows[0].per_cpu_second();
    if is_json {
        for row in &rows {
            let Used {
                cpu: [magpie, postgres],
                memory: [command, worker],
            } = row.used;
            let line = json!({
                "name": row.name, "pages": row.pages, "seconds": row.seconds, "cpu": magpie, "postgres_cpu": postgres,
                "pages_per_cpu_second": row.per_cpu_second(), "ratio": ratio(row),
                "command_mb": command, "worker_mb": worker,
            });
            println!("{line}");
        }
        return Ok(());
    }
    println!(
        "\n{:12} {:>8} {:>9} {:>9} {:>11} {:>12} {:>6} {:>8} {:>8} {:>8}",
        "", "pages", "time", "CPU time", "PostgreSQL", "pages/CPU s", "ratio", "pages/s", "command", "worker"
    );
    for row in &rows {
        println!(
            "{:12} {:>8} {:>7.1} s {:>7.1} s {:>9.1} s {:>12.0} {:>6.2} {:>8.0} {:>5.0} MB {:>5.0} MB",
            row.name,
            row.pages,
            row.seconds,
            row.used.cpu[0],
            row.used.cpu[1],
            row.per_cpu_second(),
            ratio(row),
            row.pages as f64 / row.seconds,
            row.used.memory[0],
            row.used.memory[1],
        );
    }
    println!("\nratio: pages for each CPU second of Magpie and PostgreSQL, divided by those in a folder");
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
    let used = crawl(demo, web, &["--workspace", "events"], || Ok(Used::default()))?;
    Ok(Row {
        name: "a folder".to_owned(),
        seconds: begin.elapsed().as_secs_f64(),
        pages: pages(demo, "events")?,
        used,
    })
}

fn with_workers(places: &Places, demo: &Demo, web: &Web, workers: u8) -> Result<Row> {
    let server = Postgres::start(places)?;
    let there = demo.on_server(&server);
    let archive = demo.folder.join(format!("archive-{workers}"));
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
    let name = match workers {
        1 => "1 worker".to_owned(),
        _ => format!("{workers} workers"),
    };
    let workers: Vec<Background> = (0..workers)
        .map(|_| there.start(&["worker"]))
        .collect::<Result<_>>()?;
    thread::sleep(Duration::from_secs(2));
    let postmaster = postmaster(&there.address)?;
    let of_others = || {
        let mut used = Used {
            cpu: [0.0, cpu_with_children(postmaster)?],
            ..Used::default()
        };
        for worker in &workers {
            used.cpu[0] += cpu_of(worker.0.id())?.seconds;
            used.memory[1] = used.memory[1].max(memory_of(worker.0.id()));
        }
        Ok(used)
    };
    let begin = Instant::now();
    let used = crawl(&there, web, &[], of_others)?;
    Ok(Row {
        name,
        seconds: begin.elapsed().as_secs_f64(),
        pages: pages(&there, &there.address)?,
        used,
    })
}

/// Crawls the web. Returns what the command and others have used.
fn crawl(demo: &Demo, web: &Web, workspace: &[&str], of_others: impl Fn() -> Result<Used>) -> Result<Used> {
    let mut arguments = vec!["crawl", "--quiet", "--delay", "0s", "--proxy", &web.proxy];
    arguments.extend([
        "--set",
        "politeness.autothrottle=false",
        "--set",
        "politeness.max_crawl_delay=0s",
        "--set",
        "politeness.requests=8",
    ]);
    arguments.extend(workspace);
    step::say(&format!("magpie {} SITE…", arguments.join(" ")));
    arguments.extend(web.homes.iter().map(String::as_str));
    let before = of_others()?;
    let mut command = demo.start(&arguments)?;
    let mut memory: f64 = 0.0;
    let seconds = loop {
        let used = cpu_of(command.0.id())?;
        if used.has_ended {
            break used.seconds;
        }
        memory = memory.max(memory_of(command.0.id()));
        thread::sleep(Duration::from_millis(20));
    };
    let after = of_others()?;
    let status = command.0.wait()?;
    if !status.success() {
        bail!("`magpie crawl` ended with {status}");
    }
    Ok(Used {
        cpu: [
            seconds + after.cpu[0] - before.cpu[0],
            after.cpu[1] - before.cpu[1],
        ],
        memory: [memory, after.memory[1]],
    })
}

fn pages(demo: &Demo, workspace: &str) -> Result<u64> {
    let arguments = ["status", "--json", "--workspace", workspace];
    let status = json(&mut demo.command(&demo.magpie, &arguments))?
        .pop()
        .unwrap_or_default();
    status["pages"].as_u64().context("`magpie status` shows no pages")
}

/// The CPU time of a process, and of its children that it has waited for.
struct Process {
    seconds: f64,
    /// True if the process has ended and its parent has not waited for it yet.
    has_ended: bool,
    parent: u32,
}

/// Ticks of the clock in a second, in which Linux states CPU times on all machines of today.
const TICKS: f64 = 100.0;

/// Returns the most memory that a process has had so far, in megabytes.
fn memory_of(process: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = most.and_then(|most| most.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}

fn cpu_of(process: u32) -> Result<Process> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).context("a process has ended")?;
    // The name of the program may have any letter.
    let (_, fields) = stat.rsplit_once(')').context("/proc has another form")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let number = |place: usize| fields.get(place).and_then(|field| field.parse::<u32>().ok());
    let ticks: u32 = (11..15).filter_map(number).sum();
    Ok(Process {
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
