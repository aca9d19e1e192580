//! Pages in a real browser. Where Chromium is missing, a line says so and the tests are skipped.
//! No test of this crate needs a server: the answers are computed.

mod browsers;
mod hostile;
mod ordinary;
mod probing;
mod support;
