//! Recurses without end.

fn deeper(n: u64) -> u64 {
    let here = core::hint::black_box([n; 16]);
    if n == u64::MAX { 0 } else { deeper(n + 1) + here[7] }
}

guest_support::guest!("deep-recursion", |_| {
    core::hint::black_box(deeper(0));
    Ok(Vec::new())
});
