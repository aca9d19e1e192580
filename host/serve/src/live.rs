//! The numbers of now, which the live view follows.

use std::sync::{Arc, Mutex};

use tokio::sync::watch;

/// The numbers of now, read once for all who follow them.
pub(crate) struct Live {
    pub(crate) last: watch::Sender<Arc<str>>,
    /// The task that reads, while anyone follows.
    pub(crate) is_reading: Mutex<bool>,
}

impl Default for Live {
    fn default() -> Live {
        Live {
            last: watch::Sender::new(Arc::from("{}")),
            is_reading: Mutex::new(false),
        }
    }
}
