//! The same two functions as `probe`, for Extism.

use extism_pdk::{FnResult, plugin_fn};

/// Does nothing.
#[plugin_fn]
pub fn nothing() -> FnResult<()> {
    Ok(())
}

/// Takes a text.
#[plugin_fn]
pub fn take(text: String) -> FnResult<u32> {
    Ok(text.len() as u32)
}
