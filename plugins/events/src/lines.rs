//! Dates in plain lines, as small sites write them: `Meeting 59 - January 15th, 2020`.

use magpie_sdk::extract::{Layout, Line};

use crate::draft::Draft;
use crate::name;
use crate::signs::{self, ENOUGH, Signs};
use crate::tree;
use crate::when::{Clock, When};
use crate::words;

/// Bytes of a line that announces something; longer ones tell a story.
const MOST_LINE: usize = 160;

/// Lines that make a programme.
const FEWEST: usize = 2;

/// Events taken from lines; more are an archive of something else.
const MOST_EVENTS: usize = 500;

/// The events that stand in lines.
pub(crate) fn events(layout: &Layout<'_>, clock: &Clock<'_>, signs: &Signs) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut clock_here = *clock;
    let mut heading = None;
    for line in layout.lines() {
        if tree::in_frame(layout, line.node) {
            continue;
        }
        if is_heading(layout, line) {
            clock_here = clock.in_year_of(&line.text);
            let name = name::read(&line.text, clock).text;
            heading = Some((name, line.node)).filter(|(name, _)| !name.is_empty() && !words::is_generic(name)).or(heading);
        }
        if drafts.len() < MOST_EVENTS && line.text.len() <= MOST_LINE {
            drafts.extend(draft(&clock_here, line, heading.as_ref()));
        }
    }
    let sum = signs.page + evidence(clock, &drafts);
    if drafts.len() < FEWEST || sum < ENOUGH {
        return Vec::new();
    }
    let confidence = signs::confidence(sum).min(0.7);
    drafts.into_iter().map(|draft| Draft { confidence, ..draft }).collect()
}

fn draft(clock: &Clock<'_>, line: &Line, heading: Option<&(String, u32)>) -> Option<Draft> {
    let moment = clock.read(&line.text)?;
    let mut draft = Draft::default();
    let name = name::read(&line.text, clock);
    draft.event.status = name.status.map(str::to_owned);
    if name.text.is_empty() {
        let (name, node) = heading?;
        draft.event.name.clone_from(name);
        draft.at("name", *node);
    } else {
        draft.event.name = name.text;
        draft.at("name", line.node);
    }
    draft.set_when(When {
        start: moment.start,
        end: moment.end,
        node: line.node_at(moment.span.start),
    });
    Some(draft)
}

fn evidence(clock: &Clock<'_>, drafts: &[Draft]) -> f64 {
    let count = drafts.len().max(1) as f64;
    let share = |fits: &dyn Fn(&Draft) -> bool| drafts.iter().filter(|draft| fits(draft)).count() as f64 / count;
    let timed = share(&|draft| draft.start().is_some_and(|start| start.time().is_some()));
    let coming = clock.today().map_or(0.0, |today| share(&|draft| draft.start().is_some_and(|start| start.date() >= today)));
    1.5 * timed + 1.5 * coming
}

fn is_heading(layout: &Layout<'_>, line: &Line) -> bool {
    let tag = layout.outline().node(line.node).map_or("", |node| node.tag());
    matches!(tag, "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "caption" | "legend" | "dt")
        || (line.text.len() < 80 && line.pieces.iter().all(|piece| piece.strong))
}
