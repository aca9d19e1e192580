//! Edits of a saved site between two visits: objects appear, change and disappear, in the same way
//! in every run.
//!
//! An object is known by the pages about it alone. On other pages, its row is the list item, table
//! row or article around a link to such a page, or else the largest element that links to no page
//! of another object. Rows are removed, edited or repeated like the pages themselves, in text and
//! in JSON-LD alike, and so are the entries of sitemaps and feeds.

use std::collections::HashMap;
use std::ops::Range;

use magpie_values::date::{Date, DateContext, find_all};
use serde_json::Value;

use super::mirror::FileNumber;

/// Elements that are a row of a list wherever they stand.
const ITEMS: [&str; 4] = ["li", "tr", "article", "dd"];

/// Elements around the contents of a page.
const WHOLE: [&str; 3] = ["html", "body", "main"];

/// Elements without an end tag.
const VOID: [&str; 10] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta",
];

/// Share of a page that is no row, but the page.
const MOST: usize = 3;

/// Replaces a value of an object.
#[derive(Clone, Debug)]
pub(crate) enum Swap {
    /// A name, by its words: what stands between them may be written as entities.
    Name { from: Vec<String>, to: String },
    /// The segment of a path.
    Segment { from: String, to: String },
    /// A number of the shop.
    Number { from: String, to: String },
    /// An amount of money, `1315000` or `25.99`, with any separators.
    Amount { from: String, to: String },
    /// A day, as text or figures. The new one is in the same month.
    Day { from: Date, to: Date },
}

