//! Random schedules of the lease protocol, each repeatable by its number.
//!
//! Workers are those of the product as far as they decide something: they count leases with
//! [`LeaseClock`]. The server is a model of the statements `CLAIM`, `RENEW`, `GIVE_BACK`, `CHECK`
//! and `SIGN`. Between them are messages that are late, lost or answered too late; workers freeze,
//! crash and have clocks of their own. Each defence can be taken away, and then a schedule must
//! exist that breaks a promise: otherwise the simulation would prove nothing.
//!
//! Here a few workers compete for one bucket, in any order of messages. In [`crowd`] a hundred
//! share all buckets, at the pace of the product.

mod crowd;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::LeaseClock;

const WORKERS: usize = 3;
const LENGTH: u64 = 300;
const RESERVE: u64 = 50;
const QUIET: u64 = 60;

/// A defence that is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Without {
    Nothing,
    /// The token is not checked.
    Check,
    /// A bucket is taken although its lease runs.
    Free,
    /// A takeover does not wait for a hand-in that is under way.
    Lock,
    /// A repeated hand-in is not recognised.
    Receipt,
    /// Hosts are asked whatever the local clock says.
    Clock,
    /// A lease is counted from the answer, not from the request.
    CountFromRequest,
}

const DEFENCES: [Without; 6] = [
    Without::Check,
    Without::Free,
    Without::Lock,
    Without::Receipt,
    Without::Clock,
    Without::CountFromRequest,
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        // Xorshift, then a multiplication that spreads the upper bits.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }

    fn one_in(&mut self, number: u64) -> bool {
        self.below(number) == 0
    }
}

#[derive(Clone, Copy, Debug)]
enum Message {
    Claim {
        worker: usize,
        epoch: u64,
        sent_at: u64,
    },
    Claimed {
        worker: usize,
        token: u64,
        quiet: u64,
        sent_at: u64,
    },
    Renew {
        worker: usize,
        token: u64,
        sent_at: u64,
    },
    Renewed {
        worker: usize,
        token: u64,
        sent_at: u64,
        is_held: bool,
    },
    GiveBack {
        token: u64,
    },
    /// The statements before COMMIT, which arrive together.
    HandIn {
        worker: usize,
        work: Work,
    },
    /// They were executed, in a transaction.
    Executed {
        worker: usize,
        work: Work,
        transaction: u64,
    },
    Commit {
        worker: usize,
        work: Work,
        transaction: u64,
    },
    Done {
        worker: usize,
        work: Work,
        is_committed: bool,
    },
}

/// A hand-in of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Work {
    token: u64,
    sequence: u64,
    page: u64,
}

/// The bucket as the server has it.
#[derive(Default)]
struct Bucket {
    epoch: u64,
    token: Option<u64>,
    until: Option<u64>,
    quiet_until: u64,
    /// Token and sequence of the last hand-in.
    receipt: (u64, u64),
    /// Transactions that passed the check and are open.
    open: BTreeMap<u64, Work>,
    /// Pages in the order of their commits, with the tokens of their leases.
    pages: Vec<(u64, u64)>,
    tokens: u64,
    transactions: u64,
}

/// The answer to `CHECK` and `SIGN`.
enum Checked {
    /// Another has the lease.
    Refused,
    /// Another transaction has changed the row and is open.
    Waits,
    /// It was committed before.
    Known,
    /// The transaction that is open now.
    Open(u64),
}

impl Bucket {
    /// Returns the token, and the time in which no host is asked.
    fn claim(
        &mut self,
        epoch: u64,
        now: u64,
        length: u64,
        quiet: u64,
        without: Without,
    ) -> Option<(u64, u64)> {
        let is_free = self.until.is_none_or(|until| until < now) || without == Without::Free;
        let is_locked = !self.open.is_empty() && without != Without::Lock;
        if self.epoch != epoch || !is_free || is_locked {
            return None;
        }
        if self.until.is_some() {
            self.quiet_until = now + quiet;
        }
        self.epoch += 1;
        self.tokens += 1;
        self.token = Some(self.tokens);
        self.until = Some(now + length);
        self.receipt = (self.tokens, 0);
        Some((self.tokens, self.quiet_until.saturating_sub(now)))
    }

    fn renew(&mut self, token: u64, now: u64, length: u64) -> bool {
        let is_held = self.token == Some(token);
        if is_held {
            self.until = Some(now + length);
        }
        is_held
    }

    fn give_back(&mut self, token: u64) {
        if self.token == Some(token) {
            (self.token, self.until) = (None, None);
        }
    }

    /// `CHECK`, `SIGN` and the writes.
    fn check(&mut self, work: Work, without: Without) -> Checked {
        if self.token != Some(work.token) && without != Without::Check {
            return Checked::Refused;
        }
        if without != Without::Receipt {
            if self.open.values().any(|open| open.token == work.token) {
                return Checked::Waits;
            }
            if self.receipt.0 == work.token && self.receipt.1 >= work.sequence {
                return Checked::Known;
            }
        }
        self.transactions += 1;
        self.open.insert(self.transactions, work);
        Checked::Open(self.transactions)
    }

