//! Listings: one event for each repeated record that has a date, its own or one that stands above it.

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
use crate::when::{Clock, Stated, When};
use crate::words;

/// Events that make a listing.
const FEWEST: usize = 2;

/// Share of a listing's records that must have a date; the others are advertisements and the like.
const DATED: f64 = 0.5;

/// Days that a record names on average, at most: its own and the end of the sale. Where there are
/// more, the records are sections, and each holds several events.
const MOST_DAYS: f64 = 2.5;

/// Days with hours that a record names on average, at most: few say when one event begins and ends so.
const MOST_TIMED: f64 = 1.5;

/// The events of all listings on the page, in document order.
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
        let numbered = group.rows.iter().filter(|row| reader.may_be_dated(row)).count();
        if numbered < FEWEST {
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
        if let Some((drafts, sum)) = listing.read(&group, &dates, rows, signs) {
            let nodes = group.rows.iter().flat_map(|row| &row.nodes).copied();
            accepted.push(Accepted {
                first: nodes.clone().min().unwrap_or_default(),
                last: nodes.max().unwrap_or_default(),
                signs: sum,
                drafts,
            });
        }
    }
    let mut found = without_heads(accepted);
    let leads_here = |draft: &Draft| {
        let url = draft.event.url.as_ref();
        url.is_some_and(|url| bare_url(url) == bare_url(layout.page().url()))
    };
    // A record that leads to this page is its own heading, where others lead on.
    if found
        .iter()
        .any(|draft| draft.event.url.is_some() && !leads_here(draft))
    {
        found.retain(|draft| !leads_here(draft));
    }
    found.sort_by_key(|draft| draft.nodes.iter().map(|(_, node)| *node).min());
    without_twins(draft::with_common_hours(layout, clock, found))
}

/// A listing that is taken for one of events.
struct Accepted {
    /// The first and the last of its nodes.
    first: u32,
    last: u32,
    signs: f64,
    drafts: Vec<Draft>,
}

impl Accepted {
    /// Whether most of its records say more than a name and a day.
    fn is_full(&self) -> bool {
        let full = |draft: &&Draft| {
            draft.start().is_some_and(|start| start.time().is_some()) || draft.event.venue.is_some()
        };
        self.drafts.iter().filter(full).count() * 2 > self.drafts.len()
    }

    /// Whether its records stand between those of another, as the heads of its sections do.
    fn heads(&self, other: &Self) -> bool {
        other.drafts.len() > self.drafts.len() && self.first < other.last && self.last > other.first
    }
}

/// The events of all listings, without those whose records are but the heads of another's sections.
fn without_heads(accepted: Vec<Accepted>) -> Vec<Draft> {
    let is_head: Vec<bool> = (accepted.iter())
        .map(|one| !one.is_full() && accepted.iter().any(|other| other.is_full() && one.heads(other)))
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

/// A URL without what differs between links to one page.
fn bare_url(url: &str) -> &str {
    let url = url.split('#').next().unwrap_or(url);
    let url = url.strip_suffix("index.html").unwrap_or(url);
    url.trim_end_matches('/')
}

/// What records say of days and hours; none if they are no listing by that alone, so that it is not worth reading the rest of them.
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

/// What records say of days and hours, all together.
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

    /// Whether so many records may be a listing, whatever those of them say that are left to be read.
    fn may_be_listing(&self, count: usize, left: usize) -> bool {
        let all = count as f64;
        let events = self.events + left;
        let heads = self.heads + left;
        self.days as f64 <= MOST_DAYS * all
            && self.timed as f64 <= MOST_TIMED * all
            && events >= FEWEST
            && events as f64 >= DATED * (all - heads as f64)
    }
}

/// Reads the records of a group. When many are called the same, that may be their kind; then a second
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

/// Names that many records share: the kind of an event, its track or its room, perhaps.
fn common_names(rows: &[Row]) -> HashSet<String> {
    /// Records of one name that are no chance.
    const MANY: usize = 4;
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        *counts.entry(row.draft.event.name.as_str()).or_default() += 1;
    }
    let is_common = |count: &usize| *count >= MANY && *count * 20 >= rows.len();
    counts
        .into_iter()
        .filter(|(name, count)| !name.is_empty() && is_common(count))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Whether the name of a record is that of a file.
fn leads_to_document(draft: &Draft) -> bool {
    draft.event.url.as_ref().is_some_and(|url| is_document(url))
}

/// Whether a second reading found other names for most of the records with common ones, and hardly
/// any twice. Else they are a series, whose events do share a name.
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

