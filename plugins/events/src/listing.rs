//! Reads lists: each repeated record with a date, of its own or from a heading, is an event.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use magpie_sdk::date::DateTime;
use magpie_sdk::extract::{Layout, RecordGroup, RecordRow};
use magpie_sdk::text;

use crate::draft::{self, Draft};
use crate::row::{Dates, Row, RowReader, role_of_class, role_of_label};
use crate::signs::{ENOUGH, Signs, worth};
use crate::titles::Titles;
use crate::tree::Frame;
use crate::values::{add_place, is_document};
use crate::when::{self, Clock, Stated, When};
use crate::words;

/// Minimum number of events of a list.
const MIN_EVENTS: usize = 2;

/// Minimum share of records with a date. The others are advertisements and the like.
const DATED: f64 = 0.5;

/// Maximum mean number of days per record: its own and the end of the sale. Records with more days
/// are sections with several events each.
const MAX_DAYS: f64 = 2.5;

/// Maximum mean number of days with hours per record. Few records have hours for start and end.
const MAX_TIMED: f64 = 1.5;

/// Returns the events of all lists on the page, in document order.
pub(crate) fn events(
    layout: &Layout<'_>,
    frame: &Frame,
    clock: &Clock<'_>,
    stated: &Stated,
    signs: &Signs,
    titles: &Titles<'_, '_>,
) -> Vec<Draft> {
    let roles = layout.per_class(role_of_class);
    let days = OnceCell::new();
    let mut accepted = Vec::new();
    for group in layout.records() {
        let outside = (group.rows.iter()).all(|row| row.nodes.iter().all(|&node| frame.holds(node)));
        if outside || are_facts(&group.rows) {
            continue;
        }
        let reader = RowReader::new(layout, *clock, &group.rows, &roles, stated);
        // Most groups have no dates, and finding that out by reading their dates takes longer.
        let numbered = group.rows.iter().filter(|row| reader.may_be_dated(row)).count();
        if numbered < MIN_EVENTS {
            continue;
        }
        let Some(dates) = dates(&reader, &group.rows) else {
            continue;
        };
        let rows = read(reader, &group, &dates);
        let listing = Listing {
            layout,
            clock,
            days: &days,
            titles,
        };
        if let Some(read) = listing.read(&group, &dates, rows, signs) {
            let nodes = group.rows.iter().flat_map(|row| &row.nodes).copied();
            accepted.push(Accepted {
                first: nodes.clone().min().unwrap_or_default(),
                last: nodes.max().unwrap_or_default(),
                signs: read.signs,
                is_named: read.named * 2 > read.drafts.len(),
                drafts: read.drafts,
            });
        }
    }
    let mut found = without_heads(accepted);
    let leads_here = |draft: &Draft| {
        let url = draft.event.url.as_ref();
        url.is_some_and(|url| bare_url(url) == bare_url(layout.page().url()))
    };
    // If other records link to other pages, a record that links to this page is the heading of the
    // list.
    if found
        .iter()
        .any(|draft| draft.event.url.is_some() && !leads_here(draft))
    {
        found.retain(|draft| !leads_here(draft));
    }
    // Until here, the list with the best score comes first.
    found.sort_by_key(|draft| draft.nodes.iter().map(|(_, node)| *node).min());
    without_twins(draft::with_common_hours(layout, clock, found))
}

/// A list that was accepted as one of events.
struct Accepted {
    /// First node of the list.
    first: u32,
    last: u32,
    signs: f64,
    /// Is true if most records have a name of their own, and not that of a heading.
    is_named: bool,
    drafts: Vec<Draft>,
}

impl Accepted {
    /// Returns true if most events have a time or a venue.
    fn is_full(&self) -> bool {
        let full = |draft: &&Draft| {
            draft.start().is_some_and(|start| start.time().is_some()) || draft.event.venue.is_some()
        };
        self.drafts.iter().filter(full).count() * 2 > self.drafts.len()
    }

    /// Returns true if its records are between those of another list.
    fn mixes(&self, other: &Self) -> bool {
        self.first < other.last && self.last > other.first
    }

