//! Tests of the hidden Web against a generated database.

mod arguments;
mod database;
mod empty;
mod entities;
mod hostile;
mod isit;
mod links;
mod pages;
mod probe;
mod resume;
mod size;
mod trials;
