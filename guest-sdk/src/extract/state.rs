//! Objects in the state of a page's scripts and in JSON documents, which have no types of a
//! vocabulary: their values are known by the words of their keys.

use magpie_values::identifier::{self, Scheme};
use magpie_values::text;

use crate::{Entity, Page};

/// Syntax of objects without a vocabulary.
const SYNTAX: &str = "inline-state";

/// Maximum number of objects of a page.
const MAX_OBJECTS: usize = 5_000;

/// Maximum length of a key in bytes.
const MAX_KEY: usize = 60;

crate::word_lists! { "state.txt";
    NAMES: Words = "names";
    LINKS: Words = "links";
    AMOUNTS: Words = "amounts";
    CURRENCIES: Words = "currencies";
    RATINGS: Words = "ratings";
}

/// An object of the state of a page's scripts or of a JSON document.
///
/// ```
/// use magpie_sdk::{Page, extract};
///
/// let page = Page::from_html("https://example.org/", r#"<script>window.__STATE__ = {"shows": [
///     {"showTitle": "Night Music", "startsAt": "2026-05-03T19:30", "venue": {"name": "Old Mill"},
///      "link": "/shows/1"}]}</script>"#);
/// let objects = extract::state_objects(&page, &["show"]);
/// let show = &objects[0];
/// assert!(show.is_called(&["show"]));
/// assert_eq!(show.text(&["name", "title"]).as_deref(), Some("Night Music"));
/// assert_eq!(show.text(&["venue"]).as_deref(), Some("Old Mill"));
/// assert_eq!(show.link().as_deref(), Some("https://example.org/shows/1"));
/// ```
#[derive(Clone, Debug)]
pub struct StateObject<'p> {
    page: &'p Page,
    entity: Entity<'p>,
    /// Keys as words in lower case, without the words beside, each with the key as written.
    keys: Vec<(String, &'p str)>,
    has_beside: bool,
}

/// Returns the objects in the state of the page's scripts, or those of a JSON document. `beside`
/// are words that a key may have in addition: with `event`, `eventTitle` is a `title`.
pub fn state_objects<'p>(page: &'p Page, beside: &[&str]) -> Vec<StateObject<'p>> {
    page.structured()
        .filter(|entity| entity.syntax() == SYNTAX)
        .take(MAX_OBJECTS)
        .map(|entity| StateObject::new(page, entity, beside))
        .collect()
}

impl<'p> StateObject<'p> {
    fn new(page: &'p Page, entity: Entity<'p>, beside: &[&str]) -> Self {
        let mut has_beside = false;
        let keys = entity.names().filter(|name| name.len() <= MAX_KEY).map(|name| {
            let all = words(name);
            let own: Vec<&str> = all
                .iter()
                .map(String::as_str)
                .filter(|word| !beside.contains(word))
                .collect();
            has_beside |= own.len() < all.len();
            (own.join(" "), name)
        });
        let keys = keys.collect();
        Self {
            page,
            entity,
            keys,
            has_beside,
        }
    }

    /// Returns true if a key has one of the words beside.
    pub fn has_beside(&self) -> bool {
        self.has_beside
    }

    /// Returns true if the type of the object, or the property that holds it, has one of these
    /// words, in the singular or the plural.
    pub fn is_called(&self, wanted: &[&str]) -> bool {
        self.entity.types().iter().any(|name| {
            words(name).iter().any(|word| {
                wanted
                    .iter()
                    .any(|wanted| word == wanted || word.strip_suffix('s') == Some(wanted))
            })
        })
    }

    /// Returns true if one of these keys has a value.
    pub fn has(&self, keys: &[&str]) -> bool {
        self.named(keys).next().is_some()
    }

    /// Returns the first text at the first of these keys that has one. An object is its name.
    pub fn text(&self, keys: &[&str]) -> Option<String> {
        self.texts(keys).into_iter().next()
    }

    /// Returns all texts at the first of these keys that has one.
    pub fn texts(&self, keys: &[&str]) -> Vec<String> {
        let found = self.named(keys).map(|key| {
            let texts = self.entity.all(key).into_iter().map(tidy);
            let mut texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            if texts.is_empty() {
                let objects = self.entity.entities(key);
                texts = objects
                    .filter_map(|entity| Self::new(self.page, entity, &[]).plain(NAMES))
                    .collect();
            }
            texts
        });
        found
            .into_iter()
            .find(|texts| !texts.is_empty())
            .unwrap_or_default()
    }

    /// Returns the first object at the first of these keys that has one.
    pub fn object(&self, keys: &[&str]) -> Option<Self> {
        let entity = self.named(keys).find_map(|key| self.entity.entity_at(key))?;
        Some(Self::new(self.page, entity, &[]))
    }

    /// Returns the URL of the object's own page: an absolute one, or a path.
    pub fn link(&self) -> Option<String> {
        let written = self.plain(LINKS)?;
        let is_url =
            written.starts_with("http://") || written.starts_with("https://") || written.starts_with('/');
        self.page.resolve(&written).filter(|_| is_url)
    }

    /// Returns the amount of money at the first of these keys that has one, in the form of the kind
    /// `money`: `12.50 EUR`. An integer without a currency is none: many shops count cents.
    pub fn money(&self, keys: &[&str]) -> Option<String> {
        self.named(keys).find_map(|key| match self.entity.entity_at(key) {
            Some(entity) => {
                let price = Self::new(self.page, entity, &[]);
                let amount = price.plain(AMOUNTS)?;
                let currency = price.plain(CURRENCIES).or_else(|| self.plain(CURRENCIES));
                amount_of(&amount, currency.as_deref())
            }
            None => amount_of(self.entity.get(key)?, self.plain(CURRENCIES).as_deref()),
        })
    }

