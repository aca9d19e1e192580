//! Changes of the sites, and reactions to them.

use crate::data::Drift;
use crate::figures::counted;
use crate::table::{Align, Cell, Table, first};

/// Rows of each table.
const MOST_ROWS: usize = 100;

pub(crate) fn html(drift: &Drift) -> String {
    alarms(drift).to_html() + &relearned(drift).to_html()
}

fn alarms(drift: &Drift) -> Table {
    let columns = [
        ("Site", Align::Left),
        ("Pattern", Align::Wide),
        ("Since", Align::Left),
        ("What was seen", Align::Wide),
    ];
    let mut table = Table::new("Patterns that no longer do what they did", &columns);
    let (kept, more) = first(&drift.alarms, MOST_ROWS);
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
        ("What came of it", Align::Wide),
    ];
    let mut table = Table::new("What was learned again", &columns);
    let (kept, more) = first(&drift.relearned, MOST_ROWS);
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
