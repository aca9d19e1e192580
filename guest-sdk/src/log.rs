//! Log messages.
//!
//! ```
//! magpie_sdk::info!("{} cards on this page", 12);
//! ```

pub use crate::bindings::host::Level;

use crate::backend;

/// Writes one line to the log; the macros [`debug!`](crate::debug), [`info!`](crate::info),
/// [`warn!`](crate::warn) and [`error!`](crate::error) are shorter.
pub fn write(level: Level, message: &str) {
    backend::log(level, message);
}

/// Writes a message for the author, while developing. Takes the arguments of [`format!`].
#[macro_export]
macro_rules! debug {
    ($($text:tt)*) => { $crate::log::write($crate::log::Level::Debug, &::std::format!($($text)*)) };
}

/// Writes a message about the plugin's progress. Takes the arguments of [`format!`].
#[macro_export]
macro_rules! info {
    ($($text:tt)*) => { $crate::log::write($crate::log::Level::Info, &::std::format!($($text)*)) };
}

/// Writes a message about a page that looks wrong. Takes the arguments of [`format!`].
#[macro_export]
macro_rules! warn {
    ($($text:tt)*) => { $crate::log::write($crate::log::Level::Warn, &::std::format!($($text)*)) };
}

/// Writes a message about an error. Takes the arguments of [`format!`].
#[macro_export]
macro_rules! error {
    ($($text:tt)*) => { $crate::log::write($crate::log::Level::Error, &::std::format!($($text)*)) };
}
