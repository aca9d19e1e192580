//! Prints objects of the lab, one JSON object a line, for `cargo xtask servers`.
//!
//! `cargo run -p magpie-test-servers --example lab_objects -- books 1000 > objects.jsonl`

#![expect(clippy::print_stdout, reason = "the objects are the output")]

use std::error::Error;

use magpie_lab::{Size, Vertical, Web, WebSpec};

/// Seed of the web whose objects are printed.
const SEED: u64 = 1;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let vertical = match arguments.next().as_deref() {
        Some("books") => Vertical::Books,
        Some("events") => Vertical::Events,
        Some("products") => Vertical::Products,
        _ => return Err("the first argument is no vertical: give books, events or products".into()),
    };
    let count = arguments
        .next()
        .ok_or("the number of objects is missing")?
        .parse()?;
    let web = Web::new(WebSpec::new(vertical, Size::Paper, SEED));
    for object in web.seeds(count) {
        println!("{}", serde_json::to_string(&object)?);
    }
    Ok(())
}
