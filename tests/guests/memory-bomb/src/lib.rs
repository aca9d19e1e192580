//! Asks for memory until it gets no more.

guest_support::guest!("memory-bomb", |_| {
    let mut kept = Vec::new();
    loop {
        kept.push(core::hint::black_box(vec![1_u8; 1 << 20]));
    }
});
