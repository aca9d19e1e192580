//! What commands print with `--json` and pages have as `.json`, made in one place so that both are
//! equal.

pub mod change;
pub mod object;
pub mod patterns;
pub mod plan;
pub mod sites;
pub mod status;
pub mod url;
