//! Reads a record of a list by the roles of its parts.

mod naming;
mod parts;
mod role;
mod times;

use std::collections::HashSet;
use std::ops::Range;

use magpie_sdk::date::{self, DateTime};
use magpie_sdk::extract::{Layout, Link, PerClass, RecordRow};
use magpie_sdk::text;

use crate::draft::Draft;
use crate::name;
use crate::values::{
    MAX_PLACE, add_performers, add_place, add_place_behind_at, has_currency, is_document, is_icon, is_page,
    is_price, place_in, stands_alone,
};
use crate::when::{Clock, DaysNamed, Hours, Stated, When};
use crate::words;
use parts::{Part, joined};
use role::columns;

pub(crate) use role::{Role, role_of_class, role_of_label};

/// Reads the records of one list.
pub(crate) struct RowReader<'l, 'p> {
    layout: &'l Layout<'p>,
    clock: Clock<'p>,
    /// Roles of the columns of a table, from its head.
    columns: Vec<Option<Role>>,
    /// Roles of elements by their classes.
    roles: &'l PerClass<'l, Option<Role>>,
    /// Machine-readable dates, such as `<time datetime>`.
    stated: &'l Stated,
    /// Names to skip, as they are kinds of events.
    passed_over: HashSet<String>,
}

/// Dates and hours of a record, with its texts.
pub(crate) struct Dates<'p> {
    clock: Clock<'p>,
    parts: Vec<Part>,
    /// All text of the record.
    pub(crate) text: String,
    /// Start and end, without the headings above the record.
    pub(crate) when: Option<When>,
    /// Hours without a day; the day is then above the record.
    pub(crate) hours: Option<Hours>,
    /// Numbers of days that it names.
    pub(crate) days: DaysNamed,
    /// Its nodes, from the first to the last.
    pub(crate) nodes: Range<u32>,
}

impl Dates<'_> {
    /// Returns true if the record may be an event.
    pub(crate) fn may_be_event(&self) -> bool {
        self.when.is_some() || self.hours.is_some()
    }

    /// Returns true if the record may be a day and nothing else.
    pub(crate) fn may_be_head(&self) -> bool {
        /// Maximum length of such a record, in bytes.
        const MAX_HEAD: usize = 60;
        self.text.len() <= MAX_HEAD && text::has_figure(&self.text)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Values of the record, without the headings above it.
    pub(crate) draft: Draft,
    /// The day, if the record only names a day and so heads those below.
    pub(crate) is_head: Option<DateTime>,
    /// Is true if the name is not in a heading, a link, or an element with a class for names.
    pub(crate) is_plainly_named: bool,
}

impl<'l, 'p> RowReader<'l, 'p> {
    pub(crate) fn new(
        layout: &'l Layout<'p>,
        clock: Clock<'p>,
        rows: &[RecordRow],
        roles: &'l PerClass<'l, Option<Role>>,
        stated: &'l Stated,
    ) -> Self {
        Self {
            layout,
            clock,
            columns: columns(layout, rows),
            roles,
            stated,
            passed_over: HashSet::new(),
        }
    }

    /// Sets names to skip in later readings.
    pub(crate) fn pass_over(&mut self, names: HashSet<String>) {
        self.passed_over = names;
    }

    /// Returns true if a record may have a date: it has a digit or a machine-readable date.
    pub(crate) fn may_be_dated(&self, row: &RecordRow) -> bool {
        let nodes = self.range(row);
        self.stated.is_any_within(&nodes) || row.texts.iter().any(|text| text::has_figure(&text.text))
    }

