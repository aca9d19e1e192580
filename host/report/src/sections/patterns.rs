//! The patterns.

use magpie_plot::written;

use crate::blocks::{Cell, Table, Tone};
use crate::data::{Pattern, Sample};
use crate::format::{cut, share};

/// Patterns in the table.
const MAX_PATTERNS: usize = 250;

pub(super) fn table(patterns: &[Pattern]) -> Table {
    let mut sorted: Vec<&Pattern> = patterns.iter().collect();
    // Alarms first: they ask for a decision. Then what is followed, then what would bring most.
    sorted.sort_by(|one, other| {
        let rank = |pattern: &Pattern| (pattern.alarm.is_some(), pattern.is_selected, pattern.objects);
        let name = |pattern: &Pattern| (pattern.site.clone(), pattern.readable.clone());
        rank(other)
            .cmp(&rank(one))
            .then_with(|| name(one).cmp(&name(other)))
    });
    let has_samples = patterns.iter().any(|pattern| !pattern.samples.is_empty());
    let mut columns = vec![
        "Pattern",
        "#Pages",
        "#Objects",
        "#New",
        "#Objects per page",
        "#Failures",
        "Selected",
    ];
    columns.extend(has_samples.then_some("Samples"));
    let caption = "Patterns: alarms first, then those selected, by objects";
    Table::of(caption, &columns, &sorted, (MAX_PATTERNS, "pattern"), |pattern| {
        let mut cells = row(pattern);
        cells.extend(has_samples.then(|| Cell::Many(pattern.samples.iter().map(sample).collect())));
        cells
    })
}

fn row(pattern: &Pattern) -> Vec<Cell> {
    let selected = Cell::from(if pattern.is_selected { "yes" } else { "no" }).above(cut(&pattern.reason));
    let selected = match &pattern.alarm {
        Some(alarm) => Cell::Many(vec![
            Cell::state(Tone::Bad, cut(alarm)),
            Cell::Below(vec![selected]),
        ]),
        None => selected,
    };
    // The site has no column of its own: patterns need the room.
    let mut names = vec![Cell::Code(cut(&pattern.readable)).above(cut(&pattern.site))];
    if !pattern.regex.is_empty() {
        names.push(Cell::Below(vec![Cell::Code(cut(&pattern.regex))]));
    }
    vec![
        Cell::Many(names),
        Cell::number(pattern.pages),
        Cell::number(pattern.objects),
        Cell::number(pattern.new_objects),
        Cell::from(written(pattern.objects_per_page)),
        Cell::from(share(pattern.failure_share)),
        selected,
    ]
}

/// An object of a pattern, in a line.
fn sample(sample: &Sample) -> Cell {
    let attributes = sample.attributes.iter();
    let attributes: Vec<String> = attributes
        .map(|(label, value)| format!("{} {}", cut(label), cut(value)))
        .collect();
    Cell::Below(vec![
        Cell::Strong(cut(&sample.label)),
        Cell::from(format!(" {} ", attributes.join(" · "))),
        Cell::Code(cut(&sample.page)),
    ])
}
