//! Executes an instruction that traps, without a word.

guest_support::guest!("traps", |_| core::arch::wasm32::unreachable());
