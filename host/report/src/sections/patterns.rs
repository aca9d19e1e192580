//! The patterns.

use magpie_plot::written;

use crate::data::{Pattern, Sample};
use crate::figures::{counted, share, shown};
use crate::table::{Align, Cell, Table, first};

/// Patterns in the table.
const MAX_PATTERNS: usize = 250;

pub(crate) fn html(patterns: &[Pattern]) -> String {
    let mut sorted: Vec<&Pattern> = patterns.iter().collect();
    // Alarms first: they ask for a decision. Then what is followed, then what would bring most.
    sorted.sort_by(|one, other| {
        let rank = |pattern: &Pattern| (pattern.alarm.is_some(), pattern.is_selected, pattern.objects);
        rank(other)
            .cmp(&rank(one))
            .then_with(|| name(one).cmp(&name(other)))
    });
    let columns = [
        ("Pattern", Align::Wide),
        ("Pages", Align::Right),
        ("Objects", Align::Right),
        ("New", Align::Right),
        ("Objects per page", Align::Right),
        ("Failures", Align::Right),
        ("Selected", Align::Wide),
    ];
    let mut table = Table::new(
        "Patterns: alarms first, then those selected, by objects",
        &columns,
    );
    let (kept, more) = first(&sorted, MAX_PATTERNS);
    for pattern in kept {
        table.row(&row(pattern), false);
        table.below(&samples(&pattern.samples));
    }
    if more > 0 {
        table.rest(&counted(more as u64, "more pattern"));
    }
    table.to_html()
}

fn name(pattern: &Pattern) -> (&str, &str) {
    (&pattern.site, &pattern.readable)
}

fn row(pattern: &Pattern) -> [Cell; 7] {
    let regex = match pattern.regex.as_str() {
        "" => Cell::text(""),
        regex => Cell::code(regex),
    };
    let selected =
        Cell::text(if pattern.is_selected { "yes" } else { "no" }).above(&Cell::text(&pattern.reason));
    let selected = match &pattern.alarm {
        Some(alarm) => Cell::text(alarm).strong().above(&selected),
        None => selected,
    };
    [
        // The site has no column of its own: patterns need the room.
        Cell::code(&pattern.readable).above(&Cell::name(&pattern.site).above(&regex)),
        Cell::count(pattern.pages),
        Cell::count(pattern.objects),
        Cell::count(pattern.new_objects),
        Cell::figure(&written(pattern.objects_per_page)),
        Cell::figure(&share(pattern.failure_share)),
        selected,
    ]
}

/// Some objects of a pattern, each in a line.
fn samples(samples: &[Sample]) -> String {
    if samples.is_empty() {
        return String::new();
    }
    let line = |sample: &Sample| {
        let attributes = sample.attributes.iter();
        let attributes: Vec<String> = attributes
            .map(|(label, value)| format!("{} {}", shown(label), shown(value)))
            .collect();
        format!(
            "<li>{} <span>{}</span> <code>{}</code></li>",
            shown(&sample.label),
            attributes.join(" · "),
            shown(&sample.page)
        )
    };
    let lines: String = samples.iter().map(line).collect();
    format!("<ul class=\"samples\">{lines}</ul>")
}
