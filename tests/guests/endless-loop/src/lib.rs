//! Never returns.

guest_support::guest!("endless-loop", |_| {
    let mut n = 0_u64;
    loop {
        n = core::hint::black_box(n.wrapping_add(1));
    }
});
