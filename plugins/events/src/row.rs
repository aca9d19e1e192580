//! One record of a listing, read by what its parts are.

use std::collections::HashSet;

use magpie_sdk::extract::{Layout, RecordRow, Text};
use magpie_sdk::{date::DateTime, money, text};

use crate::draft::Draft;
use crate::name::{self, MOST_NAME};
use crate::tree;
use crate::when::{self, Clock, When};
use crate::words;

/// Bytes of a place's name.
const MOST_PLACE: usize = 160;

/// What a part of a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// What the event is called.
    Name,
    /// When it is.
    When,
    /// Where it is.
    Venue,
    /// Where that is.
    Address,
    /// What it costs.
    Price,
    /// Who holds it.
    Organiser,
    /// Who is on the stage.
    Performer,
    /// Something that is none of these: a category, a description, a button.
    Aside,
}

/// Words of class names, and what an element that has one is. The first that fits counts.
const CLASSES: &[(Role, &[&str])] = &[
    (
        Role::Aside,
        &[
            "category",
            "categories",
            "tag",
            "tags",
            "genre",
            "description",
            "excerpt",
            "teaser",
            "btn",
            "button",
            "badge",
            "label",
            "share",
            "age",
            "distance",
        ],
    ),
    (
        Role::Address,
        &["address", "street", "adr", "adresse", "locality", "city", "town"],
    ),
    (
        Role::Venue,
        &[
            "venue",
            "location",
            "place",
            "where",
            "ort",
            "lieu",
            "salle",
            "room",
            "stage",
            "hall",
            "lugar",
            "luogo",
            "veranstaltungsort",
            "spielort",
            "venues",
        ],
    ),
    (
        Role::Price,
        &[
            "price", "prices", "cost", "preis", "prix", "precio", "prezzo", "eintritt", "fee", "tarif",
        ],
    ),
    (
        Role::Performer,
        &[
            "performer",
            "performers",
            "artist",
            "artists",
            "speaker",
            "speakers",
            "presenter",
            "lineup",
            "support",
            "band",
        ],
    ),
    (
        Role::Organiser,
        &["organiser", "organizer", "promoter", "host", "veranstalter"],
    ),
    (
        Role::When,
        &[
            "date", "dates", "time", "when", "day", "month", "year", "datum", "uhrzeit", "heure", "fecha",
            "hora", "dtstart", "start", "weekday", "datetime",
        ],
    ),
    (
        Role::Name,
        &[
            "title", "name", "summary", "headline", "heading", "titel", "titre", "titulo", "titolo",
        ],
    ),
];

/// Heads of columns, and labels, that name an event.
const NAMES: &[&str] = &[
    "event",
    "name",
    "title",
    "what",
    "concert",
    "show",
    "meeting",
    "subject",
    "topic",
    "talk",
    "session",
    "veranstaltung",
    "titel",
    "was",
    "thema",
    "konzert",
    "bezeichnung",
    "titre",
    "evenement",
    "quoi",
    "spectacle",
    "titulo",
    "evento",
    "que",
    "concierto",
    "titolo",
    "cosa",
    "committee",
    "committee name",
    "meeting name",
    "event name",
    "meeting title",
    "board",
    "body",
];

/// What a label says that the value behind it is.
pub(crate) fn role_of_label(label: &str) -> Option<Role> {
    let folded = text::tokens(label).join(" ");
    let is = |labels: &[&str]| labels.contains(&folded.as_str());
    let roles = [
        (Role::When, words::WHEN),
        (Role::When, words::TIME),
        (Role::When, words::END),
        (Role::Venue, words::VENUE),
        (Role::Address, words::ADDRESS),
        (Role::Price, words::PRICE),
        (Role::Organiser, words::ORGANISER),
        (Role::Performer, words::PERFORMERS),
        (Role::Name, NAMES),
    ];
    roles
        .into_iter()
        .find(|(_, labels)| is(labels))
        .map(|(role, _)| role)
}

/// What the class of an element says that it is.
pub(crate) fn role_of_class(class: &str) -> Option<Role> {
    let mut best = None;
    for word in tree::words_of_name(class) {
        let place = CLASSES
            .iter()
            .position(|(_, known)| known.iter().any(|known| word.eq_ignore_ascii_case(known)));
        best = match (best, place) {
            (Some(best), Some(place)) if best < place => Some(best),
            (_, Some(place)) => Some(place),
            (best, None) => best,
        };
    }
    best.map(|place| CLASSES[place].0)
}

