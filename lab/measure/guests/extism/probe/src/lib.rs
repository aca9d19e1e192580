//! The same two functions as `probe`, for Extism.

use extism_pdk::{FnResult, plugin_fn};

#[plugin_fn]
pub fn nothing() -> FnResult<()> {
    Ok(())
}

#[plugin_fn]
pub fn take(text: String) -> FnResult<u32> {
    Ok(text.len() as u32)
}
