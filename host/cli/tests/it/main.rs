//! Integration tests of the program: output, exit codes, and what it leaves on disk.

mod commands;
mod crawl;
mod getting;
mod learn;
mod newcomer;
mod objects;
mod reach;
mod report;
mod shops;
mod verticals;
mod watch;
mod web;
