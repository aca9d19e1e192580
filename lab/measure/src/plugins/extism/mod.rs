//! Extism, for comparison. Its engine takes minutes to compile, so it requires the feature
//! `extism`; without it the figures are omitted with a message.

#[cfg(not(feature = "extism"))]
mod absent;
#[cfg(not(feature = "extism"))]
pub(super) use absent::Extism;

#[cfg(feature = "extism")]
mod present;
#[cfg(feature = "extism")]
pub(super) use present::Extism;
