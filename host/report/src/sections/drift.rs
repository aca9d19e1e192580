//! Changes of the sites, and reactions to them.

use crate::data::Drift;
use crate::figures::counted;
use crate::table::{Align, Cell, Table, first};

/// Rows of each table.
const MAX_ROWS: usize = 100;

pub(crate) fn html(drift: &Drift) -> String {
    alarms(drift).to_html() + &relearned(drift).to_html()
}

fn alarms(drift: &Drift) -> Table {
    let columns = [
        ("Site", Align::Left),
        ("Pattern", Align::Wide),
        ("Since", Align::Left),
        ("Observation", Align::Wide),
    ];
    let mut table = Table::new("Patterns that changed", &columns);
    let (kept, more) = first(&drift.alarms, MAX_ROWS);
    for alarm in kept {
        let cells = [
            Cell::text(&alarm.site),
            Cell::code(&alarm.pattern),
            Cell::text(&alarm.since),
            Cell::text(&alarm.sentence),
        ];
        table.row(&cells, false);
    }
    if more > 0 {
        table.rest(&counted(more as u64, "more alarm"));
    }
    table
}

fn relearned(drift: &Drift) -> Table {
    let columns = [
        ("Site", Align::Left),
        ("Part", Align::Left),
        ("Result", Align::Wide),
    ];
    let mut table = Table::new("Relearned parts", &columns);
    let (kept, more) = first(&drift.relearned, MAX_ROWS);
    for part in kept {
        let cells = [
            Cell::text(&part.site),
            Cell::text(&part.what),
            Cell::text(&part.sentence),
        ];
        table.row(&cells, false);
    }
    if more > 0 {
        table.rest(&counted(more as u64, "more part"));
    }
    table
}
