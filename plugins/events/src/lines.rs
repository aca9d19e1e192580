//! Reads dates in plain lines, as small sites write them: `Meeting 59 - January 15th, 2020`.

use magpie_sdk::date::DateTime;
use magpie_sdk::extract::{Layout, Line};
use magpie_sdk::text;

use crate::blocks;
use crate::draft::{self, Draft, Source};
use crate::headings::{heading_level, heading_worth};
use crate::name::{self, MAX_NAME};
use crate::signs::{ENOUGH, Signs};
use crate::titles::{self, Title, Titles};
use crate::tree::Frame;
use crate::values::{add_place, is_picture};
use crate::when::{self, Clock, Hours, Moment, When};
use crate::{who, words};

/// Maximum length of a line that announces an event, in bytes.
const MAX_LINE: usize = 160;

/// Maximum length of a line with many days, or of a sentence about the next meeting, in bytes.
const MAX_LONG: usize = 900;

/// Minimum number of lines of a programme.
const MIN_LINES: usize = 2;

/// Maximum number of events from lines. More are an archive of something else.
const MAX_EVENTS: usize = 500;

/// Maximum number of nested headings.
const MAX_HEADINGS: usize = 8;

/// Returns the events in lines of the content. Each heading begins a section, which is judged by
/// itself.
pub(crate) fn events(
    layout: &Layout<'_>,
    frame: &Frame,
    clock: &Clock<'_>,
    signs: &Signs,
    titles: &Titles<'_, '_>,
) -> Vec<Draft> {
    let mut reader = Reader {
        titles,
        signs,
        headings: Vec::new(),
        section: Section::new(*clock),
        base: *clock,
        found: Vec::new(),
        is_announced: false,
    };
    for line in blocks::joined(layout.lines()).iter() {
        // Beside the content, dates belong to teasers of other pages, not to the headings above.
        if !frame.is_beside(line.node) && !is_picture(&line.text) {
            reader.line(layout, line);
        }
    }
    reader.finish();
    let mut found = reader.found;
    found.retain(|draft| !titles::is_of_site(layout, draft));
    found.truncate(MAX_EVENTS);
    let timed = |draft: &Draft| draft.start().is_some_and(|start| start.time().is_some());
    let says_all = found.iter().all(timed) && signs.page > 1.0;
    // Two days with one name are mostly parts of one date, unless each has hours.
    let is_one = found.len() == MIN_LINES
        && found
            .iter()
            .all(|draft| draft.event.name == found[0].event.name && !timed(draft));
    if (found.len() < MIN_LINES || is_one) && !reader.is_announced && !says_all {
        return Vec::new();
    }
    draft::with_common_hours(layout, clock, found)
}

/// Returns true if lines are the meetings of one body, and not the dates of one event and its
/// preparation.
pub(crate) fn is_series(drafts: &[Draft]) -> bool {
    /// Minimum number of days of a series.
    const MIN_DAYS: usize = 3;
    let Some(first) = drafts.first().filter(|_| drafts.len() >= MIN_DAYS) else {
        return false;
    };
    let name = &first.event.name;
    let meets = words::meets(name) || words::meets_in(name);
    let is_like_first = |draft: &Draft| {
        let times = [draft, first].map(|draft| draft.start().and_then(|start| start.time()));
        draft.event.name == *name && times[0].is_some() && times[0] == times[1]
    };
    meets && drafts.iter().all(is_like_first)
}

/// A heading with the settings for the lines below it.
struct Heading<'p> {
    /// Level: 1 for that of the page, up to 6; 7 for a line that only looks like a heading.
    level: u8,
    text: String,
    node: u32,
    /// Clock for dates below the heading.
    clock: Clock<'p>,
    /// Passes the clock on to following headings of the same level.
    lends: bool,
    /// Hours of all events below the heading.
    hours: Option<Hours>,
}

struct Reader<'r, 'l, 'p> {
    titles: &'r Titles<'l, 'p>,
    signs: &'r Signs,
    headings: Vec<Heading<'p>>,
    section: Section<'p>,
    /// Clock for dates without a heading.
    base: Clock<'p>,
    found: Vec<Draft>,
    /// Is true if a sentence announces the next meeting.
    is_announced: bool,
}

