//! Integration tests of the generated web.

mod crawlers;
mod decoys;
mod deep;
mod determinism;
mod habits;
mod links;
mod score;
mod scripts;
mod server;
mod shares;
mod support;
mod vocabulary;
mod weeks;
