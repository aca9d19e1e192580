//! Patterns that differ in their keys alone, when there are too many of them.
//!
//! Filters and sort orders combine freely, so that a list page may come with hundreds of sets of keys. They are
//! one page class then: keys that all have are required, the others may stand there. A key that all have and that is a word in most
//! names the class, as in `index.php?page=list`: what it says is never joined.

use std::collections::{BTreeMap, BTreeSet};

use super::super::kind::Kind;
use super::super::template::{Piece, Template};
use super::super::url_pattern::{Form, MOST_KEYS, Parameter, Segment, Typed, UrlPattern};

/// Patterns of one path up to which each keeps its own set of keys.
const MOST_SETS: usize = 6;

/// Joins patterns of one path that are too many; the others stay as they are.
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
        let typed = match alike.len() > MOST_SETS {
            true => named(&alike).into_iter().flat_map(few).collect(),
            false => alike,
        };
        kept.extend(typed.into_iter().map(|typed| UrlPattern {
            form: Form::Typed(typed),
        }));
    }
    kept.sort();
    kept
}

fn few(alike: Vec<Typed>) -> Vec<Typed> {
    match alike.len() > MOST_SETS {
        true => vec![joined(&alike)],
        false => alike,
    }
}

/// Sorts patterns of one path by the words of the keys that name them.
fn named(alike: &[Typed]) -> Vec<Vec<Typed>> {
    let keys = alike.iter().take(1).flat_map(|typed| typed.query.iter());
    let names: Vec<Box<str>> = keys
        .map(|parameter| parameter.key.clone())
        .filter(|key| names(key, alike))
        .collect();
    let mut by_name: BTreeMap<Vec<Option<&str>>, Vec<Typed>> = BTreeMap::new();
    for typed in alike {
        let words = names.iter().map(|key| word(required(typed, key)?));
        by_name.entry(words.collect()).or_default().push(typed.clone());
    }
    by_name.into_values().collect()
}

/// Whether all patterns have a key, and at least half of them a word for it that nothing else may stand for.
fn names(key: &str, alike: &[Typed]) -> bool {
    let values: Vec<&Template> = alike.iter().filter_map(|typed| required(typed, key)).collect();
    let words = values.iter().filter(|value| word(value).is_some()).count();
    values.len() == alike.len() && words * 2 >= values.len()
}

fn required<'a>(typed: &'a Typed, key: &str) -> Option<&'a Template> {
    let parameter = typed.query.iter().find(|parameter| &*parameter.key == key)?;
    parameter.required.then_some(&parameter.value)
}

/// The word that a template is, if it is one.
fn word(template: &Template) -> Option<&str> {
    match template.pieces() {
        [Piece::Constant(word)] if !Kind::Number.is_whole(word.as_bytes()) => Some(word),
        _ => None,
    }
}

/// One pattern for many sets of keys.
fn joined(alike: &[Typed]) -> Typed {
    let mut keys: BTreeMap<&str, (Template, usize)> = BTreeMap::new();
    for parameter in alike.iter().flat_map(|typed| &typed.query) {
        keys.entry(&parameter.key)
            .and_modify(|(template, count)| {
                *template = wider(template, &parameter.value);
                *count += 1;
            })
            .or_insert_with(|| (parameter.value.clone(), 1));
    }
    let is_open = keys.len() > MOST_KEYS;
    let query = keys
        .into_iter()
        .filter(|(_, (_, count))| !is_open || *count == alike.len())
        .map(|(key, (value, count))| Parameter {
            key: key.into(),
            value,
            required: count == alike.len(),
        });
    Typed {
        origin: alike[0].origin.clone(),
        path: alike[0].path.clone(),
        query: query.take(MOST_KEYS).collect(),
        open: is_open,
    }
}

/// A template that matches whatever one of the two does.
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
