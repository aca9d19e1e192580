//! The form of an answer, which the end of the path names: `/sites.json` is the data of `/sites`.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Html,
    /// One JSON document.
    Json,
    /// One JSON document a line.
    JsonLines,
    /// A table with a head.
    Csv,
    JsonLd,
    Atom,
    Rss,
    /// A feed of JSON Feed.
    JsonFeed,
    Ics,
}

impl Format {
    /// Endings, longer ones first.
    const ENDINGS: [(&'static str, Format); 8] = [
        (".feed.json", Format::JsonFeed),
        (".jsonl", Format::JsonLines),
        (".jsonld", Format::JsonLd),
        (".json", Format::Json),
        (".atom", Format::Atom),
        (".csv", Format::Csv),
        (".rss", Format::Rss),
        (".ics", Format::Ics),
    ];

    /// Returns `true` if a person reads the answer in a browser.
    pub(crate) fn is_page(self) -> bool {
        self == Format::Html
    }

    /// Returns `true` if feed readers and calendar programs subscribe to the answer.
    pub(crate) fn is_feed(self) -> bool {
        matches!(self, Format::Atom | Format::Rss | Format::JsonFeed | Format::Ics)
    }
}

/// The last part of a path: a name, and the form of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// The name without the ending.
    pub(crate) name: String,
    pub(crate) format: Format,
}

impl Named {
    /// Splits the last part of a path.
    pub(crate) fn parse(text: &str) -> Named {
        let found = Format::ENDINGS.iter().find_map(|(ending, format)| {
            let name = text.strip_suffix(ending).filter(|name| !name.is_empty())?;
            Some((name, *format))
        });
        let (name, format) = found.unwrap_or((text, Format::Html));
        Named {
            name: name.to_owned(),
            format,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, name: &str, format: Format) {
        let name = name.to_owned();
        assert_eq!(Named::parse(text), Named { name, format });
    }

    #[test]
    fn the_ending_names_the_form() {
        check("events", "events", Format::Html);
        check("events.json", "events", Format::Json);
        check("events.jsonl", "events", Format::JsonLines);
        check("events.feed.json", "events", Format::JsonFeed);
        check("17.jsonld", "17", Format::JsonLd);
        check("example.org", "example.org", Format::Html);
        check("example.org.csv", "example.org", Format::Csv);
        check(".json", ".json", Format::Html);
    }
}
