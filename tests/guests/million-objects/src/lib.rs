//! Finds a million objects.

guest_support::guest!("million-objects", |_| {
    Ok((0..1_000_000)
        .map(|_| guest_support::object(Vec::new()))
        .collect())
});
