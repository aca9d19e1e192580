//! A hundred workers share all buckets while processes, the network and the server fail.
//!
//! Each does what `Membership` and `Buckets` do, with the times of the product: heartbeats that
//! renew all leases and take or give back buckets up to the [`share`], and hand-ins until their
//! outcome is known. Then the faults stop, and the shares must become even; and again after a tenth
//! of the workers is killed at once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Bucket, Checked, DEFENCES, Random, Without, Work, schedules, time};
use crate::LeaseClock;
use crate::membership::share;

const WORKERS: usize = 100;
const BUCKETS: usize = 1_024;

// Milliseconds: those of `LeaseTimes` and of the server.
const LENGTH: u64 = 30_000;
const RESERVE: u64 = 5_000;
const QUIET: u64 = 5_000;
const BEAT: u64 = LENGTH / 3;
/// An answer that takes longer counts as lost.
const LIMIT: u64 = 35_000;
/// The server undoes a transaction that waits for longer.
const IDLE: u64 = 30_000;
const PATIENCE: u64 = 60_000;
const AGAIN: u64 = 100;

const FAULTS: u64 = 240_000;

const LIVE: &str = "events of killed workers do not happen";

const STEPS: &str = "steps";
const HAND_INS: &str = "hand-ins";
const CLAIMS: &str = "claims";
const FAILED_CLAIMS: &str = "claims that failed";
const STATEMENTS: &str = "statements of leases and heartbeats";

#[derive(Clone, Debug)]
enum Call {
    Renew(Vec<(usize, u64)>),
    Announce,
    Candidates,
    /// A bucket in an epoch.
    Claim(usize, u64),
    /// A bucket with the token of its lease.
    GiveBack(usize, u64),
    Leave,
    HandIn(usize, Work),
    /// The last is the transaction.
    Commit(usize, Work, u64),
}

enum Answer {
    Done,
    Renewed(Vec<(usize, u64, bool)>),
    /// The number of live workers, and of those with a smaller name.
    Workers(u64, u64),
    Candidates(Vec<(usize, u64)>),
    Claimed(Option<(u64, u64)>),
    Refused,
    Executed(u64),
    Committed,
}

#[derive(Clone, Debug)]
struct Request {
    worker: usize,
    number: u64,
    /// By the clock of the worker.
    sent_at: u64,
    call: Call,
}

enum Event {
    Beat(usize),
    /// The worker continues its heartbeat.
    Next(usize),
    /// It asks hosts, and hands something in.
    Work(usize),
    /// It repeats a hand-in.
    Again(usize, usize, Work),
    Arrive(Request),
    Answer(Request, Answer),
    Lost(Request),
    /// The server undoes a transaction of a bucket.
    Undo(usize, u64),
    Fault,
}

impl Event {
    /// The worker to which it happens.
    fn worker(&self) -> Option<usize> {
        match self {
            Event::Beat(worker) | Event::Next(worker) | Event::Work(worker) => Some(*worker),
            Event::Again(worker, ..) => Some(*worker),
            Event::Answer(request, _) | Event::Lost(request) => Some(request.worker),
            Event::Arrive(_) | Event::Undo(..) | Event::Fault => None,
        }
    }
}

struct Held {
    token: u64,
    clock: LeaseClock,
    next: (u64, u64),
    pending: Option<Work>,
}

struct Worker {
    /// Its clock: what it shows at the beginning, and its speed in parts of a million.
    clock: (u64, u64),
    held: BTreeMap<usize, Held>,
    survived: Vec<(usize, u64)>,
    /// The rest of the heartbeat, and its begin.
    todo: VecDeque<Call>,
    began_at: u64,
    share: usize,
    /// Buckets that were claimed since the last search for candidates.
    claimed: Option<usize>,
    /// Requests without an answer.
    awaited: BTreeSet<u64>,
    frozen_until: u64,
    cut_until: u64,
    leaves: bool,
}

impl Worker {
    fn local(&self, now: u64) -> u64 {
        self.clock.0 + now * self.clock.1 / 1_000_000
    }

    fn forget(&mut self, bucket: usize, token: u64) {
        if self.held.get(&bucket).is_some_and(|held| held.token == token) {
            self.held.remove(&bucket);
            self.survived.push((bucket, token));
        }
    }
}