    /// Returns false if the transaction was undone before.
    fn commit(&mut self, transaction: u64) -> Result<bool, String> {
        let Some(work) = self.open.remove(&transaction) else {
            return Ok(false);
        };
        if self.pages.iter().any(|(page, _)| *page == work.page) {
            return Err(format!("page {} was committed twice", work.page));
        }
        if self.pages.last().is_some_and(|(_, token)| *token > work.token) {
            return Err(format!("lease {} wrote after its successor", work.token));
        }
        self.pages.push((work.page, work.token));
        if self.receipt.0 == work.token {
            self.receipt.1 = work.sequence;
        }
        Ok(true)
    }

    /// The number of the next page.
    fn next_page(&self) -> u64 {
        self.pages.iter().map(|(page, _)| *page).max().unwrap_or(0) + 1
    }

    fn has(&self, page: u64) -> bool {
        self.pages.iter().any(|(there, _)| *there == page)
    }
}

#[derive(Default)]
struct Worker {
    lease: Option<(u64, LeaseClock)>,
    /// The number of the next page, and the sequence of the next hand-in.
    next: (u64, u64),
    /// Handed in, its outcome not known.
    pending: Option<Work>,
    /// Difference of its clock to the true time.
    clock: u64,
}

struct World {
    without: Without,
    now: u64,
    bucket: Bucket,
    workers: [Worker; WORKERS],
    messages: Vec<Message>,
    /// Worker and time of the last request to the host of the bucket, until it is given back.
    asked: Option<(usize, u64)>,
    acknowledged: Vec<u64>,
    /// Requests to the host, hand-ins and takeovers, to see that schedules get anywhere.
    events: [u64; 3],
}

