//! Integration tests of the program: output, exit codes, and what it leaves on disk.

mod accounts;
#[cfg(unix)]
mod acting;
mod archives;
mod authors;
mod calendar;
mod complete;
mod context;
mod crawl;
#[cfg(unix)]
mod focus;
mod getting;
mod help;
mod hostile;
mod house;
mod json;
mod learn;
#[cfg(unix)]
mod machines;
mod newcomer;
mod objects;
mod outputs;
mod plugin;
mod reach;
mod readers;
#[cfg(unix)]
mod report;
mod requests;
mod served;
mod usage;
mod verticals;
mod watch;
mod web;
mod webhooks;