    /// Returns true if its records are between those of another list, as headings of sections are.
    fn heads(&self, other: &Self) -> bool {
        other.drafts.len() > self.drafts.len() && self.mixes(other)
    }

    /// Returns true if its records are only the times beside the named records of another list. Of
    /// both lists, most days and times are the same.
    fn times(&self, other: &Self) -> bool {
        let starts: HashSet<_> = other.drafts.iter().filter_map(start_of).collect();
        let known = self.drafts.iter().filter_map(start_of);
        let shared = known.filter(|start| starts.contains(start)).count();
        !self.is_named && other.is_named && self.mixes(other) && shared * 2 >= self.drafts.len()
    }
}

fn start_of(draft: &Draft) -> Option<String> {
    Some(draft.start()?.to_string())
}

/// Returns the events of all lists, except of those whose records are the section headings of
/// another list, or the times beside its records.
fn without_heads(accepted: Vec<Accepted>) -> Vec<Draft> {
    let is_part_of = |one: &Accepted, other: &Accepted| {
        (!one.is_full() && other.is_full() && one.heads(other)) || one.times(other)
    };
    let is_head: Vec<bool> = (accepted.iter())
        .map(|one| accepted.iter().any(|other| is_part_of(one, other)))
        .collect();
    let kept = accepted.into_iter().zip(is_head).filter(|(_, is_head)| !is_head);
    kept.flat_map(|(listing, _)| {
        let signs = listing.signs;
        listing
            .drafts
            .into_iter()
            .map(move |draft| Draft { signs, ..draft })
    })
    .collect()
}

/// Removes parts of a URL in which links to one page differ.
fn bare_url(url: &str) -> &str {
    let url = url.split('#').next().unwrap_or(url);
    let url = url.strip_suffix("index.html").unwrap_or(url);
    url.trim_end_matches('/')
}

/// Reads the dates of all records. Returns `None` if the dates already show that the records are
/// not a list of events.
fn dates<'p>(reader: &RowReader<'_, 'p>, rows: &[RecordRow]) -> Option<Vec<Dates<'p>>> {
    let mut tally = Tally::default();
    let mut dates = Vec::with_capacity(rows.len());
    for (place, row) in rows.iter().enumerate() {
        let read = reader.dates(row);
        tally.add(&read);
        dates.push(read);
        if !tally.may_be_listing(rows.len(), rows.len() - place - 1) {
            return None;
        }
    }
    Some(dates)
}

/// Counts of the dates of records.
#[derive(Default)]
struct Tally {
    days: usize,
    timed: usize,
    events: usize,
    heads: usize,
}

impl Tally {
    fn add(&mut self, dates: &Dates<'_>) {
        self.days += dates.days.all;
        self.timed += dates.days.timed;
        self.events += usize::from(dates.may_be_event());
        self.heads += usize::from(dates.may_be_head());
    }

    /// Returns true if `count` records, of which `left` are unread, may be a list of events.
    fn may_be_listing(&self, count: usize, left: usize) -> bool {
        let all = count as f64;
        let events = self.events + left;
        let heads = self.heads + left;
        self.days as f64 <= MAX_DAYS * all
            && self.timed as f64 <= MAX_TIMED * all
            && events >= MIN_EVENTS
            && events as f64 >= DATED * (all - heads as f64)
    }
}