fn time(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

impl World {
    fn local(&self, worker: usize) -> u64 {
        self.now + self.workers[worker].clock
    }

    /// A worker does something, if it can.
    fn act(&mut self, worker: usize, random: &mut Random) -> Result<(), String> {
        let local = self.local(worker);
        let Some((token, clock)) = self.workers[worker].lease else {
            let epoch = self.bucket.epoch;
            self.messages.push(Message::Claim {
                worker,
                epoch,
                sent_at: local,
            });
            return Ok(());
        };
        match random.below(10) {
            0..3 => self.messages.push(Message::Renew {
                worker,
                token,
                sent_at: local,
            }),
            3..6 if self.without == Without::Clock || clock.may_ask(time(local)) => {
                self.ask(worker)?;
            }
            3..6 => {}
            6..9 => {
                // An unknown outcome is asked for by the same hand-in again.
                let work = match self.workers[worker].pending {
                    Some(work) => work,
                    None => {
                        let (page, sequence) = self.workers[worker].next;
                        self.workers[worker].next = (page + 1, sequence + 1);
                        Work {
                            token,
                            sequence,
                            page,
                        }
                    }
                };
                self.workers[worker].pending = Some(work);
                self.messages.push(Message::HandIn { worker, work });
            }
            _ if random.one_in(4) => {
                self.workers[worker].lease = None;
                self.workers[worker].pending = None;
                if random.one_in(2) {
                    // It gives back, and the next owner counts the delay of hosts from its claim.
                    // Else it crashes.
                    self.asked = None;
                    self.messages.push(Message::GiveBack { token });
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn ask(&mut self, worker: usize) -> Result<(), String> {
        self.events[0] += 1;
        let last = self.asked.replace((worker, self.now));
        match last {
            Some((other, at)) if other != worker && self.now - at < QUIET => Err(format!(
                "workers {other} and {worker} asked the host within {} ms",
                self.now - at
            )),
            _ => Ok(()),
        }
    }

    /// A message arrives.
    fn deliver(&mut self, message: Message) -> Result<(), String> {
        match message {
            Message::Claim {
                worker,
                epoch,
                sent_at,
            } => {
                let claimed = self.bucket.claim(epoch, self.now, LENGTH, QUIET, self.without);
                let Some((token, quiet)) = claimed else {
                    return Ok(());
                };
                self.events[2] += 1;
                self.messages.push(Message::Claimed {
                    worker,
                    token,
                    quiet,
                    sent_at,
                });
            }
            Message::Claimed {
                worker,
                token,
                quiet,
                sent_at,
            } => {
                let local = self.local(worker);
                let begin = match self.without {
                    Without::CountFromRequest => local,
                    _ => sent_at,
                };
                let clock =
                    LeaseClock::claimed(time(begin), time(local), time(quiet), time(LENGTH), time(RESERVE));
                // The pages are read after the claim.
                self.workers[worker].next = (self.bucket.next_page(), 1);
                self.workers[worker].pending = None;
                self.workers[worker].lease = Some((token, clock));
            }
            Message::Renew {
                worker,
                token,
                sent_at,
            } => {
                let is_held = self.bucket.renew(token, self.now, LENGTH);
                self.messages.push(Message::Renewed {
                    worker,
                    token,
                    sent_at,
                    is_held,
                });
            }
            Message::Renewed {
                worker,
                token,
                sent_at,
                is_held,
            } => {
                let local = self.local(worker);
                let begin = match self.without {
                    Without::CountFromRequest => local,
                    _ => sent_at,
                };
                if let Some((own, clock)) = &mut self.workers[worker].lease
                    && *own == token
                {
                    match is_held {
                        true => clock.renewed(time(begin)),
                        false => self.workers[worker].lease = None,
                    }
                }
            }
            Message::GiveBack { token } => self.bucket.give_back(token),
            Message::HandIn { worker, work } => {
                let answer = match self.bucket.check(work, self.without) {
                    Checked::Waits => Message::HandIn { worker, work },
                    Checked::Open(transaction) => Message::Executed {
                        worker,
                        work,
                        transaction,
                    },
                    known => Message::Done {
                        worker,
                        work,
                        is_committed: matches!(known, Checked::Known),
                    },
                };
                self.messages.push(answer);
            }
            Message::Executed {
                worker,
                work,
                transaction,
            } => {
                // Whoever has given up does not commit.
                if self.workers[worker].pending == Some(work) {
                    self.messages.push(Message::Commit {
                        worker,
                        work,
                        transaction,
                    });
                }
            }
            Message::Commit {
                worker,
                work,
                transaction,
            } => {
                if self.bucket.commit(transaction)? {
                    self.events[1] += 1;
                    self.messages.push(Message::Done {
                        worker,
                        work,
                        is_committed: true,
                    });
                }
            }
            Message::Done {
                worker,
                work,
                is_committed,
            } => {
                let own = &mut self.workers[worker];
                if own.pending == Some(work) {
                    own.pending = None;
                    match is_committed {
                        true => self.acknowledged.push(work.page),
                        false => own.lease = None,
                    }
                }
            }
        }
        Ok(())
    }
}

/// Runs a schedule. Returns the broken promise, or what happened.
fn run(number: u64, without: Without) -> Result<[u64; 3], String> {
    let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut world = World {
        without,
        now: 1_000,
        bucket: Bucket::default(),
        workers: Default::default(),
        messages: Vec::new(),
        asked: None,
        acknowledged: Vec::new(),
        events: [0; 3],
    };
    for worker in &mut world.workers {
        // Days apart.
        worker.clock = random.below(1_000_000_000);
    }
    // A part of the schedules is hasty, a part has long pauses, in which workers are frozen.
    let pause = [3, 20, 120][usize::try_from(random.below(3)).unwrap_or_default()];
    for _ in 0..300 {
        match random.below(10) {
            0..3 => world.now += random.below(pause) + 1,
            3..6 => {
                let worker = usize::try_from(random.below(WORKERS as u64)).unwrap_or_default();
                world.act(worker, &mut random)?;
            }
            _ if world.messages.is_empty() => {}
            kind => {
                let place = random.below(world.messages.len() as u64);
                let message = world
                    .messages
                    .swap_remove(usize::try_from(place).unwrap_or_default());
                match message {
                    // Some are lost, and the server then undoes what the connection began.
                    Message::Executed { transaction, .. } | Message::Commit { transaction, .. }
                        if kind == 9 && random.one_in(2) =>
                    {
                        world.bucket.open.remove(&transaction);
                    }
                    _ if kind == 9 && random.one_in(2) => {}
                    message => world.deliver(message)?,
                }
            }
        }
    }
    match world.acknowledged.iter().find(|page| !world.bucket.has(**page)) {
        Some(page) => Err(format!("page {page} was acknowledged and is lost")),
        None => Ok(world.events),
    }
}

/// Number of schedules: a few seconds without optimisation.
const SCHEDULES: u64 = 20_000;

/// Returns a number of schedules, times that of the variable that `cargo xtask chaos` sets.
fn schedules(number: u64) -> u64 {
    let times = std::env::var("MAGPIE_CHAOS_SCHEDULES");
    number * times.map_or(1, |times| times.parse().expect("a number"))
}

#[test]
fn no_schedule_breaks_a_promise() {
    let mut events = [0; 3];
    let schedules = schedules(SCHEDULES);
    for number in 0..schedules {
        let happened = run(number, Without::Nothing).unwrap_or_else(|broken| panic!("{number}: {broken}"));
        for (all, new) in events.iter_mut().zip(happened) {
            *all += new;
        }
    }
    // Each schedule gets somewhere: requests, hand-ins, takeovers.
    assert!(events.iter().all(|count| *count > schedules), "{events:?}");
}

#[test]
fn without_any_one_defence_a_schedule_breaks_a_promise() {
    for without in DEFENCES {
        let broken = (0..SCHEDULES).find_map(|number| run(number, without).err());
        assert!(
            broken.is_some(),
            "{without:?} is not needed, or never needed here"
        );
    }
}
