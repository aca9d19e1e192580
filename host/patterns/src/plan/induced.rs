//! Induction of a site's patterns.

use std::cmp::Ordering;

use magpie_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::survey::Survey;
use crate::pattern::{
    FolderInducer, Inducer, PatternSet, Reach, SiteUrls, TypedInducer, UrlPattern, Validation,
    extend_pagination,
};

/// One page in this many is held out to choose among inducers.
const HOLD_OUT_INTERVAL: usize = 3;

/// Minimum number of pages for a hold-out; with fewer it would not be meaningful.
const MIN_TO_SPLIT: usize = 12;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Induce {
    /// Published: the longest common prefix of a folder, matching within the folder.
    Prefix,
    /// Published: the same prefix, matching every URL that starts with it.
    PlainPrefix,
    /// Typed tokens, with the strictness that does best on held-out pages.
    #[default]
    Typed,
}

#[derive(Clone, Debug, Default)]
pub struct SitePatterns {
    /// Patterns of the pages with objects. At least one matches each such page. Some cover further
    /// pages of lists that do not exist yet.
    pub wanted: Vec<UrlPattern>,
    /// Patterns of the other pages, from which hubs are chosen.
    pub others: Vec<UrlPattern>,
    /// Performance of the chosen inducer on held-out pages, if there were enough pages.
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
        Induce::Prefix => (induce_prefixes(Reach::Folder, &site), None),
        Induce::PlainPrefix => (induce_prefixes(Reach::Plain, &site), None),
        Induce::Typed => {
            let (patterns, validation) = induce_typed(&site);
            (extend_pagination(patterns, &site, &lists), validation)
        }
    };
    let set = PatternSet::new(patterns.iter().cloned());
    let left: Vec<&CanonicalUrl> = others.into_iter().filter(|url| !set.matches(url)).collect();
    SitePatterns {
        others: induce_others(&left, how),
        wanted: patterns,
        validation,
    }
}

fn induce_prefixes(reach: Reach, site: &SiteUrls<'_>) -> Vec<UrlPattern> {
    FolderInducer { reach }.induce(site).patterns
}

/// Induces patterns of unwanted pages, which include hubs.
fn induce_others(urls: &[&CanonicalUrl], how: Induce) -> Vec<UrlPattern> {
    let site = SiteUrls {
        wanted: urls,
        others: &[],
    };
    match how {
        Induce::Typed => TypedInducer::default().induce(&site).patterns,
        Induce::Prefix => induce_prefixes(Reach::Folder, &site),
        Induce::PlainPrefix => induce_prefixes(Reach::Plain, &site),
    }
}

/// Tries inducers from cautious to generous on held-out pages, and applies the best to all pages.
fn induce_typed(site: &SiteUrls<'_>) -> (Vec<UrlPattern>, Option<Validation>) {
    if site.wanted.len() < MIN_TO_SPLIT {
        return (TypedInducer::default().induce(site).patterns, None);
    }
    // No strictness fits all sites, so the pages that were held out choose.
    let (seen_wanted, unseen_wanted) = hold_out(site.wanted);
    let (seen_others, unseen_others) = hold_out(site.others);
    let seen = SiteUrls {
        wanted: &seen_wanted,
        others: &seen_others,
    };
    let unseen = SiteUrls {
        wanted: &unseen_wanted,
        others: &unseen_others,
    };
    let tried = TypedInducer::by_strictness().into_iter().map(|inducer| {
        let induction = inducer.induce(&seen);
        let validation = Validation::of(&induction.compile(), &unseen);
        (inducer, validation, induction.patterns.len())
    });
    let best = tried.max_by(|one, other| {
        let score = one.1.score().total_cmp(&other.1.score());
        // Ties go to fewer patterns, then to the more cautious inducer, which comes first.
        score.then(other.2.cmp(&one.2)).then(Ordering::Greater)
    });
    let inducer = best.map_or_else(TypedInducer::default, |(inducer, ..)| inducer);
    (
        inducer.induce(site).patterns,
        best.map(|(_, validation, _)| validation),
    )
}

/// Splits URLs into training and held-out ones.
fn hold_out<'a>(urls: &[&'a CanonicalUrl]) -> (Vec<&'a CanonicalUrl>, Vec<&'a CanonicalUrl>) {
    let (mut seen, mut unseen) = (Vec::new(), Vec::new());
    for (index, url) in urls.iter().enumerate() {
        match index % HOLD_OUT_INTERVAL {
            0 => unseen.push(*url),
            _ => seen.push(*url),
        }
    }
    (seen, unseen)
}
