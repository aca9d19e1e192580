//! Source of pages: the host in a component, a parser in this process elsewhere.
//!
//! Both files have the same items with the same signatures, so the code above does not depend on
//! the backend, and an author's `#[test]` runs without Wasm.

#[cfg(target_arch = "wasm32")]
mod guest;
#[cfg(target_arch = "wasm32")]
pub(crate) use guest::*;

#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::*;
