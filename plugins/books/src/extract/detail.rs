//! Reads the visible content of a page about one book.

use std::collections::BTreeSet;

use magpie_sdk::date;
use magpie_sdk::extract::{Block, Layout, Pairs, RecordGroup, is_navigation, plain_name};
use magpie_sdk::identifier::{self, Scheme};
use magpie_sdk::{
    DateTime, Image, Isbn, Language, Money, Organisation, OutlineNode, Rating, language, text, title,
};

use super::parts::{Places, SAME_TITLE, fill};
use super::{imprint, people};
use crate::labels;
use crate::names;
use crate::words::SUBTITLE_CLASSES;
use crate::{Book, shelf, work};

/// Minimum evidence of a page about one book; see [`weigh`].
const ENOUGH: u32 = 3;

/// Maximum number of different ISBNs on a page about one book: its own, and those of other
/// bindings.
const MAX_NUMBERS: usize = 4;

/// Maximum length of a labelled value, in bytes. Longer values are descriptions.
const MAX_VALUE: usize = 200;

/// Maximum number of pages of a book. A larger number is something else.
const MAX_PAGES: u32 = 20_000;

/// Book that the visible content of a page describes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Single {
    pub(crate) book: Book,
    pub(crate) title_node: u32,
    places: Places,
    evidence: u32,
    /// Words of the heading and of the first part of the title. The other parts are usually the
    /// name of the site.
    shown: Vec<String>,
}

impl Single {
    /// Returns true if the evidence suffices for a page about one book.
    pub(crate) fn is_sure(&self) -> bool {
        self.evidence >= ENOUGH
    }

    /// Returns the evidence that the page is about one book.
    pub(crate) fn evidence(&self) -> u32 {
        self.evidence
    }

    /// Returns true if the heading or title contains most words of a name.
    pub(crate) fn is_shown(&self, name: &str) -> bool {
        let words = text::tokens(name);
        let shared = words.iter().filter(|word| self.shown.contains(word)).count();
        2 * shared > words.len()
    }

    /// Fills the missing attributes of a book and returns the places from which they were read.
    pub(crate) fn complete(&self, book: &mut Book) -> Places {
        let taken = fill(book, &self.book);
        self.places
            .iter()
            .filter(|(name, _)| taken.contains(name))
            .copied()
            .collect()
    }
}

/// Reads the book that the heading names. Returns `None` if the page has no heading.
pub(crate) fn book(layout: &Layout<'_>, groups: &[RecordGroup]) -> Option<Single> {
    let block = layout.main_block(groups)?;
    let pairs = layout.pairs();
    let mut reader = Reader {
        block: &block,
        pairs: &pairs,
        book: Book::default(),
        places: Vec::new(),
    };
    let name = name(&block);
    let imprint = imprint::find(&block);
    reader.book.subtitle = name.subtitle;
    reader.book.format = name.format;
    reader.book.edition = name.edition;
    reader.read();
    if let Some(imprint) = &imprint {
        reader.take(imprint);
    }
    let Reader { mut book, places, .. } = reader;
    book.title = names::without_author(&name.title, &book.authors);
    let title = layout.page().title().unwrap_or_default();
    let title = title
        .split(
            [" | ", " - ", " – ", " — ", " :: ", " · "]
                .iter()
                .find(|mark| title.contains(**mark))
                .unwrap_or(&"|"),
        )
        .next();
    let shown = text::tokens(&format!("{} {}", title.unwrap_or_default(), block.heading().text));
    let evidence = weigh(&block, &pairs, &book, imprint.is_some());
    Some(Single {
        book,
        title_node: block.heading().node,
        places,
        evidence,
        shown,
    })
}

