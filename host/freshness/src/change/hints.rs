//! Claims of servers, sitemaps, and feeds about changes, and their reliability.
//!
//! No claim is trusted without evidence: whenever the content was fetched, claims are compared with
//! it. After a few such checks, the claims of a server that responds "not modified" to everything
//! carry no information. They then neither raise nor lower a rate, and more checks are requested.

use serde::{Deserialize, Serialize};

use super::history::Observation;

/// Maximum age of a date, as a share of the gap, at which it reflects the clock of the response
/// rather than a change.
const MIN_DATE_AGE: f64 = 1e-4;
/// Prior weight of claims before any comparison, as a number of correct ones.
const PRIOR_RIGHT: f64 = 4.0;
/// Prior weight as a number of wrong claims. Most servers are correct, and two or three checks
/// outweigh this.
const PRIOR_WRONG: f64 = 1.0;
/// Minimum share of correct dates for dates to be used. Below, only the fact of a change is used,
/// which slows learning but cannot mislead.
const MIN_CORRECT_DATES: f64 = 0.9;
/// Standard deviations by which claims are discounted: in 19 of 20 cases they carry at least the
/// remaining information.
const CAUTION_DEVIATIONS: f64 = 1.645;
/// Maximum weight of old comparisons, which fade beyond it, since sites change their software.
const MAX_REMEMBERED: f64 = 200.0;
/// Minimum share of visits that fetch the content, even from a fully trusted source.
const MIN_FETCH_SHARE: f64 = 0.05;

/// A claim about the time since the last visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Claim {
    /// No change: status 304, or a date before the last visit.
    Same,
    Changed,
    /// A change this long ago.
    ChangedAgo(f64),
}

/// Reliability of one source's claims about one site or one pattern of pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// Changes that were claimed, and that were not.
    told: Tally,
    /// Unchanged pages for which no change was claimed, and for which one was.
    quiet: Tally,
    /// Dates that were possible, and that were not.
    dates: Tally,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Tally {
    right: f64,
    wrong: f64,
}

impl Reliability {
    /// Compares a claim with the content.
    pub fn learn(&mut self, claim: Claim, gap: f64, changed: bool) {
        let said = claim != Claim::Same;
        let share = if changed { &mut self.told } else { &mut self.quiet };
        share.count(said == changed);
        if let Claim::ChangedAgo(ago) = claim {
            self.dates.count(changed && is_plausible(ago, gap));
        }
    }

    /// Returns the observation of a visit. If the content was seen, it decides, with the date of
    /// the claim if dates are reliable. Otherwise the observation is the claim with its doubt.
    pub fn observation(&self, claim: Option<Claim>, gap: f64, seen: Option<bool>) -> Option<Observation> {
        match (seen, claim) {
            (Some(false), _) => Some(Observation::Same),
            (Some(true), Some(Claim::ChangedAgo(ago))) if self.believes_dates() && is_plausible(ago, gap) => {
                Some(Observation::ChangedAgo(ago))
            }
            (Some(true), _) => Some(Observation::Changed),
            (None, claim) => claim.map(|claim| Observation::Claimed {
                doubt: self.doubt(claim),
            }),
        }
    }

    /// Returns the probability of a claim for an unchanged page, divided by that for a changed one.
    ///
    /// The result is as close to one, which is uninformative, as the comparisons so far allow.
    /// Before any comparison, claims are uninformative.
    pub fn doubt(&self, claim: Claim) -> f64 {
        let (same, changed) = match claim {
            Claim::Same => (self.quiet.right(), self.told.wrong()),
            Claim::Changed | Claim::ChangedAgo(_) => (self.quiet.wrong(), self.told.right()),
        };
        let log = (same.0 / changed.0).ln();
        // A site is wrong in the same way each time, so a hundred claims with a small error in this
        // ratio would outweigh all other evidence.
        let unsure = CAUTION_DEVIATIONS * (same.1 + changed.1).sqrt();
        (log.signum() * (log.abs() - unsure).max(0.0)).exp()
    }

    /// Returns true if dates are precise enough to be used: they were correct often, and are not
    /// simply the time of the response.
    pub fn believes_dates(&self) -> bool {
        self.dates.right > 0.0 && self.dates.mean() >= MIN_CORRECT_DATES.min(self.dates.ceiling())
    }

    /// Returns the share of visits that should fetch the content regardless of claims, to detect
    /// wrong ones: all if "not modified" is uninformative, few if it has proved correct.
    pub fn looks(&self) -> f64 {
        // Factor by which "not modified" lowers the odds of a change: 0 is fully, 1 not at all.
        let told_nothing = (1.0 / self.doubt(Claim::Same)).clamp(0.0, 1.0);
        told_nothing.max(MIN_FETCH_SHARE)
    }
}

impl Tally {
    fn count(&mut self, right: bool) {
        if right {
            self.right += 1.0;
        } else {
            self.wrong += 1.0;
        }
        let all = self.right + self.wrong;
        if all > MAX_REMEMBERED {
            self.right *= MAX_REMEMBERED / all;
            self.wrong *= MAX_REMEMBERED / all;
        }
    }

    /// Returns the share of correct claims, and the variance of its logarithm.
    fn right(&self) -> (f64, f64) {
        let (share, all) = (self.mean(), self.right + self.wrong + PRIOR_RIGHT + PRIOR_WRONG);
        (share, (1.0 - share) / (share * all))
    }

    fn wrong(&self) -> (f64, f64) {
        let (share, all) = (
            1.0 - self.mean(),
            self.right + self.wrong + PRIOR_RIGHT + PRIOR_WRONG,
        );
        (share, (1.0 - share) / (share * all))
    }

    /// Returns the share of correct claims. It is never 0 or 1, so that no claim ever counts as
    /// proof.
    fn mean(&self) -> f64 {
        let right = self.right + PRIOR_RIGHT;
        right / (right + self.wrong + PRIOR_WRONG)
    }

    /// Returns the maximum of the mean after this number of comparisons; early on, a record without
    /// mistakes is enough.
    fn ceiling(&self) -> f64 {
        let all = self.right + self.wrong + PRIOR_RIGHT;
        all / (all + PRIOR_WRONG)
    }
}

/// Returns true if a date can be that of a change in this gap, and is not merely the clock of the
/// response.
fn is_plausible(ago: f64, gap: f64) -> bool {
    ago > gap * MIN_DATE_AGE && ago <= gap
}
