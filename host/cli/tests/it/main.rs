//! Integration tests of the program: output, exit codes, and what it leaves on disk.

mod authors;
mod commands;
mod context;
mod crawl;
mod focus;
mod getting;
mod help;
mod json;
mod learn;
mod newcomer;
mod objects;
mod outputs;
mod reach;
mod readers;
mod report;
mod served;
mod shops;
mod usage;
mod verticals;
mod watch;
mod web;
mod webhooks;