/// A text of a record, and what it is as far as its surroundings say.
#[derive(Clone, Debug)]
struct Part {
    text: String,
    node: u32,
    role: Option<Role>,
}

/// Reads records of one listing.
pub(crate) struct RowReader<'l, 'p> {
    layout: &'l Layout<'p>,
    clock: Clock<'p>,
    /// The roles of a table's columns, by its head.
    columns: Vec<Option<Role>>,
    /// What `<time datetime>` and the like say, by node.
    stated: &'l [(u32, String)],
    /// Names that say what kind of event it is, and not which one.
    passed_over: HashSet<String>,
}

/// A record as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// What could be read, without what stands above the record.
    pub(crate) draft: Draft,
    /// All of its text.
    pub(crate) text: String,
    /// Hours without a day, which then stands above.
    pub(crate) hours: Option<when::Hours>,
    /// Its nodes, from the first to the last.
    pub(crate) nodes: std::ops::Range<u32>,
    /// Whether it only names a day: the head of the records below it.
    pub(crate) is_head: Option<DateTime>,
}

impl<'l, 'p> RowReader<'l, 'p> {
    pub(crate) fn new(
        layout: &'l Layout<'p>,
        clock: Clock<'p>,
        rows: &[RecordRow],
        stated: &'l [(u32, String)],
    ) -> Self {
        Self {
            layout,
            clock,
            columns: columns(layout, rows),
            stated,
            passed_over: HashSet::new(),
        }
    }

    /// Reads on with other names than these.
    pub(crate) fn pass_over(&mut self, names: HashSet<String>) {
        self.passed_over = names;
    }

    /// Reads one record.
    pub(crate) fn read(&self, row: &RecordRow) -> Row {
        let heading = row.heading.as_ref().map(|heading| heading.text.as_str());
        let clock = heading.map_or(self.clock, |heading| self.clock.in_year_of(heading));
        let nodes = self.range(row);
        let parts = self.parts(row);
        let text = joined(&parts, "\n");
        let mut draft = Draft::default();
        let when = self.when(&clock, &parts, &nodes);
        self.name(&clock, row, &parts, &mut draft);
        self.roles(&parts, &mut draft);
        if draft.event.venue.is_none() {
            loose_place(&clock, &parts, &mut draft);
        }
        self.links(row, &mut draft);
        if draft.event.status.is_none() {
            draft.event.status = parts
                .iter()
                .find_map(|part| status(&part.text))
                .map(str::to_owned);
        }
        let hours = when.is_none().then(|| clock.hours(&text)).flatten();
        let is_head = self.head(&clock, &draft, &text);
        if let Some(when) = when {
            draft.set_when(when);
        }
        Row {
            draft,
            text,
            hours,
            nodes,
            is_head,
        }
    }

    fn range(&self, row: &RecordRow) -> std::ops::Range<u32> {
        let first = row.nodes.first().copied().unwrap_or_default();
        let last = row.nodes.last().copied().unwrap_or_default();
        let end = self
            .layout
            .outline()
            .node(last)
            .map_or(last, |node| node.range().end);
        first..end
    }

    /// The day that a record names and nothing else: the head of others in the same listing.
    fn head(&self, clock: &Clock<'_>, draft: &Draft, text: &str) -> Option<DateTime> {
        const MOST_HEAD: usize = 60;
        let short = text.len() <= MOST_HEAD && draft.event.name.is_empty();
        short
            .then(|| clock.heading_day(text))
            .flatten()
            .filter(|day| day.time().is_none())
    }

