//! The base of Magpie's command lines: printing, failures with exit codes, settings from files,
//! variables and flags, and workspaces opened with them. With the command lines themselves this is
//! the only crate that prints, reads the environment, or knows the home directory.

pub mod errors;
pub mod output_file;
pub mod process;
pub mod schema;
pub mod settings;
pub mod workspace;

mod failure;
mod printer;
mod table;

/// Numbers, moments, sizes and names as a person reads them.
pub use magpie_report::format;

pub use failure::{Failure, Kind};
pub use printer::{ColorChoice, Printer, Tone, for_terminal};
pub use table::{Cell, Row, Table, beside};
