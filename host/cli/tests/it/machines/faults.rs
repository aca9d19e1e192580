//! Crawls by workers while processes, the network and clocks fail.
//!
//! The tests are short. `cargo xtask chaos` sets the variables that make them long.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::process::{Child, Command};

use magpie_test_servers::{ObjectStore, Pooler};
use magpie_test_support::has_program;
use magpie_test_support::proxy::{Proxy, Way};

use super::*;

/// The length of leases in the settings of [`Machines`].
const LEASE: Duration = Duration::from_secs(2);

/// Time between two looks at the processes.
const LOOK: Duration = Duration::from_millis(100);

/// Time by which a request may come too early: processes wait for processors.
const SLACK: Duration = Duration::from_millis(10);

/// A fault. Times are in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    KillWorker,
    KillDriver,
    KillServer,
    /// A worker is stopped, and continued after a time.
    Freeze(u64),
    /// A worker does not reach its servers, or they do not reach it.
    CutToServer(u64),
    CutToWorker(u64),
    CutBoth(u64),
    /// A worker leaves, and another joins.
    Replace,
}

/// Faults of a test, and the crawls in which they happen.
struct Plan {
    release: Release,
    /// The time between two requests to a host.
    delay: Duration,
    workers: usize,
    faults: Vec<Fault>,
    /// The mean time between two faults.
    pause: Duration,
    /// The proxy drops one in this number of answers to COMMIT.
    swallow_one_in: u32,
    /// Clocks of workers, as `faketime` names them.
    clocks: &'static [&'static str],
    /// Workers reach the server through a pooler.
    is_pooled: bool,
    /// The archive is in an object store that speaks the protocol of S3.
    in_store: bool,
    /// A transaction that began before stays open.
    holds_snapshot: bool,
}

impl Plan {
    fn new(release: Release, faults: Vec<Fault>) -> Plan {
        Plan {
            release,
            // Longer than a successor keeps quiet for other reasons.
            delay: Duration::from_millis(800),
            workers: 3,
            faults,
            pause: Duration::from_millis(1_500),
            swallow_one_in: 0,
            clocks: &[],
            is_pooled: false,
            in_store: false,
            holds_snapshot: false,
        }
    }
}

/// Returns a number of the long form of a test.
fn number(name: &str, short: u64) -> u64 {
    let long = std::env::var(format!("MAGPIE_CHAOS_{name}")).ok();
    long.map_or(short, |long| long.parse().expect("a number"))
}

fn is_long() -> bool {
    std::env::var_os("MAGPIE_CHAOS_SECONDS").is_some()
}

fn repeated(fault: Fault, count: u64) -> impl Iterator<Item = Fault> {
    (0..count).map(move |_| fault)
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}

/// A worker with proxies before its servers.
struct Member {
    process: Running,
    proxies: Vec<Proxy>,
    /// The end of its fault.
    until: Option<Instant>,
}

impl Member {
    fn signal(&self, name: &str) {
        let id = self.process.0.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status();
        assert!(sent.expect("kill runs").success());
    }

    fn recover(&mut self) {
        if self.until.take().is_some() {
            self.signal("-CONT");
            self.proxies.iter().for_each(Proxy::heal);
        }
    }
}

/// A workspace that is learned while faults happen.
struct Chaos<'p> {
    plan: &'p Plan,
    machines: Machines,
    store: Option<ObjectStore>,
    pooler: Option<Pooler>,
    random: Random,
    /// Faults to come.
    left: Vec<Fault>,
    /// The schema of the workspace.
    schema: String,
    address: String,
    members: Vec<Member>,
    owners: Owners,
    started: usize,
    swallowed: u32,
    done: BTreeMap<Fault, u32>,
}

/// Owners of buckets, as they were seen.
#[derive(Default)]
struct Owners {
    /// Tokens of leases, by bucket and epoch.
    tokens: HashMap<(String, String), String>,
    free_since: HashMap<String, Instant>,
    longest: Duration,
}

impl Owners {
    /// Takes rows of buckets: number, epoch, token, and if they have an owner.
    fn look(&mut self, rows: Vec<Vec<String>>) {
        let now = Instant::now();
        self.free_since.retain(|bucket, _| {
            let row = rows.iter().find(|row| row[0] == *bucket);
            row.is_some_and(|row| row[3] != "t")
        });
        for row in rows {
            let [bucket, epoch, token, is_owned] = <[String; 4]>::try_from(row).expect("four cells");
            if is_owned == "t" {
                let known = self
                    .tokens
                    .entry((bucket.clone(), epoch))
                    .or_insert(token.clone());
                assert_eq!(*known, token, "bucket {bucket} has two owners");
            } else {
                let since = *self.free_since.entry(bucket).or_insert(now);
                self.longest = self.longest.max(now - since);
            }
        }
    }
}

