use std::path::Path;

use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::{FolderInducer, Inducer, Proportion, SiteUrls, TypedInducer, Validation};

/// Returns the URLs of a whole site, in the order of its list.
fn urls(folder: &Path) -> Vec<CanonicalUrl> {
    let text = std::fs::read_to_string(folder.join("urls.tsv")).expect("the set has this file");
    let mut urls: Vec<CanonicalUrl> = text
        .lines()
        .filter_map(|line| line.split('\t').nth(1))
        .filter_map(|url| CanonicalUrl::trusted(url.split('#').next().unwrap_or(url)))
        .collect();
    urls.sort();
    urls.dedup();
    urls
}

/// Splits URLs into halves by the order of a hash, one for learning and one for validation.
fn halves<'a>(urls: &[&'a CanonicalUrl]) -> (Vec<&'a CanonicalUrl>, Vec<&'a CanonicalUrl>) {
    let mut urls = urls.to_vec();
    urls.sort_by_key(|url| url.fingerprint().0.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let unseen = urls.split_off(urls.len() / 2);
    (urls, unseen)
}

fn print(set: &str, inducer: &dyn Inducer, patterns: usize, validation: &Validation) {
    let figure = |proportion: Proportion| {
        let (low, high) = proportion.interval();
        format!("{:.3} ({low:.3} to {high:.3})", proportion.share())
    };
    println!(
        "{set}, {}: {patterns} patterns, recall {}, precision {}",
        inducer.name(),
        figure(validation.recall),
        figure(validation.precision)
    );
}

/// Returns the validation of unseen pages by inducer: the published one first.
fn check(set: &str, is_wanted: fn(&CanonicalUrl) -> bool) -> Option<[Validation; 2]> {
    let urls = urls(&magpie_test_support::data::find(set)?);
    let (wanted, others): (Vec<&CanonicalUrl>, Vec<&CanonicalUrl>) =
        urls.iter().partition(|url| is_wanted(url));
    let (seen, unseen) = halves(&wanted);
    let (seen_others, unseen_others) = halves(&others);
    let inducers: [&dyn Inducer; 2] = [&FolderInducer::default(), &TypedInducer::default()];
    Some(inducers.map(|inducer| {
        let induction = inducer.induce(&SiteUrls {
            wanted: &seen,
            others: &seen_others,
        });
        let validation = Validation::of(
            &induction.compile(),
            &SiteUrls {
                wanted: &unseen,
                others: &unseen_others,
            },
        );
        print(set, inducer, induction.patterns.len(), &validation);
        validation
    }))
}

#[test]
fn talks_of_a_conference() {
    let wanted = |url: &CanonicalUrl| url.path().contains("/sessions/session_");
    let Some([published, ours]) = check("site-fossasia2017", wanted) else {
        return;
    };
    assert!(ours.recall.share() >= 0.99 && ours.recall.share() >= published.recall.share());
}

#[test]
fn products_of_a_ticket_shop() {
    let wanted = |url: &CanonicalUrl| url.path().starts_with("/products/") && !url.path().ends_with('/');
    let Some([_, ours]) = check("site-iticket", wanted) else {
        return;
    };
    assert!(ours.recall.share() >= 0.95);
}

#[test]
fn books_of_a_book_site() {
    let wanted = |url: &CanonicalUrl| url.path().starts_with("/books/") && url.path().len() > "/books/".len();
    let Some([_, ours]) = check("site-medical-books", wanted) else {
        return;
    };
    assert!(ours.recall.share() >= 0.95);
}

/// Growing ids: patterns learned from the lower half of a site's ids are applied to the upper half.
#[test]
fn numbers_that_grow() {
    let Some(folder) = magpie_test_support::data::find("urlgraph") else {
        return;
    };
    let mut sums = [0.0; 2];
    let mut folders = 0.0;
    for site in ["asp.net", "hupu.com", "rottentomatoes.com", "stackexchange.com"] {
        let text =
            std::fs::read_to_string(folder.join(format!("{site}.edges.tsv"))).expect("the set has this file");
        for urls in growing(&text) {
            let (seen, next) = urls.split_at(urls.len() / 2);
            let (seen, next): (Vec<_>, Vec<_>) = (seen.iter().collect(), next.iter().collect());
            let inducers: [&dyn Inducer; 2] = [&FolderInducer::default(), &TypedInducer::default()];
            for (sum, inducer) in sums.iter_mut().zip(inducers) {
                let site = |wanted| SiteUrls { wanted, others: &[] };
                let patterns = inducer.induce(&site(&seen)).compile();
                *sum += Validation::of(&patterns, &site(&next)).recall.share();
            }
            folders += 1.0;
        }
    }
    let [published, ours] = sums.map(|sum| sum / folders);
    println!("next numbers, mean of {folders} folders: published {published:.3}, ours {ours:.3}");
    assert!(ours >= 0.99 && ours >= published);
}

/// Groups URLs by the text around their last number, sorted by that number; keeps large groups.
fn growing(edges: &str) -> Vec<Vec<CanonicalUrl>> {
    let mut folders: std::collections::BTreeMap<String, std::collections::BTreeMap<u64, CanonicalUrl>> =
        std::collections::BTreeMap::new();
    for line in edges.lines() {
        let text = line.split('\t').next().unwrap_or(line);
        let Some(url) = CanonicalUrl::trusted(text) else {
            continue;
        };
        let path = url.path().to_owned();
        let Some(end) = path.rfind(|letter: char| letter.is_ascii_digit()) else {
            continue;
        };
        let start = path[..end]
            .rfind(|letter: char| !letter.is_ascii_digit())
            .map_or(0, |index| index + 1);
        let Ok(number) = path[start..=end].parse::<u64>() else {
            continue;
        };
        let ends_token = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_ascii_alphanumeric());
        let is_token = path[..start].ends_with('/') && ends_token(path[end + 1..].chars().next());
        if is_token && url.query().is_none() {
            let around = format!("{}{}|{}", url.origin(), &path[..start], &path[end + 1..]);
            folders.entry(around).or_default().insert(number, url);
        }
    }
    let enough = folders.into_values().filter(|urls| urls.len() >= 20);
    enough.map(|urls| urls.into_values().collect()).collect()
}