/// Whether records are the facts about one thing: each begins with a label, as `When` and `Until`, and no two with the same.
fn are_facts(rows: &[RecordRow]) -> bool {
    let first = |row: &RecordRow| Some(text::bare(&row.texts.first()?.text));
    let labels: HashSet<String> = rows.iter().filter_map(first).collect();
    let known = labels
        .iter()
        .filter(|label| role_of_label(label).is_some())
        .count();
    labels.len() == rows.len() && known >= FEWEST && known * 2 >= rows.len()
}

struct Listing<'a, 'l, 'p> {
    layout: &'a Layout<'p>,
    clock: &'a Clock<'p>,
    /// Read when it is first asked for.
    days: &'a OnceCell<Days>,
    titles: &'a Titles<'l, 'p>,
}

impl Listing<'_, '_, '_> {
    /// The events of a group, and what speaks for them; none when it is something else.
    fn read(
        &self,
        group: &RecordGroup,
        dates: &[Dates<'_>],
        rows: Vec<Row>,
        signs: &Signs,
    ) -> Option<(Vec<Draft>, f64)> {
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
            // What many of them call a document is handed out at each, unless it is called like those who meet.
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
                said.push(dates.text.as_str());
                drafts.push(row.draft);
            }
        }
        // Two days below a name are more often the parts of one date.
        let fewest = if named == 0 { 3 } else { FEWEST };
        let enough = drafts.len() >= fewest && drafts.len() as f64 >= DATED * count as f64;
        if !enough {
            return None;
        }
        let sum = signs.page + self.signs_of(group, &drafts, &said);
        (sum >= ENOUGH).then_some((drafts, sum))
    }

    /// When a record is that has hours alone: on the day of the last head, or on that which stands above it elsewhere.
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

    /// Whether what stands beside the date of a meeting is only where it is held.
    fn is_where(&self, group: &RecordGroup, place: usize, name: &str) -> bool {
        let heads = |heading: &str| words::meets(heading) || words::meets_in(heading);
        let heading = group.rows[place].heading.as_ref();
        words::is_place(name)
            && !heads(name)
            && (self.titles.is_of_meetings() || heading.is_some_and(|heading| heads(&heading.text)))
    }

    /// Records that say only when are all of what the heading above them names.
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

    /// What the records themselves say, and what they are called.
    fn signs_of(&self, group: &RecordGroup, drafts: &[Draft], texts: &[&str]) -> f64 {
        let count = drafts.len() as f64;
        let share =
            |fits: &dyn Fn(&Draft) -> bool| drafts.iter().filter(|draft| fits(draft)).count() as f64 / count;
        let said = |fits: fn(&str) -> bool| texts.iter().filter(|text| fits(text)).count() as f64 / count;
        let timed = share(&|draft| draft.start().is_some_and(|start| start.time().is_some()));
        let placed = share(&|draft| draft.event.venue.is_some() || draft.event.address.is_some());
        let coming = self.clock.today().map_or(0.0, |today| {
            share(&|draft| draft.start().is_some_and(|start| start.date() >= today))
        });
        let named = share(&|draft| draft.event.name.len() > 2);
        let words = texts.iter().map(|text| text::words(text).count()).sum::<usize>() as f64 / count;
        let wordy = if words > 120.0 { -1.0 } else { 0.0 };
        1.5 * timed
            + 1.5 * placed
            + 2.0 * coming
            + 1.5 * said(words::sells).max(said(words::meets) * 0.7)
            + named
            - 0.8
            - 2.5 * said(words::is_posting)
            + wordy
            + self.name_signs(group)
    }

    /// What the classes of the records and of the elements around them say, and the heading above.
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

/// The days that stand in lines of their own: each holds for the records below it.
struct Days {
    days: Vec<(u32, DateTime)>,
}

impl Days {
    /// Bytes of a line that may name a day for those below it.
    const MOST_LINE: usize = 80;

    fn of(layout: &Layout<'_>, clock: &Clock<'_>) -> Self {
        let mut days = Vec::new();
        for line in layout.lines() {
            let few = line.text.len() <= Self::MOST_LINE
                && line.text.contains(|letter: char| letter.is_ascii_digit());
            if let Some(day) = few.then(|| clock.heading_day(&line.text)).flatten() {
                let day = DateTime::of_day(day.date());
                days.push((line.pieces.first().map_or(line.node, |piece| piece.node), day));
            }
        }
        days.sort_by_key(|(node, _)| *node);
        Self { days }
    }

    /// The nearest day above a node.
    fn above(&self, node: u32) -> Option<DateTime> {
        let next = self.days.partition_point(|(day, _)| *day < node);
        next.checked_sub(1).map(|place| self.days[place].1)
    }
}

/// Of drafts with the same name and start the one that says most.
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
