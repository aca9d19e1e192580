//! Returns one object with a text of 100 MB.

guest_support::guest!("hundred-megabytes", |_| Ok(vec![guest_support::titled(
    &"x".repeat(100_000_000)
)]));
