//! Sum of evidence for and against a match, in log odds.

/// Maximum sum if the records clearly differ in an attribute: a probability of about one in six.
const CONTRADICTED: f64 = -1.6;

/// Maximum sum if the records are certainly two editions. It is below the host's veto, so that a
/// third record with fewer attributes does not join them.
const FORBIDDEN: f64 = -4.2;

/// Maximum absolute value of a sum.
const MAX_SUM: f64 = 5.0;

/// Natural log odds so far, and the reasons.
pub(crate) struct Evidence {
    sum: f64,
    bound: f64,
    pub(crate) reasons: Vec<String>,
}

impl Evidence {
    /// Creates evidence that begins with these log odds.
    pub(crate) fn from(prior: f64) -> Self {
        Self {
            sum: prior,
            bound: MAX_SUM,
            reasons: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, evidence: f64, reason: &str) {
        self.sum += evidence;
        if !reason.is_empty() {
            self.reasons.push(reason.to_owned());
        }
    }

    /// Adds a difference that two records of one edition hardly have.
    pub(crate) fn contradict(&mut self, reason: &str) {
        // Evidence that is added later can't lift the bound again.
        self.bound = self.bound.min(CONTRADICTED);
        self.add(-3.0, reason);
    }

    /// Adds a difference that two records of one edition never have.
    pub(crate) fn forbid(&mut self, reason: &str) {
        self.bound = self.bound.min(FORBIDDEN);
        self.add(-3.0, reason);
    }

    /// Returns true if a difference was added that limits the sum.
    pub(crate) fn is_against(&self) -> bool {
        self.bound <= CONTRADICTED
    }

    pub(crate) fn probability(&self) -> f64 {
        let sum = self.sum.min(self.bound).clamp(-MAX_SUM, MAX_SUM);
        1.0 / (1.0 + (-sum).exp())
    }
}
