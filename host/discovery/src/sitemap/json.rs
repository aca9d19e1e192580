//! JSON Feed. Read without a tree of it, so that no feed takes more memory than its text.

use std::fmt;

use magpie_values::Timestamp;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{MAX_LOCATION_LEN, Sitemap, SitemapEntry, SitemapKind, SitemapLimits, SitemapProblem};
use crate::dates;

/// Maximum number of items of a feed, one more than any limit: files with as many URLs are not
/// feeds.
const MAX_ITEMS: usize = 50_001;

/// The parts of a feed that are read.
#[derive(serde::Deserialize)]
struct Feed {
    version: String,
    #[serde(default)]
    items: Items,
}

#[derive(Default)]
struct Items(Vec<Item>);

#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Item {
    id: Text,
    url: Text,
    date_published: Text,
    date_modified: Text,
}

/// A text; none where there is something else, as many generators write what they like.
#[derive(Default)]
struct Text(Option<String>);

pub(super) fn read(text: &str, limits: &SitemapLimits, sitemap: &mut Sitemap) {
    let feed: Feed = match serde_json::from_str(text) {
        Ok(feed) => feed,
        Err(error) if error.is_data() => return sitemap.problem(NOT_A_FEED),
        Err(error) => return sitemap.problem(SitemapProblem::BrokenJson(error.to_string())),
    };
    if !feed.version.contains("jsonfeed.org/version/") {
        return sitemap.problem(NOT_A_FEED);
    }
    sitemap.kind = SitemapKind::JsonFeed;
    for (item, number) in feed.items.0.iter().zip(1..) {
        if number > limits.max_entries {
            sitemap.problem(SitemapProblem::TooManyEntries(limits.max_entries));
            break;
        }
        match item.location() {
            None => sitemap.problem(SitemapProblem::NoLocation(number)),
            Some(location) if location.len() > MAX_LOCATION_LEN => {
                sitemap.problem(SitemapProblem::LongLocation(number));
            }
            Some(location) => {
                let last_modified = item.date_modified.date(number, sitemap);
                let last_modified = last_modified.or_else(|| item.date_published.date(number, sitemap));
                sitemap.entries.push(SitemapEntry {
                    location: location.to_owned(),
                    last_modified,
                    ..SitemapEntry::default()
                });
            }
        }
    }
}

const NOT_A_FEED: SitemapProblem = SitemapProblem::NotASitemap("its JSON is not a feed");

impl Item {
    /// Its URL; what it is known by may be one too.
    fn location(&self) -> Option<&str> {
        let is_url = |text: &&str| text.starts_with("http://") || text.starts_with("https://");
        self.url.get().or_else(|| self.id.get().filter(is_url))
    }
}

impl Text {
    fn get(&self) -> Option<&str> {
        self.0.as_deref().map(str::trim).filter(|text| !text.is_empty())
    }

    fn date(&self, number: usize, sitemap: &mut Sitemap) -> Option<Timestamp> {
        let text = self.get()?;
        let date = dates::parse(text);
        if date.is_none() {
            sitemap.problem(SitemapProblem::BadDate {
                entry: number,
                written: text.chars().take(40).collect(),
            });
        }
        date
    }
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Kept;

        impl<'de> Visitor<'de> for Kept {
            type Value = Items;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("items")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Items, A::Error> {
                let mut kept = Vec::new();
                while kept.len() < MAX_ITEMS
                    && let Some(item) = items.next_element()?
                {
                    kept.push(item);
                }
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Items(kept))
            }
        }

        deserializer.deserialize_seq(Kept)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Text;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("anything")
            }

            fn visit_str<E>(self, text: &str) -> Result<Text, E> {
                Ok(Text(Some(text.to_owned())))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Text, E> {
                Ok(Text(None))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Text, E> {
                Ok(Text(None))
            }

            fn visit_u64<E>(self, _: u64) -> Result<Text, E> {
                Ok(Text(None))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Text, E> {
                Ok(Text(None))
            }

            fn visit_unit<E>(self) -> Result<Text, E> {
                Ok(Text(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Text, A::Error> {
                while values.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Text(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut values: A) -> Result<Text, A::Error> {
                while values.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Text(None))
            }
        }

        deserializer.deserialize_any(Any)
    }
}
