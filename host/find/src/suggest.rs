//! Known words for words that nothing has.

use std::collections::HashMap;

use magpie_query::{Context, Query, Test};
use magpie_values::similarity::damerau_similarity;

use crate::entries::IndexedAttribute;
use crate::index::Index;

/// Words that are compared with an unknown one: those with the most parts in common.
const MAX_COMPARED: usize = 200;

/// Objects of one part of a word that are read.
const MAX_OF_PART: usize = 5_000;

/// Similarity from which a word is offered for another.
const MIN_SIMILARITY: f64 = 0.6;

/// Returns the query with a known word for each word that nothing has, or `None` if there is
/// nothing to offer.
pub fn did_you_mean<I: Index>(
    index: &I,
    attributes: &[IndexedAttribute],
    query: &Query,
) -> Result<Option<String>, I::Error> {
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
            if !index.has_word(word)?
                && let Some(known) = nearest(index, word)?
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
    let attributes: Vec<_> = attributes.iter().map(|own| own.attribute.clone()).collect();
    let context = Context {
        attributes: &attributes,
        now: query.now(),
    };
    // A word may read otherwise than it was meant, as a number may.
    let offered = Query::parse(&text, &context).ok().filter(|_| is_changed);
    Ok(offered.map(|offered| offered.to_string()))
}

/// Returns the most similar word that an object has.
fn nearest<I: Index>(index: &I, word: &str) -> Result<Option<String>, I::Error> {
    let characters: Vec<char> = word.chars().collect();
    let mut common: HashMap<i64, u32> = HashMap::new();
    for part in characters.windows(3) {
        let part: String = part.iter().collect();
        for id in index.words_with(&part, MAX_OF_PART)? {
            *common.entry(id).or_default() += 1;
        }
    }
    let mut ranked: Vec<(u32, i64)> = common.into_iter().map(|(id, parts)| (parts, id)).collect();
    ranked.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    // The comparison of two words is quadratic, so only those with most parts in common are
    // compared.
    ranked.truncate(MAX_COMPARED);
    let ids: Vec<i64> = ranked.into_iter().map(|(_, id)| id).collect();
    let mut similar: Vec<(f64, String)> = Vec::new();
    for known in index.words(&ids)? {
        let similarity = damerau_similarity(word, &known);
        if known != word && similarity >= MIN_SIMILARITY {
            similar.push((similarity, known));
        }
    }
    similar.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    for (_, known) in similar {
        // Words stay after the last object that had them.
        if index.has_word(&known)? {
            return Ok(Some(known));
        }
    }
    Ok(None)
}
