//! Reads pages that are about one event.

mod linked;
mod subject;
mod times;

use std::ops::Range;

use magpie_sdk::extract::{Layout, Line, Pair, Pairs, Text, is_navigation};
use magpie_sdk::text::{self, WordList};

use crate::draft::{Draft, Source};
use crate::name::{self, MAX_NAME};
use crate::row::{Role, role_of_class};
use crate::signs::{ENOUGH, Signs, worth};
use crate::tree::Frame;
use crate::values::{
    add_performers, add_place, add_place_behind_at, has_currency, is_picture, is_price, place_in,
};
use crate::when::{self, Clock, Stated, When, is_talk};
use crate::words;
use crate::words::languages as lists;
use subject::{end_of_matter, heading, is_index, stands_apart};

/// Maximum number of lines after the main heading to search for an unlabelled date.
const NEAR: usize = 14;

/// Maximum number of lines before the main heading to search, as on cards with the date above.
const NEAR_ABOVE: usize = 4;

/// Returns the event that the page is about, or `None` if it is about none or about several.
pub(crate) fn event(
    layout: &Layout<'_>,
    frame: &Frame,
    clock: &Clock<'_>,
    stated: &Stated,
    signs: &Signs,
    listed: &[Draft],
) -> Option<Draft> {
    let reader = Reader::new(layout, frame, clock, stated);
    let (mut draft, evidence) = reader.read()?;
    // The page of a recorded talk is also one of a video, which is no evidence against an event.
    let page = if is_talk(layout) {
        signs.page.max(0.0)
    } else {
        signs.page
    };
    let sum = evidence + page;
    let heads_listing = !listed.is_empty() && !stands_apart(layout, &draft, listed, reader.labelled);
    if sum < ENOUGH || heads_listing || is_index(layout) {
        return None;
    }
    draft.signs = sum;
    draft.is_labelled = reader.labelled;
    draft.source = if draft.is_labelled {
        Source::Labelled
    } else {
        Source::Detail
    };
    Some(draft)
}

/// A page that is about one event, as its URL shows.
pub(crate) struct EventPage {
    pub(crate) name: String,
    /// Node of the name.
    pub(crate) node: u32,
    /// Nodes of the content: from the lines just above the name to the heading of other events.
    pub(crate) content: Range<u32>,
}

/// Returns the page's event if the URL shows that the page is about one: `/event/night-music-2`
/// below the heading `Night Music`.
pub(crate) fn event_page(layout: &Layout<'_>, frame: &Frame, clock: &Clock<'_>) -> Option<EventPage> {
    let heading = heading(layout, frame, clock)?;
    let name = name::read(&heading.text, clock).text;
    let fits = !name.is_empty()
        && name.len() <= MAX_NAME
        && !words::is_generic(&name)
        && !text::words(&name).any(|word| lists::EVENT_NOUN.has(word));
    if !fits || !subject::is_in_event_folder(layout) || !subject::is_named_in_path(layout, &name) {
        return None;
    }
    let node = heading.node;
    let above = layout.lines().iter().take_while(|line| line.node < node);
    let above: Vec<u32> = above.map(|line| line.node).collect();
    let first = above.len().saturating_sub(NEAR_ABOVE);
    let start = above.get(first).copied().unwrap_or(node);
    let content = start..end_of_matter(layout, node);
    Some(EventPage { name, node, content })
}

