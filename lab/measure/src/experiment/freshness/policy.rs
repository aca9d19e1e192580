//! Policies that choose the next page to visit. Each describes a page by a belief and a weight,
//! from which the queue computes the value of a visit.

use magpie_freshness::change::{Belief, History, Population, RatePrior};
use magpie_freshness::schedule::{Page, weight};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    Uniform,
    /// Visits a page in proportion to its observed changes.
    Proportional,
    /// Uses the optimal frequencies for the most likely rate of each page, without patterns.
    PerPage,
    /// Ours. Uses the optimal frequencies for beliefs whose prior is that of the page's pattern.
    /// Lists, pages of current objects and pages of past objects are separate populations.
    Pattern,
    /// Like [`Policy::Pattern`], with observations weighted by a half-life in days.
    HalfLife(u32),
    /// Like [`Policy::Pattern`], but values visits by their objects: new ones on lists, changes of
    /// known ones on their pages.
    Objects,
    /// Uses the optimal frequencies for the true rates, before and after the date of a page's
    /// object.
    Oracle,
}

/// All policies, from uniform to the oracle.
pub(super) const POLICIES: [Policy; 6] = [
    Policy::Uniform,
    Policy::Proportional,
    Policy::PerPage,
    Policy::Pattern,
    Policy::Objects,
    Policy::Oracle,
];

/// Number of kinds of pages of a pattern: lists, pages of a current object, pages of a past one.
pub(super) const PAGE_KINDS: usize = 3;

/// Prior before any observation: a change in four weeks, within a factor of seven.
const PRIOR_RATE: f64 = 0.25;

/// Bounds of the rates of estimates and oracles. A page of rate 0 would never be worth its first
/// visit; one of an infinite rate would be given up.
const RATE_BOUNDS: (f64, f64) = (1e-4, 1e6);

/// Weeks for which finding an object is useful. Lists are visited far more often, so the value
/// hardly matters.
const USEFUL_WEEKS: f64 = 10.0;

/// Factor that makes pages so slow that the value of a visit grows with the square of the gap,
/// for any gap. Pages are then ordered by the ratio of gap to wanted gap.
const SLOW_FACTOR: f64 = 1e-3;

impl Policy {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Proportional => "proportional",
            Self::PerPage => "per page",
            Self::Pattern | Self::HalfLife(_) => "ours",
            Self::Objects => "ours, for objects",
            Self::Oracle => "oracle",
        }
    }

    pub(super) fn learns(self) -> bool {
        matches!(self, Self::Pattern | Self::HalfLife(_) | Self::Objects)
    }

    /// Returns true if the policy distinguishes pages whose object is past.
    pub(super) fn uses_dates(self) -> bool {
        self.learns() || self == Self::Oracle
    }
}

/// Knowledge about a page.
#[derive(Debug)]
pub(super) struct Known<'a> {
    pub(super) history: &'a History,
    /// Observed numbers of objects that were new at the time.
    pub(super) found: &'a History,
    pub(super) pattern: &'a Pattern,
    pub(super) role: Role,
    /// True rate; used only by the oracle.
    pub(super) true_rate: f64,
}

/// Purpose of a page, as far as visits and links have shown it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    /// Has several objects, or links to them.
    List,
    /// Is about one object, which has this number of watched pages.
    About(u32),
    /// Is about one object that has only been named so far.
    Named,
}

/// Priors of the pages of a pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) changes: RatePrior,
    /// New objects a week.
    pub(super) found: RatePrior,
}

impl Default for Pattern {
    fn default() -> Self {
        Self {
            changes: Population::guess(PRIOR_RATE).new_pattern(),
            found: RatePrior::Gamma {
                shape: 1.0,
                time: 1.0 / PRIOR_RATE,
            },
        }
    }
}

impl Pattern {
    /// Learns the priors of each pattern from its pages. Lists, pages of current objects and pages
    /// of past ones alternate in the input, and each is a population of its own: past objects do
    /// not change, from which nothing follows for lists.
    pub(super) fn learn(changes: &[Vec<&History>], found: Vec<Vec<&History>>) -> Vec<Self> {
        let mut patterns: Vec<Self> = found.into_iter().map(Self::of_found).collect();
        for kind in 0..PAGE_KINDS {
            let pages = changes.iter().skip(kind).step_by(PAGE_KINDS);
            let pages = pages.map(|pages| pages.iter().copied());
            let priors = Population::learn(&Population::guess(PRIOR_RATE), pages).1;
            let of_kind = patterns.iter_mut().skip(kind).step_by(PAGE_KINDS);
            for (pattern, prior) in of_kind.zip(priors) {
                pattern.changes = prior;
            }
        }
        patterns
    }

    fn of_found(found: Vec<&History>) -> Self {
        let unknown = Self::default();
        Self {
            found: RatePrior::gamma_of(found).unwrap_or(unknown.found),
            ..unknown
        }
    }
}

impl Known<'_> {
    /// Describes the page as the policy sees it.
    pub(super) fn page(&self, policy: Policy) -> Page {
        match policy {
            Policy::Uniform => at_frequency(1.0),
            Policy::Proportional => {
                let seen = self.history.changes() / self.history.time();
                at_frequency(if seen.is_finite() {
                    bounded(seen)
                } else {
                    PRIOR_RATE
                })
            }
            Policy::PerPage => Page::of_rate(bounded(self.history.most_likely_rate().unwrap_or(PRIOR_RATE))),
            Policy::Pattern | Policy::HalfLife(_) => of_belief(self.belief(), 1.0),
            Policy::Objects => match self.role {
                Role::List => linear_loss(self.pattern.found.posterior(self.found).mean),
                Role::About(sources) => of_belief(self.belief(), weight([sources])),
                Role::Named => linear_loss(1.0),
            },
            Policy::Oracle => Page::of_rate(bounded(self.true_rate)),
        }
    }

    fn belief(&self) -> Belief {
        self.pattern.changes.belief_after(self.history)
    }
}

fn bounded(rate: f64) -> f64 {
    rate.clamp(RATE_BOUNDS.0, RATE_BOUNDS.1)
}

fn of_belief(belief: Belief, weight: f64) -> Page {
    Page { belief, weight }
}

/// Returns a page that is visited with a relative frequency, at any value of its visits.
fn at_frequency(frequency: f64) -> Page {
    Page {
        weight: SLOW_FACTOR * frequency,
        ..Page::of_rate(SLOW_FACTOR * frequency)
    }
}

/// Returns a page whose loss grows linearly with the gap, by `objects` not yet found a week.
fn linear_loss(objects: f64) -> Page {
    Page {
        weight: objects * USEFUL_WEEKS,
        ..Page::of_rate(1.0 / USEFUL_WEEKS)
    }
}