impl Swap {
    /// The name that takes the place of another.
    pub(crate) fn new_name(&self) -> Option<&str> {
        match self {
            Swap::Name { to, .. } => Some(to),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Gone,
    Changed(Vec<Swap>),
    /// The object remains, and a copy with other values appears.
    Copied(Vec<Swap>),
}

/// The number of an object.
pub(crate) type Owner = usize;

/// Edits of a site, by the objects that pages are about.
#[derive(Default)]
pub(crate) struct Edits {
    /// The objects that pages are about, also those that stay as they are.
    pub(crate) owners: HashMap<FileNumber, Owner>,
    pub(crate) edits: HashMap<Owner, Edit>,
    /// The page on which rows that stand next to each other have the reverse order.
    pub(crate) reordered: Option<FileNumber>,
    /// The date that sitemaps state for what was edited.
    pub(crate) day: Option<Date>,
}

impl Edits {
    /// Edits a page; `own` is the object that it is about, `owner` that of the page that a link
    /// leads to.
    pub(crate) fn page(
        &self,
        html: &str,
        own: Option<Owner>,
        owner: &dyn Fn(&str) -> Option<Owner>,
    ) -> String {
        let rows = self.rows(html, own, owner);
        let swaps = match own.and_then(|own| self.edits.get(&own)) {
            Some(Edit::Changed(swaps)) => swaps.as_slice(),
            _ => &[],
        };
        self.joined(html, rows, swaps, &|value| self.edit_json(value, owner))
    }

    /// Reverses the order of rows that stand next to each other.
    pub(crate) fn reversed(&self, html: &str, owner: &dyn Fn(&str) -> Option<Owner>) -> String {
        let rows = self.rows(html, None, owner);
        let mut reversed = String::with_capacity(html.len());
        let mut done = 0;
        // A row may belong to the heading before it, and stays below that.
        for run in rows.chunk_by(|(one, _), (next, _)| html[one.end..next.start].trim().is_empty()) {
            for ((place, _), (row, _)) in run.iter().zip(run.iter().rev()) {
                reversed.push_str(&html[done..place.start]);
                reversed.push_str(&html[row.clone()]);
                done = place.end;
            }
        }
        reversed + &html[done..]
    }

    /// Makes the page of a copy.
    pub(crate) fn copy(&self, html: &str, own: Owner, owner: &dyn Fn(&str) -> Option<Owner>) -> String {
        let rows = self.rows(html, Some(own), owner);
        let swaps = match self.edits.get(&own) {
            Some(Edit::Copied(swaps)) => swaps.as_slice(),
            _ => &[],
        };
        self.joined(html, rows, swaps, &|_| {})
    }

    /// Edits an entry of a sitemap or feed.
    pub(crate) fn entry(&self, entry: &str, owner: Option<Owner>) -> String {
        match owner.and_then(|owner| self.edits.get(&owner)) {
            None => entry.to_owned(),
            Some(Edit::Gone) => String::new(),
            Some(Edit::Changed(swaps)) => self.dated(swapped(entry, swaps)),
            Some(Edit::Copied(swaps)) => entry.to_owned() + &self.dated(swapped(entry, swaps)),
        }
    }

    /// Sets the date of a sitemap entry to the day of the edit, as servers do for changed pages.
    fn dated(&self, entry: String) -> String {
        const DATE: &str = "<lastmod>";
        let date = entry.split_once(DATE).zip(self.day);
        let dated = date.and_then(|((before, rest), day)| {
            let after = &rest[rest.find('<')?..];
            Some(format!("{before}{DATE}{day}{after}"))
        });
        dated.unwrap_or(entry)
    }

    /// Joins a page from its rows, edited, and the rest with its own swaps.
    fn joined(
        &self,
        html: &str,
        rows: Vec<(Range<usize>, Owner)>,
        swaps: &[Swap],
        edit: &dyn Fn(&mut Value),
    ) -> String {
        let mut joined = String::with_capacity(html.len());
        let mut done = 0;
        for (range, owner) in rows {
            joined.push_str(&with_data(&html[done..range.start], swaps, edit));
            joined.push_str(&self.entry(&html[range.clone()], Some(owner)));
            done = range.end;
        }
        joined + &with_data(&html[done..], swaps, edit)
    }

    /// Returns the rows of other objects, in order and without overlap.
    fn rows(
        &self,
        html: &str,
        own: Option<Owner>,
        owner: &dyn Fn(&str) -> Option<Owner>,
    ) -> Vec<(Range<usize>, Owner)> {
        let elements = elements(html, &|href| owner(href).filter(|owner| Some(*owner) != own));
        let links = elements.iter().enumerate().filter(|(_, element)| element.is_link);
        let rows = links.filter_map(|(at, element)| match element.about {
            About::One(owner) => Some((row(html, &elements, at), owner)),
            _ => None,
        });
        let mut rows: Vec<(Range<usize>, Owner)> = rows.collect();
        rows.sort_by_key(|(range, _)| (range.start, usize::MAX - range.end));
        let mut done = 0;
        rows.retain(|(range, _)| {
            let is_outside = range.start >= done;
            done = done.max(range.end);
            is_outside
        });
        rows
    }

    /// Edits the entities of other objects in lists of structured data.
    fn edit_json(&self, value: &mut Value, owner: &dyn Fn(&str) -> Option<Owner>) {
        match value {
            Value::Object(map) => map.values_mut().for_each(|value| self.edit_json(value, owner)),
            Value::Array(all) => {
                let mut edited = Vec::with_capacity(all.len());
                for mut value in all.drain(..) {
                    let about = addresses(&value).find_map(owner);
                    match about.and_then(|owner| self.edits.get(&owner)) {
                        Some(Edit::Gone) => {}
                        Some(Edit::Changed(swaps)) => {
                            swap_json(&mut value, swaps);
                            edited.push(value);
                        }
                        Some(Edit::Copied(swaps)) => {
                            let mut copy = value.clone();
                            swap_json(&mut copy, swaps);
                            edited.extend([value, copy]);
                        }
                        None => {
                            self.edit_json(&mut value, owner);
                            edited.push(value);
                        }
                    }
                }
                *all = edited;
            }
            _ => {}
        }
    }
}

/// The addresses by which an entity of a list names its page.
fn addresses(value: &Value) -> impl Iterator<Item = &str> {
    let item = &value["item"];
    [&value["url"], &value["@id"], item, &item["url"], &item["@id"]]
        .into_iter()
        .filter_map(Value::as_str)
}

/// The objects of other pages that an element links to.
#[derive(Clone, Copy, PartialEq)]
enum About {
    None,
    One(Owner),
    Several,
}

struct Element<'a> {
    tag: &'a str,
    range: Range<usize>,
    parent: Option<usize>,
    about: About,
    is_link: bool,
}

/// Returns the element that is a row around a link.
fn row(html: &str, elements: &[Element<'_>], link: usize) -> Range<usize> {
    let (mut at, mut item) = (link, None);
    while let Some(parent) = elements[at].parent {
        let (around, inside) = (&elements[parent], &elements[link]);
        if around.about != inside.about || WHOLE.contains(&around.tag) {
            break;
        }
        at = parent;
        if ITEMS.contains(&elements[at].tag) {
            item = Some(at);
        }
    }
    let range = elements[item.unwrap_or(at)].range.clone();
    if range.len() * MOST > html.len() {
        return elements[link].range.clone();
    }
    range
}

/// Returns the elements of a page with their places in the text, as well as end tags tell them.
fn elements<'a>(html: &'a str, owner: &dyn Fn(&str) -> Option<Owner>) -> Vec<Element<'a>> {
    let mut elements: Vec<Element<'a>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(start) = html[at..].find('<').map(|found| at + found) {
        let rest = &html[start..];
        if rest.starts_with("<!--") {
            at = rest.find("-->").map_or(html.len(), |end| start + end + 3);
            continue;
        }
        let is_end = rest.starts_with("</");
        let name = &rest[if is_end { 2 } else { 1 }..];
        let length = name
            .find(|character: char| !character.is_ascii_alphanumeric())
            .unwrap_or(name.len());
        let tag = &name[..length];
        let end = start + end_of_tag(rest);
        at = end;
        if tag.is_empty() {
            at = start + 1;
        } else if is_end {
            if let Some(depth) = open
                .iter()
                .rposition(|open| elements[*open].tag.eq_ignore_ascii_case(tag))
            {
                for inner in open.drain(depth..).rev() {
                    let is_itself = elements[inner].tag.eq_ignore_ascii_case(tag);
                    elements[inner].range.end = if is_itself { end } else { start };
                }
            }
        } else {
            let about = match tag {
                "a" | "A" => href(&html[start..end]).and_then(|href| owner(&href)),
                _ => None,
            };
            if let Some(about) = about {
                for around in &open {
                    let known = &mut elements[*around].about;
                    *known = match *known {
                        About::None => About::One(about),
                        About::One(one) if one == about => About::One(one),
                        _ => About::Several,
                    };
                }
            }
            elements.push(Element {
                tag,
                range: start..html.len(),
                parent: open.last().copied(),
                about: about.map_or(About::None, About::One),
                is_link: about.is_some(),
            });
            let is_void = VOID.iter().any(|void| void.eq_ignore_ascii_case(tag));
            let is_raw = ["script", "style"]
                .iter()
                .any(|raw| raw.eq_ignore_ascii_case(tag));
            if is_void || is_raw || html[start..end].ends_with("/>") {
                let close = format!("</{tag}");
                let length = if is_raw {
                    html[end..].find(&close).unwrap_or(0)
                } else {
                    0
                };
                at = end + length;
                if let Some(element) = elements.last_mut() {
                    element.range.end = at;
                }
            } else {
                open.push(elements.len() - 1);
            }
        }
    }
    elements
}

