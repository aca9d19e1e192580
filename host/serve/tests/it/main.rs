//! Integration tests of the web page, by requests through a real socket.

mod security;
mod support;
