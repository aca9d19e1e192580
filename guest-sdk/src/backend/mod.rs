//! Where pages come from: the host's in a component, a parser of this process anywhere else.
//!
//! Both files have the same items with the same signatures, so nothing above knows which one it
//! stands on, and an author's `#[test]` runs without Wasm.

#[cfg(target_arch = "wasm32")]
mod guest;
#[cfg(target_arch = "wasm32")]
pub(crate) use guest::*;

#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::*;