    /// Reads the dates and hours of a record. Most records on the web have none.
    pub(crate) fn dates(&self, row: &RecordRow) -> Dates<'p> {
        let clock = self.clock_of(row);
        let nodes = self.range(row);
        let parts = self.parts(row);
        let text = joined(&parts, "\n");
        let when = self.when(&clock, &parts, &nodes);
        let (hours, days) = clock.hours_and_days(&text);
        // Only a stated year or day makes the clocks differ, so most records need no second scan.
        let days = match clock.reads_as(&self.clock) {
            true => days,
            false => self.clock.hours_and_days(&text).1,
        };
        Dates {
            hours: hours.filter(|_| when.is_none()),
            clock,
            parts,
            text,
            when,
            days,
            nodes,
        }
    }

    /// Returns the clock of a record: a heading, the URL that it links to, or its own text may
    /// state the year of its dates.
    fn clock_of(&self, row: &RecordRow) -> Clock<'p> {
        /// Maximum length of a text with the name of an event and its year, in bytes.
        const MAX_NAME: usize = 120;
        let heading = row.heading.as_ref();
        if let Some(year) = heading.and_then(|heading| Clock::only_year(&heading.text)) {
            return self.clock.in_year(year);
        }
        if let Some(day) = row.links.iter().find_map(|link| date::day_in_path(&link.href)) {
            return self.clock.near(day);
        }
        let names = row.texts.iter().filter(|text| text.text.len() <= MAX_NAME);
        names
            .filter_map(|text| Clock::only_year(&text.text))
            .find(|year| self.clock.may_be_in(*year))
            .map_or(self.clock, |year| self.clock.in_year(year))
    }

    /// Reads the other values of a record.
    pub(crate) fn read(&self, row: &RecordRow, dates: &Dates<'_>) -> Row {
        let (clock, parts) = (&dates.clock, &dates.parts[..]);
        let mut draft = Draft::default();
        let is_plainly_named = !self.name(clock, row, parts, &mut draft);
        let behind_at = draft.event.venue.take().map(Into::into);
        self.roles(parts, &mut draft);
        add_place_behind_at(&mut draft, behind_at);
        if draft.event.venue.is_none() {
            loose_place(clock, parts, &mut draft);
        }
        self.links(row, &mut draft);
        if draft.event.status.is_none() {
            draft.event.status = parts
                .iter()
                .find_map(|part| status(&part.text))
                .map(str::to_owned);
        }
        let is_head = head(dates, &draft);
        if let Some(when) = dates.when.clone() {
            draft.set_when(when);
        }
        Row {
            draft,
            is_head,
            is_plainly_named,
        }
    }

    fn range(&self, row: &RecordRow) -> Range<u32> {
        let first = row.nodes.first().copied().unwrap_or_default();
        let last = row.nodes.last().copied().unwrap_or_default();
        let end = self
            .layout
            .outline()
            .node(last)
            .map_or(last, |node| node.range().end);
        first..end
    }

    /// Takes the values of parts with a role.
    fn roles(&self, parts: &[Part], draft: &mut Draft) {
        for part in parts {
            let Some(role) = part.role else { continue };
            let value = name::trimmed(&part.text);
            if value.is_empty() || role_of_label(value).is_some() {
                continue;
            }
            match role {
                Role::Venue => add_place(draft, value, part.node),
                Role::Address if draft.event.address.is_none() && value.len() <= MAX_PLACE => {
                    draft.event.address = Some(value.into());
                    draft.at("address", part.node);
                }
                Role::Price if draft.event.price.is_none() && is_price(value) => {
                    draft.event.price = Some(value.into());
                    draft.at("price", part.node);
                }
                Role::Organiser if draft.event.organiser.is_none() => {
                    draft.event.organiser = Some(value.into());
                    draft.at("organiser", part.node);
                }
                Role::Performer if draft.event.performers.is_empty() => {
                    add_performers(draft, value, part.node);
                }
                _ => {}
            }
        }
        if draft.event.price.is_none() {
            let priced = parts
                .iter()
                .filter(|part| part.role != Some(Role::When) && has_currency(&part.text))
                // In Ukrainian, `р.` also abbreviates "year": `17 травня 2025 р.`
                .find(|part| has_currency(&name::without_dates(&part.text, &self.clock)));
            if let Some(part) = priced {
                draft.event.price = Some(part.text.as_str().into());
                draft.at("price", part.node);
            }
        }
    }

    fn links(&self, row: &RecordRow, draft: &mut Draft) {
        let name_node = draft
            .nodes
            .iter()
            .find(|(attribute, _)| *attribute == "name")
            .map(|(_, node)| *node);
        let page = self.layout.page();
        let leads = |link: &&Link| is_page(&link.href);
        let around = |link: &&Link| {
            name_node.is_some_and(|name| {
                let outline = self.layout.outline();
                let holds = |outer: u32, inner: u32| {
                    outline
                        .node(outer)
                        .is_some_and(|node| node.range().contains(&inner))
                };
                holds(link.node, name) || holds(name, link.node)
            })
        };
        let mut links = row.links.iter().filter(leads);
        let own = links.clone().find(around);
        let link =
            own.or_else(|| links.find(|link| words::is_action(&link.text) && !is_document(&link.href)));
        if let Some((link, url)) = link.and_then(|link| Some((link, page.resolve(&link.href)?))) {
            draft.event.url = Some(url.into());
            draft.at("url", link.node);
        }
        if let Some((image, url)) = row
            .images
            .iter()
            .find_map(|image| Some((image, page.resolve(&image.src)?)))
        {
            if !image.src.starts_with("data:") && !is_icon(&image.src) {
                draft.event.image = Some(url.into());
                draft.at("image", image.node);
            }
        }
    }
}

/// Returns the day that is all of a record, which then heads others of the list.
fn head(dates: &Dates<'_>, draft: &Draft) -> Option<DateTime> {
    (dates.may_be_head() && draft.event.name.is_empty())
        .then(|| dates.clock.heading_day(&dates.text))
        .flatten()
        .filter(|day| day.time().is_none())
}

/// Takes a place that has no role: `at Old Mill`, `Town Hall`, or the text next to the date.
fn loose_place(clock: &Clock<'_>, parts: &[Part], draft: &mut Draft) {
    let name = draft.event.name.clone();
    let open = parts
        .iter()
        .filter(|part| matches!(part.role, None | Some(Role::When)));
    let found = open.filter_map(|part| {
        let rest = name::without_dates(&part.text, clock);
        let place = stands_alone(&rest, &name).then(|| place_in(&rest, rest.len() < part.text.len()))?;
        place.map(|place| (place.to_owned(), part.node))
    });
    if let Some((place, node)) = found.into_iter().next() {
        add_place(draft, &place, node);
    }
}

/// Returns the status in a short text, or at the beginning of a longer one.
fn status(text: &str) -> Option<&'static str> {
    const SHORT: usize = 60;
    if text.len() < SHORT {
        words::status(text)
    } else {
        name::marked_status(text)
    }
}
