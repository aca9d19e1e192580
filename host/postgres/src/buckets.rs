//! Leases of buckets, and what is written under them.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use magpie_rows::StoreError;
use tokio_postgres::error::SqlState;

use crate::boot_time::boot_time;
use crate::failure::Failure;
use crate::lease_clock::LeaseClock;
use crate::numbers::SHARED;
use crate::server::{AGAIN, Answer, Call, Server, call};
use crate::statements::{CANDIDATES, CHECK, CLAIM, FREE, GIVE_BACK, NAME_PAGE, RENEW, SIGN};
use crate::value::{Cells, Value, read};

/// Durations of leases.
#[derive(Clone, Copy, Debug)]
pub struct LeaseTimes {
    /// A lease ends after this time unless it is renewed. Renew it three times as often.
    pub length: Duration,
    /// No host is asked in this time before the end.
    pub reserve: Duration,
    /// No host is asked in this time after the takeover of a bucket that was not given back.
    pub quiet: Duration,
}

impl Default for LeaseTimes {
    fn default() -> Self {
        LeaseTimes {
            length: Duration::from_secs(30),
            reserve: Duration::from_secs(5),
            quiet: Duration::from_secs(5),
        }
    }
}

/// Identifies a lease. No other lease of any bucket has the same, also not after a failover that
/// lost the newest rows: there a counter could be given twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token(pub(crate) String);

impl Token {
    pub(crate) fn new() -> Token {
        let random = || RandomState::new().hash_one(std::process::id());
        Token(format!("{:016x}{:016x}", random(), random()))
    }
}

/// The buckets that this process has leased.
pub struct Buckets {
    server: Arc<Server>,
    /// Name of the worker, for people.
    worker: String,
    times: LeaseTimes,
    held: Mutex<BTreeMap<i16, Held>>,
    claims: AtomicU64,
    /// Leases that this process has survived. They ran out, and the server does not know yet that
    /// it did not die.
    survived: Mutex<Vec<(i16, Token)>>,
}

#[derive(Clone)]
struct Held {
    epoch: i64,
    token: Token,
    clock: LeaseClock,
    /// The number of the last hand-in. Locked during a hand-in: one at a time may be under way, or
    /// the receipt of the later would stand for both.
    last: Arc<Mutex<i64>>,
    /// The time of the machine until which the bucket is worked carefully.
    careful_until: Duration,
}

impl Buckets {
    pub fn new(server: Arc<Server>, worker: &str, times: LeaseTimes) -> Buckets {
        Buckets {
            server,
            worker: worker.to_owned(),
            times,
            held: Mutex::default(),
            claims: AtomicU64::default(),
            survived: Mutex::default(),
        }
    }

