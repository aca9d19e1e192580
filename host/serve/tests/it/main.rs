//! Integration tests of the web page, by requests through a real socket.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail as loudly as tests")]

#[cfg(unix)]
mod browser;
mod crowd;
mod hostile;
mod login;
mod pages;
mod pictures;
mod readers;
mod security;
mod support;