struct World {
    without: Without,
    random: Random,
    now: u64,
    /// By time, and in the order in which they were posted.
    events: BTreeMap<(u64, u64), Event>,
    posted: u64,
    is_calm: bool,
    down_until: u64,
    buckets: Vec<Bucket>,
    /// Ends of heartbeats on the server.
    heartbeats: BTreeMap<usize, u64>,
    workers: BTreeMap<usize, Worker>,
    joined: usize,
    requests: u64,
    /// Worker and time of the last request to the hosts of a bucket, until it is given back.
    asked: Vec<Option<(usize, u64)>>,
    acknowledged: Vec<(usize, u64)>,
    figures: Figures,
}

/// Numbers of a schedule, by their names. Times are in milliseconds.
type Figures = BTreeMap<&'static str, u64>;

impl World {
    fn new(number: u64, without: Without) -> World {
        let mut world = World {
            without,
            random: Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            now: 1_000,
            events: BTreeMap::new(),
            posted: 0,
            is_calm: false,
            down_until: 0,
            buckets: (0..BUCKETS).map(|_| Bucket::default()).collect(),
            heartbeats: BTreeMap::new(),
            workers: BTreeMap::new(),
            joined: 0,
            requests: 0,
            asked: vec![None; BUCKETS],
            acknowledged: Vec::new(),
            figures: Figures::default(),
        };
        (0..WORKERS).for_each(|_| world.join());
        world.post(FAULTS / 10, Event::Fault);
        world
    }

    fn count(&mut self, what: &'static str, more: u64) -> u64 {
        let count = self.figures.entry(what).or_default();
        *count += more;
        *count
    }

    /// Lets something happen after a time.
    fn post(&mut self, after: u64, event: Event) {
        self.posted += 1;
        self.events.insert((self.now + after, self.posted), event);
    }

    fn run_until(&mut self, end: u64) -> Result<(), String> {
        while let Some(first) = self.events.first_entry()
            && first.key().0 <= end
        {
            let ((at, _), event) = first.remove_entry();
            self.now = at;
            self.count(STEPS, 1);
            match event.worker().map(|worker| self.workers.get(&worker)) {
                // It was killed.
                Some(None) => {}
                Some(Some(worker)) if worker.frozen_until > at => {
                    self.post(worker.frozen_until - at, event);
                }
                _ => self.happen(event)?,
            }
        }
        self.now = end;
        Ok(())
    }

