//! Sites whose objects dry up: they answer as always, and have few current objects left.

use magpie_rows::RoundRow;

/// Number of earlier rounds that the last round is compared with: half a year of weekly rounds.
const COMPARED: usize = 26;

/// Fewer objects than this show nothing: they may all be over on one day.
const MIN_OBJECTS: u64 = 8;

/// A site has dried up when less than 1/4 of its objects is left.
const LEFT: u64 = 4;

/// The current objects of a site that has dried up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriedUp {
    /// Number of current objects after the last round.
    pub last: u64,
    /// Highest number of current objects after an earlier round.
    pub most: u64,
}

impl DriedUp {
    /// Compares the last round of a site with those before it, the oldest first. Returns `None` if
    /// the site still has its objects.
    pub fn of(rounds: &[RoundRow]) -> Option<DriedUp> {
        let (last, before) = rounds.split_last()?;
        let before = before.iter().rev().take(COMPARED);
        let most = before.map(|round| round.current_objects).max()?;
        let last = last.current_objects;
        (most >= MIN_OBJECTS && last * LEFT < most).then_some(DriedUp { last, most })
    }
}