/// Reads the records of a group. If many have the same name, it may be their kind. Then a second
/// reading looks for other names.
fn read(mut reader: RowReader<'_, '_>, group: &RecordGroup, dates: &[Dates<'_>]) -> Vec<Row> {
    let read = |reader: &RowReader<'_, '_>| -> Vec<Row> {
        let rows = group.rows.iter().zip(dates);
        rows.map(|(row, dates)| reader.read(row, dates)).collect()
    };
    let rows = read(&reader);
    let common = common_names(&rows);
    if common.is_empty() {
        return rows;
    }
    reader.pass_over(common.clone());
    let again = read(&reader);
    if tells_more(&again, &rows, &common) {
        again
    } else {
        rows
    }
}

/// Returns names that many records share, such as a kind of event, a track or a room.
fn common_names(rows: &[Row]) -> HashSet<String> {
    /// Minimum number of records with one name.
    const MIN_REPEATED: usize = 4;
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        *counts.entry(row.draft.event.name.as_str()).or_default() += 1;
    }
    let is_common = |count: &usize| *count >= MIN_REPEATED && *count * 20 >= rows.len();
    counts
        .into_iter()
        .filter(|(name, count)| !name.is_empty() && is_common(count))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Returns true if the record links to a document.
fn leads_to_document(draft: &Draft) -> bool {
    draft.event.url.as_ref().is_some_and(|url| is_document(url))
}

/// Returns true if the second reading found names for most records with common names, and these are
/// mostly distinct. Otherwise the records are a series, whose events share a name.
fn tells_more(again: &[Row], rows: &[Row], common: &HashSet<String>) -> bool {
    let affected = rows
        .iter()
        .zip(again)
        .filter(|(row, _)| common.contains(&row.draft.event.name));
    let (mut count, mut names) = (0, Vec::new());
    for (_, row) in affected {
        count += 1;
        if row.draft.event.name.len() > 3 && !words::is_generic(&row.draft.event.name) {
            names.push(row.draft.event.name.as_str());
        }
    }
    let named = names.len();
    names.sort_unstable();
    names.dedup();
    named * 10 >= count * 8 && names.len() * 10 >= named * 8
}

/// Returns true if the records are facts about one event: each begins with a different label, such
/// as `When` or `Until`.
fn are_facts(rows: &[RecordRow]) -> bool {
    let first = |row: &RecordRow| Some(text::bare(&row.texts.first()?.text));
    let labels: HashSet<String> = rows.iter().filter_map(first).collect();
    let known = labels
        .iter()
        .filter(|label| role_of_label(label).is_some())
        .count();
    labels.len() == rows.len() && known >= MIN_EVENTS && known * 2 >= rows.len()
}

/// Returns true if drafts without names of their own are the days of a calendar: most follow the
/// day before.
fn are_calendar_days(drafts: &[Draft]) -> bool {
    /// Minimum number of days in a row.
    const MIN_DAYS: usize = 14;
    let days: Vec<_> = drafts.iter().filter_map(Draft::start).collect();
    let follow = days.windows(2).filter(|pair| pair[0].days_until(pair[1]) == 1);
    days.len() >= MIN_DAYS && follow.count() * 5 >= days.len() * 4
}

struct Read {
    drafts: Vec<Draft>,
    signs: f64,
    /// Number of records with a name of their own.
    named: usize,
}

struct Listing<'a, 'l, 'p> {
    layout: &'a Layout<'p>,
    clock: &'a Clock<'p>,
    /// Days in lines of their own; read at the first use.
    days: &'a OnceCell<Days>,
    titles: &'a Titles<'l, 'p>,
}