    fn happen(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Beat(worker) => self.beat(worker),
            Event::Next(worker) => self.next(worker),
            Event::Work(worker) => self.work(worker)?,
            Event::Again(worker, bucket, work) => {
                let held = self.workers[&worker].held.get(&bucket);
                if held.is_some_and(|held| held.pending == Some(work)) {
                    self.send(worker, Call::HandIn(bucket, work));
                }
            }
            Event::Arrive(request) => self.arrive(request)?,
            Event::Answer(request, answer) if self.is_awaited(&request) => self.answered(&request, answer),
            Event::Lost(request) if self.is_awaited(&request) => self.lost(&request),
            Event::Answer(..) | Event::Lost(_) => {}
            Event::Undo(bucket, transaction) => {
                self.buckets[bucket].open.remove(&transaction);
            }
            Event::Fault if self.is_calm => {}
            Event::Fault => {
                self.fault();
                let pause = self.random.below(1_000);
                self.post(pause, Event::Fault);
            }
        }
        Ok(())
    }

    fn join(&mut self) {
        let id = self.joined;
        self.joined += 1;
        let worker = Worker {
            // Days apart, and up to one in a thousand slower or faster.
            clock: (
                self.random.below(1_000_000_000),
                999_000 + self.random.below(2_001),
            ),
            held: BTreeMap::new(),
            survived: Vec::new(),
            todo: VecDeque::new(),
            began_at: 0,
            share: 0,
            claimed: None,
            awaited: BTreeSet::new(),
            frozen_until: 0,
            cut_until: 0,
            leaves: false,
        };
        self.workers.insert(id, worker);
        let begin = self.random.below(BEAT);
        self.post(begin, Event::Beat(id));
        self.post(begin, Event::Work(id));
    }

    fn any_worker(&mut self) -> usize {
        let place = usize::try_from(self.random.below(self.workers.len() as u64));
        *self
            .workers
            .keys()
            .nth(place.unwrap_or_default())
            .expect("a worker")
    }

    fn fault(&mut self) {
        let victim = self.any_worker();
        let time = self.random.below(60_000);
        let now = self.now;
        let kind = self.random.below(100);
        let worker = self.workers.get_mut(&victim);
        match (kind, worker) {
            (0..10, _) => {
                self.workers.remove(&victim);
            }
            (10..20, Some(worker)) => worker.leaves = true,
            (20..50, Some(worker)) => worker.frozen_until = now + time,
            (50..80, Some(worker)) => worker.cut_until = now + time,
            (80..81, _) => {
                self.down_until = now + time / 2;
                self.buckets.iter_mut().for_each(|bucket| bucket.open.clear());
            }
            _ => {
                if self.workers.len() < WORKERS {
                    self.join();
                }
            }
        }
    }

    /// Sends a request. Its answer, or the loss of it, is an event.
    fn send(&mut self, worker: usize, call: Call) {
        self.requests += 1;
        let now = self.now;
        let sender = self.workers.get_mut(&worker).expect(LIVE);
        sender.awaited.insert(self.requests);
        let request = Request {
            worker,
            number: self.requests,
            sent_at: sender.local(now),
            call,
        };
        self.post(LIMIT, Event::Lost(request.clone()));
        self.pass(worker, Event::Arrive(request));
    }

    /// Passes a message over the network, late or not at all if it is cut.
    fn pass(&mut self, worker: usize, event: Event) {
        let cut_until = self.workers.get(&worker).map_or(0, |worker| worker.cut_until);
        let is_slow = !self.is_calm && self.random.one_in(200);
        let latency = 1 + self.random.below(if is_slow { 10_000 } else { 10 });
        match cut_until.saturating_sub(self.now) {
            0 => self.post(latency, event),
            _ if self.random.one_in(2) => {}
            rest => self.post(rest + latency, event),
        }
    }

    fn is_awaited(&mut self, request: &Request) -> bool {
        let worker = self.workers.get_mut(&request.worker);
        worker.is_some_and(|worker| worker.awaited.remove(&request.number))
    }

    fn beat(&mut self, id: usize) {
        let now = self.now;
        let worker = self.workers.get_mut(&id).expect(LIVE);
        worker.began_at = now;
        worker.todo = [Call::Renew(Vec::new()), Call::Announce].into();
        worker.claimed = None;
        if worker.leaves {
            // It first finishes what is under way.
            if worker.held.values().any(|held| held.pending.is_some()) {
                return self.post(AGAIN, Event::Beat(id));
            }
            let buckets: Vec<usize> = worker.held.keys().copied().collect();
            worker.todo.clear();
            self.give_back(id, &buckets);
            let worker = self.workers.get_mut(&id).expect(LIVE);
            worker.todo.push_back(Call::Leave);
        }
        self.next(id);
    }

    /// Does the next of a heartbeat.
    fn next(&mut self, id: usize) {
        let worker = self.workers.get_mut(&id).expect(LIVE);
        let call = match worker.todo.front() {
            Some(Call::Renew(_)) => Call::Renew(
                worker
                    .held
                    .iter()
                    .map(|(bucket, held)| (*bucket, held.token))
                    .collect(),
            ),
            Some(Call::Candidates) if worker.held.len() >= worker.share || worker.claimed == Some(0) => {
                worker.todo.clear();
                return self.next(id);
            }
            Some(call) => call.clone(),
            None => return self.post(BEAT, Event::Beat(id)),
        };
        self.send(id, call);
    }

    /// Gives buckets back, and then does what is left of the heartbeat.
    fn give_back(&mut self, id: usize, buckets: &[usize]) {
        let worker = self.workers.get_mut(&id).expect(LIVE);
        for bucket in buckets {
            if let Some(held) = worker.held.remove(bucket) {
                // The next owner reads when the hosts may be asked again.
                self.asked[*bucket] = None;
                let token = held.token;
                worker.todo.push_front(Call::GiveBack(*bucket, token));
            }
        }
    }

    fn work(&mut self, id: usize) -> Result<(), String> {
        let (now, without) = (self.now, self.without);
        let worker = self.workers.get_mut(&id).expect(LIVE);
        let local = worker.local(now);
        for (bucket, held) in &worker.held {
            if without != Without::Clock && !held.clock.may_ask(time(local)) {
                continue;
            }
            let last = self.asked[*bucket].replace((id, now));
            if let Some((other, at)) = last.filter(|(other, at)| *other != id && now - at < QUIET) {
                return Err(format!(
                    "workers {other} and {id} asked bucket {bucket} within {} ms",
                    now - at
                ));
            }
            let there = &self.buckets[*bucket];
            if there.token != Some(held.token) || there.until.is_none_or(|until| until < now) {
                return Err(format!("worker {id} asked bucket {bucket} without a lease"));
            }
        }
        let place = self.random.below(worker.held.len().max(1) as u64);
        let chosen = worker
            .held
            .iter_mut()
            .nth(usize::try_from(place).unwrap_or_default());
        let mut call = None;
        if let Some((bucket, held)) = chosen.filter(|(_, held)| held.pending.is_none()) {
            let (page, sequence) = held.next;
            held.next = (page + 1, sequence + 1);
            let work = Work {
                token: held.token,
                sequence,
                page,
            };
            held.pending = Some(work);
            call = Some(Call::HandIn(*bucket, work));
        }
        if let Some(call) = call {
            self.send(id, call);
        }
        let pause = 1_000 + self.random.below(2_000);
        self.post(pause, Event::Work(id));
        Ok(())
    }

    /// A request arrives at the server.
    fn arrive(&mut self, request: Request) -> Result<(), String> {
        let (now, without) = (self.now, self.without);
        if now < self.down_until {
            self.pass(request.worker, Event::Lost(request));
            return Ok(());
        }
        let statements = match &request.call {
            Call::Renew(leases) => leases.len() as u64,
            Call::HandIn(..) | Call::Commit(..) => 0,
            _ => 1,
        };
        self.count(STATEMENTS, statements);
        let answer = match &request.call {
            Call::Renew(leases) => {
                let renewed = leases.iter().map(|(bucket, token)| {
                    let is_held = self.buckets[*bucket].renew(*token, now, LENGTH);
                    (*bucket, *token, is_held)
                });
                Answer::Renewed(renewed.collect())
            }
            Call::Announce => {
                self.heartbeats.insert(request.worker, now + LENGTH);
                let live = self.heartbeats.iter().filter(|(_, until)| **until > now);
                let before = live.clone().filter(|(worker, _)| **worker < request.worker);
                Answer::Workers(live.count() as u64, before.count() as u64)
            }
            Call::Candidates => {
                let free = self.buckets.iter().enumerate();
                let free = free.filter(|(_, bucket)| bucket.until.is_none_or(|until| until < now));
                let mut free: Vec<_> = free.map(|(number, bucket)| (number, bucket.epoch)).collect();
                // An order that differs from worker to worker.
                let salt = request.worker as u64 * 1_000_003;
                free.sort_by_key(|(bucket, _)| Random((*bucket as u64 + 1) * 7_919 + salt).below(1 << 30));
                Answer::Candidates(free)
            }
            Call::Claim(bucket, epoch) => {
                let claimed = self.buckets[*bucket].claim(*epoch, now, LENGTH, QUIET, without);
                self.count(CLAIMS, 1);
                self.count(FAILED_CLAIMS, u64::from(claimed.is_none()));
                let others = self.workers.iter().filter(|(id, _)| **id != request.worker);
                let has_it = |worker: &Worker| {
                    let held = worker.held.get(bucket);
                    held.is_some_and(|held| held.clock.may_ask(time(worker.local(now))))
                };
                if let (Some(_), Some((other, _))) =
                    (claimed, others.into_iter().find(|(_, other)| has_it(other)))
                {
                    return Err(format!(
                        "worker {} got bucket {bucket}, which {other} has",
                        request.worker
                    ));
                }
                Answer::Claimed(claimed)
            }
            Call::GiveBack(bucket, token) => {
                self.buckets[*bucket].give_back(*token);
                Answer::Done
            }
            Call::Leave => {
                self.heartbeats.remove(&request.worker);
                Answer::Done
            }
            Call::HandIn(bucket, work) => match self.buckets[*bucket].check(*work, without) {
                Checked::Refused => Answer::Refused,
                Checked::Known => Answer::Committed,
                Checked::Waits => {
                    self.post(AGAIN, Event::Arrive(request));
                    return Ok(());
                }
                Checked::Open(transaction) => {
                    let bucket = *bucket;
                    self.post(IDLE, Event::Undo(bucket, transaction));
                    Answer::Executed(transaction)
                }
            },
            Call::Commit(bucket, _, transaction) => match self.buckets[*bucket].commit(*transaction)? {
                true => {
                    self.count(HAND_INS, 1);
                    Answer::Committed
                }
                false => {
                    self.pass(request.worker, Event::Lost(request));
                    return Ok(());
                }
            },
        };
        self.pass(request.worker, Event::Answer(request, answer));
        Ok(())
    }

    fn answered(&mut self, request: &Request, answer: Answer) {
        let (now, without, id) = (self.now, self.without, request.worker);
        let worker = self.workers.get_mut(&id).expect(LIVE);
        let local = worker.local(now);
        let begin = match without {
            Without::CountFromRequest => local,
            _ => request.sent_at,
        };
        match (&request.call, answer) {
            (Call::HandIn(bucket, work) | Call::Commit(bucket, work, _), answer) => {
                let held = worker.held.get_mut(bucket);
                let Some(held) = held.filter(|held| held.pending == Some(*work)) else {
                    return;
                };
                match answer {
                    Answer::Executed(transaction) => {
                        let (bucket, work) = (*bucket, *work);
                        self.send(id, Call::Commit(bucket, work, transaction));
                    }
                    Answer::Committed => {
                        held.pending = None;
                        self.acknowledged.push((*bucket, work.page));
                    }
                    _ => worker.forget(*bucket, work.token),
                }
                return;
            }
            (_, Answer::Renewed(leases)) => {
                for (bucket, token, is_held) in leases {
                    match worker.held.get_mut(&bucket).filter(|held| held.token == token) {
                        Some(held) if is_held => held.clock.renewed(time(begin)),
                        Some(_) => worker.forget(bucket, token),
                        None => {}
                    }
                }
                worker.todo.pop_front();
                for (bucket, token) in std::mem::take(&mut worker.survived) {
                    worker.todo.push_front(Call::GiveBack(bucket, token));
                }
            }
            (_, Answer::Workers(live, before)) => {
                worker.todo.pop_front();
                worker.share = usize::try_from(share(BUCKETS as u64, live, before)).unwrap_or_default();
                let surplus = worker.held.len().saturating_sub(worker.share);
                let idle = worker.held.iter().filter(|(_, held)| held.pending.is_none());
                let idle: Vec<usize> = idle.map(|(bucket, _)| *bucket).take(surplus).collect();
                worker.todo.push_back(Call::Candidates);
                self.give_back(id, &idle);
            }
            (_, Answer::Candidates(free)) => {
                worker.todo.pop_front();
                worker.claimed = Some(0);
                let missing = worker.share.saturating_sub(worker.held.len());
                let claims = free.into_iter().take(missing);
                worker
                    .todo
                    .extend(claims.map(|(bucket, epoch)| Call::Claim(bucket, epoch)));
                worker.todo.push_back(Call::Candidates);
            }
            (Call::Claim(bucket, _), Answer::Claimed(claimed)) => {
                worker.todo.pop_front();
                if let Some((token, quiet)) = claimed {
                    worker.claimed = worker.claimed.map(|claimed| claimed + 1);
                    let held = Held {
                        token,
                        clock: LeaseClock::claimed(
                            time(begin),
                            time(local),
                            time(quiet),
                            time(LENGTH),
                            time(RESERVE),
                        ),
                        // The pages are read after the claim.
                        next: (self.buckets[*bucket].next_page(), 1),
                        pending: None,
                    };
                    worker.held.insert(*bucket, held);
                }
            }
            (Call::Leave, _) => {
                self.workers.remove(&id);
                return;
            }
            _ => {
                worker.todo.pop_front();
            }
        }
        self.next(id);
    }

    /// An answer does not come.
    fn lost(&mut self, request: &Request) {
        let (now, id) = (self.now, request.worker);
        let worker = self.workers.get_mut(&id).expect(LIVE);
        match request.call {
            Call::HandIn(bucket, work) | Call::Commit(bucket, work, _) => {
                let local = worker.local(now);
                let held = worker.held.get(&bucket);
                let Some(held) = held.filter(|held| held.pending == Some(work)) else {
                    return;
                };
                match held.clock.is_over(time(local)) {
                    true => worker.forget(bucket, work.token),
                    false => self.post(AGAIN, Event::Again(id, bucket, work)),
                }
                return;
            }
            // Nobody has it then.
            Call::Claim(..) => {
                worker.todo.pop_front();
            }
            Call::Renew(_) => worker.todo.clear(),
            _ if now - worker.began_at > PATIENCE => worker.todo.clear(),
            _ => {}
        }
        self.post(AGAIN, Event::Next(id));
    }

    /// Returns true if all buckets have an owner, and shares differ by one at most.
    fn is_even(&self) -> bool {
        let mut shares: BTreeMap<usize, usize> = self.workers.keys().map(|id| (*id, 0)).collect();
        let owners = self.workers.iter().flat_map(|(id, worker)| {
            let is_leased = |(bucket, held): &(&usize, &Held)| {
                let there = &self.buckets[**bucket];
                there.token == Some(held.token) && there.until.is_some_and(|until| until > self.now)
            };
            worker
                .held
                .iter()
                .filter(is_leased)
                .map(|(bucket, _)| (*id, *bucket))
        });
        let mut owned = BTreeSet::new();
        for (id, bucket) in owners {
            owned.insert(bucket);
            shares.entry(id).and_modify(|share| *share += 1);
        }
        let (least, most) = (shares.values().min(), shares.values().max());
        owned.len() == BUCKETS && least.zip(most).is_some_and(|(least, most)| most - least <= 1)
    }

    /// Waits until shares are even. Returns the time that it took.
    fn become_even(&mut self, limit: u64) -> Result<u64, String> {
        let begin = self.now;
        while self.now - begin < limit {
            self.run_until(self.now + 500)?;
            if self.is_even() {
                return Ok(self.now - begin);
            }
        }
        let shares: Vec<usize> = self.workers.values().map(|worker| worker.held.len()).collect();
        Err(format!("shares are not even after {limit} ms: {shares:?}"))
    }
}

