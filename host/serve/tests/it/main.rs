//! Integration tests of the web page, by requests through a real socket.

mod browser;
mod pages;
mod security;
mod support;
