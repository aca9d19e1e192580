//! The class names of microformats: those of the second version, and the classic ones they
//! replaced.

use crate::dom::{Document, NodeId};
use crate::structured::entity::MAX_NAMES;

/// Method of reading a property's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `p-`: plain text.
    Text,
    /// `u-`: a URL.
    Url,
    /// `dt-`: a date or time.
    Date,
    /// `e-`: an element with all that is in it.
    Embedded,
}

/// A property an element has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// The type of the item that the element is although it does not say so, as classic properties
    /// imply.
    pub(super) implied: Option<&'static str>,
}

/// Names that are read inside an item: the prefixed ones, or those of its classic formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    Prefixed,
    Classic(Vec<&'static Classic>),
}

/// A classic format.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Classic {
    class: &'static str,
    kind: &'static str,
    properties: &'static [Row],
}

/// A classic class, how it is read, its name now, and the type it implies.
type Row = (&'static str, Kind, &'static str, &'static str);

/// Known root names. The grammar allows any `h-name`, and style sheets use `h-full` for a height;
/// names of experiments start with `h-x-`.
const ROOTS: [&str; 19] = [
    "h-adr",
    "h-app",
    "h-breadcrumb",
    "h-card",
    "h-cite",
    "h-entry",
    "h-event",
    "h-feed",
    "h-geo",
    "h-item",
    "h-listing",
    "h-news",
    "h-org",
    "h-product",
    "h-rating",
    "h-recipe",
    "h-resume",
    "h-review",
    "h-review-aggregate",
];

/// The types an element starts an item of, and how to read what is inside.
pub(super) fn roots(document: &Document, node: NodeId) -> Option<(Vec<String>, Vocabulary)> {
    let classes = document.attribute(node, "class")?;
    // Nearly all classes are about style, and this is asked of every element.
    let is_known =
        |class: &str| class.starts_with("h-") || CLASSIC.iter().any(|format| format.class == class);
    if !classes.split_ascii_whitespace().any(is_known) {
        return None;
    }
    let mut prefixed: Vec<String> = classes
        .split_ascii_whitespace()
        .filter(|class| is_root(class))
        .map(str::to_owned)
        .collect();
    prefixed.dedup();
    if !prefixed.is_empty() {
        return Some((prefixed, Vocabulary::Prefixed));
    }
    let classic: Vec<&Classic> = CLASSIC
        .iter()
        .filter(|format| {
            classes
                .split_ascii_whitespace()
                .any(|class| class == format.class)
        })
        .collect();
    if classic.is_empty() {
        return None;
    }
    Some((
        classic.iter().map(|format| format.kind.to_owned()).collect(),
        Vocabulary::Classic(classic),
    ))
}

/// The classic vocabulary of an implied type.
pub(super) fn classic(kind: &str) -> Vocabulary {
    Vocabulary::Classic(
        CLASSIC
            .iter()
            .chain([&ITEM])
            .filter(|format| format.kind == kind)
            .collect(),
    )
}

fn is_root(class: &str) -> bool {
    ROOTS.contains(&class) || class.strip_prefix("h-x-").is_some_and(is_name)
}

/// The properties an element is, for the item it is in.
pub(super) fn properties(document: &Document, node: NodeId, vocabulary: &Vocabulary) -> Vec<Property> {
    let classes = document.attribute(node, "class").unwrap_or_default();
    let mut found: Vec<Property> = Vec::new();
    let mut add = |property: Property| {
        // Each is compared with all before it.
        if found.len() < MAX_NAMES && !found.contains(&property) {
            found.push(property);
        }
    };
    match vocabulary {
        Vocabulary::Prefixed => classes
            .split_ascii_whitespace()
            .filter_map(prefixed)
            .for_each(add),
        Vocabulary::Classic(formats) => {
            for class in classes.split_ascii_whitespace() {
                let rows = formats.iter().flat_map(|format| format.properties);
                rows.filter(|row| row.0 == class)
                    .for_each(|row| add(property(row)));
            }
            let relations = document.attribute(node, "rel").unwrap_or_default();
            for relation in relations.split_ascii_whitespace() {
                if formats.iter().any(|format| has_relations(format.kind)) {
                    RELATIONS
                        .iter()
                        .filter(|row| row.0 == relation)
                        .for_each(|row| add(property(row)));
                }
            }
        }
    }
    found
}

fn property(row: &Row) -> Property {
    Property {
        kind: row.1,
        name: row.2.to_owned(),
        implied: Some(row.3).filter(|kind| !kind.is_empty()),
    }
}

fn prefixed(class: &str) -> Option<Property> {
    let (prefix, name) = class.split_once('-')?;
    let kind = match prefix {
        "p" => Kind::Text,
        "u" => Kind::Url,
        "dt" => Kind::Date,
        "e" => Kind::Embedded,
        _ => return None,
    };
    is_name(name).then(|| Property {
        kind,
        name: name.to_owned(),
        implied: None,
    })
}

/// `[a-z0-9]+-` perhaps, and then words of letters joined by hyphens.
fn is_name(name: &str) -> bool {
    let letters = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let vendor = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default();
    let mut rest = words.peekable();
    let first_is_fine = if rest.peek().is_some() {
        vendor(first)
    } else {
        letters(first)
    };
    first_is_fine && rest.all(letters)
}

/// Formats in which the `rel` of a link is a property.
fn has_relations(kind: &str) -> bool {
    matches!(
        kind,
        "h-entry" | "h-review" | "h-review-aggregate" | "h-recipe" | "h-product" | "h-feed" | "h-news"
    )
}

const RELATIONS: &[Row] = &[
    ("bookmark", Kind::Url, "url", ""),
    ("tag", Kind::Text, "category", ""),
    ("principles", Kind::Url, "principles", ""),
    ("item-license", Kind::Url, "item-license", ""),
];

/// Subject of a review, if it is of no format itself.
static ITEM: Classic = Classic {
    class: "item",
    kind: "h-item",
    properties: &[
        ("fn", Kind::Text, "name", ""),
        ("url", Kind::Url, "url", ""),
        ("photo", Kind::Url, "photo", ""),
    ],
};

static CLASSIC: [Classic; 12] = [
    Classic {
        class: "adr",
        kind: "h-adr",
        properties: ADDRESS,
    },
    Classic {
        class: "geo",
        kind: "h-geo",
        properties: PLACE,
    },
    Classic {
        class: "vcard",
        kind: "h-card",
        properties: &[
            ("fn", Kind::Text, "name", ""),
            ("honorific-prefix", Kind::Text, "honorific-prefix", ""),
            ("given-name", Kind::Text, "given-name", ""),
            ("additional-name", Kind::Text, "additional-name", ""),
            ("family-name", Kind::Text, "family-name", ""),
            ("honorific-suffix", Kind::Text, "honorific-suffix", ""),
            ("nickname", Kind::Text, "nickname", ""),
            ("sort-string", Kind::Text, "sort-string", ""),
            ("email", Kind::Url, "email", ""),
            ("logo", Kind::Url, "logo", ""),
            ("photo", Kind::Url, "photo", ""),
            ("sound", Kind::Url, "sound", ""),
            ("url", Kind::Url, "url", ""),
            ("uid", Kind::Url, "uid", ""),
            ("key", Kind::Url, "key", ""),
            ("category", Kind::Text, "category", ""),
            ("adr", Kind::Text, "adr", ""),
            ("street-address", Kind::Text, "street-address", ""),
            ("extended-address", Kind::Text, "extended-address", ""),
            ("locality", Kind::Text, "locality", ""),
            ("region", Kind::Text, "region", ""),
            ("postal-code", Kind::Text, "postal-code", ""),
            ("country-name", Kind::Text, "country-name", ""),
            ("label", Kind::Text, "label", ""),
            ("geo", Kind::Text, "geo", "h-geo"),
            ("tel", Kind::Text, "tel", ""),
            ("mailer", Kind::Text, "mailer", ""),
            ("agent", Kind::Text, "agent", ""),
            ("note", Kind::Text, "note", ""),
            ("class", Kind::Text, "class", ""),
            ("bday", Kind::Date, "bday", ""),
            ("rev", Kind::Date, "rev", ""),
            ("tz", Kind::Text, "tz", ""),
            ("org", Kind::Text, "org", ""),
            ("organization-name", Kind::Text, "organization-name", ""),
            ("organization-unit", Kind::Text, "organization-unit", ""),
            ("title", Kind::Text, "job-title", ""),
            ("role", Kind::Text, "role", ""),
        ],
    },
    Classic {
        class: "vevent",
        kind: "h-event",
        properties: &[
            ("summary", Kind::Text, "name", ""),
            ("dtstart", Kind::Date, "start", ""),
            ("dtend", Kind::Date, "end", ""),
            ("duration", Kind::Date, "duration", ""),
            ("description", Kind::Text, "description", ""),
            ("url", Kind::Url, "url", ""),
            ("uid", Kind::Url, "uid", ""),
            ("attach", Kind::Url, "attach", ""),
            ("category", Kind::Text, "category", ""),
            ("location", Kind::Text, "location", ""),
            ("geo", Kind::Text, "geo", "h-geo"),
            ("attendee", Kind::Text, "attendee", ""),
            ("contact", Kind::Text, "contact", ""),
            ("organizer", Kind::Text, "organizer", ""),
            ("last-modified", Kind::Date, "updated", ""),
        ],
    },
    Classic {
        class: "hproduct",
        kind: "h-product",
        properties: &[
            ("fn", Kind::Text, "name", ""),
            ("photo", Kind::Url, "photo", ""),
            ("brand", Kind::Text, "brand", ""),
            ("category", Kind::Text, "category", ""),
            ("description", Kind::Text, "description", ""),
            ("identifier", Kind::Url, "identifier", ""),
            ("url", Kind::Url, "url", ""),
            ("review", Kind::Text, "review", ""),
            ("price", Kind::Text, "price", ""),
        ],
    },
    Classic {
        class: "hreview",
        kind: "h-review",
        properties: &[
            ("summary", Kind::Text, "name", ""),
            ("item", Kind::Text, "item", "h-item"),
            ("reviewer", Kind::Text, "author", ""),
            ("dtreviewed", Kind::Date, "published", ""),
            ("rating", Kind::Text, "rating", ""),
            ("best", Kind::Text, "best", ""),
            ("worst", Kind::Text, "worst", ""),
            ("description", Kind::Embedded, "content", ""),
            ("url", Kind::Url, "url", ""),
        ],
    },
    Classic {
        class: "hreview-aggregate",
        kind: "h-review-aggregate",
        properties: &[
            ("summary", Kind::Text, "name", ""),
            ("item", Kind::Text, "item", "h-item"),
            ("rating", Kind::Text, "rating", ""),
            ("average", Kind::Text, "average", ""),
            ("best", Kind::Text, "best", ""),
            ("worst", Kind::Text, "worst", ""),
            ("count", Kind::Text, "count", ""),
            ("votes", Kind::Text, "votes", ""),
            ("category", Kind::Text, "category", ""),
            ("url", Kind::Url, "url", ""),
        ],
    },
    Classic {
        class: "hentry",
        kind: "h-entry",
        properties: &[
            ("entry-title", Kind::Text, "name", ""),
            ("entry-summary", Kind::Text, "summary", ""),
            ("entry-content", Kind::Embedded, "content", ""),
            ("published", Kind::Date, "published", ""),
            ("updated", Kind::Date, "updated", ""),
            ("author", Kind::Text, "author", "h-card"),
            ("category", Kind::Text, "category", ""),
        ],
    },
    Classic {
        class: "hfeed",
        kind: "h-feed",
        properties: &[
            ("category", Kind::Text, "category", ""),
            ("author", Kind::Text, "author", "h-card"),
            ("url", Kind::Url, "url", ""),
            ("photo", Kind::Url, "photo", ""),
            ("site-title", Kind::Text, "name", ""),
            ("site-description", Kind::Text, "summary", ""),
        ],
    },
    Classic {
        class: "hnews",
        kind: "h-news",
        properties: &[
            ("entry", Kind::Text, "entry", ""),
            ("geo", Kind::Text, "geo", "h-geo"),
            ("latitude", Kind::Text, "latitude", ""),
            ("longitude", Kind::Text, "longitude", ""),
            ("source-org", Kind::Text, "source-org", ""),
            ("dateline", Kind::Text, "dateline", ""),
            ("item-license", Kind::Url, "item-license", ""),
            ("principles", Kind::Url, "principles", ""),
        ],
    },
    Classic {
        class: "hrecipe",
        kind: "h-recipe",
        properties: &[
            ("fn", Kind::Text, "name", ""),
            ("ingredient", Kind::Text, "ingredient", ""),
            ("yield", Kind::Text, "yield", ""),
            ("instructions", Kind::Embedded, "instructions", ""),
            ("duration", Kind::Date, "duration", ""),
            ("photo", Kind::Url, "photo", ""),
            ("summary", Kind::Text, "summary", ""),
            ("author", Kind::Text, "author", "h-card"),
            ("nutrition", Kind::Text, "nutrition", ""),
            ("published", Kind::Date, "published", ""),
        ],
    },
    Classic {
        class: "hresume",
        kind: "h-resume",
        properties: &[
            ("summary", Kind::Text, "summary", ""),
            ("contact", Kind::Text, "contact", ""),
            ("education", Kind::Text, "education", ""),
            ("experience", Kind::Text, "experience", ""),
            ("skill", Kind::Text, "skill", ""),
            ("affiliation", Kind::Text, "affiliation", ""),
        ],
    },
];

const ADDRESS: &[Row] = &[
    ("post-office-box", Kind::Text, "post-office-box", ""),
    ("extended-address", Kind::Text, "extended-address", ""),
    ("street-address", Kind::Text, "street-address", ""),
    ("locality", Kind::Text, "locality", ""),
    ("region", Kind::Text, "region", ""),
    ("postal-code", Kind::Text, "postal-code", ""),
    ("country-name", Kind::Text, "country-name", ""),
];

const PLACE: &[Row] = &[
    ("latitude", Kind::Text, "latitude", ""),
    ("longitude", Kind::Text, "longitude", ""),
    ("altitude", Kind::Text, "altitude", ""),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_grammar() {
        for name in ["name", "street-address", "x9-name", "org-x-y"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "4", "px4", "Name", "a--b", "a-", "-a", "a-4", "a_b"] {
            assert!(!is_name(name), "{name}");
        }
        assert!(!is_root("h-full") && !is_root("h-10") && is_root("h-card") && is_root("h-x-show"));
    }
}
