//! Evidence for or against, summed up.

/// What the evidence comes to at most when the two clearly differ in something: about one in six.
const CONTRADICTED: f64 = -1.6;

/// What it comes to at most when they are surely two, however alike: below the host's veto, so that
/// a third record that says less does not bring two editions together.
const FORBIDDEN: f64 = -4.2;

/// Nothing is surer than this, for or against.
const SUREST: f64 = 5.0;

/// Natural log odds so far, and why.
pub(crate) struct Evidence {
    sum: f64,
    /// What the sum comes to at most.
    most: f64,
    pub(crate) reasons: Vec<String>,
}

impl Evidence {
    /// Evidence that begins with these odds.
    pub(crate) fn from(prior: f64) -> Self {
        Self {
            sum: prior,
            most: SUREST,
            reasons: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, evidence: f64, reason: &str) {
        self.sum += evidence;
        if !reason.is_empty() {
            self.reasons.push(reason.to_owned());
        }
    }

    /// They differ in something that one thing hardly differs in.
    pub(crate) fn contradict(&mut self, reason: &str) {
        self.most = self.most.min(CONTRADICTED);
        self.add(-3.0, reason);
    }

    /// They are two.
    pub(crate) fn forbid(&mut self, reason: &str) {
        self.most = self.most.min(FORBIDDEN);
        self.add(-3.0, reason);
    }

    /// Whether it is settled that they differ.
    pub(crate) fn is_against(&self) -> bool {
        self.most <= CONTRADICTED
    }

    pub(crate) fn probability(&self) -> f64 {
        let sum = self.sum.min(self.most).clamp(-SUREST, SUREST);
        1.0 / (1.0 + (-sum).exp())
    }
}
