//! Pages that gave trouble.

use crate::data::Problem;
use crate::figures::counted;
use crate::table::{Align, Cell, Table, first};

/// Problems in the table.
const MAX_PROBLEMS: usize = 500;

pub(crate) fn html(problems: &[Problem]) -> String {
    let columns = [
        ("Page", Align::Wide),
        ("Site", Align::Left),
        ("Problem", Align::Left),
    ];
    let mut table = Table::new("Pages of this run that could not be read", &columns);
    let (kept, more) = first(problems, MAX_PROBLEMS);
    for problem in kept {
        let cells = [
            Cell::code(&problem.page),
            Cell::name(&problem.site),
            Cell::text(&problem.what),
        ];
        table.row(&cells, false);
    }
    if more > 0 {
        table.rest(&counted(more as u64, "more page"));
    }
    table.to_html()
}