impl Listing<'_, '_, '_> {
    /// Returns the events of a group and the evidence for them, or `None` if they are not events.
    fn read(&self, group: &RecordGroup, dates: &[Dates<'_>], rows: Vec<Row>, signs: &Signs) -> Option<Read> {
        let count = rows.iter().filter(|row| row.is_head.is_none()).count();
        let common = common_names(&rows);
        let (mut above, mut drafts, mut said, mut named) = (None, Vec::new(), Vec::new(), 0);
        for (place, (mut row, dates)) in rows.into_iter().zip(dates).enumerate() {
            if let Some(day) = row.is_head {
                above = Some(day);
                continue;
            }
            if row.draft.when.is_none() {
                if let Some(when) = self.under(above, dates) {
                    row.draft.set_when(when);
                }
            }
            if row.draft.when.is_none() {
                continue;
            }
            let name = &row.draft.event.name;
            // A common name of links to documents is the name of a paper, unless it contains a
            // body.
            let is_paper = common.contains(name) && leads_to_document(&row.draft) && !words::meets_in(name);
            let is_where = row.is_plainly_named && self.is_where(group, place, name);
            if is_where {
                let (venue, node) = (name.clone(), row.draft.node_of("name"));
                add_place(&mut row.draft, &venue, node);
                row.draft.event.name.clear();
            }
            let name = &row.draft.event.name;
            let has_own =
                !is_paper && !words::is_generic(name) && !words::is_of_papers(name) && !name.is_empty();
            named += usize::from(has_own);
            if !has_own {
                self.name_from_above(group, place, &mut row.draft);
            }
            if !row.draft.event.name.is_empty() {
                // `Tickets for Night Music on Sale` heads news as well, so the name does not count.
                said.push(dates.text.replacen(&row.draft.event.name, "", 1));
                drafts.push(row.draft);
            }
        }
        // Two days with one name are mostly parts of one date.
        let fewest = if named == 0 { 3 } else { MIN_EVENTS };
        let enough = drafts.len() >= fewest && drafts.len() as f64 >= DATED * count as f64;
        let has_few_names = named * 2 <= drafts.len();
        if !enough || has_few_names && are_calendar_days(&drafts) {
            return None;
        }
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        let sum = signs.page + self.signs_of(group, &drafts, &said);
        (sum >= ENOUGH).then_some(Read {
            drafts,
            signs: sum,
            named,
        })
    }

    /// Returns start and end of a record that has hours but no day: the day is that of the last
    /// section head, or the nearest one above the record.
    fn under(&self, head: Option<DateTime>, dates: &Dates<'_>) -> Option<When> {
        let hours = dates.hours?;
        let days = || self.days.get_or_init(|| Days::of(self.layout, self.clock));
        let day = head.or_else(|| days().above(dates.nodes.start))?;
        let (start, end) = Clock::join(day, Some(hours));
        Some(When {
            start,
            end,
            node: dates.nodes.start,
        })
    }

    /// Returns true if the text beside the date of a meeting is only its place.
    fn is_where(&self, group: &RecordGroup, place: usize, name: &str) -> bool {
        let heads = |heading: &str| words::meets(heading) || words::meets_in(heading);
        let heading = group.rows[place].heading.as_ref();
        words::is_place(name)
            && !heads(name)
            && (self.titles.is_of_meetings() || heading.is_some_and(|heading| heads(&heading.text)))
    }

    /// Names a record that only has a date after the heading above it.
    fn name_from_above(&self, group: &RecordGroup, place: usize, draft: &mut Draft) {
        let above = group.rows[place].heading.as_ref();
        let above: Vec<(&str, u32)> = (above.into_iter())
            .map(|heading| (heading.text.as_str(), heading.node))
            .collect();
        if let Some((name, node)) = self.titles.below(&above) {
            draft.event.name = name;
            draft.nodes.retain(|(attribute, _)| *attribute != "name");
            draft.at("name", node);
        }
    }

    /// Returns the evidence of the records and their names.
    fn signs_of(&self, group: &RecordGroup, drafts: &[Draft], texts: &[&str]) -> f64 {
        let count = drafts.len() as f64;
        let share =
            |fits: &dyn Fn(&Draft) -> bool| drafts.iter().filter(|draft| fits(draft)).count() as f64 / count;
        let said = |fits: fn(&str) -> bool| texts.iter().filter(|text| fits(text)).count() as f64 / count;
        let timed = share(&|draft| draft.start().is_some_and(|start| start.time().is_some()));
        let placed = share(&|draft| draft.event.venue.is_some() || draft.event.address.is_some());
        let coming = self.clock.share_to_come(drafts.iter().map(Draft::start));
        let named = share(&|draft| draft.event.name.len() > 2);
        let words = texts.iter().map(|text| text::words(text).count()).sum::<usize>() as f64 / count;
        let wordy = if words > 120.0 { -1.0 } else { 0.0 };
        let stamped = share(&|draft| draft.start().is_some_and(when::is_stamp));
        let stamped = if placed == 0.0 { -2.0 * stamped } else { 0.0 };
        1.5 * timed
            + 1.5 * placed
            + 2.0 * coming
            + 1.5 * said(words::sells).max(said(words::meets) * 0.7)
            + named
            - 0.8
            - 2.5 * said(words::is_posting)
            + wordy
            + stamped
            + self.name_signs(group)
    }

    /// Returns the evidence of the class names of the records and of the elements around them, and
    /// of the heading above.
    fn name_signs(&self, group: &RecordGroup) -> f64 {
        let outline = self.layout.outline();
        let first = group
            .rows
            .first()
            .and_then(|row| outline.node(*row.nodes.first()?));
        let around = first
            .into_iter()
            .flat_map(|node| std::iter::once(node).chain(node.ancestors().take(3)));
        let classes: Vec<&str> = around.filter_map(|node| self.layout.class(node.id())).collect();
        let heading = group.rows.first().and_then(|row| row.heading.as_ref());
        let heading = heading.map_or(0.0, |heading| worth(&heading.text));
        worth(&classes.join(" ")) + heading
    }
}

