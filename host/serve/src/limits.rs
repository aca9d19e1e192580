//! Limits that clients of a server meet.

use std::time::Duration;

/// Limits of a server. Tests lower them.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at the same time.
    pub connections: usize,
    /// Connections, and requests at the same time, of the address of one other machine.
    pub of_one: usize,
    /// The time for the head of a request to arrive, for its body, for a client that takes nothing
    /// of its answer, and for a connection to stay idle.
    pub patience: Duration,
    /// The time that reading for one request may take.
    pub reading: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 512,
            of_one: 64,
            patience: Duration::from_secs(30),
            reading: Duration::from_secs(10),
        }
    }
}
