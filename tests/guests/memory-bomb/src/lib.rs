//! Allocates memory without end.

guest_support::guest!("memory-bomb", |_| {
    let mut kept = Vec::new();
    loop {
        kept.push(core::hint::black_box(vec![1_u8; 1 << 20]));
    }
});
