//! Ways to choose the page that is visited next, each as what it takes a page for: a belief and a weight, from which its queue
//! makes the value of a visit.

use magpie_freshness::change::{Belief, History, Population, RatePrior};
use magpie_freshness::schedule::{Page, weight};

/// How pages are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// Each as often as any.
    Uniform,
    /// As often as it was seen to change.
    Proportional,
    /// The best frequencies for the most likely rate of each page alone.
    PerPage,
    /// The best for beliefs that begin with the page's pattern: ours. Lists, pages of what is to come and of what has taken place
    /// are populations of their own.
    Pattern,
    /// The same, but visits are worth what they bring of objects: new ones from lists, news of known ones from their pages.
    Objects,
    /// The best for the true rates, before and after a page's object has taken place.
    Oracle,
}

/// Uniform first and the oracle last.
pub(super) const POLICIES: [Policy; 6] = [
    Policy::Uniform,
    Policy::Proportional,
    Policy::PerPage,
    Policy::Pattern,
    Policy::Objects,
    Policy::Oracle,
];

/// Kinds of pages that a pattern may have: lists, pages of one object that is to come, and of one that has taken place.
pub(super) const KINDS: usize = 3;

/// Before anything was seen: a change in four weeks, give or take a factor of seven.
const UNKNOWN: f64 = 0.25;

/// Rates that estimates and oracles stay between. A page of no rate would never be worth its first visit; one of an infinite
/// rate is given up.
const RATES: (f64, f64) = (1e-4, 1e6);

/// Weeks for which it is of use to have found an object. Lists are visited far more often, so that it hardly matters.
const LASTING: f64 = 10.0;

/// By this, values of visits grow with the square of the gap, whatever the gap is: then pages come in the order of gap by
/// wanted gap.
const SLOW: f64 = 1e-3;

impl Policy {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Proportional => "proportional",
            Self::PerPage => "per page",
            Self::Pattern => "ours",
            Self::Objects => "ours, for objects",
            Self::Oracle => "oracle",
        }
    }

    /// Whether it learns from patterns.
    pub(super) fn learns(self) -> bool {
        matches!(self, Self::Pattern | Self::Objects)
    }

    /// Whether it tells pages whose object has taken place from others.
    pub(super) fn minds_dates(self) -> bool {
        self.learns() || self == Self::Oracle
    }
}

/// What is known of a page.
#[derive(Debug)]
pub(super) struct Known<'a> {
    /// What visits showed of its changes.
    pub(super) history: &'a History,
    /// How many objects they showed that were new then.
    pub(super) found: &'a History,
    /// What the pages of its pattern are like.
    pub(super) pattern: &'a Pattern,
    pub(super) role: Role,
    /// Only for the oracle.
    pub(super) true_rate: f64,
}

/// What a page is good for, as far as visits and links have shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    /// It has many objects, or leads to them.
    List,
    /// It is about one object, and so many pages about that are visited.
    About(u32),
    /// It is about one object, which was only named so far.
    News,
}

/// What the pages of a pattern are like.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Changes a week.
    pub(super) changes: RatePrior,
    /// New objects a week.
    pub(super) found: RatePrior,
}

impl Default for Pattern {
    fn default() -> Self {
        Self {
            changes: Population::guess(UNKNOWN).new_pattern(),
            found: RatePrior::Gamma {
                shape: 1.0,
                time: 1.0 / UNKNOWN,
            },
        }
    }
}

impl Pattern {
    /// Learns from the pages of all patterns what each is like. Lists, pages of what is to come and pages of what has taken place follow
    /// one another, and each is a population by itself: of what is over nothing changes, and that is no news of lists.
    pub(super) fn learn(changes: &[Vec<&History>], found: Vec<Vec<&History>>) -> Vec<Self> {
        let mut patterns: Vec<Self> = found.into_iter().map(Self::of_found).collect();
        for kind in 0..KINDS {
            let pages = changes.iter().skip(kind).step_by(KINDS);
            let pages = pages.map(|pages| pages.iter().copied());
            let priors = Population::learn(&Population::guess(UNKNOWN), pages).1;
            let of_kind = patterns.iter_mut().skip(kind).step_by(KINDS);
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
    /// What a policy takes the page for.
    pub(super) fn page(&self, policy: Policy) -> Page {
        match policy {
            Policy::Uniform => in_turn(1.0),
            Policy::Proportional => {
                let seen = self.history.changes() / self.history.time();
                in_turn(if seen.is_finite() { bounded(seen) } else { UNKNOWN })
            }
            Policy::PerPage => Page::of_rate(bounded(self.history.most_likely_rate().unwrap_or(UNKNOWN))),
            Policy::Pattern => of_belief(self.belief(), 1.0),
            Policy::Objects => match self.role {
                Role::List => lasting(self.pattern.found.posterior(self.found).mean),
                Role::About(sources) => of_belief(self.belief(), weight([sources])),
                Role::News => lasting(1.0),
            },
            Policy::Oracle => Page::of_rate(bounded(self.true_rate)),
        }
    }

    fn belief(&self) -> Belief {
        self.pattern.changes.belief_after(self.history)
    }
}

fn bounded(rate: f64) -> f64 {
    rate.clamp(RATES.0, RATES.1)
}

fn of_belief(belief: Belief, weight: f64) -> Page {
    Page { belief, weight }
}

/// Visits as often as this, whatever they are worth.
fn in_turn(frequency: f64) -> Page {
    Page {
        weight: SLOW * frequency,
        ..Page::of_rate(SLOW * frequency)
    }
}

/// What is lost grows steadily with the gap, by so many objects a week that are not yet found.
fn lasting(objects: f64) -> Page {
    Page {
        weight: objects * LASTING,
        ..Page::of_rate(1.0 / LASTING)
    }
}