/// Days in lines of their own, which apply to the records below.
struct Days {
    days: Vec<(u32, DateTime)>,
}

impl Days {
    /// Maximum length of such a line, in bytes.
    const MAX_LINE: usize = 80;

    fn of(layout: &Layout<'_>, clock: &Clock<'_>) -> Self {
        let panels = Panels::of(layout);
        let mut days = Vec::new();
        for line in layout.lines() {
            let few = line.text.len() <= Self::MAX_LINE
                && line.text.contains(|letter: char| letter.is_ascii_digit());
            if let Some(day) = few.then(|| clock.heading_day(&line.text)).flatten() {
                let day = DateTime::of_day(day.date());
                let node = line.pieces.first().map_or(line.node, |piece| piece.node);
                days.push((panels.of_tab(layout, node).unwrap_or(node), day));
            }
        }
        days.sort_by_key(|(node, _)| *node);
        Self { days }
    }

    /// Returns the nearest day above a node.
    fn above(&self, node: u32) -> Option<DateTime> {
        let next = self.days.partition_point(|(day, _)| *day < node);
        next.checked_sub(1).map(|place| self.days[place].1)
    }
}

/// Elements by their ID. The tabs of a page are all above its panels and lead to them by ID.
struct Panels(HashMap<String, u32>);

impl Panels {
    fn of(layout: &Layout<'_>) -> Self {
        let ids = layout.page().having("id").into_iter();
        Self(ids.map(|(element, id)| (id, element.node())).collect())
    }

    /// Returns the panel of the tab in which a node is: `<label for="day-2">`, `<a href="#day-2">`.
    fn of_tab(&self, layout: &Layout<'_>, node: u32) -> Option<u32> {
        const DEPTH: usize = 4;
        const TARGETS: [&str; 5] = ["for", "href", "aria-controls", "data-target", "data-bs-target"];
        let node = layout.outline().node(node)?;
        let around = std::iter::once(node).chain(node.ancestors()).take(DEPTH);
        let mut tabs = around.filter(|node| matches!(node.tag(), "label" | "a" | "button" | "li"));
        tabs.find_map(|tab| {
            let element = layout.element(tab.id());
            let targets = TARGETS.iter().filter_map(|name| element.attr(name));
            let mut panels = targets.filter_map(|target| {
                let id = target.strip_prefix('#').unwrap_or(&target);
                self.0.get(id).copied().filter(|panel| *panel > tab.id())
            });
            panels.next()
        })
    }
}

/// Removes duplicates: of drafts with the same name and start, the most complete one is kept.
fn without_twins(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut places: HashMap<(String, Option<String>), usize> = HashMap::new();
    let mut kept: Vec<Draft> = Vec::new();
    for draft in drafts {
        let key = (
            text::bare(&draft.event.name),
            draft.event.start.as_ref().map(ToString::to_string),
        );
        match places.get(&key) {
            Some(&place) if kept[place].richness() < draft.richness() => kept[place] = draft,
            Some(_) => {}
            None => {
                places.insert(key, kept.len());
                kept.push(draft);
            }
        }
    }
    kept
}