/// Returns the talk that the page is about, once for each slot of a programme that a line names
/// with its time: `Session 4A: 7 July (17:00-18:00)`, `Session 5B: 8 July (9:00-10:00)`. Returns
/// `None` if there are no such lines.
pub(crate) fn in_slots(
    layout: &Layout<'_>,
    frame: &Frame,
    clock: &Clock<'_>,
    stated: &Stated,
    signs: &Signs,
) -> Option<Vec<Draft>> {
    /// Maximum number of slots of one talk.
    const MAX_SLOTS: usize = 6;
    /// Maximum length of a line that names a slot, in bytes.
    const MAX_LINE: usize = 120;
    /// Evidence of slots with times, which equals that of a label and hours.
    const WORTH: f64 = 2.5;
    let reader = Reader::new(layout, frame, clock, stated);
    let heading = reader.heading.as_ref()?;
    let lines = layout.lines().iter();
    let own = lines
        .filter(|line| line.node > heading.node && line.node < reader.end && !frame.is_beside(line.node));
    let slots: Vec<(when::Moment, u32)> = own
        .filter(|line| line.text.len() <= MAX_LINE)
        .filter_map(|line| {
            let moment = clock.read(&line.text)?;
            let name = name::read(&line.text[..moment.span.start], clock).text;
            let is_slot = words::is_slot(&name) && moment.start.time().is_some();
            is_slot.then(|| (moment.clone(), line.node_at(moment.span.start)))
        })
        .collect();
    let name = name::read(reader.without_track(&heading.text), clock).text;
    let fits = !name.is_empty() && name.len() <= MAX_NAME && !words::is_generic(&name);
    let sum = signs.page.max(0.0) + WORTH;
    if slots.is_empty() || slots.len() > MAX_SLOTS || !fits || words::is_slot(&name) {
        return None;
    }
    let draft = |(moment, node): (when::Moment, u32)| {
        let mut draft = Draft::of(Source::Detail);
        draft.signs = sum;
        draft.event.name.clone_from(&name);
        draft.at("name", heading.node);
        draft.set_when(When {
            start: moment.start,
            end: moment.end,
            node,
        });
        reader.labelled_values(&mut draft);
        reader.linked_values(&mut draft);
        reader.own_page(&mut draft);
        draft
    };
    Some(slots.into_iter().map(draft).collect())
}

/// Completes an event from structured data with the visible content of its page.
pub(crate) fn complete(
    layout: &Layout<'_>,
    frame: &Frame,
    clock: &Clock<'_>,
    stated: &Stated,
    draft: &mut Draft,
) {
    let reader = Reader::new(layout, frame, clock, stated);
    if let (Some(stated), Some(mut shown)) = (draft.when.clone(), reader.when()) {
        // Pages also show the midnight that software writes for a day.
        if stated.start.time().is_none() {
            shown.start = when::without_midnight(shown.start);
        }
        draft.set_when(times::agreed(&stated, shown, reader.labelled_when().is_some()));
    }
    let mut labelled = Draft::default();
    reader.labelled_values(&mut labelled);
    reader.linked_values(&mut labelled);
    reader.own_page(&mut labelled);
    draft.complete(labelled);
}

struct Reader<'a, 'p> {
    layout: &'a Layout<'p>,
    frame: &'a Frame,
    clock: &'a Clock<'p>,
    stated: &'a Stated,
    pairs: Pairs,
    heading: Option<Text>,
    /// First node after the content of the page: the heading of other events.
    end: u32,
    /// Is true if labels name the date or the venue.
    labelled: bool,
}

impl<'a, 'p> Reader<'a, 'p> {
    fn new(layout: &'a Layout<'p>, frame: &'a Frame, clock: &'a Clock<'p>, stated: &'a Stated) -> Self {
        let pairs = layout.pairs();
        let heading = heading(layout, frame, clock);
        let end = end_of_matter(layout, heading.as_ref().map_or(0, |heading| heading.node));
        let mut reader = Self {
            layout,
            frame,
            clock,
            stated,
            pairs,
            heading,
            end,
            labelled: false,
        };
        reader.labelled = reader.labelled_when().is_some() || reader.pair(&lists::LABEL_VENUE).is_some();
        reader
    }

    /// Reads the event that the page seems to be about, with the evidence for it.
    fn read(&self) -> Option<(Draft, f64)> {
        let when = self.when()?;
        let listed = if self.labelled {
            None
        } else {
            self.listed_at(when.node)
        };
        let heading = listed
            .as_ref()
            .map(|(heading, _)| heading)
            .or(self.heading.as_ref())?;
        let name = name::read(self.without_track(&heading.text), self.clock);
        if name.text.is_empty() || name.text.len() > MAX_NAME || words::is_generic(&name.text) {
            return None;
        }
        let mut draft = Draft::default();
        draft.event.name = name.text;
        draft.event.status = name.status.map(str::to_owned);
        draft.at("name", heading.node);
        draft.set_when(when);
        // The surest sources come first, because each fills only what is still missing.
        self.labelled_values(&mut draft);
        let labelled_place = draft.event.venue.is_some();
        self.named_values(&mut draft);
        self.linked_values(&mut draft);
        let is_open = draft.event.venue.is_none();
        if is_open {
            self.loose_place(&mut draft);
        }
        // A loose text counts less than the one behind an `@`, unless it is surely a place.
        let is_sure = |venue: &str| words::is_place(venue) || words::is_room(venue);
        if is_open && name.venue.is_some() && !draft.event.venue.as_deref().is_some_and(is_sure) {
            draft.event.venue = None;
        }
        add_place_behind_at(&mut draft, name.venue);
        if draft.event.price.is_none() {
            self.loose_price(&mut draft);
        }
        self.status(&mut draft);
        match listed {
            Some((_, url)) => draft.event.url = Some(url.into()),
            None => self.own_page(&mut draft),
        }
        let evidence = self.evidence(&draft, labelled_place);
        Some((draft, evidence))
    }