/// Returns the length of a tag. A quoted value may have a `>`.
fn end_of_tag(rest: &str) -> usize {
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    rest.len()
}

fn href(tag: &str) -> Option<String> {
    let value = tag.split_once(" href=")?.1;
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split([' ', '>', '\t', '\n']).next()?,
    };
    Some(value.replace("&amp;", "&"))
}

/// Swaps values in text, and in JSON-LD as JSON, which is edited besides.
fn with_data(html: &str, swaps: &[Swap], edit: &dyn Fn(&mut Value)) -> String {
    const KIND: &str = "application/ld+json";
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(kind) = rest.find(KIND) {
        let Some(start) = rest[kind..].find('>').map(|end| kind + end + 1) else {
            break;
        };
        let end = rest[start..]
            .find("</script")
            .map_or(rest.len(), |end| start + end);
        out.push_str(&swapped(&rest[..start], swaps));
        let data = &rest[start..end];
        match serde_json::from_str::<Value>(data.trim()) {
            Ok(mut value) => {
                swap_json(&mut value, swaps);
                edit(&mut value);
                out.push_str(&value.to_string());
            }
            Err(_) => out.push_str(&swapped(data, swaps)),
        }
        rest = &rest[end..];
    }
    out + &swapped(rest, swaps)
}

