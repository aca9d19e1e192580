//! A moment on the clock of the world.

use std::ops::Add;
use std::time::Duration;

/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
///
/// Moments meet other units only where they are read and written: a database column of seconds, a
/// header of a request. Everything in between has this type, so that the two are never mixed.
///
/// ```
/// use std::time::Duration;
/// use magpie_values::Timestamp;
///
/// let end = Timestamp::from_seconds(1_777_852_800);
/// assert!(end < end + Duration::from_millis(1));
/// assert_eq!((end + Duration::from_secs(60)).since(end), Duration::from_secs(60));
/// assert_eq!(Timestamp::from_millis(-1).as_seconds(), -1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Returns the moment so many milliseconds after the beginning of 1970.
    pub const fn from_millis(milliseconds: i64) -> Timestamp {
        Timestamp(milliseconds)
    }

    /// Returns the moment so many seconds after the beginning of 1970.
    pub const fn from_seconds(seconds: i64) -> Timestamp {
        Timestamp(seconds.saturating_mul(1_000))
    }

    /// Returns the milliseconds since the beginning of 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the whole seconds since the beginning of 1970.
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// Returns the time since an earlier moment; none at all if that was later.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl Add<Duration> for Timestamp {
    type Output = Timestamp;

    /// Returns the moment so much later, or the last one there is.
    fn add(self, time: Duration) -> Timestamp {
        let milliseconds = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        Timestamp(self.0.saturating_add(milliseconds))
    }
}
