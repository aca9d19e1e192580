//! The names of schema.org, and which of its properties hold URLs.

/// Returns the name without schema.org in front: `https://schema.org/Event`, `schema:Event` and
/// `Event` are `Event`. Names of other vocabularies stay unchanged.
pub(super) fn short(name: &str) -> &str {
    let name = name.trim();
    for scheme in ["https://", "http://"] {
        if let Some(rest) = strip_prefix_ignoring_case(name, scheme) {
            let rest = strip_prefix_ignoring_case(rest, "www.").unwrap_or(rest);
            if let Some(path) = strip_prefix_ignoring_case(rest, "schema.org") {
                let term = path.trim_matches(['/', '#']);
                return if term.is_empty() || path.starts_with(['/', '#']) {
                    term
                } else {
                    name
                };
            }
        }
    }
    for prefix in ["schema:", "schema.org/", "schema.org:"] {
        if let Some(term) = strip_prefix_ignoring_case(name, prefix) {
            return term;
        }
    }
    name
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let start = text.get(..prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// Properties whose values are URLs, so that a relative one is a reference and not just text.
const URL_PROPERTIES: [&str; 34] = [
    "acquireLicensePage",
    "actionableFeedbackPolicy",
    "codeRepository",
    "contentUrl",
    "correctionsPolicy",
    "discussionUrl",
    "downloadUrl",
    "embedUrl",
    "hasMap",
    "hasMenu",
    "image",
    "installUrl",
    "isBasedOn",
    "license",
    "logo",
    "mainEntityOfPage",
    "map",
    "maps",
    "menu",
    "photo",
    "publishingPrinciples",
    "relatedLink",
    "replyToUrl",
    "sameAs",
    "schemaVersion",
    "screenshot",
    "serviceUrl",
    "significantLink",
    "target",
    "thumbnail",
    "thumbnailUrl",
    "tourBookingPage",
    "trackingUrl",
    "url",
];

/// Returns true if text as the value of a property is a reference.
pub(super) fn is_url_property(name: &str) -> bool {
    URL_PROPERTIES.binary_search(&name).is_ok()
}

/// Returns true if text can be a reference: it has no white space, or it has a scheme.
pub(super) fn looks_like_reference(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && (!text.contains(char::is_whitespace) || text.starts_with("http"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_org_names_are_short() {
        let cases = [
            ("https://schema.org/Event", "Event"),
            ("http://www.schema.org/Event/", "Event"),
            ("HTTP://Schema.org/Event", "Event"),
            ("https://schema.org#Event", "Event"),
            ("schema:startDate", "startDate"),
            (" Event ", "Event"),
            ("https://schema.org", ""),
            ("https://schema.organic/Event", "https://schema.organic/Event"),
            (
                "http://data-vocabulary.org/Event",
                "http://data-vocabulary.org/Event",
            ),
            ("foaf:Person", "foaf:Person"),
        ];
        for (name, expected) in cases {
            assert_eq!(short(name), expected, "{name}");
        }
    }

    #[test]
    fn url_properties_are_sorted() {
        assert!(URL_PROPERTIES.is_sorted());
        assert!(is_url_property("image") && !is_url_property("name"));
    }
}