fn swap_json(value: &mut Value, swaps: &[Swap]) {
    match value {
        Value::String(text) => *text = swapped(text, swaps),
        Value::Number(number) => {
            if let Ok(edited) = serde_json::from_str(&swapped(&number.to_string(), swaps)) {
                *number = edited;
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|value| swap_json(value, swaps)),
        Value::Object(map) => map.values_mut().for_each(|value| swap_json(value, swaps)),
        _ => {}
    }
}

/// Swaps values in a text.
pub(crate) fn swapped(text: &str, swaps: &[Swap]) -> String {
    let mut text = text.to_owned();
    for swap in swaps {
        let places = match swap {
            Swap::Name { from, .. } => names(&text, from),
            Swap::Segment { from, .. } => segments(&text, from),
            Swap::Number { from, .. } => numbers(&text, from),
            Swap::Amount { from, .. } => amounts(&text, from),
            Swap::Day { from, .. } => days(&text, *from),
        };
        let to = |written: &str| match swap {
            Swap::Name { to, .. } | Swap::Segment { to, .. } | Swap::Number { to, .. } => to.clone(),
            Swap::Amount { to, .. } => {
                let first = to.chars().next().unwrap_or_default();
                let rest = written.chars().skip(1);
                std::iter::once(first).chain(rest).collect()
            }
            Swap::Day { to, .. } => format!("{:0width$}", to.day(), width = written.len()),
        };
        let mut edited = String::with_capacity(text.len());
        let mut done = 0;
        for place in places {
            edited.push_str(&text[done..place.start]);
            edited.push_str(&to(&text[place.clone()]));
            done = place.end;
        }
        text = edited + &text[done..];
    }
    text
}

/// Returns the places of a name: its words with at most signs and entities between them.
fn names(text: &str, words: &[String]) -> Vec<Range<usize>> {
    let Some((first, rest)) = words.split_first() else {
        return Vec::new();
    };
    let mut places: Vec<Range<usize>> = Vec::new();
    for (start, _) in text.match_indices(first.as_str()) {
        let mut end = start + first.len();
        let follows = rest.iter().all(|word| {
            let gap = gap(&text[end..]);
            let is_next = gap > 0 && text[end + gap..].starts_with(word.as_str());
            end += gap + word.len();
            is_next
        });
        let is_whole = !text[..start].ends_with(char::is_alphanumeric);
        let after = text.get(end..).unwrap_or_default();
        let is_new = places.last().is_none_or(|last| last.end <= start);
        if follows && is_whole && is_new && !after.starts_with(char::is_alphanumeric) {
            places.push(start..end);
        }
    }
    places
}

/// Returns the length of the signs and entities that a text begins with.
fn gap(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        let entity = rest
            .strip_prefix('&')
            .and_then(|entity| entity.split_once(';'))
            .map(|(name, _)| name.len() + 2)
            .filter(|length| *length < 10);
        let next = rest.chars().next();
        let sign = next.filter(|next| !next.is_alphanumeric() && !['<', '>', '"'].contains(next));
        match entity.or(sign.map(char::len_utf8)) {
            Some(more) => length += more,
            None => return length,
        }
    }
}

/// Returns the places of the segment of a path.
fn segments(text: &str, segment: &str) -> Vec<Range<usize>> {
    let is_segment = |start: usize| {
        let after = text[start + segment.len()..].chars().next();
        text[..start].ends_with('/')
            && !text[..start].ends_with("</")
            && after.is_none_or(|after| "/.?#\"' <>&\\\n".contains(after))
    };
    let places = text.match_indices(segment).map(|(start, _)| start);
    places
        .filter(|start| is_segment(*start))
        .map(|start| start..start + segment.len())
        .collect()
}

/// Returns the places of a number that is not part of a longer one.
fn numbers(text: &str, number: &str) -> Vec<Range<usize>> {
    let is_alone = |start: usize| {
        let part = |character: char| character.is_alphanumeric();
        !text[..start].ends_with(part) && !text[start + number.len()..].starts_with(part)
    };
    let places = text.match_indices(number).map(|(start, _)| start);
    places
        .filter(|start| is_alone(*start))
        .map(|start| start..start + number.len())
        .collect()
}

