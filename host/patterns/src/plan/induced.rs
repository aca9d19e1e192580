//! The patterns of a site.

use std::cmp::Ordering;

use magpie_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::survey::Survey;
use crate::pattern::{
    FolderInducer, Inducer, PatternSet, Reach, SiteUrls, TypedInducer, UrlPattern, Validation, foresee,
};

/// One page in so many is kept from the inducers, to choose among them by what they make of it.
const HELD_OUT: usize = 3;

/// Fewer pages than this are not split: what is left of them would say nothing.
const LEAST_TO_SPLIT: usize = 12;

/// How patterns are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Induce {
    /// As published: the longest common prefix of a folder, within the folder.
    Prefix,
    /// As published, where whatever begins so matches.
    PlainPrefix,
    /// Typed tokens, as careful or as generous as does best on pages they were not made from.
    #[default]
    Typed,
}

/// The patterns of a site.
#[derive(Clone, Debug, Default)]
pub struct SitePatterns {
    /// Patterns of the pages with objects. Every such page is matched by one at least. Some are of further pages of lists, of which there
    /// is none yet.
    pub wanted: Vec<UrlPattern>,
    /// Patterns of the other pages: what hubs are chosen from.
    pub others: Vec<UrlPattern>,
    /// How the way they were made does on pages that were kept from it, where there were enough.
    pub validation: Option<Validation>,
}

/// Makes the patterns of a site.
pub fn induced(survey: &Survey, how: Induce) -> SitePatterns {
    let objects = survey.objects_of_pages();
    let (wanted, others): (Vec<usize>, Vec<usize>) =
        (0..survey.urls.len()).partition(|page| !objects[*page].is_empty());
    let urls =
        |pages: &[usize]| -> Vec<&CanonicalUrl> { pages.iter().map(|page| &survey.urls[*page]).collect() };
    let lists: Vec<usize> = wanted
        .iter()
        .copied()
        .filter(|page| objects[*page].len() > 1)
        .collect();
    let (wanted, others, lists) = (urls(&wanted), urls(&others), urls(&lists));
    let site = SiteUrls {
        wanted: &wanted,
        others: &others,
    };
    let (patterns, validation) = match how {
        Induce::Prefix => (folder(Reach::Folder, &site), None),
        Induce::PlainPrefix => (folder(Reach::Plain, &site), None),
        Induce::Typed => {
            let (patterns, validation) = typed(&site);
            (foresee(patterns, &site, &lists), validation)
        }
    };
    let set = PatternSet::new(patterns.iter().cloned());
    let left: Vec<&CanonicalUrl> = others.into_iter().filter(|url| !set.matches(url)).collect();
    SitePatterns {
        others: classes(&left, how),
        wanted: patterns,
        validation,
    }
}

fn folder(reach: Reach, site: &SiteUrls<'_>) -> Vec<UrlPattern> {
    FolderInducer { reach }.induce(site).patterns
}

/// What is not wanted has patterns as well: hubs are among them.
fn classes(urls: &[&CanonicalUrl], how: Induce) -> Vec<UrlPattern> {
    let site = SiteUrls {
        wanted: urls,
        others: &[],
    };
    match how {
        Induce::Typed => TypedInducer::default().induce(&site).patterns,
        Induce::Prefix => folder(Reach::Folder, &site),
        Induce::PlainPrefix => folder(Reach::Plain, &site),
    }
}

/// Tries inducers from careful to generous on pages that were kept from them, and takes the best for all pages.
fn typed(site: &SiteUrls<'_>) -> (Vec<UrlPattern>, Option<Validation>) {
    if site.wanted.len() < LEAST_TO_SPLIT {
        return (TypedInducer::default().induce(site).patterns, None);
    }
    let (seen_wanted, unseen_wanted) = split(site.wanted);
    let (seen_others, unseen_others) = split(site.others);
    let seen = SiteUrls {
        wanted: &seen_wanted,
        others: &seen_others,
    };
    let unseen = SiteUrls {
        wanted: &unseen_wanted,
        others: &unseen_others,
    };
    let tried = TypedInducer::ladder().into_iter().map(|inducer| {
        let induction = inducer.induce(&seen);
        let validation = Validation::of(&induction.compile(), &unseen);
        (inducer, validation, induction.patterns.len())
    });
    let best = tried.max_by(|one, other| {
        let score = one.1.score().total_cmp(&other.1.score());
        // Of equals the one with fewer patterns, then the more careful one, which comes first.
        score.then(other.2.cmp(&one.2)).then(Ordering::Greater)
    });
    let inducer = best.map_or_else(TypedInducer::default, |(inducer, ..)| inducer);
    (
        inducer.induce(site).patterns,
        best.map(|(_, validation, _)| validation),
    )
}

/// What is shown and what is held out.
fn split<'a>(urls: &[&'a CanonicalUrl]) -> (Vec<&'a CanonicalUrl>, Vec<&'a CanonicalUrl>) {
    let (mut seen, mut unseen) = (Vec::new(), Vec::new());
    for (place, url) in urls.iter().enumerate() {
        match place % HELD_OUT {
            0 => unseen.push(*url),
            _ => seen.push(*url),
        }
    }
    (seen, unseen)
}
