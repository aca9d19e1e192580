//! Sitemaps and feeds in XML, by the local names of elements: namespaces are wrong too often to be
//! checked.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::{
    ChangeFrequency, MAX_LOCATION_LEN, Sitemap, SitemapEntry, SitemapKind, SitemapLimits, SitemapProblem,
};
use crate::dates;
use magpie_values::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Location,
    /// The URL, if nothing else names one.
    Identifier,
    Modified,
    /// Atom, RSS: when it appeared, if the time of its change is missing.
    Published,
    Frequency,
    Priority,
}

struct XmlReader<'l> {
    limits: &'l SitemapLimits,
    depth: usize,
    /// The entry being read and how deep it is.
    entry: Option<(SitemapEntry, usize)>,
    /// The field being read; its text so far.
    field: Option<Field>,
    text: String,
    identifier: Option<String>,
    published: Option<Timestamp>,
    entries_seen: usize,
}

pub(super) fn read(text: &str, limits: &SitemapLimits, sitemap: &mut Sitemap) {
    let mut xml = Reader::from_str(text);
    let config = xml.config_mut();
    // Files with wrong end tags and bare ampersands are common, and their entries are readable.
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut reader = XmlReader {
        limits,
        depth: 0,
        entry: None,
        field: None,
        text: String::new(),
        identifier: None,
        published: None,
        entries_seen: 0,
    };
    loop {
        let goes_on = match xml.read_event() {
            Ok(Event::Eof) => false,
            Ok(event) => reader.event(&event, sitemap),
            Err(error) => {
                sitemap.problem(SitemapProblem::BrokenXml {
                    at: xml.error_position(),
                    reason: error.to_string(),
                });
                false
            }
        };
        if !goes_on {
            break;
        }
    }
    // A URL that the file breaks off in is another URL.
    reader.field = None;
    reader.end_entry(sitemap);
    if sitemap.kind == SitemapKind::Unknown {
        sitemap.problem(SitemapProblem::NotASitemap(
            "its root element is not one of a sitemap or feed",
        ));
    }
}

impl XmlReader<'_> {
    /// Takes in one event. Returns `true` to continue.
    fn event(&mut self, event: &Event<'_>, sitemap: &mut Sitemap) -> bool {
        match event {
            Event::Start(start) => {
                self.depth += 1;
                return self.start(start, sitemap);
            }
            Event::Empty(start) => {
                self.depth += 1;
                let goes_on = self.start(start, sitemap);
                self.end(sitemap);
                return goes_on;
            }
            Event::End(_) => self.end(sitemap),
            Event::Text(text) => self.append(&String::from_utf8_lossy(text)),
            Event::CData(text) => self.append(&String::from_utf8_lossy(text)),
            Event::GeneralRef(reference) => self.reference(reference, sitemap),
            _ => {}
        }
        true
    }

    fn start(&mut self, start: &BytesStart<'_>, sitemap: &mut Sitemap) -> bool {
        let name = start.local_name();
        let name = name.as_ref();
        if sitemap.kind == SitemapKind::Unknown {
            sitemap.kind = kind_of(name);
            // HTML and everything else is not searched for what is not there.
            return sitemap.kind != SitemapKind::Unknown;
        }
        if is_entry(sitemap.kind, name) {
            // An entry that was not closed ends where the next one begins.
            self.end_entry(sitemap);
            if self.entries_seen >= self.limits.max_entries {
                sitemap.problem(SitemapProblem::TooManyEntries(self.limits.max_entries));
                return false;
            }
            self.entries_seen += 1;
            self.entry = Some((SitemapEntry::default(), self.depth));
            // Some generators forget the element inside.
            self.field = Some(Field::Identifier);
            self.text.clear();
            return true;
        }
        if let Some((entry, depth)) = &mut self.entry
            && self.depth == *depth + 1
        {
            if sitemap.kind == SitemapKind::Atom && name == b"link" {
                atom_link(start, entry);
                return true;
            }
            self.field = field_of(sitemap.kind, name);
            self.text.clear();
        }
        true
    }

    fn end(&mut self, sitemap: &mut Sitemap) {
        let depth = self.depth;
        self.depth = depth.saturating_sub(1);
        match &self.entry {
            Some((_, entry_depth)) if depth == entry_depth + 1 => self.end_field(sitemap),
            Some((_, entry_depth)) if depth <= *entry_depth => self.end_entry(sitemap),
            _ => {}
        }
    }

    fn append(&mut self, text: &str) {
        // One byte more than the limit shows that it is too long.
        if self.field.is_some() && self.text.len() <= MAX_LOCATION_LEN {
            let room = MAX_LOCATION_LEN + 1 - self.text.len().min(MAX_LOCATION_LEN);
            self.text.push_str(&text[..text.floor_char_boundary(room.max(4))]);
        }
    }

    fn reference(&mut self, reference: &BytesRef<'_>, sitemap: &mut Sitemap) {
        if self.field.is_none() {
            return;
        }
        if let Ok(Some(character)) = reference.resolve_char_ref() {
            return self.append(character.encode_utf8(&mut [0; 4]));
        }
        let name = String::from_utf8_lossy(reference);
        match resolve_xml_entity(&name) {
            Some(text) => self.append(text),
            None => {
                let name: String = name.chars().take(32).collect();
                sitemap.problem(SitemapProblem::Entity(name));
            }
        }
    }

    fn end_field(&mut self, sitemap: &mut Sitemap) {
        let number = self.entries_seen;
        let (Some(field), Some((entry, _))) = (self.field.take(), &mut self.entry) else {
            return;
        };
        let text = self.text.trim();
        if text.is_empty() {
            return;
        }
        match field {
            Field::Location if text.len() > MAX_LOCATION_LEN => {
                sitemap.problem(SitemapProblem::LongLocation(number));
            }
            Field::Location if entry.location.is_empty() => entry.location = text.to_owned(),
            Field::Identifier if text.len() <= MAX_LOCATION_LEN => self.identifier = Some(text.to_owned()),
            Field::Modified | Field::Published => match (dates::parse(text), field) {
                (Some(date), Field::Modified) => entry.last_modified = Some(date),
                (Some(date), _) => self.published = Some(date),
                (None, _) => sitemap.problem(SitemapProblem::BadDate {
                    entry: number,
                    written: text.chars().take(40).collect(),
                }),
            },
            Field::Frequency => entry.change_frequency = frequency_of(text),
            Field::Priority => {
                let priority = text.parse::<f32>().ok().filter(|priority| priority.is_finite());
                entry.priority = priority.map(|priority| priority.clamp(0.0, 1.0));
            }
            Field::Location | Field::Identifier => {}
        }
    }

    fn end_entry(&mut self, sitemap: &mut Sitemap) {
        self.end_field(sitemap);
        let identifier = self.identifier.take();
        let published = self.published.take();
        let Some((mut entry, _)) = self.entry.take() else {
            return;
        };
        entry.last_modified = entry.last_modified.or(published);
        if entry.location.is_empty() {
            let is_url = |text: &String| text.starts_with("http://") || text.starts_with("https://");
            entry.location = identifier.filter(is_url).unwrap_or_default();
        }
        match entry.location.is_empty() {
            true => sitemap.problem(SitemapProblem::NoLocation(self.entries_seen)),
            false => sitemap.entries.push(entry),
        }
    }
}

