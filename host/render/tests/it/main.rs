//! Pages in a real browser. Where Chromium is missing, a line says so and the tests are skipped.
//! The answers are computed, but for the page that changes its address, which needs a server.

mod browsers;
mod hostile;
mod ordinary;
mod probing;
#[cfg(target_os = "linux")]
mod rebinding;
mod support;
