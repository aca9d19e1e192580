//! Finds more objects than allowed, in few bytes.

guest_support::guest!("many-objects", |_| {
    Ok((0..20_000).map(|_| guest_support::object(Vec::new())).collect())
});
