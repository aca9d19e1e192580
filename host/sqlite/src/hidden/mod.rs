//! The hidden Web: the tables `form`, `query_template`, `submission`, `selected_query` and
//! `argument`.

mod read;
mod write;