    /// Removes the part of a heading behind a bar if the page also has this part in a line of its
    /// own. It is the track or series: `Night Skies | Astronomy`.
    fn without_track<'h>(&self, heading: &'h str) -> &'h str {
        let Some((name, track)) = heading.rsplit_once(" | ") else {
            return heading;
        };
        let track = track.trim();
        let is_said = self.layout.lines().iter().any(|line| line.text == track);
        if is_said { name } else { heading }
    }

    fn evidence(&self, draft: &Draft, labelled_place: bool) -> f64 {
        let start = draft.start();
        let timed = start.is_some_and(|start| start.time().is_some());
        let coming = start.is_some_and(|start| self.clock.may_announce(start));
        let placed = draft.event.venue.is_some() || draft.event.address.is_some();
        let near = self.around_date(draft);
        // `Tickets for Night Music on Sale` heads news as well, so a name proves no sale.
        let beside = near.replace(&draft.event.name, "");
        let weight = |is: bool, weight: f64| if is { weight } else { 0.0 };
        weight(self.labelled_when().is_some(), 1.0)
            + weight(timed, 0.8)
            + weight(coming, 1.2)
            + weight(labelled_place, 1.2)
            + weight(self.is_classed(draft), 1.3)
            + weight(self.is_headed(draft), 0.8)
            + weight(placed, 0.5)
            + weight(draft.event.price.is_some() || words::sells(&beside), 0.6)
            + weight(!draft.event.performers.is_empty(), 0.4)
            + weight(is_talk(self.layout), 2.6)
            - weight(words::is_posting(&near), 2.0)
            - weight(start.is_some_and(when::is_stamp) && !placed, 2.0)
            - 0.5
    }

    /// Returns true if the classes of the elements say which is the date and which the place:
    /// `<div class="show-date">`, `<div class="show-venue">`.
    fn is_classed(&self, draft: &Draft) -> bool {
        let has = |attribute: &str, role: Role| {
            let node = draft.node_of(attribute);
            self.classes_around(node)
                .any(|class| role_of_class(class) == Some(role))
        };
        has("start", Role::When) && has("venue", Role::Venue)
    }

    /// Returns true if the classes of the heading, and of the elements around it, are those of an
    /// event, and not of a post: `<h1 class="concert-title">`.
    fn is_headed(&self, draft: &Draft) -> bool {
        let classes: Vec<&str> = self.classes_around(draft.node_of("name")).collect();
        worth(&classes.join(" ")) > 1.0
    }

    /// Returns the classes of the element of a node and of those closely around it.
    fn classes_around(&self, node: u32) -> impl Iterator<Item = &str> {
        const DEPTH: usize = 4;
        let node = self.layout.outline().node(node).filter(|node| node.id() > 0);
        let around = node
            .into_iter()
            .flat_map(|node| std::iter::once(node).chain(node.ancestors()));
        around.take(DEPTH).filter_map(|node| self.layout.class(node.id()))
    }

    /// Returns the text around the date, without paragraphs of a description.
    fn around_date(&self, draft: &Draft) -> String {
        const AROUND: usize = 2;
        const MAX_LINE: usize = 160;
        let node = draft.when.as_ref().map_or(0, |when| when.node);
        let mut near = self.near();
        if near.last().is_some_and(|last| last.node < node) {
            near = self.own_lines().collect();
        }
        let at = near
            .iter()
            .position(|line| line.node >= node || line.pieces.iter().any(|piece| piece.node == node));
        let first = at.unwrap_or_default().saturating_sub(AROUND);
        let lines = near.iter().skip(first).take(2 * AROUND + 1);
        lines
            .map(|line| line.text.as_str())
            .filter(|line| line.len() <= MAX_LINE)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Returns the lines around the main heading.
    fn near(&self) -> Vec<&Line> {
        let lines = self.layout.lines();
        let heading = self.heading.as_ref().map_or(0, |heading| heading.node);
        let at = lines
            .iter()
            .position(|line| line.node >= heading || line.pieces.iter().any(|piece| piece.node >= heading));
        let at = at.unwrap_or_default();
        // The lines above the heading of a talk may have the days of the whole conference.
        let is_below_head = !subject::in_head(self.layout, heading);
        let in_site_head =
            |line: &Line| is_below_head && line.node < heading && subject::in_head(self.layout, line.node);
        lines
            .iter()
            .skip(at.saturating_sub(NEAR_ABOVE))
            .take(NEAR_ABOVE + NEAR)
            .filter(|line| self.is_own(line) && !in_site_head(line))
            .collect()
    }

    /// Returns the lines of the content from the main heading on.
    fn own_lines(&self) -> impl Iterator<Item = &Line> {
        let heading = self.heading.as_ref().map_or(0, |heading| heading.node);
        let lines = self.layout.lines().iter();
        lines.filter(move |line| line.node >= heading && self.is_own(line))
    }

    fn is_own(&self, line: &Line) -> bool {
        line.node < self.end && !self.frame.is_beside(line.node) && !is_picture(&line.text)
    }

    /// Returns the best pair with one of the labels in the content of the page.
    fn pair(&self, labels: &WordList) -> Option<&Pair> {
        self.labelled_pairs(labels).next()
    }

    /// Returns, for each of the labels, the first pair with it in the content of the page, in the
    /// order of the labels.
    fn labelled_pairs(&self, labels: &WordList) -> impl Iterator<Item = &Pair> {
        let own = |pair: &&Pair| pair.node < self.end && !self.frame.is_beside(pair.node);
        let placed = (self.pairs.iter().filter(own))
            .filter_map(|pair| Some((words::place_of(labels, pair.folded())?, pair)));
        let mut found: Vec<(usize, &Pair)> = placed.collect();
        // The sort is stable, so the first pair with each label is the one that is kept.
        found.sort_by_key(|(place, _)| *place);
        found.dedup_by_key(|(place, _)| *place);
        found.into_iter().map(|(_, pair)| pair)
    }

    fn labelled_values(&self, draft: &mut Draft) {
        if let Some(pair) = self.pair(&lists::LABEL_VENUE) {
            add_place(draft, &pair.value, pair.node);
        }
        if let Some(pair) = self
            .pair(&lists::LABEL_ADDRESS)
            .filter(|pair| pair.value.len() < 200)
        {
            draft.event.address = Some(pair.value.as_str().into());
            draft.at("address", pair.node);
        }
        if let Some(pair) = self
            .pair(&lists::LABEL_PRICE)
            .filter(|pair| is_price(&pair.value))
        {
            draft.event.price = Some(pair.value.as_str().into());
            draft.at("price", pair.node);
        }
        if let Some(pair) = self
            .pair(&lists::LABEL_ORGANISER)
            .filter(|pair| pair.value.len() < 120 && !is_navigation(&pair.value))
        {
            draft.event.organiser = Some(pair.value.as_str().into());
            draft.at("organiser", pair.node);
        }
        if let Some(pair) = self
            .pair(&lists::LABEL_PERFORMERS)
            // `On stage: 8 pm` is a time.
            .filter(|pair| pair.value.len() < 300 && self.clock.hours(&pair.value).is_none())
        {
            add_performers(draft, &pair.value, pair.node);
        }
    }

    /// Reads values of elements with a class that names them.
    fn named_values(&self, draft: &mut Draft) {
        let named = |names: &[&str], most: usize| {
            let texts = self.layout.named(names).into_iter();
            texts
                .filter(|text| text.node < self.end && text.text.len() <= most)
                .find(|text| !self.frame.is_beside(text.node) && name::is_telling(&text.text))
        };
        if draft.event.venue.is_none() {
            if let Some(text) = named(
                &[
                    "venue", "location", "place", "lieu", "spielort", "ort", "lugar", "luogo",
                ],
                120,
            ) {
                add_place(draft, behind_label(&text.text), text.node);
            }
        }
        if draft.event.address.is_none() {
            // Such an element may have an author instead: `By Ada`.
            let is_address = |text: &Text| text::has_figure(&text.text) || text.text.contains(',');
            if let Some(text) = named(&["address", "street", "adr", "adresse"], 160).filter(is_address) {
                draft.event.address = Some(behind_label(&text.text).into());
                draft.at("address", text.node);
            }
        }
        if draft.event.price.is_none() {
            let prices = self.layout.named(&["price", "prices", "cost", "preis", "prix"]);
            let price = prices
                .into_iter()
                .find(|text| text.node < self.end && is_price(&text.text));
            if let Some(text) = price.filter(|text| !self.frame.is_beside(text.node)) {
                draft.event.price = Some(text.text.as_str().into());
                draft.at("price", text.node);
            }
        }
    }

    /// Reads an unlabelled place from the line of the date or a line next to it.
    fn loose_place(&self, draft: &mut Draft) {
        /// Maximum length of a line with a place and little else, in bytes.
        const MAX_LINE: usize = 120;
        let around = self.around_date(draft);
        let is_heading = |line: &str| self.heading.as_ref().is_some_and(|heading| heading.text == line);
        let lines = around
            .lines()
            .filter(|line| line.len() <= MAX_LINE && *line != draft.event.name && !is_heading(line));
        let place = lines.filter_map(|line| {
            let rest = name::without_dates(line, self.clock);
            let beside = rest.len() < line.len();
            let rest = behind_zone(rest.strip_prefix(&draft.event.name).unwrap_or(&rest));
            let place = place_in(rest, beside)
                .filter(|place| name::is_telling(place) && !place.ends_with(['.', '!', '?', ':']));
            place
                .filter(|place| !draft.event.name.contains(place))
                .map(str::to_owned)
        });
        if let Some(place) = place.into_iter().next() {
            let node = draft.when.as_ref().map_or(0, |when| when.node);
            add_place(draft, &place, node);
        }
    }

    /// Reads a price that is in a line of its own, near the date.
    fn loose_price(&self, draft: &mut Draft) {
        /// Maximum length of a line with a price and little else, in bytes.
        const MAX_LINE: usize = 40;
        let around = self.around_date(draft);
        let mut lines = around.lines().filter(|line| line.len() <= MAX_LINE);
        if let Some(price) = lines.find(|line| is_price(line) && has_currency(line)) {
            draft.event.price = Some(price.into());
            draft.at("price", draft.when.as_ref().map_or(0, |when| when.node));
        }
    }

    /// Reads a change of status from a short line.
    fn status(&self, draft: &mut Draft) {
        const MAX_NOTICE: usize = 80;
        if draft.event.status.is_some() {
            return;
        }
        let near = self.near();
        let notice = near.iter().filter(|line| line.text.len() <= MAX_NOTICE);
        let found = notice
            .filter_map(|line| Some((words::status(&line.text)?, line.node)))
            .next();
        if let Some((status, node)) = found {
            draft.event.status = Some(status.to_owned());
            draft.at("status", node);
        }
    }

    /// Takes the URL of the page and its picture.
    fn own_page(&self, draft: &mut Draft) {
        let page = self.layout.page();
        let canonical = page
            .select_one("link[rel=canonical]")
            .and_then(|link| link.url_attr("href"));
        draft.event.url = Some(canonical.unwrap_or_else(|| page.url().to_owned()).into());
        let graph = page.structured().find(|entity| entity.syntax() == "open-graph");
        let image = graph.and_then(|graph| graph.get("og:image").or_else(|| graph.get("og:image:url")));
        draft.event.image = image.and_then(|image| page.resolve(image)).map(Into::into);
    }
}

/// Returns the text after the time zone of a time: `Main hall` in `(Europe/Berlin), Main hall`.
fn behind_zone(text: &str) -> &str {
    let text = name::trimmed(text);
    let zone = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let is_zone = |zone: &str| zone.contains('/') && !zone.contains(' ');
    zone.filter(|(zone, _)| is_zone(zone))
        .map_or(text, |(_, rest)| name::trimmed(rest))
}

/// Returns the text after a label: `Old Mill` in `Venue: Old Mill`.
fn behind_label(text: &str) -> &str {
    text::split_label(text)
        .filter(|(label, value)| crate::row::role_of_label(label).is_some() && !value.is_empty())
        .map_or(text, |(_, value)| value)
}