/// Returns the evidence for a page about one book. A labelled ISBN is enough, as nothing else has
/// one. Without it, several other signs are needed.
fn weigh(block: &Block<'_, '_>, pairs: &Pairs, book: &Book, has_imprint: bool) -> u32 {
    if numbers(block).len() > MAX_NUMBERS {
        return 0;
    }
    let labelled = block
        .labelled(pairs, labels::ISBN)
        .is_some_and(|pair| number_in(&pair.value).is_some());
    let number = match (&book.isbn, labelled) {
        (Some(_), true) => 3,
        (Some(_), false) => 2,
        (None, _) => 0,
    };
    let own = shelf::signs(block.layout()).min(2) as u32 + u32::from(shelf::is_of_a_book(block.layout()));
    let kind = [
        "product type",
        "type",
        "category",
        "kategorie",
        "product group",
        "genre type",
    ];
    let typed = block
        .labelled(pairs, &kind)
        .is_some_and(|pair| shelf::has_word(&pair.value));
    let offered = book.price.is_some() && (block.is_for_sale() || block.availability().is_some());
    // Sites that offer texts instead of goods show little but the cover. Any page may have a
    // picture, so the page must also name books in two places.
    let counted = book.edition.is_some() || work::edition_number(&book.title).is_some();
    let shown = own >= 2 && (counted || has_cover(block));
    let signs = [
        shown,
        has_imprint,
        !book.authors.is_empty(),
        book.publisher.is_some(),
        book.format.is_some(),
        block.labelled(pairs, labels::PAGES).is_some(),
        typed,
        offered,
    ];
    number + own + signs.iter().filter(|sign| **sign).count() as u32
}

/// Reads the title in the heading. A subtitle is in an element with such a class, in the heading or
/// directly below it.
pub(super) fn name(block: &Block<'_, '_>) -> names::Heading {
    /// Maximum number of lines between the heading and a subtitle below it.
    const REACH: usize = 2;
    let heading = block.heading();
    let range = block
        .layout()
        .outline()
        .node(heading.node)
        .map(OutlineNode::range);
    let range = range.unwrap_or_default();
    let is_below = |node: u32| {
        let own = block.layout().outline().node(node).map(OutlineNode::range);
        let own = own.filter(|own| own.start >= range.end).unwrap_or_default();
        let mut near = block.lines().filter(|(distance, _)| *distance <= REACH);
        near.any(|(_, line)| own.contains(&line.first_node()))
    };
    for subtitle in block.named(SUBTITLE_CLASSES) {
        let is_inside = range.contains(&subtitle.node);
        if !is_inside && !is_below(subtitle.node) {
            continue;
        }
        // Some shops put the binding there: `(Mass Market Paperback)`.
        let bracket = subtitle
            .text
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'));
        if let Some(binding) = bracket.filter(|bracket| work::medium(bracket).is_some()) {
            let title = heading.text.strip_suffix(subtitle.text.as_str());
            let name = names::heading(title.unwrap_or(&heading.text));
            return names::Heading {
                format: name.format.or_else(|| Some(binding.to_owned())),
                ..name
            };
        }
        if is_inside {
            return names::heading_with_subtitle(&heading.text, &subtitle.text);
        }
        return names::Heading {
            subtitle: Some(subtitle.text),
            ..names::heading(&heading.text)
        };
    }
    names::heading(&plain_name(&heading.text))
}

/// Returns the first number of a text such as `xii, 352 Seiten`.
pub(super) fn page_count(written: &str) -> Option<u32> {
    let mut figures = written.split(|one: char| !one.is_ascii_digit());
    let first = figures.find(|part| !part.is_empty())?;
    first.parse().ok().filter(|pages| (1..=MAX_PAGES).contains(pages))
}

/// Returns true if the `alt` text of the picture is the title.
fn has_cover(block: &Block<'_, '_>) -> bool {
    let described = |node: u32| block.layout().element(node).attr("alt");
    let picture = block.picture().and_then(|picture| described(picture.node));
    picture.is_some_and(|picture| title::similarity(&picture, &block.heading().text) >= SAME_TITLE)
}

struct Reader<'b, 'l, 'p> {
    block: &'b Block<'l, 'p>,
    pairs: &'b Pairs,
    book: Book,
    places: Places,
}