impl Chaos<'_> {
    /// Learns in new workspaces until all faults have happened.
    fn run(plan: &Plan) -> Option<Owners> {
        let served = Served::calm(WEB, if is_long() { 0.5 } else { 0.1 });
        let machines = Machines::start_or_skip(plan.release, served)?;
        let mut random = Random(number("SEED", 7));
        let mut left = plan.faults.clone();
        for place in (1..left.len()).rev() {
            left.swap(place, random.below(place + 1));
        }
        machines.learn("ws");
        let folder = Content::of(&machines.context, "ws");
        let mut chaos = Chaos {
            plan,
            store: plan.in_store.then(ObjectStore::start_or_skip).flatten(),
            pooler: (plan.is_pooled)
                .then(|| Pooler::start_or_skip(&machines.postgres))
                .flatten(),
            machines,
            random,
            left,
            schema: String::new(),
            address: String::new(),
            members: Vec::new(),
            owners: Owners::default(),
            started: 0,
            swallowed: 0,
            done: BTreeMap::new(),
        };
        let mut learned = 0;
        while learned == 0 || !chaos.left.is_empty() {
            learned += 1;
            chaos.learn(learned);
            Content::of(&chaos.machines.context, &chaos.address).is(&folder);
            let verify = format!("archive verify --workspace {}", chaos.address);
            chaos.command(&verify).says(["no problem"]);
            chaos.report(learned, folder.pages.len());
        }
        Some(chaos.owners)
    }

    /// Learns once, and checks the distances between requests.
    fn learn(&mut self, number: usize) {
        self.schema = format!("learn{number}");
        self.owners.tokens.clear();
        self.owners.free_since.clear();
        self.prepare();
        let snapshot = self.plan.holds_snapshot.then(|| {
            let sql = format!(
                "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM {}.page;",
                self.schema
            );
            Running(self.machines.postgres.client().hold(&sql))
        });
        self.machines.served.arrivals();
        let begin = Instant::now();
        for _ in 0..self.plan.workers {
            self.join();
        }
        let joined = format!("SELECT count(*) FROM {}.worker WHERE is_worker", self.schema);
        while self
            .query(&joined)
            .is_none_or(|rows| rows[0][0] != self.plan.workers.to_string())
        {
            assert!(
                begin.elapsed() < Duration::from_secs(60),
                "no workers: {}",
                self.log("worker")
            );
            sleep(LOOK);
        }
        let frozen = self.count(|fault| matches!(fault, Fault::Freeze(_)));
        let mut driver = Running(self.drive());
        let mut next = Instant::now() + self.plan.pause;
        let ended = loop {
            if let Some(ended) = driver.0.try_wait().expect("it runs") {
                break ended;
            }
            sleep(LOOK);
            self.tend();
            if Instant::now() > next
                && let Some(fault) = self.left.pop()
            {
                self.strike(fault, &mut driver);
                *self.done.entry(fault).or_default() += 1;
                let mean = self.plan.pause.as_millis() as usize;
                next = Instant::now() + Duration::from_millis((mean / 2 + self.random.below(mean)) as u64);
            }
        };
        assert!(ended.success(), "{}", self.log("driver"));
        for mut member in self.members.split_off(0) {
            member.recover();
            self.swallowed += member.proxies.iter().map(Proxy::swallowed).sum::<u32>();
        }
        drop(snapshot);
        let workers = self.log("worker");
        assert!(!workers.contains("panicked"), "{workers}");
        let frozen = self.count(|fault| matches!(fault, Fault::Freeze(_))) - frozen;
        for (host, arrivals) in self.machines.served.arrivals() {
            let [_, other] = hasty(&arrivals, self.plan.delay - SLACK);
            // One request may be on its way while a worker is frozen.
            assert!(other.len() <= frozen as usize, "{host}: {other:?}");
            // On a busy machine a request arrives long after it was begun, and the next one early.
            let [same, _] = hasty(&arrivals, self.plan.delay / 2);
            assert!(same.is_empty(), "{host}: {same:?}");
        }
    }

    fn prepare(&mut self) {
        let archive = match &self.store {
            None => format!("file://{}", self.machines.context.path("archive").display()),
            Some(_) => format!("s3://bucket/{}", self.schema),
        };
        self.address = self
            .machines
            .create(&self.schema, &archive, |line| self.command(line));
    }

    /// Returns the program with its settings in variables.
    fn program(&self, line: &str, store: Option<u16>) -> Command {
        let mut command = self.machines.context.command(line);
        for (key, value) in &self.machines.settings {
            let key = key.replace('.', "_").to_uppercase();
            command.env(format!("MAGPIE_{key}"), value);
        }
        let delay = format!("{}ms", self.plan.delay.as_millis());
        command.env("MAGPIE_POLITENESS_DELAY", delay);
        command.envs(store.map(ObjectStore::variables).unwrap_or_default());
        command
    }

    fn command(&self, line: &str) -> Ran {
        let store = self.store.as_ref().map(ObjectStore::port);
        Ran::of(line, &mut self.program(line, store)).ends(0)
    }

    /// Starts a command whose output is kept.
    fn spawn(&self, mut command: Command, log: &str) -> Child {
        let log = self.machines.context.path(&format!("{}-{log}.log", self.schema));
        let log = File::options()
            .create(true)
            .append(true)
            .open(log)
            .expect("a log");
        command.stdout(log.try_clone().expect("a log")).stderr(log);
        command.spawn().expect("it runs")
    }

    fn log(&self, name: &str) -> String {
        self.machines.context.read(&format!("{}-{name}.log", self.schema))
    }

    fn drive(&self) -> Child {
        let line = format!("learn --seeds seeds.jsonl --workspace {}", self.address);
        let store = self.store.as_ref().map(ObjectStore::port);
        let mut command = self.program(&line, store);
        command.env("MAGPIE_IDENTITY_USER_AGENT", "driver");
        self.spawn(command, "driver")
    }

    /// Starts a worker.
    fn join(&mut self) {
        let pooler = self.pooler.as_ref().map(Pooler::port);
        let database = Proxy::start(pooler.unwrap_or(self.machines.postgres.port()));
        database.swallow_one_in(self.plan.swallow_one_in);
        let port = self.machines.postgres.port().to_string();
        let address = self.address.replace(&port, &database.port().to_string());
        let store = self.store.as_ref().map(|store| Proxy::start(store.port()));
        let line = format!("worker --workspace {address}");
        let mut command = self.program(&line, store.as_ref().map(Proxy::port));
        if !self.plan.clocks.is_empty() {
            let clock = self.plan.clocks[self.started % self.plan.clocks.len()];
            command.envs([("LD_PRELOAD", preloaded().as_str()), ("FAKETIME", clock)]);
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        self.started += 1;
        command.env("MAGPIE_IDENTITY_USER_AGENT", format!("worker {}", self.started));
        self.members.push(Member {
            process: Running(self.spawn(command, "worker")),
            proxies: [Some(database), store].into_iter().flatten().collect(),
            until: None,
        });
    }

    fn query(&self, sql: &str) -> Option<Vec<Vec<String>>> {
        self.machines.postgres.client().query(sql)
    }

    /// Ends faults whose time is over, starts workers again that have ended, and looks at the
    /// buckets of an open crawl.
    fn tend(&mut self) {
        let now = Instant::now();
        for member in &mut self.members {
            if member.until.is_some_and(|until| until < now) {
                member.recover();
            }
        }
        let is_up = |member: &mut Member| member.process.0.try_wait().expect("it runs").is_none();
        self.members.retain_mut(is_up);
        while self.members.len() < self.plan.workers {
            self.join();
        }
        let schema = &self.schema;
        let rows = self.query(&format!(
            "SELECT bucket, epoch, token, until > clock_timestamp() FROM {schema}.bucket
             WHERE bucket < 1024 AND EXISTS (SELECT FROM {schema}.job WHERE is_open)"
        ));
        self.owners.look(rows.unwrap_or_default());
    }

    fn strike(&mut self, fault: Fault, driver: &mut Running) {
        let victim = self.victim();
        let member = &mut self.members[victim];
        let mut cut = |ways: &[Way], time| {
            for (proxy, way) in member
                .proxies
                .iter()
                .flat_map(|proxy| ways.iter().map(move |way| (proxy, way)))
            {
                proxy.cut(*way);
            }
            member.until = Some(Instant::now() + Duration::from_millis(time));
        };
        match fault {
            Fault::KillWorker => drop(self.members.swap_remove(victim)),
            Fault::KillDriver => {
                driver.0.kill().expect("it runs");
                driver.0.wait().expect("it ends");
                driver.0 = self.drive();
            }
            Fault::KillServer => {
                self.machines.postgres.kill();
                sleep(Duration::from_millis(300));
                self.machines.postgres.restart();
            }
            Fault::CutToServer(time) => cut(&[Way::ToServer], time),
            Fault::CutToWorker(time) => cut(&[Way::ToClient], time),
            Fault::CutBoth(time) => cut(&[Way::ToServer, Way::ToClient], time),
            Fault::Freeze(time) => {
                cut(&[], time);
                self.members[victim].signal("-STOP");
            }
            Fault::Replace => {
                self.join();
                self.members[victim].process.terminate();
            }
        }
    }

    /// Returns a worker without a fault, mostly one that has something to do.
    fn victim(&mut self) -> usize {
        let schema = &self.schema;
        let busy = self.query(&format!(
            "SELECT DISTINCT worker FROM {schema}.bucket JOIN {schema}.job_task USING (bucket)
             WHERE NOT is_done AND until > clock_timestamp()"
        ));
        let busy = busy.unwrap_or_default();
        let is_busy = |member: &Member| {
            let id = format!(":{}-", member.process.0.id());
            member.until.is_none() && busy.iter().any(|row| row[0].contains(&id))
        };
        let busy: Vec<usize> = (0..self.members.len())
            .filter(|place| is_busy(&self.members[*place]))
            .collect();
        match busy.is_empty() || self.random.below(5) == 0 {
            true => self.random.below(self.members.len()),
            false => busy[self.random.below(busy.len())],
        }
    }

    fn count(&self, is_it: impl Fn(&Fault) -> bool) -> u32 {
        self.done
            .iter()
            .filter(|(fault, _)| is_it(fault))
            .map(|(_, count)| count)
            .sum()
    }

    #[expect(clippy::print_stdout, reason = "it is the result of `cargo xtask chaos`")]
    fn report(&self, learned: usize, pages: usize) {
        for (fault, count) in &self.done {
            println!("{:<24}{count:>6}", format!("{fault:?}"));
        }
        println!("{:<24}{:>6}", "answers swallowed", self.swallowed);
        println!("{:<24}{:>6}", "workers started", self.started);
        println!(
            "longest time of a bucket without an owner: {:?}",
            self.owners.longest
        );
        println!(
            "held in {learned} times learning {pages} pages: the same pages and objects as in a folder, none twice,"
        );
        println!(
            "no problem of the archive, and no two requests to a host within {:?}",
            self.plan.delay - SLACK
        );
    }
}

