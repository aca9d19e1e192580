//! Queries: one per line.

use magpie_model::{Attribute, Kind, Record};
use magpie_query::{Context, MAX_QUERY_BYTES, MAX_TERMS, Query, Subject};
use magpie_values::Timestamp;

/// Checks that a query stays within its limits and prints as text that means the same, and that no
/// object is both found and left out by a query.
pub fn check(data: &[u8]) {
    let attributes = [
        ("title", "text"),
        ("start", "date-time"),
        ("price", "money"),
        ("pages", "number"),
        ("length", "duration"),
        ("stars", "rating"),
        ("free", "boolean"),
        ("isbn", "identifier:isbn"),
        ("doi", "identifier:doi"),
        ("where", "coordinates"),
    ]
    .map(|(name, kind)| Attribute::new(name, Kind::from(kind.to_owned())));
    let context = Context {
        attributes: &attributes,
        now: Timestamp::from_seconds(1_777_000_000),
    };
    for line in crate::text(data).lines() {
        let Ok(query) = Query::parse(line, &context) else {
            continue;
        };
        assert!(line.len() <= MAX_QUERY_BYTES && query.terms().len() <= MAX_TERMS);
        let printed = query.to_string();
        // Marks and folded signs may make the printed text longer than a query may be.
        if printed.len() <= MAX_QUERY_BYTES {
            assert_eq!(Query::parse(&printed, &context).as_ref(), Ok(&query), "{printed}");
        }
        let subject = Subject {
            label: line,
            record: &Record::default(),
            attributes: &attributes,
            urls: &[],
            current: 1,
            first_seen: Timestamp::default(),
            last_seen: Timestamp::default(),
            changed_at: Timestamp::default(),
            expires_at: None,
        };
        let found = query.terms().iter().map(|term| {
            let holds = term.test.holds(&subject, query.now());
            holds != term.is_negated
        });
        assert_eq!(found.fold(true, |all, one| all && one), query.matches(&subject));
    }
}