/// Runs a schedule. Returns the broken promise, or what happened.
fn run(number: u64, without: Without) -> Result<Figures, String> {
    let mut world = World::new(number, without);
    world.run_until(FAULTS)?;
    world.is_calm = true;
    let ends = world
        .workers
        .values()
        .flat_map(|worker| [worker.frozen_until, worker.cut_until]);
    let end = ends.max().unwrap_or_default().max(world.down_until);
    world.run_until(world.now.max(end))?;
    // Answers that do not come and heartbeats of the dead end. Then one heartbeat gives back, and
    // one takes.
    let time = world.become_even(LIMIT + LENGTH + 4 * BEAT)?;
    world.count("milliseconds from the faults until shares are even", time);
    while world.workers.len() < WORKERS {
        world.join();
    }
    world.run_until(world.now + 4 * BEAT)?;
    let before = world.count(STATEMENTS, 0);
    world.run_until(world.now + 60_000)?;
    let calm = world.count(STATEMENTS, 0) - before;
    world.count("statements of them in a minute without faults", calm);
    let before = world.count(FAILED_CLAIMS, 0);
    for _ in 0..WORKERS / 10 {
        let victim = world.any_worker();
        world.workers.remove(&victim);
    }
    let time = world.become_even(LENGTH + 4 * BEAT)?;
    world.count("milliseconds from 10 deaths until shares are even", time);
    let failed = world.count(FAILED_CLAIMS, 0) - before;
    world.count("claims that failed after 10 deaths", failed);
    let lost = world
        .acknowledged
        .iter()
        .find(|(bucket, page)| !world.buckets[*bucket].has(*page));
    match lost {
        Some((bucket, page)) => Err(format!(
            "page {page} of bucket {bucket} was acknowledged and is lost"
        )),
        None => Ok(world.figures),
    }
}

/// Number of schedules, of half a million steps each: a few seconds without optimisation.
const SCHEDULES: u64 = 2;

#[test]
fn a_hundred_workers_keep_the_promises_and_share_evenly() {
    let schedules = schedules(SCHEDULES);
    let mut all = Vec::new();
    for number in 0..schedules {
        let figures = run(number, Without::Nothing).unwrap_or_else(|broken| panic!("{number}: {broken}"));
        assert!(figures[HAND_INS] > 1_000, "{figures:?}");
        all.push(figures);
    }
    println!("{schedules} schedules of {WORKERS} workers: the median, and the most");
    for what in all[0].keys() {
        let mut values: Vec<u64> = all.iter().map(|figures| figures[what]).collect();
        values.sort_unstable();
        println!(
            "{what}: {}, {}",
            values[values.len() / 2],
            values[values.len() - 1]
        );
    }
}

#[test]
fn without_any_one_defence_a_hundred_workers_break_a_promise() {
    for without in DEFENCES {
        let broken = (0..SCHEDULES).find_map(|number| run(number, without).err());
        assert!(
            broken.is_some(),
            "{without:?} is not needed, or never needed here"
        );
    }
}
