//! Queries that a person gives: a query log, and names of a knowledge base with their types.

use std::collections::BTreeMap;

use magpie_surface::entities::{Affixes, Candidate, Described, RELATIVE_THRESHOLD, match_types};

use super::SurfaceQuery;

/// Share of the queries of a log with a known name in which a word is an affix, not a name.
const AFFIX_SHARE: f64 = 0.01;

/// Queries from elsewhere than the warehouse.
pub(super) struct Suggested {
    /// Those of a log, without affixes.
    logged: Vec<Candidate>,
    /// Those of a knowledge base, by type.
    types: BTreeMap<String, Vec<Candidate>>,
}

impl Suggested {
    /// Reads queries: those without a type are of a log. `known` are objects of the warehouse,
    /// whose names distinguish affixes from the rest of a query.
    pub(super) fn new(queries: &[SurfaceQuery], known: &[Described]) -> Suggested {
        let mut types: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
        for query in queries.iter().filter(|query| !query.kind.is_empty()) {
            let of_type = types.entry(query.kind.clone()).or_default();
            of_type.push(candidate(query, query.text.clone()));
        }
        let log = || queries.iter().filter(|query| query.kind.is_empty());
        let of_objects = known.iter().flat_map(|object| &object.entities);
        let of_objects = of_objects.map(|(_, name)| name.as_str());
        let of_types = types.values().flatten().map(|name| name.query.as_str());
        let texts = log().map(|query| query.text.as_str());
        let affixes = Affixes::learn(texts, of_objects.chain(of_types), AFFIX_SHARE);
        let has_affixes = affixes.all().next().is_some();
        let logged = log().map(|query| {
            let text = match has_affixes {
                true => affixes.strip(&query.text),
                false => query.text.clone(),
            };
            candidate(query, text)
        });
        Suggested {
            logged: logged.collect(),
            types,
        }
    }

    /// Returns the queries for a site: those of the log, and the names of the types that share
    /// words with its objects.
    pub(super) fn for_site<'a>(&self, objects: impl IntoIterator<Item = &'a str>) -> Vec<Candidate> {
        let objects: Vec<String> = objects.into_iter().map(str::to_owned).collect();
        let names = |of_type: &Vec<Candidate>| of_type.iter().map(|name| name.query.clone()).collect();
        let types: Vec<Vec<String>> = self.types.values().map(names).collect();
        let matches = match_types(&objects, &types, RELATIVE_THRESHOLD);
        let is_match = |place: usize| {
            let found = matches.iter().find(|found| found.kind == place);
            // Without known objects nothing can be compared, so all types stay.
            objects.is_empty() || found.is_some_and(|found| found.is_match)
        };
        let of_types = self.types.values().enumerate();
        let of_types = of_types.filter(|(place, _)| is_match(*place));
        let of_types = of_types.flat_map(|(_, names)| names);
        self.logged.iter().chain(of_types).cloned().collect()
    }
}

fn candidate(query: &SurfaceQuery, text: String) -> Candidate {
    Candidate {
        query: text,
        kind: query.kind.clone(),
        popularity: query.count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(kind: &str, text: &str) -> SurfaceQuery {
        SurfaceQuery {
            text: text.to_owned(),
            kind: kind.to_owned(),
            count: 1.0,
        }
    }

    fn texts(candidates: &[Candidate]) -> Vec<&str> {
        let texts = candidates.iter().map(|candidate| candidate.query.as_str());
        texts.collect()
    }

    #[test]
    fn a_bookshop_is_not_asked_for_cameras() {
        let queries = [
            query("book", "The Salt Road"),
            query("book", "Winter Harbour"),
            query("camera", "Canon EOS"),
            query("", "maps of norway"),
        ];
        let suggested = Suggested::new(&queries, &[]);
        let own = suggested.for_site(["A Winter Road", "Harbour Lights"]);
        assert_eq!(texts(&own), ["maps of norway", "The Salt Road", "Winter Harbour"]);
        assert_eq!(suggested.for_site([]).len(), 4);
    }

    #[test]
    fn affixes_of_a_log_are_removed() {
        let names = ["Canon EOS", "Nikon Z", "Leica Q"];
        let log = names.map(|name| query("", &format!("buy {name}")));
        let queries: Vec<SurfaceQuery> = names
            .map(|name| query("camera", name))
            .into_iter()
            .chain(log)
            .collect();
        let logged = Suggested::new(&queries, &[]).logged;
        assert_eq!(texts(&logged), ["canon eos", "nikon z", "leica q"]);
    }
}
