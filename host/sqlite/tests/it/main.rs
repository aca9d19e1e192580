//! Integration tests of the workspace, the frontier and the exports.

mod archives;
mod crash;
mod crawl;
mod export;
mod frontier;
mod search;
mod stores;
mod typed;
mod warehouse;
mod workspace;