    /// Leases up to this number of buckets, and returns them. Others may be quicker, so it may be
    /// fewer although some are free: ask again.
    pub fn claim(&self, limit: usize) -> Result<Vec<i16>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found = self
            .server
            .patiently(&call(&CANDIDATES, [self.worker.as_str().into(), limit.into()]))?;
        let candidates = read(&found.rows, |cells| {
            Ok((cells.get::<i16>()?, cells.get::<i64>()?))
        })?;
        let mut claimed = Vec::new();
        for (bucket, epoch) in candidates {
            if self.claim_one(bucket, epoch)? {
                claimed.push(bucket);
            }
        }
        Ok(claimed)
    }

    /// Leases a bucket unless another process has it. Returns true if this process has it now.
    pub(crate) fn claim_if_free(&self, bucket: i16) -> Result<bool, StoreError> {
        if self.epoch(bucket).is_some() {
            return Ok(true);
        }
        let found = self.server.patiently(&call(&FREE, [bucket.into()]))?;
        let epochs = read(&found.rows, |cells| cells.get::<i64>())?;
        match epochs.first() {
            Some(epoch) => self.claim_one(bucket, *epoch),
            None => Ok(false),
        }
    }

    /// Leases a bucket, and waits for another process that has it: at least for the length of a
    /// lease, after which one that was killed is succeeded. Returns false if the other still has
    /// it.
    pub(crate) fn claim_within(&self, bucket: i16, time: Duration) -> Result<bool, StoreError> {
        let begin = Instant::now();
        loop {
            if self.claim_if_free(bucket)? {
                return Ok(true);
            }
            if begin.elapsed() > time.max(self.times.length + self.times.quiet) {
                return Ok(false);
            }
            sleep(AGAIN);
        }
    }

    /// Leases a bucket that was seen free in an epoch. Returns false if another was quicker.
    fn claim_one(&self, bucket: i16, epoch: i64) -> Result<bool, StoreError> {
        let token = Token::new();
        let sent_at = boot_time();
        let answer = match self.server.once(call(
            &CLAIM,
            [
                bucket.into(),
                epoch.into(),
                token.0.as_str().into(),
                self.worker.as_str().into(),
                millis(self.times.length).into(),
                millis(self.times.quiet).into(),
            ],
        )) {
            // It may have been claimed with a token that this process forgets. Nobody has it then,
            // and it is free after the length of a lease.
            Err(Failure::Lost(_)) => return Ok(false),
            answered => answered?,
        };
        let Some(row) = answer.rows.first() else {
            return Ok(false);
        };
        let mut cells = Cells::of(row);
        let epoch = cells.get()?;
        let quiet = cells.get::<Option<i64>>()?.unwrap_or_default();
        let careful = Duration::from_millis(cells.get::<i64>()?.unsigned_abs());
        let clock = LeaseClock::claimed(
            sent_at,
            boot_time(),
            Duration::from_millis(quiet.unsigned_abs()),
            self.times.length,
            self.times.reserve,
        );
        let last = Arc::default();
        let held = Held {
            epoch,
            token,
            clock,
            last,
            careful_until: boot_time() + careful,
        };
        self.held().insert(bucket, held);
        self.claims.fetch_add(1, Ordering::Release);
        Ok(true)
    }

    /// Renews all leases, in one transaction. Returns the buckets that were taken over.
    ///
    /// Leases also run out if the server was away, or a machine was frozen. Their owner lives, so
    /// the takeover is no sign of a page that kills workers, and is struck off here. An owner that
    /// ended because it could not reach the server counts as killed: the server can't distinguish
    /// the two.
    pub fn renew(&self) -> Result<Vec<i16>, StoreError> {
        let before: Vec<(i16, Token)> = self
            .held()
            .iter()
            .map(|(bucket, held)| (*bucket, held.token.clone()))
            .collect();
        let sent_at = boot_time();
        let calls = before.iter().map(|(bucket, token)| {
            let length = millis(self.times.length);
            call(&RENEW, [(*bucket).into(), token.0.as_str().into(), length.into()])
        });
        let mut transaction = self.server.begin()?;
        let answers = transaction.run(calls.collect())?;
        transaction.commit()?;
        let mut held = self.held();
        let mut lost = Vec::new();
        for ((bucket, token), answer) in before.iter().zip(answers) {
            // It may have been given back or claimed again meanwhile.
            let Some(lease) = held.get_mut(bucket).filter(|lease| lease.token == *token) else {
                continue;
            };
            match answer.changed {
                0 => {
                    self.survive(*bucket, token);
                    held.remove(bucket);
                    lost.push(*bucket);
                }
                _ => lease.clock.renewed(sent_at),
            }
        }
        drop(held);
        loop {
            let survived = self.survived().last().cloned();
            let Some((bucket, token)) = survived else {
                return Ok(lost);
            };
            self.end_lease(bucket, &token)?;
            self.survived().retain(|(_, survived)| *survived != token);
        }
    }

    /// Gives a bucket back. The next owner fetches again what was not handed in.
    pub fn give_back(&self, bucket: i16) -> Result<(), StoreError> {
        let held = self.held().remove(&bucket);
        held.map_or(Ok(()), |held| self.end_lease(bucket, &held.token))
    }

    fn end_lease(&self, bucket: i16, token: &Token) -> Result<(), StoreError> {
        let values = [bucket.into(), token.0.as_str().into()];
        self.server.patiently(&call(&GIVE_BACK, values))?;
        Ok(())
    }

    /// Gives back all buckets, that of no site too.
    pub fn give_back_all(&self) -> Result<(), StoreError> {
        let held: Vec<i16> = self.held().keys().copied().collect();
        held.into_iter().try_for_each(|bucket| self.give_back(bucket))
    }

    /// Returns true if the hosts of a bucket may be asked now. Ask it before each request.
    pub fn may_ask(&self, bucket: i16) -> bool {
        let held = self.held();
        held.get(&bucket)
            .is_some_and(|held| held.clock.may_ask(boot_time()))
    }

    /// Returns true if the pages of a bucket are to be worked on one at a time: two owners lost it
    /// within ten minutes.
    pub(crate) fn is_careful(&self, bucket: i16) -> bool {
        let held = self.held();
        held.get(&bucket)
            .is_some_and(|held| held.careful_until > boot_time())
    }

    /// Takes note of the page of a bucket that is worked on alone now. Returns the number of owners
    /// that died while they worked on it alone.
    pub(crate) fn name_page(&self, bucket: i16, url: Option<&str>) -> Result<u64, StoreError> {
        let Some(held) = self.held().get(&bucket).cloned() else {
            return Ok(0);
        };
        let values = [
            bucket.into(),
            held.token.0.as_str().into(),
            Value::Text(url.map(Into::into)),
        ];
        let answer = self.server.patiently(&call(&NAME_PAGE, values))?;
        let deaths = read(&answer.rows, |cells| cells.unsigned())?;
        Ok(deaths.first().copied().unwrap_or_default())
    }

    /// The name of the worker.
    pub(crate) fn worker(&self) -> &str {
        &self.worker
    }

    /// Returns the epoch of a leased bucket.
    pub fn epoch(&self, bucket: i16) -> Option<i64> {
        self.held().get(&bucket).map(|held| held.epoch)
    }

    /// Returns a number that grows with each bucket that this process leases.
    pub fn claims(&self) -> u64 {
        self.claims.load(Ordering::Acquire)
    }

    /// Returns the leased buckets of sites.
    pub fn all(&self) -> Vec<i16> {
        let held = self.held();
        held.keys().copied().filter(|bucket| *bucket != SHARED).collect()
    }

    /// Writes to a bucket in one transaction, if this process still has it. Returns the answers of
    /// the writes, or `None` if the lease is over: then the results are to be thrown away, and the
    /// next owner makes them again.
    ///
    /// If an answer is lost, the hand-in is repeated until its outcome is known or the lease is
    /// over. Its number keeps it from being done twice.
    pub(crate) fn hand_in<'c>(
        &self,
        bucket: i16,
        writes: impl FnMut() -> Vec<Call<'c>>,
    ) -> Result<Option<Vec<Answer>>, StoreError> {
        match self.epoch(bucket) {
            Some(epoch) => self.hand_in_of((bucket, epoch), writes),
            None => Ok(None),
        }
    }

    /// Does the same with what was made in an epoch of the bucket. In a later one another process
    /// may have made it, too.
    pub(crate) fn hand_in_of<'c>(
        &self,
        (bucket, epoch): (i16, i64),
        mut writes: impl FnMut() -> Vec<Call<'c>>,
    ) -> Result<Option<Vec<Answer>>, StoreError> {
        let held = self.held().get(&bucket).cloned();
        let Some(held) = held.filter(|held| held.epoch == epoch) else {
            return Ok(None);
        };
        let mut last = held.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last += 1;
        let mut answers = None;
        loop {
            match self.try_hand_in(bucket, &held.token, *last, writes(), &mut answers) {
                Ok(()) => return Ok(Some(answers.unwrap_or_default())),
                Err(failure) if failure.is(CHECK.name, &SqlState::DIVISION_BY_ZERO) => {
                    self.forget(bucket, &held.token);
                    return Ok(None);
                }
                Err(Failure::Lost(_)) => {
                    // A lease may have been renewed meanwhile.
                    let clock = self.held().get(&bucket).map_or(held.clock, |held| held.clock);
                    if clock.is_over(boot_time()) {
                        self.forget(bucket, &held.token);
                        return Ok(None);
                    }
                    sleep(AGAIN);
                }
                Err(failure) => return Err(failure.into()),
            }
        }
    }

    /// Makes an attempt. `answers` keeps those of the last one that came as far as COMMIT.
    fn try_hand_in(
        &self,
        bucket: i16,
        token: &Token,
        number: i64,
        writes: Vec<Call<'_>>,
        answers: &mut Option<Vec<Answer>>,
    ) -> Result<(), Failure> {
        let token = token.0.as_str();
        let mut calls = vec![
            call(&CHECK, [bucket.into(), token.into()]),
            call(&SIGN, [bucket.into(), token.into(), number.into()]),
        ];
        calls.extend(writes);
        let mut transaction = self.server.begin()?;
        let mut done = transaction.try_run(calls)?.into_iter();
        let (check, sign) = (done.next(), done.next());
        check.transpose()?;
        // No row: an earlier attempt was committed, and its answer lost. The writes of this one
        // are undone, and may have failed because of the others.
        if sign.transpose()?.is_some_and(|sign| sign.changed == 0) {
            return Ok(());
        }
        *answers = Some(done.collect::<Result<_, _>>()?);
        transaction.commit()
    }

    fn forget(&self, bucket: i16, token: &Token) {
        let mut held = self.held();
        if held.get(&bucket).is_some_and(|held| held.token == *token) {
            self.survive(bucket, token);
            held.remove(&bucket);
        }
    }

    /// Takes note of a lease that is over while this process lives.
    fn survive(&self, bucket: i16, token: &Token) {
        self.survived().push((bucket, token.clone()));
    }

    fn survived(&self) -> MutexGuard<'_, Vec<(i16, Token)>> {
        self.survived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<i16, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