impl Reader<'_, '_, '_> {
    fn line(&mut self, layout: &Layout<'_>, line: &Line) {
        let clock = self.section.clock;
        let has_day = line.text.len() <= MAX_LONG && clock.days_in(&line.text) > 0;
        if !has_day && self.section.entry(line) {
            return;
        }
        let level = (!has_day).then(|| heading_level(layout, line)).flatten();
        if let Some(level) = level {
            self.finish();
            self.begin(level, line);
        } else if has_day {
            match teaser(layout, &clock, line) {
                Some(draft) => {
                    self.section.bare += 1;
                    self.section.drafts.push(draft);
                }
                None => self.add(line),
            }
        } else if line.text.len() <= MAX_LONG {
            self.section.hours_of(line);
        }
    }

    /// Begins a section below a heading. Headings of the same or a lower level end.
    fn begin(&mut self, level: u8, line: &Line) {
        // `Meetings in 2026` may also apply to the following sections of the same level.
        let beside = self.headings.last().filter(|last| last.level == level);
        let lent = beside
            .filter(|last| last.lends || (self.section.is_empty && words::heads_meetings(&last.text)))
            .map(|last| last.clock);
        self.headings.retain(|heading| heading.level < level);
        let above = self.headings.last().map_or(self.base, |above| above.clock);
        let heading = Heading {
            level,
            text: line.text.clone(),
            node: line.node,
            clock: lent.unwrap_or(above).in_year_of(&line.text),
            lends: lent.is_some(),
            hours: None,
        };
        self.section = Section::new(heading.clock);
        self.section.hours_of(line);
        if self.headings.len() < MAX_HEADINGS {
            self.headings.push(heading);
        }
    }

    fn add(&mut self, line: &Line) {
        let days = self.section.clock.moments(&line.text);
        if days.len() >= MIN_LINES && is_enumeration(&line.text, &days) {
            // Example: `The Parks Board meets on May 4, June 1 and July 6.`
            let before = days.first().map_or("", |day| &line.text[..day.span.start]);
            let body = who::body_in(before).map(|body| (body.to_owned(), line.node));
            let title = body.or_else(|| self.title());
            self.section.enumerated(line, days, title.as_ref());
        } else if line.text.len() <= MAX_LINE {
            let title = self.title();
            self.section.announced(line, title.as_ref());
        } else if words::announces(&line.text) && days.len() == 1 {
            self.is_announced |= self.sentence(line);
        }
    }

    /// Takes the meeting that a sentence announces: `The next meeting is scheduled for 10 am on
    /// Tuesday, May 3, in room 12.` Returns true if the sentence has a name, day and hour.
    fn sentence(&mut self, line: &Line) -> bool {
        let moment = self.section.clock.read(&line.text);
        let moment = moment.filter(|moment| moment.start.time().is_some());
        let Some((moment, title)) = moment.zip(self.titles.below(&[(line.text.as_str(), line.node)])) else {
            return false;
        };
        self.found.push(Draft {
            source: Source::Lines,
            signs: ENOUGH,
            ..dated(line, &moment, Some(&title), None)
        });
        true
    }

    /// Returns the name of the events in the section that have no name of their own.
    fn title(&mut self) -> Option<Title> {
        let headings = &self.headings;
        let title = self.section.title.get_or_insert_with(|| {
            let headings = headings.iter().rev();
            let headings: Vec<(&str, u32)> = headings
                .map(|heading| (heading.text.as_str(), heading.node))
                .collect();
            self.titles.below(&headings)
        });
        title.clone()
    }

    /// Ends the section, and keeps its events if the evidence suffices.
    fn finish(&mut self) {
        // A section without events may state the hours of the sections below it, so its hours are
        // kept before it is dropped.
        if let Some(heading) = self.headings.last_mut() {
            heading.hours = self.section.hours.or(self.section.likely_hours);
        }
        self.section.is_empty = self.section.drafts.is_empty();
        if self.section.is_empty {
            return;
        }
        let mut worths = self
            .headings
            .iter()
            .rev()
            .map(|heading| heading_worth(&heading.text));
        let worth = worths.find(|worth| *worth != 0.0).unwrap_or_default();
        let sum = self.signs.page + worth + self.section.evidence();
        let drafts = std::mem::take(&mut self.section.drafts);
        if sum < ENOUGH {
            return;
        }
        let above = self.headings.iter().rev().find_map(|heading| heading.hours);
        let judged = drafts.into_iter().map(|draft| Draft {
            source: Source::Lines,
            signs: sum,
            ..draft.with_hours(above)
        });
        self.found.extend(judged);
    }
}

