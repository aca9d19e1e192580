//! Executes an instruction that traps, without a message.

guest_support::guest!("traps", |_| core::arch::wasm32::unreachable());
