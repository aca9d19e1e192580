//! Extism, to compare with. Its engine takes minutes to compile, so it is behind the feature `extism`;
//! without it the figures are left out, and that is said.

#[cfg(not(feature = "extism"))]
mod absent;
#[cfg(not(feature = "extism"))]
pub(super) use absent::Extism;

#[cfg(feature = "extism")]
mod present;
#[cfg(feature = "extism")]
pub(super) use present::Extism;
