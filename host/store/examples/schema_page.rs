//! Prints reference pages.
//!
//! - Tables: `cargo run -p magpie-store --example schema_page > host/store/SCHEMA.md`
//! - Exported tables: `… --example schema_page exports > host/store/EXPORTS.md`

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

fn main() -> Result<(), magpie_store::StoreError> {
    if std::env::args().nth(1).as_deref() == Some("exports") {
        print!("{}", magpie_store::columns_page());
    } else {
        print!("{}", magpie_store::schema_page()?);
    }
    Ok(())
}