    /// The texts of a record with their roles, by column, class, or the label before them.
    fn parts(&self, row: &RecordRow) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let mut labelled = None;
        for Text { text, node } in &row.texts {
            let own = self.role(row, *node);
            let label = text.trim_end_matches([':', ' ', '：']);
            let role = match (labelled.take(), own) {
                (Some(role), _) | (None, Some(role)) => Some(role),
                (None, None) => None,
            };
            if text.len() < 40 && (text.ends_with([':', '：']) || self.is_label(*node)) {
                if let Some(role) = role_of_label(label) {
                    labelled = Some(role);
                    // The label stays in the text, where it says which of two times is meant.
                    parts.push(Part {
                        text: text.clone(),
                        node: *node,
                        role: Some(Role::When)
                            .filter(|_| role == Role::When)
                            .or(Some(Role::Aside)),
                    });
                    continue;
                }
            }
            let inline =
                text::split_label(text).and_then(|(label, value)| Some((role_of_label(label)?, value)));
            let part = match inline {
                Some((role, value)) if role != Role::When && !value.is_empty() => Part {
                    text: value.to_owned(),
                    node: *node,
                    role: Some(role),
                },
                Some((role, _)) => Part {
                    text: text.clone(),
                    node: *node,
                    role: Some(role),
                },
                None => Part {
                    text: text.clone(),
                    node: *node,
                    role,
                },
            };
            parts.push(part);
        }
        parts
    }

    fn is_label(&self, node: u32) -> bool {
        let tag = self.layout.outline().node(node).map_or("", |node| node.tag());
        matches!(tag, "dt" | "th" | "label")
            || (matches!(tag, "b" | "strong" | "span") && tree::has_word(self.layout, node, &["label"]))
    }

    /// What a node is by its class, or that of an element around it within the record, or its column.
    fn role(&self, row: &RecordRow, node: u32) -> Option<Role> {
        let outline = self.layout.outline();
        let mut at = outline.node(node)?;
        let mut cell = None;
        loop {
            if row.nodes.contains(&at.id()) && !matches!(at.tag(), "td" | "th") {
                break;
            }
            if let Some(role) = self.layout.class(at.id()).and_then(role_of_class) {
                return Some(role);
            }
            if matches!(at.tag(), "td" | "th") {
                cell = Some(at);
            }
            match at.tag() {
                "time" => return Some(Role::When),
                "address" => return Some(Role::Address),
                _ => {}
            }
            at = at.parent().filter(|parent| parent.depth() > 0)?;
            if cell.is_some() && at.tag() == "tr" {
                break;
            }
        }
        let cell = cell?;
        let place = cell.parent()?.child_elements().position(|child| child == cell)?;
        self.columns.get(place).copied().flatten()
    }

    fn when(&self, clock: &Clock<'_>, parts: &[Part], nodes: &std::ops::Range<u32>) -> Option<When> {
        let dated: Vec<&Part> = parts
            .iter()
            .filter(|part| part.role == Some(Role::When))
            .collect();
        let open: Vec<&Part> = parts
            .iter()
            .filter(|part| matches!(part.role, None | Some(Role::When | Role::Name)))
            .collect();
        let read = |parts: &[&Part]| {
            ["\n", " "].iter().find_map(|separator| {
                let (text, places) = placed(parts, separator);
                let moment = clock.read(&text)?;
                let node = node_at(&places, moment.span.start);
                Some(When {
                    start: moment.start,
                    end: moment.end,
                    node,
                })
            })
        };
        let shown = read(&dated)
            .filter(|when| when.start.time().is_some())
            .or_else(|| read(&open))
            .or_else(|| read(&dated));
        let stated = self.stated(clock, nodes);
        match (stated, shown) {
            (Some(stated), shown) => {
                let start = when::reconcile(stated.start, shown.as_ref().map(|shown| shown.start));
                let end = stated.end.map(when::to_minute).or_else(|| {
                    shown
                        .filter(|shown| shown.start.same_day(start))
                        .and_then(|shown| shown.end)
                });
                Some(When {
                    start,
                    end,
                    node: stated.node,
                })
            }
            (None, shown) => shown,
        }
    }

    /// The first date that a record states for machines, and the end when there is a second one.
    fn stated(&self, clock: &Clock<'_>, nodes: &std::ops::Range<u32>) -> Option<When> {
        let first = self.stated.partition_point(|(node, _)| *node < nodes.start);
        let mut within = self.stated[first..]
            .iter()
            .take_while(|(node, _)| *node < nodes.end);
        let (node, start, end) = within.find_map(|(node, text)| {
            let (start, end) = clock.read_stated(text)?;
            Some((*node, start, end))
        })?;
        let next = within
            .filter_map(|(_, text)| clock.read_stated(text))
            .map(|(end, _)| end)
            .next();
        let end = end
            .or(next)
            .filter(|end| *end > start && start.days_until(*end) < 400);
        Some(When { start, end, node })
    }

    fn name(&self, clock: &Clock<'_>, row: &RecordRow, parts: &[Part], draft: &mut Draft) {
        let mut best: Option<(f64, name::Name, u32)> = None;
        for (place, part) in parts.iter().enumerate() {
            let Some((rank, text, node)) = self.candidate(row, part) else {
                continue;
            };
            let name = name::read(&text, clock);
            if name.text.is_empty() || name.text.len() > MOST_NAME || self.passed_over.contains(&name.text) {
                continue;
            }
            let early = 1.0 / (1.0 + place as f64 / 4.0);
            let short = if name.text.len() <= 3 { -1.0 } else { 0.0 };
            let score = rank + early + short;
            if best.as_ref().is_none_or(|(known, _, _)| score > *known) {
                best = Some((score, name, node));
            }
        }
        if let Some((_, name, node)) = best {
            draft.event.name = name.text;
            draft.event.venue = name.venue.map(Into::into);
            draft.event.status = name.status.map(str::to_owned);
            draft.at("name", node);
        }
    }

    /// How likely a part is the name, with the whole text of its element.
    fn candidate(&self, row: &RecordRow, part: &Part) -> Option<(f64, String, u32)> {
        let base: f64 = match part.role {
            Some(Role::Name) => 3.0,
            None => 0.0,
            Some(_) => return None,
        };
        if !name::is_telling(&part.text) || part.text.len() > MOST_NAME || is_price(&part.text) {
            return None;
        }
        let outline = self.layout.outline();
        let (mut rank, mut whole) = (base, part.node);
        for at in outline
            .node(part.node)
            .into_iter()
            .flat_map(|node| std::iter::once(node).chain(node.ancestors()))
            .take(6)
        {
            let worth = match at.tag() {
                "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "summary" => 4.0,
                "a" => 2.5,
                "b" | "strong" => 1.5,
                "td" | "th" if base > 0.0 => 0.1,
                _ => 0.0,
            };
            if worth > 0.0
                && self
                    .layout
                    .outline()
                    .node(at.id())
                    .is_some_and(|node| node.text().len() <= 2 * MOST_NAME)
            {
                rank = rank.max(base + worth);
                if worth > 1.0 {
                    whole = at.id();
                }
            }
            if row.nodes.contains(&at.id()) {
                break;
            }
        }
        let text = if whole == part.node {
            part.text.clone()
        } else {
            self.layout.text(whole)
        };
        // A link around a whole card is no name, though one stands in it.
        let is_mostly = text.len() <= MOST_NAME && part.text.len() * 2 >= text.len();
        let text = if is_mostly && name::is_telling(&text) {
            text
        } else {
            part.text.clone()
        };
        Some((rank, text, whole))
    }

    /// Takes what has a role.
    fn roles(&self, parts: &[Part], draft: &mut Draft) {
        for part in parts {
            let Some(role) = part.role else { continue };
            let value = name::trimmed(&part.text);
            if value.is_empty() || role_of_label(value).is_some() {
                continue;
            }
            match role {
                Role::Venue => add_place(draft, value, part.node),
                Role::Address if draft.event.address.is_none() && value.len() <= MOST_PLACE => {
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
                .find(|part| part.role != Some(Role::When) && has_currency(&part.text));
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
        let leads = |link: &&magpie_sdk::extract::Link| is_page(&link.href);
        let around = |link: &&magpie_sdk::extract::Link| {
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

/// A place that nothing names as one: `at Old Mill`, `Town Hall`, or what stands beside the date.
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

/// Whether a text is a short one beside the name.
fn stands_alone(text: &str, name: &str) -> bool {
    /// Bytes of a place's name where nothing says that it is one.
    const MOST_LOOSE: usize = 70;
    text.len() <= MOST_LOOSE
        && name::is_telling(text)
        && !text.ends_with(['.', '!', '?', ':'])
        && !name.contains(text)
        && !is_price(text)
        && words::status(text).is_none()
        && !words::is_generic(text)
}

/// The place that a short text names; beside a date anything with a capital letter is one.
pub(crate) fn place_in(text: &str, beside_date: bool) -> Option<&str> {
    if let Some(place) = words::behind_at(text) {
        return Some(place);
    }
    let capital = text.starts_with(char::is_uppercase);
    let few = text::words(text).count() <= 5;
    (capital && (words::is_place(text) || (beside_date && few && !words::sells(text) && !words::meets(text))))
        .then_some(text)
}

/// What a part says about an event that is not as planned: a short one, or one that begins with it.
fn status(text: &str) -> Option<&'static str> {
    const SHORT: usize = 60;
    if text.len() < SHORT {
        words::status(text)
    } else {
        name::marked_status(text)
    }
}

/// Takes a place, whose address may follow its name.
pub(crate) fn add_place(draft: &mut Draft, written: &str, node: u32) {
    if written.len() > MOST_PLACE || draft.event.venue.is_some() {
        return;
    }
    let (venue, address) = split_place(written);
    draft.event.venue = Some(venue.into());
    draft.at("venue", node);
    if let Some(address) = address.filter(|_| draft.event.address.is_none()) {
        draft.event.address = Some(address.into());
        draft.at("address", node);
    }
}

/// `Old Mill, 3 Mill Lane, Ashford` is a name and an address; `Old Mill, Ashford` is left as it is.
pub(crate) fn split_place(written: &str) -> (&str, Option<&str>) {
    let has_number = |text: &str| text.contains(|letter: char| letter.is_ascii_digit());
    match written.split_once(", ") {
        Some((name, rest)) if has_number(rest) && !has_number(name) => (name.trim(), Some(rest.trim())),
        _ => (written, None),
    }
}

/// Takes the people of a list of names.
pub(crate) fn add_performers(draft: &mut Draft, written: &str, node: u32) {
    /// People of one event that are kept; a festival names more, and then they tell little.
    const MOST_PERFORMERS: usize = 20;
    /// Bytes of a name.
    const MOST_PERSON: usize = 80;
    let names = written
        .split([',', ';', '•', '|', '/', '\n'])
        .flat_map(|part| part.split(" & "))
        .flat_map(|part| part.split(" and "))
        .map(name::trimmed)
        .filter(|name| name::is_telling(name) && name.len() <= MOST_PERSON);
    for name in names.take(MOST_PERFORMERS) {
        draft.event.performers.push(name.into());
        draft.at("performers", node);
    }
}

/// Whether a text is a price or says that there is none.
pub(crate) fn is_price(text: &str) -> bool {
    money::parse(text, &money::MoneyContext::default()).is_some()
        && (has_currency(text) || text.chars().filter(|letter| letter.is_alphabetic()).count() < 12)
}

fn has_currency(text: &str) -> bool {
    text.len() < 60
        && money::find_all(text, &money::MoneyContext::default())
            .iter()
            .any(|found| found.money.currency().is_some())
}

/// Whether a reference leads to a page.
pub(crate) fn is_page(href: &str) -> bool {
    let href = href.trim();
    let other = ["javascript:", "mailto:", "tel:", "data:", "webcal:", "#"];
    !href.is_empty()
        && !other
            .iter()
            .any(|scheme| text::truncate(href, scheme.len()).eq_ignore_ascii_case(scheme))
}

fn is_document(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or(href).to_ascii_lowercase();
    [".pdf", ".doc", ".docx", ".ics", ".zip", ".mp3", ".jpg", ".png"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

fn is_icon(src: &str) -> bool {
    let src = src.to_ascii_lowercase();
    ["icon", "logo", "pixel", "spacer", "avatar", ".svg", "placeholder"]
        .iter()
        .any(|word| src.contains(word))
}

fn joined(parts: &[Part], separator: &str) -> String {
    parts
        .iter()
        .map(|part| part.text.as_str())
        .collect::<Vec<_>>()
        .join(separator)
}

/// Parts as one text, and where each of them begins in it.
fn placed(parts: &[&Part], separator: &str) -> (String, Vec<(usize, u32)>) {
    let (mut text, mut places) = (String::new(), Vec::new());
    for part in parts {
        if !text.is_empty() {
            text.push_str(separator);
        }
        places.push((text.len(), part.node));
        text.push_str(&part.text);
    }
    (text, places)
}

fn node_at(places: &[(usize, u32)], place: usize) -> u32 {
    let after = places.partition_point(|(start, _)| *start <= place);
    after.checked_sub(1).map_or(0, |before| places[before].1)
}

/// The roles of the columns of a table whose rows these are.
fn columns(layout: &Layout<'_>, rows: &[RecordRow]) -> Vec<Option<Role>> {
    let outline = layout.outline();
    let first = rows.first().and_then(|row| outline.node(*row.nodes.first()?));
    let table = first
        .filter(|row| row.tag() == "tr")
        .and_then(|row| row.ancestors().find(|around| around.tag() == "table"));
    let Some(head) = table.and_then(|table| table.descendants().find(|node| node.tag() == "tr")) else {
        return Vec::new();
    };
    head.child_elements()
        .map(|cell| role_of_label(&layout.text(cell.id())))
        .collect()
}
