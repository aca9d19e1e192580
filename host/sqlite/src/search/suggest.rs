//! Known words for words that nothing has.

use std::collections::HashMap;

use magpie_query::{Context, Query, Test};
use magpie_values::similarity::damerau_similarity;
use rusqlite::{Connection, OptionalExtension};

use crate::search::index::attributes_of;
use crate::search::plan::words;

/// Words that are compared with an unknown one: those with the most parts in common.
const MAX_COMPARED: usize = 200;

/// Objects of one part of a word that are read.
const MAX_OF_PART: i64 = 5_000;

/// Similarity from which a word is offered for another.
const MIN_SIMILARITY: f64 = 0.6;

/// Returns the query with a known word for each word that nothing has, or `None` if there is
/// nothing to offer.
pub(super) fn did_you_mean(
    connection: &Connection,
    vertical: &str,
    query: &Query,
) -> rusqlite::Result<Option<String>> {
    let Some((_, attributes)) = attributes_of(connection, vertical)? else {
        return Ok(None);
    };
    let mut texts = Vec::new();
    let mut is_changed = false;
    for term in query.terms() {
        let phrase = match &term.test {
            Test::Words(phrase) | Test::Contains(_, phrase) if !term.is_negated => phrase,
            _ => {
                texts.push(term.text.clone());
                continue;
            }
        };
        let mut offered = phrase.clone();
        for word in &mut offered.words {
            if !is_known(connection, word)?
                && let Some(known) = nearest(connection, word)?
            {
                (*word, is_changed) = (known, true);
            }
        }
        let text = offered.words.join(" ");
        let text = match offered.words.len() {
            1 => text,
            _ => format!("\"{text}\""),
        };
        texts.push(match &term.test {
            Test::Contains(field, _) => format!("{}:{text}", field.name),
            _ => text,
        });
    }
    let text = texts.join(" ");
    let attributes: Vec<_> = attributes.into_iter().map(|own| own.attribute).collect();
    let context = Context {
        attributes: &attributes,
        now: query.now(),
    };
    // A word may read otherwise than it was meant, as a number may.
    let offered = Query::parse(&text, &context).ok().filter(|_| is_changed);
    Ok(offered.map(|offered| offered.to_string()))
}

fn is_known(connection: &Connection, word: &str) -> rusqlite::Result<bool> {
    let phrase = magpie_query::Phrase {
        words: vec![word.to_owned()],
        is_prefix: false,
    };
    connection
        .prepare_cached("SELECT 1 FROM object_text WHERE object_text MATCH ?1 LIMIT 1")?
        .exists([words(&phrase)])
}

/// Returns the most similar word that an object has.
fn nearest(connection: &Connection, word: &str) -> rusqlite::Result<Option<String>> {
    let characters: Vec<char> = word.chars().collect();
    let mut common: HashMap<i64, u32> = HashMap::new();
    let mut with_part = connection
        .prepare_cached("SELECT rowid FROM word_part WHERE word_part MATCH ?1 ORDER BY rowid LIMIT ?2")?;
    for part in characters.windows(3) {
        let part: String = part.iter().collect();
        let rows = with_part.query_map((format!("\"{part}\""), MAX_OF_PART), |row| row.get::<_, i64>(0))?;
        for id in rows {
            *common.entry(id?).or_default() += 1;
        }
    }
    let mut ranked: Vec<(u32, i64)> = common.into_iter().map(|(id, parts)| (parts, id)).collect();
    ranked.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    // The comparison of two words is quadratic, so only those with most parts in common are
    // compared.
    ranked.truncate(MAX_COMPARED);
    let mut read = connection.prepare_cached("SELECT word FROM word WHERE id = ?1")?;
    let mut similar: Vec<(f64, String)> = Vec::new();
    for (_, id) in ranked {
        let known: Option<String> = read.query_row([id], |row| row.get(0)).optional()?;
        if let Some(known) = known.filter(|known| known != word) {
            let similarity = damerau_similarity(word, &known);
            if similarity >= MIN_SIMILARITY {
                similar.push((similarity, known));
            }
        }
    }
    similar.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    for (_, known) in similar {
        // Words stay after the last object that had them.
        if is_known(connection, &known)? {
            return Ok(Some(known));
        }
    }
    Ok(None)
}
