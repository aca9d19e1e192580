//! What servers, sitemaps and feeds say about changes, and how far they are to be believed.
//!
//! Nobody is believed for good manners: wherever the content was seen, what was claimed is compared
//! with it. A server that answers "not modified" to everything has, after a few looks at the content,
//! claims that say nothing; then they neither raise nor lower a rate, and more looks are asked for.

use serde::{Deserialize, Serialize};

use super::history::Observation;

/// A date this close to the moment of the answer, as a share of the gap, was made by the clock that
/// wrote the answer rather than by a change; and at least this much.
const JUST_NOW_SHARE: f64 = 1e-4;
/// What a claim is worth before it was ever compared: as if so many had been right ...
const RIGHT_BEFOREHAND: f64 = 4.0;
/// ... and so many wrong. Most servers are right, and two or three looks outweigh this.
const WRONG_BEFOREHAND: f64 = 1.0;
/// Dates are used from this share of right ones on; below, that the page changed is all that is
/// taken, which loses some speed of learning and cannot mislead.
const DATES_BELIEVED: f64 = 0.9;
/// Standard deviations by which claims are taken to say less than they seem to: 19 times of 20 they do
/// say that much.
const CAUTION: f64 = 1.645;
/// Old comparisons fade once there are so many: sites change their software.
const REMEMBERED: f64 = 200.0;
/// With trust as good as it gets, one visit in so many still looks at the content itself.
const LOOKS_WHEN_TRUSTED: f64 = 0.05;

/// What is claimed about the time since the last visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Claim {
    /// Nothing changed: status 304, or a date before the last visit.
    Same,
    /// Something changed.
    Changed,
    /// Something changed so long ago.
    ChangedAgo(f64),
}

/// How far the claims of one source about one site, or one pattern of pages, are right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// Changes that were claimed, and that were not.
    told: Share,
    /// Pages without change of which that was claimed, and of which a change was.
    quiet: Share,
    /// Dates that were possible, and that were not.
    dates: Share,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Share {
    right: f64,
    wrong: f64,
}

impl Reliability {
    /// Compares a claim with what the content showed.
    pub fn learn(&mut self, claim: Claim, gap: f64, changed: bool) {
        let said = claim != Claim::Same;
        let share = if changed { &mut self.told } else { &mut self.quiet };
        share.count(said == changed);
        if let Claim::ChangedAgo(ago) = claim {
            self.dates.count(changed && possible(ago, gap));
        }
    }

    /// What a visit shows: what the content showed, if it was seen, with the date added if dates are
    /// believed; otherwise the claim, with its doubt.
    pub fn observation(&self, claim: Option<Claim>, gap: f64, seen: Option<bool>) -> Option<Observation> {
        match (seen, claim) {
            (Some(false), _) => Some(Observation::Same),
            (Some(true), Some(Claim::ChangedAgo(ago))) if self.believes_dates() && possible(ago, gap) => {
                Some(Observation::ChangedAgo(ago))
            }
            (Some(true), _) => Some(Observation::Changed),
            (None, claim) => claim.map(|claim| Observation::Claimed {
                doubt: self.doubt(claim),
            }),
        }
    }

    /// How probable a claim is for a page that did not change, by the same for one that did.
    ///
    /// Taken as near to one, which says nothing, as the comparisons so far allow: a site is wrong in the
    /// same way each time, so that a hundred claims with a small error in this would outweigh all else.
    /// Before anything was compared, claims say nothing.
    pub fn doubt(&self, claim: Claim) -> f64 {
        let (same, changed) = match claim {
            Claim::Same => (self.quiet.right(), self.told.wrong()),
            Claim::Changed | Claim::ChangedAgo(_) => (self.quiet.wrong(), self.told.right()),
        };
        let log = (same.0 / changed.0).ln();
        let unsure = CAUTION * (same.1 + changed.1).sqrt();
        (log.signum() * (log.abs() - unsure).max(0.0)).exp()
    }

    /// The share of changes that are claimed.
    pub fn told(&self) -> f64 {
        self.told.mean()
    }

    /// The share of gaps without change about which no change is claimed.
    pub fn quiet(&self) -> f64 {
        self.quiet.mean()
    }

    /// Whether dates are precise enough to be used: they have been right often, and are not simply
    /// the time of the answer.
    pub fn believes_dates(&self) -> bool {
        self.dates.right > 0.0 && self.dates.mean() >= DATES_BELIEVED.min(self.dates.ceiling())
    }

    /// The share of visits that should fetch the content whatever is claimed, so that lies are found:
    /// all when "not modified" says nothing, few when it has proved right.
    pub fn looks(&self) -> f64 {
        // How much a "same" lowers the odds of a change; 0 is fully, 1 not at all.
        let told_nothing = (1.0 / self.doubt(Claim::Same)).clamp(0.0, 1.0);
        told_nothing.max(LOOKS_WHEN_TRUSTED)
    }
}

impl Share {
    fn count(&mut self, right: bool) {
        if right {
            self.right += 1.0;
        } else {
            self.wrong += 1.0;
        }
        let all = self.right + self.wrong;
        if all > REMEMBERED {
            self.right *= REMEMBERED / all;
            self.wrong *= REMEMBERED / all;
        }
    }

    /// The share of right ones, and the variance of its logarithm.
    fn right(&self) -> (f64, f64) {
        let (share, all) = (
            self.mean(),
            self.right + self.wrong + RIGHT_BEFOREHAND + WRONG_BEFOREHAND,
        );
        (share, (1.0 - share) / (share * all))
    }

    fn wrong(&self) -> (f64, f64) {
        let (share, all) = (
            1.0 - self.mean(),
            self.right + self.wrong + RIGHT_BEFOREHAND + WRONG_BEFOREHAND,
        );
        (share, (1.0 - share) / (share * all))
    }

    /// Never 0 nor 1, so that no claim ever counts as proof.
    fn mean(&self) -> f64 {
        let right = self.right + RIGHT_BEFOREHAND;
        right / (right + self.wrong + WRONG_BEFOREHAND)
    }

    /// What the mean could be at most after so many comparisons: early on, without one mistake is enough.
    fn ceiling(&self) -> f64 {
        let all = self.right + self.wrong + RIGHT_BEFOREHAND;
        all / (all + WRONG_BEFOREHAND)
    }
}

/// A date that can be of a change in this gap, and is not merely the clock of the answer.
fn possible(ago: f64, gap: f64) -> bool {
    ago > gap * JUST_NOW_SHARE && ago <= gap
}
