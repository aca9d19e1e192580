//! Pages in a real browser. Without Chromium a line is printed and the tests are skipped.
//! The answers are computed, but for the page that changes its address, which needs a server.

mod browsers;
mod hostile;
mod ordinary;
mod probing;
#[cfg(target_os = "linux")]
mod rebinding;
mod support;
