//! The JSON that commands print with `--json` and pages have as `.json`, made in one place so that
//! both are equal. The doc comments of the structs are the reference of the output.

pub mod change;
pub mod explain;
pub mod figures;
pub mod hidden;
pub mod object;
pub mod patterns;
pub mod plan;
pub mod reading;
pub mod recrawl;
pub mod sites;
pub mod status;
pub mod url;
