//! Dates in plain lines, as small sites write them: `Meeting 59 - January 15th, 2020`.

use magpie_sdk::extract::{Layout, Line};
use magpie_sdk::text;

use crate::draft::Draft;
use crate::name;
use crate::signs::{self, ENOUGH, Signs, worth};
use crate::tree;
use crate::when::{Clock, When};
use crate::words;

/// Bytes of a line that announces something; longer ones tell a story.
const MOST_LINE: usize = 160;

/// Lines that make a programme.
const FEWEST: usize = 2;

/// Events taken from lines; more are an archive of something else.
const MOST_EVENTS: usize = 500;

/// Surer than this one can't be of lines.
const SUREST: f64 = 0.7;

/// The events that stand in lines. Each heading begins a section, which is judged by itself.
pub(crate) fn events(layout: &Layout<'_>, clock: &Clock<'_>, signs: &Signs) -> Vec<Draft> {
    let page_name = name::of_page(layout, clock);
    let mut section = Section::new(*clock, page_name.clone());
    let (mut found, mut clock_here) = (Vec::new(), *clock);
    for line in layout.lines() {
        if tree::in_frame(layout, line.node) {
            continue;
        }
        if is_heading(layout, line) && clock.days_in(&line.text) == 0 {
            section.finish(signs, &mut found);
            clock_here = clock_here.in_year_of(&line.text);
            section = Section::new(clock_here, page_name.clone());
            section.begin(line);
        } else if line.text.len() <= MOST_LINE {
            section.add(line);
        }
    }
    section.finish(signs, &mut found);
    found.truncate(MOST_EVENTS);
    // Two days below one name are more often the parts of one date.
    let is_one = found.len() == FEWEST && found.iter().all(|draft| draft.event.name == found[0].event.name);
    if found.len() < FEWEST || is_one {
        return Vec::new();
    }
    let hours = clock.common_hours(layout);
    found.into_iter().map(|draft| draft.with_hours(hours)).collect()
}

/// A heading and the dated lines below it.
struct Section<'p> {
    clock: Clock<'p>,
    heading: String,
    name: Option<(String, u32)>,
    drafts: Vec<Draft>,
    /// Lines that are little more than a date.
    bare: usize,
    /// Lines that talk of meetings and their papers.
    meeting: usize,
}

impl<'p> Section<'p> {
    fn new(clock: Clock<'p>, name: Option<(String, u32)>) -> Self {
        Self {
            clock,
            heading: String::new(),
            name,
            drafts: Vec::new(),
            bare: 0,
            meeting: 0,
        }
    }

    fn begin(&mut self, heading: &Line) {
        self.heading.clone_from(&heading.text);
        let name = name::read(&heading.text, &self.clock).text;
        if !words::is_generic(&name) && name.len() <= name::MOST_NAME {
            self.name = Some((name, heading.node));
        }
    }

    fn add(&mut self, line: &Line) {
        /// Words beside a date that are still no sentence.
        const FEW: usize = 6;
        let Some(moment) = self.clock.read(&line.text) else {
            return;
        };
        let mut draft = Draft::default();
        let name = name::read(&line.text, &self.clock);
        draft.event.status = name.status.map(str::to_owned);
        let rest = text::words(&line.text[..moment.span.start]).count()
            + text::words(&line.text[moment.span.end..]).count();
        if words::is_generic(&name.text) {
            let Some((name, node)) = &self.name else { return };
            draft.event.name.clone_from(name);
            draft.at("name", *node);
        } else {
            draft.event.name = name.text;
            draft.at("name", line.node);
        }
        self.bare += usize::from(rest <= FEW);
        self.meeting += usize::from(words::meets(&line.text));
        draft.set_when(When {
            start: moment.start,
            end: moment.end,
            node: line.node_at(moment.span.start),
        });
        self.drafts.push(draft);
    }

    /// Hands over the events of the section, if they are events.
    fn finish(self, signs: &Signs, found: &mut Vec<Draft>) {
        let sum = signs.page + worth(&self.heading) + self.evidence();
        if self.drafts.is_empty() || sum < ENOUGH {
            return;
        }
        let confidence = signs::confidence(sum).min(SUREST);
        found.extend(self.drafts.into_iter().map(|draft| Draft { confidence, ..draft }));
    }

    fn evidence(&self) -> f64 {
        let count = self.drafts.len().max(1) as f64;
        let share = |fits: &dyn Fn(&Draft) -> bool| {
            self.drafts.iter().filter(|draft| fits(draft)).count() as f64 / count
        };
        let timed = share(&|draft| draft.start().is_some_and(|start| start.time().is_some()));
        let coming = self.clock.today().map_or(0.0, |today| {
            share(&|draft| draft.start().is_some_and(|start| start.date() >= today))
        });
        1.2 * timed + coming + 0.6 * self.bare as f64 / count + 1.2 * self.meeting as f64 / count
    }
}

fn is_heading(layout: &Layout<'_>, line: &Line) -> bool {
    /// Bytes of a line in bold that is a heading.
    const MOST_HEADING: usize = 80;
    let tag = layout.outline().node(line.node).map_or("", |node| node.tag());
    matches!(
        tag,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "caption" | "legend" | "dt"
    ) || (line.text.len() < MOST_HEADING && line.pieces.iter().all(|piece| piece.strong))
}