    /// Returns the first of the texts at these keys that is a valid identifier of the scheme.
    pub fn identifier(&self, scheme: Scheme, keys: &[&str]) -> Option<String> {
        let mut texts = self.texts(keys).into_iter();
        texts.find(|text| identifier::normalise(scheme, text).is_ok())
    }

    /// Returns the rating of the object in the form of the kind `rating`, if it is a number of five
    /// stars: `4.5/5`.
    pub fn rating(&self) -> Option<String> {
        let rating = self.text(RATINGS)?;
        let stars: f64 = rating.parse().ok()?;
        (stars > 0.0 && stars <= 5.0).then(|| format!("{rating}/5"))
    }

    /// Returns the first text at these keys if it is an absolute URL, as of a picture.
    pub fn url(&self, keys: &[&str]) -> Option<String> {
        self.text(keys).filter(|url| url.starts_with("http"))
    }

    /// Returns the plain text at the first of these keys.
    fn plain(&self, keys: &[&str]) -> Option<String> {
        self.named(keys)
            .filter(|key| self.entity.entity_at(key).is_none())
            .filter_map(|key| self.entity.get(key))
            .map(tidy)
            .find(|text| !text.is_empty())
    }

    /// Returns the keys as written, in the order of those that are wanted.
    fn named<'s>(&'s self, wanted: &'s [&str]) -> impl Iterator<Item = &'p str> + 's {
        wanted.iter().flat_map(move |wanted| {
            let same = self.keys.iter().filter(move |(key, _)| key == wanted);
            same.map(|(_, name)| *name)
        })
    }
}

/// Returns a text without entities, markup and superfluous space.
fn tidy(written: &str) -> String {
    text::tidy(&text::unescape(written))
}

/// Returns an amount above zero with its currency.
fn amount_of(written: &str, currency: Option<&str>) -> Option<String> {
    let written = text::tidy(written);
    let is_number = written.parse::<f64>().is_ok_and(f64::is_finite);
    let has_value = written.contains(|digit: char| ('1'..='9').contains(&digit));
    match currency.filter(|currency| currency.len() == 3) {
        _ if !has_value || written.starts_with('-') => None,
        Some(currency) if is_number => Some(format!("{written} {currency}")),
        None if is_number && !written.contains('.') => None,
        _ => Some(written),
    }
}

/// Splits a name as in code into words in lower case: `startDate`, `start_date`, `StartDate`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut last_lower = false;
    for letter in name.chars().take(MAX_KEY) {
        let begins = letter.is_uppercase() && last_lower;
        last_lower = letter.is_lowercase() || letter.is_numeric();
        if !letter.is_alphanumeric() {
            is_open = false;
            continue;
        }
        match words.last_mut().filter(|_| is_open && !begins) {
            Some(word) => word.extend(letter.to_lowercase()),
            None => words.push(letter.to_lowercase().collect()),
        }
        is_open = true;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{amount_of, state_objects, words};
    use crate::Page;

    #[test]
    fn keys_are_split_into_words() {
        for (name, expected) in [
            ("startDate", "start date"),
            ("start_date", "start date"),
            ("EventStartTime", "event start time"),
            ("isbn13", "isbn13"),
            ("data-url", "data url"),
            ("SKU", "sku"),
            ("", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn amounts_have_a_currency_or_decimals() {
        for (written, currency, expected) in [
            ("12.5", Some("EUR"), Some("12.5 EUR")),
            ("12", Some("EUR"), Some("12 EUR")),
            ("12.50", None, Some("12.50")),
            ("12.50 EUR", None, Some("12.50 EUR")),
            // It may be in cents or in whole units.
            ("3000", None, None),
            ("0", Some("EUR"), None),
            ("-1", Some("EUR"), None),
            ("", Some("EUR"), None),
        ] {
            assert_eq!(
                amount_of(written, currency).as_deref(),
                expected,
                "{written} {currency:?}"
            );
        }
    }

    #[test]
    fn values_of_several_forms_are_read() {
        let html = r#"<script type="application/json">{"props": {"items": [
            {"productName": "Lamp", "price": {"amount": 12.5, "currencyCode": "EUR"}, "path": "/lamp", "id": 3},
            {"productName": "Shade", "price": 7, "currency": "SEK", "brand": {"title": "Ljus"}, "id": 4,
             "makers": [{"name": "A"}, {"name": "B"}]}]}}</script>"#;
        let page = Page::from_html("https://example.org/", html);
        let objects = state_objects(&page, &["product"]);
        let lamp = &objects[0];
        assert!(lamp.has_beside() && lamp.is_called(&["item"]) && !lamp.is_called(&["event"]));
        assert_eq!(lamp.text(&["name"]).as_deref(), Some("Lamp"));
        assert_eq!(lamp.money(&["price"]).as_deref(), Some("12.5 EUR"));
        assert_eq!(lamp.link().as_deref(), Some("https://example.org/lamp"));
        let shade = &objects[1];
        assert_eq!(shade.money(&["price"]).as_deref(), Some("7 SEK"));
        assert_eq!(shade.text(&["brand"]).as_deref(), Some("Ljus"));
        assert_eq!(shade.texts(&["makers"]), ["A", "B"]);
        assert_eq!(shade.link(), None);
    }
}
