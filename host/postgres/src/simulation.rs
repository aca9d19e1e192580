//! Random schedules of the lease protocol, each repeatable by its number.
//!
//! Workers are those of the product as far as they decide something: they count leases with
//! [`LeaseClock`]. The server is a model of the statements `CLAIM`, `RENEW`, `GIVE_BACK`, `CHECK`
//! and `SIGN`. Between them are messages that are late, lost or answered too late; workers freeze,
//! crash and have clocks of their own. Each defence can be taken away, and then a schedule must
//! exist that breaks a promise: otherwise the simulation would prove nothing.

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
    /// A takeover does not wait for a hand-in that is under way.
    Lock,
    /// A repeated hand-in is not recognised.
    Receipt,
    /// Hosts are asked whatever the local clock says.
    Clock,
    /// A lease is counted from the answer, not from the request.
    CountFromRequest,
}

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
                let bucket = &mut self.bucket;
                let is_free = bucket.until.is_none_or(|until| until < self.now);
                let is_locked = !bucket.open.is_empty() && self.without != Without::Lock;
                if bucket.epoch != epoch || !is_free || is_locked {
                    return Ok(());
                }
                if bucket.until.is_some() {
                    bucket.quiet_until = self.now + QUIET;
                }
                bucket.epoch += 1;
                bucket.tokens += 1;
                bucket.token = Some(bucket.tokens);
                bucket.until = Some(self.now + LENGTH);
                bucket.receipt = (bucket.tokens, 0);
                self.events[2] += 1;
                let (token, quiet) = (bucket.tokens, bucket.quiet_until.saturating_sub(self.now));
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
                let last = self.bucket.pages.iter().map(|(page, _)| *page).max();
                self.workers[worker].next = (last.unwrap_or(0) + 1, 1);
                self.workers[worker].pending = None;
                self.workers[worker].lease = Some((token, clock));
            }
            Message::Renew {
                worker,
                token,
                sent_at,
            } => {
                let is_held = self.bucket.token == Some(token);
                if is_held {
                    self.bucket.until = Some(self.now + LENGTH);
                }
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
            Message::GiveBack { token } => {
                if self.bucket.token == Some(token) {
                    (self.bucket.token, self.bucket.until) = (None, None);
                }
            }
            Message::HandIn { worker, work } => self.hand_in(worker, work),
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
                if self.bucket.open.remove(&transaction).is_some() {
                    self.commit(work)?;
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

    /// `CHECK`, `SIGN` and the writes.
    fn hand_in(&mut self, worker: usize, work: Work) {
        let bucket = &mut self.bucket;
        if bucket.token != Some(work.token) && self.without != Without::Check {
            self.messages.push(Message::Done {
                worker,
                work,
                is_committed: false,
            });
            return;
        }
        if self.without != Without::Receipt {
            // Another transaction has changed the row and is open: this one waits.
            if bucket.open.values().any(|open| open.token == work.token) {
                self.messages.push(Message::HandIn { worker, work });
                return;
            }
            if bucket.receipt.0 == work.token && bucket.receipt.1 >= work.sequence {
                self.messages.push(Message::Done {
                    worker,
                    work,
                    is_committed: true,
                });
                return;
            }
        }
        bucket.transactions += 1;
        bucket.open.insert(bucket.transactions, work);
        self.messages.push(Message::Executed {
            worker,
            work,
            transaction: bucket.transactions,
        });
    }

    fn commit(&mut self, work: Work) -> Result<(), String> {
        self.events[1] += 1;
        let pages = &mut self.bucket.pages;
        if pages.iter().any(|(page, _)| *page == work.page) {
            return Err(format!("page {} was committed twice", work.page));
        }
        if pages.last().is_some_and(|(_, token)| *token > work.token) {
            return Err(format!("lease {} wrote after its successor", work.token));
        }
        pages.push((work.page, work.token));
        if self.bucket.receipt.0 == work.token {
            self.bucket.receipt.1 = work.sequence;
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
    let is_there = |page: &u64| world.bucket.pages.iter().any(|(there, _)| there == page);
    match world.acknowledged.iter().find(|page| !is_there(page)) {
        Some(page) => Err(format!("page {page} was acknowledged and is lost")),
        None => Ok(world.events),
    }
}

/// Number of schedules: a few seconds without optimisation.
const SCHEDULES: u64 = 20_000;

#[test]
fn no_schedule_breaks_a_promise() {
    let mut events = [0; 3];
    for number in 0..SCHEDULES {
        let happened = run(number, Without::Nothing).unwrap_or_else(|broken| panic!("{number}: {broken}"));
        for (all, new) in events.iter_mut().zip(happened) {
            *all += new;
        }
    }
    // Each schedule gets somewhere: requests, hand-ins, takeovers.
    assert!(events.iter().all(|count| *count > SCHEDULES), "{events:?}");
}

#[test]
fn without_any_one_defence_a_schedule_breaks_a_promise() {
    for without in [
        Without::Check,
        Without::Lock,
        Without::Receipt,
        Without::Clock,
        Without::CountFromRequest,
    ] {
        let broken = (0..SCHEDULES).find_map(|number| run(number, without).err());
        assert!(
            broken.is_some(),
            "{without:?} is not needed, or never needed here"
        );
    }
}