fn kind_of(root: &[u8]) -> SitemapKind {
    let kinds = [
        (&b"urlset"[..], SitemapKind::UrlSet),
        (b"sitemapindex", SitemapKind::Index),
        (b"rss", SitemapKind::Rss),
        (b"rdf", SitemapKind::Rss),
        (b"feed", SitemapKind::Atom),
    ];
    let found = kinds
        .into_iter()
        .find(|(name, _)| root.eq_ignore_ascii_case(name));
    found.map_or(SitemapKind::Unknown, |(_, kind)| kind)
}

fn is_entry(kind: SitemapKind, name: &[u8]) -> bool {
    let expected: &[u8] = match kind {
        SitemapKind::UrlSet => b"url",
        SitemapKind::Index => b"sitemap",
        SitemapKind::Rss => b"item",
        SitemapKind::Atom => b"entry",
        SitemapKind::JsonFeed | SitemapKind::Text | SitemapKind::Unknown => return false,
    };
    name.eq_ignore_ascii_case(expected)
}

fn field_of(kind: SitemapKind, name: &[u8]) -> Option<Field> {
    let is_list = matches!(kind, SitemapKind::UrlSet | SitemapKind::Index);
    match (is_list, name) {
        (true, b"loc") => Some(Field::Location),
        (true, b"lastmod") => Some(Field::Modified),
        (true, b"changefreq") => Some(Field::Frequency),
        (true, b"priority") => Some(Field::Priority),
        (false, b"link") => Some(Field::Location),
        (false, b"guid" | b"id") => Some(Field::Identifier),
        (false, b"updated" | b"modified") => Some(Field::Modified),
        (false, b"pubDate" | b"published" | b"issued" | b"date") => Some(Field::Published),
        _ => None,
    }
}

/// The link to the page of an entry, not to its comments, its parts or itself.
fn atom_link(start: &BytesStart<'_>, entry: &mut SitemapEntry) {
    let (mut href, mut is_page) = (None, true);
    for attribute in start.attributes().with_checks(false).flatten() {
        let value = String::from_utf8_lossy(&attribute.value);
        match attribute.key.local_name().as_ref() {
            b"href" => href = Some(unescape(&value)),
            b"rel" => is_page = value.trim().is_empty() || value.trim().eq_ignore_ascii_case("alternate"),
            _ => {}
        }
    }
    if let Some(href) = href
        && is_page
        && entry.location.is_empty()
        && href.len() <= MAX_LOCATION_LEN
    {
        entry.location = href.trim().to_owned();
    }
}

fn unescape(value: &str) -> String {
    quick_xml::escape::unescape(value)
        .unwrap_or(Cow::Borrowed(value))
        .into_owned()
}

fn frequency_of(text: &str) -> Option<ChangeFrequency> {
    use ChangeFrequency::{Always, Daily, Hourly, Monthly, Never, Weekly, Yearly};
    let names = [
        "always", "hourly", "daily", "weekly", "monthly", "yearly", "never",
    ];
    let values = [Always, Hourly, Daily, Weekly, Monthly, Yearly, Never];
    let found = names.iter().position(|name| text.eq_ignore_ascii_case(name));
    found.map(|at| values[at])
}