impl Reader<'_, '_, '_> {
    fn read(&mut self) {
        self.isbn();
        self.authors();
        self.imprint();
        if let Some((value, node)) = self.labelled(labels::EDITION) {
            self.book.edition = Some(value);
            self.places.push(("edition", node));
        }
        if let Some((value, node)) = self
            .labelled(labels::FORMAT)
            .filter(|(value, _)| value.len() <= 60)
        {
            self.book.format = Some(value);
            self.places.push(("format", node));
        }
        if let Some((pages, node)) = self
            .labelled(labels::PAGES)
            .and_then(|(value, node)| Some((page_count(&value)?, node)))
        {
            self.book.pages = Some(pages);
            self.places.push(("pages", node));
        }
        if let Some((value, node)) = self
            .labelled(labels::LANGUAGE)
            .filter(|(value, _)| language::normalise(value).is_ok())
        {
            self.book.language = Some(Language::from(value));
            self.places.push(("language", node));
        }
        self.offer();
    }

    /// Fills attributes that have no label on the page from an imprint.
    fn take(&mut self, imprint: &imprint::Imprint) {
        let node = imprint.node;
        macro_rules! take {
            ($($field:ident: $kind:ty),*) => {$(
                if let (None, Some(value)) = (&self.book.$field, imprint.$field.clone()) {
                    self.book.$field = Some(<$kind>::from(value));
                    self.places.push((stringify!($field), node));
                }
            )*};
        }
        take!(publisher: Organisation, published: DateTime, format: String, pages: u32, language: Language);
    }

    fn isbn(&mut self) {
        // An `EAN` may be another number, so each label is tried until one has a valid ISBN.
        let labelled = labels::ISBN.iter().find_map(|label| {
            let pair = self.block.labelled(self.pairs, &[label])?;
            Some((number_in(&pair.value)?, pair.node))
        });
        let found = labelled.or_else(|| {
            numbers(self.block)
                .into_iter()
                .next()
                .map(|(_, number, node)| (number, node))
        });
        let in_address = || number_in_address(self.block.layout().page().url()).map(|number| (number, 0));
        if let Some((number, node)) = found.or_else(in_address) {
            self.book.isbn = Some(Isbn::from(number));
            self.places.push(("isbn", node));
        }
    }

    fn authors(&mut self) {
        let labelled = self.labelled(labels::AUTHOR);
        let found = labelled
            .map(|(value, node)| (names::authors(&value), node))
            .filter(|(authors, _)| !authors.is_empty())
            .or_else(|| people::classed(self.block))
            .or_else(|| people::byline(self.block))
            .or_else(|| people::titled(self.block));
        if let Some((authors, node)) = found {
            self.places.extend(authors.iter().map(|_| ("authors", node)));
            self.book.authors = authors;
        }
    }

    /// Reads publisher and date, which some pages write as one value: `Bantam (March 2009)`.
    fn imprint(&mut self) {
        let context = self.block.layout().page().date_context();
        if let Some((value, node)) = self.labelled(labels::PUBLISHER) {
            let name = publisher_name(&value);
            if !name.is_empty() && !is_navigation(&name) {
                self.book.publisher = Some(Organisation::from(name));
                self.places.push(("publisher", node));
            }
            let found = date::find_all(&value, &context)
                .first()
                .map(|found| value[found.start..found.end].to_owned());
            if let Some(date) = found.or_else(|| year_behind(&value).map(|(_, year)| year.to_owned())) {
                self.book.published = Some(DateTime::from(date));
                self.places.push(("published", node));
            }
        }
        let dated = labels::PUBLISHED
            .iter()
            .filter_map(|label| self.block.labelled(self.pairs, &[label]));
        let read = |value: &str| {
            let whole = date::parse(value, &context).is_some();
            let part = || {
                date::find_all(value, &context)
                    .first()
                    .map(|found| value[found.start..found.end].to_owned())
            };
            if whole { Some(value.to_owned()) } else { part() }
        };
        if let Some((value, node)) = dated
            .filter(|pair| pair.value.len() <= MAX_VALUE)
            .find_map(|pair| Some((read(&pair.value)?, pair.node)))
        {
            self.book.published = Some(DateTime::from(value));
            // The date in the publisher's value gives way to one with a label of its own.
            self.places.retain(|(name, _)| *name != "published");
            self.places.push(("published", node));
        }
    }

    fn offer(&mut self) {
        if let Some(price) = self.block.price() {
            self.book.price = Some(Money::from(price.text));
            self.places.push(("price", price.node));
        }
        if let Some(stars) = self.block.rating(self.pairs) {
            self.book.rating = Some(Rating::from(stars.text));
            self.places.push(("rating", stars.node));
        }
        if let Some(picture) = self.block.picture() {
            self.book.image = Some(Image::from(picture.text));
            self.places.push(("image", picture.node));
        }
    }

    fn labelled(&self, labels: &[&str]) -> Option<(String, u32)> {
        let pair = self
            .block
            .labelled(self.pairs, labels)
            .filter(|pair| pair.value.len() <= MAX_VALUE)?;
        Some((pair.value.trim_start_matches([':', ' ']).to_owned(), pair.node))
    }
}