/// Lines with dates below a heading.
struct Section<'p> {
    clock: Clock<'p>,
    /// Name of events without a name of their own; set at the first use.
    title: Option<Option<Title>>,
    hours: Option<Hours>,
    /// Hours of all events, from a less certain line.
    likely_hours: Option<Hours>,
    drafts: Vec<Draft>,
    /// Is true if the section ended without events.
    is_empty: bool,
    /// Is true if the previous line is that of the last draft.
    is_open: bool,
    /// Day and place of a line that heads entries with hours.
    head: Option<(DateTime, String)>,
    /// Number of lines or days with little more than a date.
    bare: usize,
    /// Number of lines about meetings and their papers.
    meeting: usize,
}

impl<'p> Section<'p> {
    fn new(clock: Clock<'p>) -> Self {
        Self {
            clock,
            title: None,
            hours: None,
            likely_hours: None,
            drafts: Vec::new(),
            is_empty: false,
            is_open: false,
            head: None,
            bare: 0,
            meeting: 0,
        }
    }

    /// Takes the hours of a line without a day: those of all events, or of the event in the
    /// previous line.
    fn hours_of(&mut self, line: &Line) {
        /// Maximum number of words of a line with the hours of one event.
        const MAX_WORDS: usize = 12;
        let was_open = std::mem::take(&mut self.is_open);
        if !text::has_figure(&line.text) {
            return;
        }
        if words::leads_all(&line.text) {
            self.hours = self.hours.or_else(|| self.clock.only_hours(&line.text));
        } else if words::may_lead_all(&line.text) {
            self.likely_hours = self.likely_hours.or_else(|| self.clock.only_hours(&line.text));
        } else if was_open && text::words(&line.text).count() <= MAX_WORDS {
            let hours = self.clock.hours(&line.text);
            if let Some(last) = self.drafts.pop() {
                self.drafts.push(last.with_hours(hours));
            }
        }
    }

    /// Adds the event of a line with hours and a name, below a line with its day and place:
    /// `Fri, 17 March, Dalton Hall`, then `16:15 - 17:10: Night Skies`. Returns false for other
    /// lines.
    fn entry(&mut self, line: &Line) -> bool {
        if (!self.is_open && self.head.is_none()) || line.text.len() > MAX_LINE {
            return false;
        }
        let Some(hours) = self.clock.hours(&line.text) else {
            return false;
        };
        let name = name::read(&line.text, &self.clock);
        if !is_own(&name, None) || !name::is_telling(&name.text) {
            return false;
        }
        if self.is_open {
            let is_head = |draft: &&Draft| {
                let name = &draft.event.name;
                let is_day = draft.start().is_some_and(|start| start.time().is_none());
                is_day && (words::is_place(name) || words::is_room(name)) && !words::meets_in(name)
            };
            let Some(last) = self.drafts.last().filter(is_head) else {
                return false;
            };
            self.head = last.start().map(|day| (day, last.event.name.clone()));
            self.drafts.pop();
            self.is_open = false;
        }
        let Some((day, place)) = self.head.clone() else {
            return false;
        };
        let node = line.pieces.first().map_or(line.node, |piece| piece.node);
        let mut draft = Draft::default();
        draft.event.status = name.status.map(str::to_owned);
        draft.event.name = name.text;
        draft.at("name", node);
        let (start, end) = Clock::join(day, Some(hours));
        draft.set_when(When { start, end, node });
        add_place(&mut draft, &place, node);
        self.drafts.push(draft);
        true
    }

    /// Adds the event of a line.
    fn announced(&mut self, line: &Line, title: Option<&Title>) {
        /// Maximum number of words beside a date that do not make a sentence.
        const MAX_WORDS: usize = 6;
        // A line with a day of its own ends the entries of the day above.
        self.head = None;
        let Some(moment) = self.clock.read(&line.text) else {
            return;
        };
        let name = name::read(&line.text, &self.clock);
        let own = Some(&name).filter(|name| is_own(name, title));
        let rest = text::words(&line.text[..moment.span.start]).count()
            + text::words(&line.text[moment.span.end..]).count();
        let is_stamp = own.is_none() && when::is_stamp(moment.start);
        if own.is_none() && title.is_none() || is_stamp {
            return;
        }
        self.bare += usize::from(rest <= MAX_WORDS);
        self.meeting += usize::from(words::meets(&line.text));
        self.drafts.push(dated(line, &moment, title, own));
        self.is_open = true;
    }