/// Returns the times between requests and those before them that are shorter than a limit: of one
/// process, and of two.
fn hasty(arrivals: &[(String, Instant)], limit: Duration) -> [Vec<Duration>; 2] {
    let mut hasty = [Vec::new(), Vec::new()];
    let mut last = arrivals.first();
    for arrival in arrivals.iter().skip(1) {
        let before = last.replace(arrival).unwrap_or(arrival);
        let between = arrival.1 - before.1;
        if between < limit {
            hasty[usize::from(arrival.0 != before.0)].push(between);
            // One that should not be there is between two that may be.
            last = Some(before);
        }
    }
    hasty
}

/// Returns the library that `faketime` loads into programs.
fn preloaded() -> String {
    let printed = Command::new("faketime")
        .args(["-f", "+0d", "sh", "-c", "echo $LD_PRELOAD"])
        .output();
    let printed = printed.expect("faketime runs").stdout;
    String::from_utf8_lossy(&printed).trim().to_owned()
}

#[test]
fn processes_that_are_killed_lose_nothing_and_count_nothing_twice() {
    let mut faults: Vec<Fault> = repeated(Fault::KillWorker, number("KILLS", 5)).collect();
    let server_kills = number("SERVER_KILLS", 1);
    faults.extend(repeated(Fault::KillServer, server_kills));
    faults.extend(repeated(Fault::KillDriver, server_kills.div_ceil(4)));
    let mut plan = Plan::new(Release::V18, faults);
    if is_long() {
        plan.pause = Duration::from_secs(4);
    }
    Chaos::run(&plan);
}