/// Returns the ISBN in a value with an ISBN label.
pub(super) fn number_in(value: &str) -> Option<String> {
    let is_number = |text: &str| identifier::normalise(Scheme::Isbn, text).is_ok();
    if is_number(value) {
        return Some(value.trim().to_owned());
    }
    // `find_all` takes ten digits for an ISBN only behind the label, which the value does not
    // repeat.
    let written = format!("ISBN {}", text::truncate(value, MAX_VALUE));
    let found = identifier::find_all(&written)
        .into_iter()
        .find(|found| found.scheme == Scheme::Isbn);
    found.map(|found| found.value)
}

/// Returns the different ISBNs of a block, the nearest to its heading first.
pub(super) fn numbers(block: &Block<'_, '_>) -> Vec<(usize, String, u32)> {
    let mut known = BTreeSet::new();
    let mut numbers = Vec::new();
    for (distance, line) in block
        .lines()
        .filter(|(_, line)| line.text.contains(|one: char| one.is_ascii_digit()))
    {
        for found in identifier::find_all(&line.text) {
            if found.scheme == Scheme::Isbn && known.insert(found.value.clone()) {
                numbers.push((distance, found.value, line.node_at(found.start)));
            }
        }
    }
    numbers.sort();
    numbers
}

/// Returns an ISBN with 13 digits from the path of a URL.
fn number_in_address(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    // Ten digits may be a shop's own number, whose check digit is right by chance.
    let mut parts = path.split(['/', '-', '_', '.']).filter(|part| part.len() == 13);
    parts
        .find(|part| identifier::normalise(Scheme::Isbn, part).is_ok())
        .map(str::to_owned)
}

/// Returns the name in the value of a publisher label: `Bantam` in `Bantam; 2nd edition (March
/// 2009)`.
fn publisher_name(value: &str) -> String {
    let end = value.find([';', '[', '|']).unwrap_or(value.len());
    // `(NY)` belongs to a name; brackets with digits contain a date.
    let dated = value
        .find('(')
        .filter(|place| value[*place..].contains(|one: char| one.is_ascii_digit()));
    let end = end.min(dated.unwrap_or(end));
    let name = value[..end].trim_matches([' ', ',', ':', '.']);
    text::tidy(year_behind(name).map_or(name, |(name, _)| name))
}

/// Splits off a year at the end: `Hanser, 2019` or `Hanser 2019`.
fn year_behind(value: &str) -> Option<(&str, &str)> {
    let (head, tail) = value.trim_end().rsplit_once([' ', ','])?;
    let is_year =
        tail.len() == 4 && tail.starts_with(['1', '2']) && tail.bytes().all(|byte| byte.is_ascii_digit());
    is_year.then(|| (head.trim_end_matches([',', ' ']), tail))
}
