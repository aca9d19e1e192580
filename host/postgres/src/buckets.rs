//! Leases of buckets, and what is written under them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use magpie_rows::StoreError;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use crate::boot_time::boot_time;
use crate::failure::Failure;
use crate::lease_clock::LeaseClock;
use crate::numbers::SHARED;
use crate::server::{AGAIN, Answer, Call, Server, call};
use crate::statements::{CANDIDATES, CHECK, CLAIM, GIVE_BACK, NAME_PAGE, RENEW, SIGN};
use crate::value::{Value, columns, read};

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
    /// Locked while several leases are renewed or ended.
    changing: Mutex<()>,
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
            changing: Mutex::default(),
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
        let candidates = read(&found.rows, |cells| cells.get::<i16>())?;
        self.take(&candidates)
    }

    /// Leases a bucket unless another process has it. Returns true if this process has it now.
    pub(crate) fn claim_if_free(&self, bucket: i16) -> Result<bool, StoreError> {
        Ok(self.epoch(bucket).is_some() || !self.take(&[bucket])?.is_empty())
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

    /// Leases those of some buckets that are free, and returns them.
    pub(crate) fn take(&self, wanted: &[i16]) -> Result<Vec<i16>, StoreError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = wanted.iter().copied().map(Value::from).collect();
        let sent_at = boot_time();
        let answer = match self.server.once(call(
            &CLAIM,
            [
                Value::Many(Type::INT2_ARRAY, wanted),
                self.worker.as_str().into(),
                self.times.length.into(),
                self.times.quiet.into(),
            ],
        )) {
            // They may have been claimed. Nobody has them then, and they are free after the length
            // of a lease.
            Err(Failure::Lost(_)) => return Ok(Vec::new()),
            answered => answered?,
        };
        let now = boot_time();
        let claimed = read(&answer.rows, |cells| {
            let bucket = cells.get::<i16>()?;
            let token = Token(cells.get()?);
            let epoch = cells.get()?;
            let quiet = Duration::from_millis(cells.unsigned()?);
            let careful = Duration::from_millis(cells.unsigned()?);
            let held = Held {
                epoch,
                token,
                clock: LeaseClock::claimed(sent_at, now, quiet, self.times.length, self.times.reserve),
                last: Arc::default(),
                careful_until: now + careful,
            };
            Ok((bucket, held))
        })?;
        let buckets: Vec<i16> = claimed.iter().map(|(bucket, _)| *bucket).collect();
        self.held().extend(claimed);
        self.claims.fetch_add(buckets.len() as u64, Ordering::Release);
        Ok(buckets)
    }

    /// Renews all leases. Returns the buckets that were taken over.
    ///
    /// Leases also run out if the server was away, or a machine was frozen. Their owner lives, so
    /// the takeover is no sign of a page that kills workers, and is struck off here. An owner that
    /// ended because it could not reach the server counts as killed: the server can't distinguish
    /// the two.
    pub fn renew(&self) -> Result<Vec<i16>, StoreError> {
        let changing = self.changing();
        let before = self.leases(|_| true);
        let sent_at = boot_time();
        let mut renewed = BTreeSet::new();
        if !before.is_empty() {
            let [buckets, tokens] = columns(before.iter().map(values).collect());
            let answer = self
                .server
                .once(call(&RENEW, [buckets, tokens, self.times.length.into()]))?;
            renewed.extend(read(&answer.rows, |cells| cells.get::<i16>())?);
        }
        let mut held = self.held();
        let mut lost = Vec::new();
        for (bucket, token) in &before {
            // It may have been given back or claimed again meanwhile.
            let Some(lease) = held.get_mut(bucket).filter(|lease| lease.token == *token) else {
                continue;
            };
            if renewed.contains(bucket) {
                lease.clock.renewed(sent_at);
            } else {
                self.survive(*bucket, token);
                held.remove(bucket);
                lost.push(*bucket);
            }
        }
        drop(held);
        drop(changing);
        loop {
            let survived = self.survived().last().cloned();
            let Some((bucket, token)) = survived else {
                return Ok(lost);
            };
            self.end_leases(&[(bucket, token.clone())])?;
            self.survived().retain(|(_, survived)| *survived != token);
        }
    }

    /// Gives buckets back. The next owners fetch again what was not handed in.
    pub fn give_back(&self, buckets: &[i16]) -> Result<(), StoreError> {
        let _changing = self.changing();
        let leases = self.leases(|bucket| buckets.contains(&bucket));
        self.held().retain(|bucket, _| !buckets.contains(bucket));
        self.end_leases(&leases)
    }

    fn end_leases(&self, leases: &[(i16, Token)]) -> Result<(), StoreError> {
        if !leases.is_empty() {
            let leases = columns(leases.iter().map(values).collect());
            self.server.patiently(&call(&GIVE_BACK, leases))?;
        }
        Ok(())
    }

    /// Gives back all buckets, that of no site too.
    pub fn give_back_all(&self) -> Result<(), StoreError> {
        let held: Vec<i16> = self.held().keys().copied().collect();
        self.give_back(&held)
    }

    /// Returns the leases of some buckets.
    pub(crate) fn leases(&self, is_wanted: impl Fn(i16) -> bool) -> Vec<(i16, Token)> {
        let held = self.held();
        let wanted = held.iter().filter(|(bucket, _)| is_wanted(**bucket));
        wanted
            .map(|(bucket, held)| (*bucket, held.token.clone()))
            .collect()
    }

    /// Keeps two statements from locking the rows of several leases in different orders.
    fn changing(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Returns a lease as a row for `columns`.
pub(crate) fn values<'t>((bucket, token): &'t (i16, Token)) -> [Value<'t>; 2] {
    [(*bucket).into(), token.0.as_str().into()]
}

#[cfg(test)]
mod tests;
