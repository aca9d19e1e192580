//! What to ask a search engine, by the schema alone.

use magpie_values::text;

use crate::bindings::queries::Query;
use crate::cluster::{Meaning, Values, canonical, time};
use crate::record::Record;

/// Words of a query without quotes. Search engines weigh the first few and drop the rest.
const MOST_WORDS: usize = 12;

/// Bytes of a name in quotes; a longer one is hardly written the same anywhere.
const MOST_QUOTED: usize = 80;

/// Queries for an object: its identifiers; its name in quotes with what else the schema marks with
/// `query`; and the same as loose words.
pub fn queries<R: Record>(record: &R) -> Vec<Query> {
    let values = Values::of(record);
    let mut queries = Vec::new();
    let mut parts = Vec::new();
    for (place, attribute) in R::SCHEMA.iter().enumerate() {
        let Some(value) = values.first(place) else {
            continue;
        };
        match Meaning::of(attribute.kind) {
            // A shop's own number means nothing to other sites.
            Meaning::Identifier("sku") => {}
            Meaning::Identifier(scheme) => {
                queries.extend(canonical(scheme, value).map(|text| query(text, "identifier")));
            }
            Meaning::Time if attribute.query => {
                parts.extend(time(value).map(|time| time.date().year().to_string()));
            }
            meaning if meaning.is_name() && attribute.query => parts.push(text::tidy(value)),
            _ => {}
        }
    }
    let mut parts = parts.into_iter().filter(|part| !part.is_empty());
    let Some(name) = parts.next() else { return queries };
    let rest: Vec<String> = parts.collect();
    if name.len() <= MOST_QUOTED && !name.contains('"') {
        queries.push(query(
            format!("\"{name}\" {}", rest.join(" ")).trim_end().to_owned(),
            "exact",
        ));
    }
    let all = std::iter::once(&name)
        .chain(&rest)
        .flat_map(|part| text::words(part));
    queries.push(query(all.take(MOST_WORDS).collect::<Vec<_>>().join(" "), "loose"));
    queries
}

fn query(text: String, purpose: &str) -> Query {
    Query {
        text,
        purpose: purpose.to_owned(),
    }
}