    /// Adds the days of a line that lists several.
    fn enumerated(&mut self, line: &Line, days: Vec<Moment>, title: Option<&Title>) {
        let hours = self.clock.only_hours(&line.text);
        let name = name::read(&line.text, &self.clock);
        // For meetings, a heading is a better name than the rest of such a line. For other events,
        // the rest is the name.
        let meets = |text: &str| words::meets(text) || words::meets_in(text);
        let is_named = meets(&line.text) || title.is_some_and(|(title, _)| meets(title));
        let own = Some(&name).filter(|name| !is_named && is_own(name, title));
        self.bare += days.len();
        let drafts = days
            .into_iter()
            .map(|moment| dated(line, &moment, title, own).with_hours(hours));
        self.drafts
            .extend(drafts.filter(|draft| !draft.event.name.is_empty()));
    }

    fn evidence(&self) -> f64 {
        let count = self.drafts.len().max(1) as f64;
        let share = |fits: &dyn Fn(&Draft) -> bool| {
            self.drafts.iter().filter(|draft| fits(draft)).count() as f64 / count
        };
        let timed = share(&|draft| draft.start().is_some_and(|start| start.time().is_some()));
        // A sentence with the hours of all meetings is better evidence than hours with each day.
        let timed = if self.hours.is_some() { 1.5 } else { timed };
        let coming = self.clock.share_to_come(self.drafts.iter().map(Draft::start));
        1.2 * timed + coming + 0.6 * self.bare as f64 / count + 1.2 * self.meeting as f64 / count
    }
}

/// Returns the event of a line within a link that has a heading: `<a><p>3 May</p><h3>Night
/// Music</h3></a>`. Name, date and address are those of the link, and not of a heading above.
fn teaser(layout: &Layout<'_>, clock: &Clock<'_>, line: &Line) -> Option<Draft> {
    let moment = clock.read(&line.text)?;
    let date = layout.outline().node(line.node_at(moment.span.start))?;
    let link = std::iter::once(date)
        .chain(date.ancestors())
        .find(|node| node.tag() == "a")?;
    let (_, href) = layout.hrefs(link.range()).next()?;
    let url = layout.page().resolve(href)?;
    let heading = link.descendants().find(|node| {
        matches!(node.tag(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6") && !node.range().contains(&date.id())
    })?;
    let name = name::read(&layout.text(heading.id()), clock).text;
    if name.is_empty() || name.len() > MAX_NAME || words::is_generic(&name) {
        return None;
    }
    let mut draft = dated(line, &moment, Some(&(name, heading.id())), None);
    draft.event.url = Some(url.into());
    Some(draft)
}

/// Returns true if the text beside the date of a line is the name of the event.
fn is_own(name: &name::Name, title: Option<&Title>) -> bool {
    let is_none = name.text.is_empty() || words::is_generic(&name.text) || words::is_of_papers(&name.text);
    let tells = title.is_some() && words::is_sentence(&name.text);
    !is_none && !tells && !titles::is_where(&name.text, title)
}

/// Creates the event of a line, with its own name or that of the headings.
fn dated(line: &Line, moment: &Moment, title: Option<&Title>, own: Option<&name::Name>) -> Draft {
    let mut draft = Draft::default();
    draft.event.status = words::status(&line.text).map(str::to_owned);
    match (own, title) {
        (Some(own), _) => {
            draft.event.name.clone_from(&own.text);
            draft.at("name", line.node);
        }
        (None, Some((name, node))) => {
            draft.event.name.clone_from(name);
            draft.at("name", *node);
        }
        (None, None) => {}
    }
    draft.set_when(When {
        start: moment.start,
        end: moment.end,
        node: line.node_at(moment.span.start),
    });
    draft
}

/// Returns true if a line lists days and little else: `January 12, February 9 and March 9 at 10
/// am`. If its first words announce meetings, more text is allowed before the first day and after
/// the last.
fn is_enumeration(line: &str, days: &[Moment]) -> bool {
    /// Maximum number of words beside each day: a weekday, a paper.
    const MAX_WORDS: usize = 3;
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return false;
    };
    let heads = words::heads_meetings(&line[..first.span.start]);
    let whole = if heads {
        first.span.start..last.span.end
    } else {
        0..line.len()
    };
    let dated: usize = days
        .iter()
        .map(|day| text::words(&line[day.span.clone()]).count())
        .sum();
    text::words(&line[whole]).count().saturating_sub(dated) <= MAX_WORDS * days.len()
}
