//! Joining of patterns that differ only in their keys, if there are too many.
//!
//! Filters and sort orders combine freely, so a list page may come with hundreds of key sets. They
//! are then one page class: keys in all patterns are required, the others are optional. A key that
//! all patterns have and whose value is a word in most names the class, as in
//! `index.php?page=list`. Its values are never joined.

use std::collections::{BTreeMap, BTreeSet};

use super::super::kind::Kind;
use super::super::template::{Piece, Template};
use super::super::url_pattern::{Form, MAX_KEYS, Parameter, Segment, Typed, UrlPattern};

/// Maximum number of patterns of one path that keep their own key sets.
const MAX_KEY_SETS: usize = 6;

/// Joins the patterns of paths that have too many; keeps the others.
pub(super) fn join(patterns: BTreeSet<UrlPattern>) -> Vec<UrlPattern> {
    type Path = (Box<str>, Box<[Segment]>);
    let mut kept = Vec::new();
    let mut by_path: BTreeMap<Path, Vec<Typed>> = BTreeMap::new();
    for pattern in patterns {
        match pattern.form {
            Form::Typed(typed) => {
                let path = (typed.origin.clone(), typed.path.clone());
                by_path.entry(path).or_default().push(typed);
            }
            form => kept.push(UrlPattern { form }),
        }
    }
    for alike in by_path.into_values() {
        let typed = match alike.len() > MAX_KEY_SETS {
            // Filters and sort orders combine freely, so hundreds of key sets are one class of
            // pages.
            true => group_by_name(&alike).into_iter().flat_map(join_if_many).collect(),
            false => alike,
        };
        kept.extend(typed.into_iter().map(|typed| UrlPattern {
            form: Form::Typed(typed),
        }));
    }
    kept.sort();
    kept
}

fn join_if_many(alike: Vec<Typed>) -> Vec<Typed> {
    match alike.len() > MAX_KEY_SETS {
        true => vec![join_all(&alike)],
        false => alike,
    }
}

/// Groups patterns of one path by the words of the keys that name their class.
fn group_by_name(alike: &[Typed]) -> Vec<Vec<Typed>> {
    let keys = alike.iter().take(1).flat_map(|typed| typed.query.iter());
    let names: Vec<Box<str>> = keys
        .map(|parameter| parameter.key.clone())
        .filter(|key| is_class_key(key, alike))
        .collect();
    let mut by_name: BTreeMap<Vec<Option<&str>>, Vec<Typed>> = BTreeMap::new();
    for typed in alike {
        let words = names.iter().map(|key| word(required(typed, key)?));
        by_name.entry(words.collect()).or_default().push(typed.clone());
    }
    by_name.into_values().collect()
}

/// Returns true if a key is required in all patterns and has a constant word as its value in at
/// least half.
fn is_class_key(key: &str, alike: &[Typed]) -> bool {
    let values: Vec<&Template> = alike.iter().filter_map(|typed| required(typed, key)).collect();
    let words = values.iter().filter(|value| word(value).is_some()).count();
    values.len() == alike.len() && words * 2 >= values.len()
}

fn required<'a>(typed: &'a Typed, key: &str) -> Option<&'a Template> {
    let parameter = typed.query.iter().find(|parameter| &*parameter.key == key)?;
    parameter.required.then_some(&parameter.value)
}

/// Returns the word if the template is a constant word.
fn word(template: &Template) -> Option<&str> {
    match template.pieces() {
        [Piece::Constant(word)] if !Kind::Number.is_whole(word.as_bytes()) => Some(word),
        _ => None,
    }
}

/// Joins many key sets into one pattern.
fn join_all(alike: &[Typed]) -> Typed {
    let mut keys: BTreeMap<&str, (Template, usize)> = BTreeMap::new();
    for parameter in alike.iter().flat_map(|typed| &typed.query) {
        keys.entry(&parameter.key)
            .and_modify(|(template, count)| {
                *template = wider(template, &parameter.value);
                *count += 1;
            })
            .or_insert_with(|| (parameter.value.clone(), 1));
    }
    let is_open = keys.len() > MAX_KEYS;
    let query = keys
        .into_iter()
        // An open pattern accepts any further key, so optional ones need no mention.
        .filter(|(_, (_, count))| !is_open || *count == alike.len())
        .map(|(key, (value, count))| Parameter {
            key: key.into(),
            value,
            required: count == alike.len(),
        });
    Typed {
        origin: alike[0].origin.clone(),
        path: alike[0].path.clone(),
        query: query.take(MAX_KEYS).collect(),
        open: is_open,
    }
}

/// Returns a template that matches everything that either template matches.
pub(super) fn wider(one: &Template, other: &Template) -> Template {
    if one == other {
        return one.clone();
    }
    let all = |holds: &dyn Fn(&Piece) -> bool| one.pieces().iter().chain(other.pieces()).all(holds);
    let is_empty = one.pieces().is_empty() || other.pieces().is_empty();
    let number = |piece: &Piece| match piece {
        Piece::Constant(text) => Kind::Number.is_whole(text.as_bytes()),
        Piece::Any(kind) => matches!(kind, Kind::Number | Kind::Year | Kind::Month | Kind::Day),
    };
    let slug = |piece: &Piece| match piece {
        Piece::Constant(text) => Kind::Slug.is_whole(text.as_bytes()),
        Piece::Any(kind) => *kind != Kind::Text,
    };
    let kind = if is_empty {
        Kind::Text
    } else if all(&number) && one.pieces().len() == 1 && other.pieces().len() == 1 {
        Kind::Number
    } else if all(&slug) {
        Kind::Slug
    } else {
        Kind::Text
    };
    Template::any(kind)
}
