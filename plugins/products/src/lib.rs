//! x
use magpie_sdk::Record;
#[derive(Record)]
struct Book { title: String }
