//! Prints reference pages.
//!
//! - Tables: `cargo run -p magpie-sqlite --example schema_page > host/sqlite/SCHEMA.md`
//! - Exported tables: `… --example schema_page exports > host/sqlite/EXPORTS.md`

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

fn main() -> Result<(), magpie_rows::StoreError> {
    if std::env::args().nth(1).as_deref() == Some("exports") {
        print!("{}", magpie_sqlite::columns_page());
    } else {
        print!("{}", magpie_sqlite::schema_page()?);
    }
    Ok(())
}
