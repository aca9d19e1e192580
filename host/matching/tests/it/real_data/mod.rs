//! Quality of the schema's matcher on published entity resolution sets, untrained.
//!
//! `cargo nextest run -p magpie-matching real_data:: --no-capture` prints the table.

#![expect(clippy::print_stdout, reason = "the figures are what these tests are for")]

mod measure;
mod sets;
mod tables;

use measure::Figures;

/// Runs a set and asks for at least this F1, which leaves room for changes that help elsewhere.
fn check(set: Option<sets::Set>, least: f64) {
    let Some(set) = set else { return };
    let figures = Figures::of(&set);
    println!("{figures}");
    assert!(
        figures.f1() >= least,
        "{}: F1 {:.3} is below {least}",
        set.name,
        figures.f1()
    );
}

#[test]
fn restaurants() {
    check(sets::restaurants(), 0.85);
}

#[test]
fn products_abt_buy() {
    check(sets::abt_buy(), 0.7);
}

#[test]
fn products_amazon_google() {
    check(sets::amazon_google(), 0.4);
}

#[test]
fn books_by_isbn() {
    check(sets::books_by_isbn(), 0.45);
}

#[test]
fn books_by_hand() {
    check(sets::books_by_hand(), 0.85);
}

#[test]
fn restaurants_with_all_attributes() {
    check(sets::labelled("Fodors-Zagats"), 0.95);
}

#[test]
fn beers() {
    check(sets::labelled("Beer"), 0.75);
}