/// Returns the places of an amount, however its digits are grouped.
fn amounts(text: &str, amount: &str) -> Vec<Range<usize>> {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let is_whole = !amount.contains('.');
    let mut wanted = digits(amount);
    // Normal forms have no zero at the end, and pages have two digits of cents.
    if amount.split_once('.').is_some_and(|(_, cents)| cents.len() == 1) {
        wanted.push('0');
    }
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..]
        .find(|one: char| one.is_ascii_digit())
        .map(|found| at + found)
    {
        let length = text[start..]
            .find(|one: char| !one.is_ascii_digit() && !['.', ',', '\'', '\u{a0}'].contains(&one))
            .unwrap_or(text.len() - start);
        let written = text[start..start + length].trim_end_matches(|one: char| !one.is_ascii_digit());
        at = start + length;
        let has_cents = written.len() > 3
            && ['.', ',']
                .iter()
                .any(|sign| written[..written.len() - 2].ends_with(*sign));
        let found = digits(written);
        let is_same = match (is_whole, has_cents) {
            (true, true) => found.strip_suffix("00") == Some(wanted.as_str()),
            (true, false) | (false, true) => found == wanted,
            (false, false) => false,
        };
        if is_same && !text[..start].ends_with(|one: char| one.is_alphanumeric() || one == '-' || one == '/')
        {
            places.push(start..start + written.len());
        }
    }
    places
}

/// Returns the places of the figures of a day in the dates of a text.
fn days(text: &str, day: Date) -> Vec<Range<usize>> {
    let context = DateContext {
        today: Some(day),
        ..DateContext::default()
    };
    let dates = find_all(text, &context).into_iter();
    let own = dates.filter(|found| found.value.start().is_some_and(|start| start.date() == day));
    own.filter_map(|found| {
        day_in(&text[found.start..found.end], day)
            .map(|place| found.start + place.start..found.start + place.end)
    })
    .collect()
}

