//! A bandit over the paths of links.

use std::collections::{HashMap, HashSet};

use magpie_focus::PageId;
use magpie_focus::strategy::{Link, Strategy, Visit};

use super::path_number;
use crate::random::Random;

/// Weight of the uncertainty of an arm, as published for SB-CLASSIFIER (2 times the root of 2).
const EXPLORATION: f64 = 2.828_427_124_746_190_3;

/// Maximum number of arms. Links with further paths are one arm.
const MAX_ARMS: usize = 4_096;

/// A bandit whose arms are the paths of links, and sleep while they have no page. An arm's reward
/// is the number of new distinct objects on its pages; the next page is a random one of the arm
/// with the largest upper bound.
pub(crate) struct SleepingBandit {
    arms: Vec<Arm>,
    by_path: HashMap<u64, usize>,
    arm_of: HashMap<PageId, usize>,
    visited: HashSet<PageId>,
    pulls: f64,
    random: Random,
}

#[derive(Clone, Debug, Default)]
struct Arm {
    queue: Vec<PageId>,
    pulls: f64,
    reward: f64,
}

impl SleepingBandit {
    /// The seed decides the choices within an arm.
    pub(crate) fn new(seed: u64) -> SleepingBandit {
        SleepingBandit {
            arms: Vec::new(),
            by_path: HashMap::new(),
            arm_of: HashMap::new(),
            visited: HashSet::new(),
            pulls: 0.0,
            random: Random::new(seed, 0),
        }
    }

    fn bound(&self, arm: &Arm) -> f64 {
        match arm.pulls > 0.0 {
            true => {
                arm.reward / arm.pulls + EXPLORATION * (2.0 * self.pulls.ln().max(0.0) / arm.pulls).sqrt()
            }
            false => f64::INFINITY,
        }
    }
}

impl Strategy for SleepingBandit {
    fn offer(&mut self, page: &Link<'_>) {
        if self.arm_of.contains_key(&page.target) {
            return;
        }
        let path = match self.arms.len() < MAX_ARMS {
            true => path_number(page.path),
            false => 0,
        };
        let next = self.arms.len();
        let arm = *self.by_path.entry(path).or_insert(next);
        if arm == next {
            self.arms.push(Arm::default());
        }
        self.arm_of.insert(page.target, arm);
        self.arms[arm].queue.push(page.target);
    }

    fn next(&mut self) -> Option<PageId> {
        loop {
            let awake = self
                .arms
                .iter()
                .enumerate()
                .filter(|(_, arm)| !arm.queue.is_empty());
            let best = awake
                .map(|(number, arm)| (self.bound(arm), number))
                .reduce(|best, arm| if arm.0 > best.0 { arm } else { best });
            let (_, arm) = best?;
            let place = self.random.below(self.arms[arm].queue.len());
            let page = self.arms[arm].queue.swap_remove(place);
            if !self.visited.contains(&page) {
                return Some(page);
            }
        }
    }

    fn visited(&mut self, visit: &Visit<'_>) {
        if !self.visited.insert(visit.page) {
            return;
        }
        if let Some(arm) = self.arm_of.get(&visit.page) {
            let arm = &mut self.arms[*arm];
            arm.pulls += 1.0;
            arm.reward += visit.new_objects as f64;
            self.pulls += 1.0;
        }
        visit.links.iter().for_each(|link| self.offer(link));
    }
}
