//! Estimates of what was not found, from how often each thing was found.

/// Numbers of things by the number of their sightings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sightings {
    /// Distinct things.
    pub distinct: u64,
    /// Sightings of all things.
    pub all: u64,
    /// Things with one sighting.
    pub once: u64,
    /// Things with two sightings.
    pub twice: u64,
}

impl Sightings {
    /// Counts a sighting of a thing that had this many before.
    pub fn count(&mut self, before: u64) {
        self.all += 1;
        match before {
            0 => {
                self.distinct += 1;
                self.once += 1;
            }
            1 => {
                self.once = self.once.saturating_sub(1);
                self.twice += 1;
            }
            2 => self.twice = self.twice.saturating_sub(1),
            _ => {}
        }
    }

    /// Returns a lower bound of the number of things that were not seen (Chao 1, bias-corrected).
    pub fn unseen(&self) -> f64 {
        let once = self.once as f64;
        once * (once - 1.0).max(0.0) / (2.0 * (self.twice as f64 + 1.0))
    }

    /// Returns the estimated share of all things that were seen.
    pub fn coverage(&self) -> f64 {
        let seen = self.distinct as f64;
        match seen > 0.0 {
            true => seen / (seen + self.unseen()),
            false => 0.0,
        }
    }
}