/// Returns the place of the day in a date: the last of the figures before a time if the year or the
/// month stands first, else the first that is the day.
fn day_in(date: &str, day: Date) -> Option<Range<usize>> {
    let mut figures: Vec<Range<usize>> = Vec::new();
    for (at, _) in date.char_indices().filter(|(_, one)| one.is_ascii_digit()) {
        match figures.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => figures.push(at..at + 1),
        }
    }
    let number = |range: &Range<usize>| date[range.clone()].parse::<u32>().ok();
    let is_day = |range: &&Range<usize>| range.len() <= 2 && number(range) == Some(u32::from(day.day()));
    let begins_with_year = figures.first().is_some_and(|first| first.len() == 4);
    match begins_with_year {
        true => figures.get(2).filter(is_day).cloned(),
        false => figures.iter().find(is_day).cloned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages `/a`, `/b` and `/c` are about objects 1, 2 and 3.
    fn owner(href: &str) -> Option<Owner> {
        match href.split('#').next()? {
            "/a" => Some(1),
            "/b" => Some(2),
            "/c" => Some(3),
            _ => None,
        }
    }

    fn edits(edits: impl IntoIterator<Item = (Owner, Edit)>) -> Edits {
        Edits {
            edits: edits.into_iter().collect(),
            ..Edits::default()
        }
    }

    fn day(day: u8) -> Date {
        Date::new(2025, 3, day).unwrap()
    }

    fn copy() -> Vec<Swap> {
        vec![
            Swap::Name {
                from: vec!["Doll".to_owned(), "s".to_owned(), "House".to_owned()],
                to: "Dream House".to_owned(),
            },
            Swap::Segment {
                from: "a".to_owned(),
                to: "a-reprise".to_owned(),
            },
            Swap::Amount {
                from: "25.99".to_owned(),
                to: "35.99".to_owned(),
            },
        ]
    }

    #[test]
    fn rows_go_and_are_repeated_with_other_values() {
        let row = "<li><a href=\"/a\"><img src=a.png></a><h2><a href='/a#x'>Doll&#8217;s House</a></h2> 25,99 &euro;<br></li>";
        let new = "<li><a href=\"/a-reprise\"><img src=a.png></a><h2><a href='/a-reprise#x'>Dream House</a></h2> 35,99 &euro;<br></li>";
        let others = "<li><a href=/b>Hat</a> 25,99</li>";
        let card = "<div class=card><a href=\"/c\">Coat</a><p>9.50</p></div>";
        // A row is a small part of its page.
        let rest = "x".repeat(1_000);
        let page =
            |rows: &str, card: &str| format!("<body><h1>All</h1><ul>{rows}</ul>{card}<p>{rest}</body>");
        let list = page(&format!("{row}{others}"), card);
        let edits = edits([(1, Edit::Copied(copy())), (2, Edit::Gone), (3, Edit::Gone)]);
        let edited = edits.page(&list, None, &owner);
        assert_eq!(edited, page(&format!("{row}{new}"), ""));
    }

    #[test]
    fn rows_are_reversed_below_their_headings() {
        let row = |name: &str| format!("<li><a href=/{name}>{name}</a></li>");
        let [a, b, c] = ["a", "b", "c"].map(row);
        let rest = "x".repeat(1_000);
        let page = |rows: String| format!("<body><ul>{rows}</ul><p>{rest}</body>");
        let reversed = |rows: String| edits([]).reversed(&page(rows), &owner);
        assert_eq!(reversed(format!("{a}\n{b}\n{c}")), page(format!("{c}\n{b}\n{a}")));
        assert_eq!(
            reversed(format!("{a}{b}<li>Tuesday</li>{c}")),
            page(format!("{b}{a}<li>Tuesday</li>{c}"))
        );
    }

    #[test]
    fn an_own_page_changes_but_for_the_rows_of_others() {
        let page = "<h1>Hat</h1><b>1.315.000</b> <time datetime=\"2025-03-08T10:00\">Saturday, 8 March 2025</time>\
            <script type=\"application/ld+json\">{\"name\": \"Hat\", \"offers\": {\"price\": 1315000}}</script>\
            <ul><li><a href=/a>House</a> 1.315.000, 8 March 2025</li><li><a href=/c>Coat</a></li></ul>";
        let swaps = vec![
            Swap::Amount {
                from: "1315000".to_owned(),
                to: "2315000".to_owned(),
            },
            Swap::Day {
                from: day(8),
                to: day(15),
            },
        ];
        let edited = edits([(2, Edit::Changed(swaps))]).page(page, Some(2), &owner);
        assert_eq!(
            edited,
            "<h1>Hat</h1><b>2.315.000</b> <time datetime=\"2025-03-15T10:00\">Saturday, 15 March 2025</time>\
            <script type=\"application/ld+json\">{\"name\":\"Hat\",\"offers\":{\"price\":2315000}}</script>\
            <ul><li><a href=/a>House</a> 1.315.000, 8 March 2025</li><li><a href=/c>Coat</a></li></ul>"
        );
    }

    #[test]
    fn lists_of_structured_data_are_edited_alike() {
        let list = r#"<script type="application/ld+json">{"itemListElement": [
            {"item": {"url": "/a", "name": "Doll's House", "price": "25.99"}}, {"url": "/b"}, {"url": "/c"}]}</script>"#;
        let edited = edits([(1, Edit::Copied(copy())), (2, Edit::Gone)]).page(list, None, &owner);
        let data = edited.split_once('>').unwrap().1.split('<').next().unwrap();
        let value: Value = serde_json::from_str(data).unwrap();
        let expected = serde_json::json!({"itemListElement": [
            {"item": {"url": "/a", "name": "Doll's House", "price": "25.99"}},
            {"item": {"url": "/a-reprise", "name": "Dream House", "price": "35.99"}},
            {"url": "/c"},
        ]});
        assert_eq!(value, expected);
    }

    #[test]
    fn amounts_are_found_in_any_grouping_and_in_no_other_number() {
        let places = |text: &str, amount: &str| amounts(text, amount).len();
        assert_eq!(places("1,315,000.00 and 1 315 000", "1315000"), 1);
        assert_eq!(places("25,99 or 25.99 or 2599", "25.99"), 2);
        assert_eq!(places("25,90 or 25.09", "25.9"), 1);
        assert_eq!(places("125.99, x25.99, 25.990, -25.99", "25.99"), 0);
    }

    #[test]
    fn days_are_found_in_dates_alone() {
        let swap = [Swap::Day {
            from: day(18),
            to: day(25),
        }];
        let text = "March 18, 2025 at 18:00; 18.03.2025; 18 friends; 19 March 2025";
        let edited = "March 25, 2025 at 18:00; 25.03.2025; 18 friends; 19 March 2025";
        assert_eq!(swapped(text, &swap), edited);
    }
}
