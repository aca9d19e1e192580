//! All figures of the run, under the names that they have in JSON.

use magpie_plot::written;

use crate::data::{FigureValue, Figures};
use crate::figures::{bytes, count};
use crate::table::{Align, Cell, Table};

pub(crate) fn html(figures: Option<&Figures>) -> String {
    let columns = [
        ("Figure", Align::Wide),
        ("Value", Align::Right),
        ("Name in JSON", Align::Left),
    ];
    let mut table = Table::new("The figures of this run", &columns);
    for figure in figures.map(Figures::rows).unwrap_or_default() {
        let value = match figure.value {
            FigureValue::Count(value) => Cell::count(value),
            FigureValue::Bytes(value) => Cell::figure(&bytes(value)),
            FigureValue::Unknown => Cell::text("unknown"),
            FigureValue::Expected(expected) => {
                let interval = format!(
                    "{} to {}",
                    count(expected.low.round() as u64),
                    count(expected.high.round() as u64)
                );
                Cell::figure(&written(expected.value.round())).above(&Cell::figure(&interval))
            }
        };
        table.row(&[Cell::text(figure.label), value, Cell::code(figure.name)], false);
    }
    table.to_html()
}
