//! Logs ten thousand long lines and then extracts as usual.

guest_support::guest!("log-flood", |page| {
    for n in 0..10_000 {
        guest_support::host::log(
            guest_support::Level::Info,
            &format!("line {n} {}", "x".repeat(5_000)),
        );
    }
    Ok(guest_support::ordinary(page))
});
