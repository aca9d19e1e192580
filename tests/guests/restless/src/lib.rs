//! Tries to answer differently each time by counting its calls.

use std::sync::atomic::{AtomicU32, Ordering};

static CALLS: AtomicU32 = AtomicU32::new(0);

guest_support::guest!("restless", |_| {
    let n = CALLS.fetch_add(1, Ordering::Relaxed);
    Ok(vec![guest_support::titled(&format!("call {n}"))])
});