#[test]
fn workers_that_are_cut_off_or_frozen_do_no_harm() {
    let rounds = number("SECONDS", 10) / 10;
    let times = if is_long() {
        [1_000, 40_000]
    } else {
        [1_000, 4_000]
    };
    let faults = (0..rounds).flat_map(|round| {
        let time = times[round as usize % 2];
        [
            Fault::CutBoth(time),
            Fault::CutToServer(times[1]),
            Fault::CutToWorker(time),
            Fault::Freeze(5_000),
            Fault::Freeze(3_000),
            Fault::KillWorker,
        ]
    });
    let mut plan = Plan::new(Release::V15, faults.collect());
    plan.swallow_one_in = 20;
    plan.in_store = true;
    Chaos::run(&plan);
}

#[test]
fn workers_join_and_leave_with_clocks_that_are_wrong() {
    let faults = repeated(Fault::Replace, number("SECONDS", 16) / 2);
    let mut plan = Plan::new(Release::V15, faults.collect());
    plan.pause = Duration::from_secs(2);
    plan.holds_snapshot = true;
    plan.is_pooled = true;
    if has_program("faketime") {
        plan.clocks = &["+1d", "-1d", "+0d"];
    }
    if let Some(owners) = Chaos::run(&plan) {
        assert!(
            owners.longest < LEASE + Duration::from_secs(10),
            "{:?}",
            owners.longest
        );
    }
}
