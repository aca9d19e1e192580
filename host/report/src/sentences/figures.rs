//! The figures of a run in sentences, and reasons to distrust the objects of a site. Command line,
//! JSON and report take both from here.

use magpie_engine::site::{PatternSamples, SampleObject, SiteFigures};
use magpie_matching::plausible::{Suspicion, SuspicionKind};
use magpie_patterns::coverage::Estimate;

use crate::format;
use crate::{Expected, Figures};

/// Maximum number of sites that have a line of their own.
const MAX_SITES: usize = 10;

/// Maximum number of patterns whose samples `learn` prints.
const MAX_PATTERNS: usize = 6;

/// Fetched pages that are proposed next, as a multiple of those there are.
const DEEPER: u64 = 4;

/// Adds what was read of the sites to the figures.
pub fn add_sites(figures: &mut Figures, sites: &[SiteFigures]) {
    for site in sites {
        figures.known_pages += site.coverage.known_pages;
        figures.unfetched_pages += site.coverage.unfetched_pages;
        figures.lookalike_pages += site.coverage.lookalike_pages;
        figures.untried_pages += site.coverage.untried_pages;
        figures.gone_urls += site.no_pages.gone;
        figures.file_urls += site.no_pages.files;
        figures.feed_urls += site.no_pages.feeds;
        figures.other_urls += site.no_pages.others;
    }
    figures.sites = sites.len() as u64;
    let expected: Option<Vec<Estimate>> = sites.iter().map(|site| site.coverage.estimate).collect();
    figures.expected_objects = expected.filter(|all| !all.is_empty()).map(|all| {
        let sum = Estimate::sum(&all);
        // Sites share objects: no more than the sum is expected, and no less than was found.
        let found = figures.objects as f64;
        Expected {
            value: sum.value.max(found),
            low: sum.low.max(found),
            high: sum.high.max(found),
        }
    });
}

/// Describes the fetched share of a site, and the objects expected on the rest.
pub fn coverage(objects: u64, figures: &Figures) -> String {
    let read = figures.known_pages.saturating_sub(figures.unfetched_pages);
    let mut text = format!("{} found on ", format::many(objects, "object"));
    if figures.unfetched_pages == 0 {
        text.push_str(&match figures.known_pages {
            1 => "the only known page".to_owned(),
            known => format!("all {}", format::many(known, "known page")),
        });
        return text;
    }
    text.push_str(&format!(
        "{} of {}",
        format::thousands(read),
        format::many(figures.known_pages, "known page")
    ));
    if figures.lookalike_pages > 0 {
        text.push_str(&format!(
            "; {} like those with objects",
            format::counted(
                figures.lookalike_pages,
                "unfetched URL looks",
                "unfetched URLs look"
            )
        ));
    }
    match figures.expected_objects {
        Some(expected) if expected.high.round() > objects as f64 => {
            text.push_str(&format!("; {} expected on all known pages", range(expected)));
        }
        Some(_) => text.push_str("; no more are expected on the other pages"),
        None => text.push_str(&format!(
            "; unknown for the others: {} of them are of forms of which too few pages were fetched",
            format::thousands(figures.untried_pages)
        )),
    }
    if figures.lookalike_pages + figures.untried_pages > 0 {
        text.push_str(&format!(
            "; `magpie learn --pages {}` continues",
            deeper(read, figures.known_pages)
        ));
    }
    text
}

/// Names the known URLs that are no pages, and so in no share of pages; `None` if there are none.
pub fn no_pages(figures: &Figures) -> Option<String> {
    let kinds = [
        (figures.gone_urls, "gone"),
        (figures.file_urls, "of files"),
        (figures.feed_urls, "of feeds and sitemaps"),
        (figures.other_urls, "that redirect, fail or are not fetched"),
    ];
    let named = kinds.iter().filter(|(count, _)| *count > 0);
    let named: Vec<String> = named
        .map(|(count, kind)| format!("{} {kind}", format::thousands(*count)))
        .collect();
    (!named.is_empty()).then(|| format!("URLs that are no pages: {}", named.join(", ")))
}

/// A number with its interval: `10,900 (5,400 to 16,300) objects are`.
fn range(expected: Expected) -> String {
    format!(
        "about {} objects ({} to {}) are",
        format::thousands(rounded(expected.value)),
        format::thousands(rounded(expected.low)),
        format::thousands(rounded(expected.high))
    )
}

/// A number without the digits that an estimate does not have.
fn rounded(value: f64) -> u64 {
    let step = match value {
        10_000.0.. => 100.0,
        1_000.0.. => 10.0,
        _ => 1.0,
    };
    ((value / step).round() * step) as u64
}

/// Returns a larger number of pages to fetch, at most the number of known ones.
fn deeper(read: u64, known: u64) -> u64 {
    let wanted = (DEEPER * read).clamp(100, known.max(100));
    let step = 10_u64.pow(wanted.ilog10().saturating_sub(1));
    wanted.div_ceil(step) * step
}

/// A reason to distrust the objects of a site: problem, cause, and what to do.
pub fn suspicion(site: &str, suspicion: &Suspicion) -> String {
    let Suspicion {
        attribute,
        value,
        hits,
        of,
        ..
    } = suspicion;
    let (hits, of) = (format::thousands(*hits), format::thousands(*of));
    let problem = match suspicion.kind {
        SuspicionKind::MostlyAlike => format!(
            "{hits} of {of} objects have the {attribute} {value:?}: parts of pages were probably taken for objects"
        ),
        SuspicionKind::RepeatedName => format!(
            "{hits} of {of} objects have the {attribute} {value:?}, at different times: a heading or a calendar was probably taken for objects"
        ),
        SuspicionKind::ConstantIdentifier => format!(
            "{hits} of {of} objects with a {attribute} have the same, {value:?}: it probably belongs to the site, not to the objects"
        ),
        SuspicionKind::FailingChecks => format!(
            "on {hits} of {of} pages with objects a value does not fit the schema: the vertical probably reads the wrong elements"
        ),
        SuspicionKind::NoOwnPage => format!(
            "none of {of} objects has a page of its own: only lists were read, or parts of pages were taken for objects"
        ),
    };
    format!("{site}: {problem}; `magpie objects --site {site}` and `magpie patterns {site}` show them")
}

/// Formats a sample object as a line.
pub fn sample(sample: &SampleObject) -> String {
    let mut parts = vec![sample.label.clone()];
    let attributes = sample.attributes.iter();
    parts.extend(attributes.map(|(label, value)| format!("{label} {}", format::shortened(value, 40))));
    parts.push(sample.page.clone());
    parts.join(" · ")
}

/// Returns the last lines of `learn`: the fetched share of each site, and some objects of the
/// chosen patterns.
pub fn learned(figures: &Figures, sites: &[SiteFigures]) -> Vec<String> {
    let mut lines = vec![coverage(figures.objects, figures)];
    lines.extend(no_pages(figures));
    if sites.len() > 1 {
        let mut unread: Vec<&SiteFigures> = sites
            .iter()
            .filter(|site| site.coverage.unfetched_pages > 0)
            .collect();
        unread.sort_by_key(|site| std::cmp::Reverse(site.coverage.lookalike_pages));
        for site in unread.iter().take(MAX_SITES) {
            let mut own = Figures::default();
            add_sites(&mut own, std::slice::from_ref(site));
            lines.push(format!(
                "  {}: {}",
                site.key,
                coverage(site.coverage.objects, &own)
            ));
        }
        if unread.len() > MAX_SITES {
            lines.push(format!(
                "  and {}",
                format::count(unread.len() - MAX_SITES, "more site")
            ));
        }
    }
    let of_patterns = || sites.iter().flat_map(|site| &site.samples);
    let patterns = of_patterns().filter(|samples| !samples.objects.is_empty());
    let patterns: Vec<&PatternSamples> = patterns.collect();
    for samples in patterns.iter().take(MAX_PATTERNS) {
        lines.push(format!("objects of {}", samples.pattern));
        lines.extend(
            samples
                .objects
                .iter()
                .map(|object| format!("  {}", sample(object))),
        );
    }
    if patterns.len() > MAX_PATTERNS {
        let more = format::count(patterns.len() - MAX_PATTERNS, "more pattern");
        lines.push(format!("and those of {more}, which `magpie patterns` shows"));
    }
    lines
}

/// Compares the planned and the fetched pages of a round.
pub fn promise(promised: u64, most: Option<u64>, fetched: u64) -> String {
    let most = most.map_or_else(String::new, |most| {
        format!(", {} at most", format::thousands(most))
    });
    format!(
        "promised {}{most}, took {}",
        format::many(promised, "page"),
        format::thousands(fetched)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_names_what_it_is_a_share_of() {
        let expected = |value, low, high| Some(Expected { value, low, high });
        let figures = |known, unfetched, alike, untried, expected_objects| Figures {
            known_pages: known,
            unfetched_pages: unfetched,
            lookalike_pages: alike,
            untried_pages: untried,
            expected_objects,
            ..Figures::default()
        };
        let cases = [
            (
                6,
                figures(37_726, 32_726, 21_712, 10, expected(10_862.0, 5_441.7, 16_288.3)),
                "6 objects found on 5,000 of 37,726 known pages; 21,712 unfetched URLs look like those with objects; \
                 about 10,900 objects (5,440 to 16,300) are expected on all known pages; `magpie learn --pages 20000` continues",
            ),
            (
                1,
                figures(1, 0, 0, 0, expected(1.0, 1.0, 1.0)),
                "1 object found on the only known page",
            ),
            (
                9,
                figures(50, 20, 0, 0, expected(9.0, 9.0, 9.0)),
                "9 objects found on 30 of 50 known pages; no more are expected on the other pages",
            ),
            (
                9,
                figures(500, 470, 1, 469, None),
                "9 objects found on 30 of 500 known pages; 1 unfetched URL looks like those with objects; unknown for \
                 the others: 469 of them are of forms of which too few pages were fetched; `magpie learn --pages 120` continues",
            ),
        ];
        for (objects, figures, said) in cases {
            assert_eq!(coverage(objects, &figures), said);
        }
    }

    #[test]
    fn urls_that_are_no_pages_are_named_apart() {
        let figures = Figures {
            known_pages: 105,
            gone_urls: 1_132,
            other_urls: 10,
            ..Figures::default()
        };
        assert_eq!(
            no_pages(&figures).as_deref(),
            Some("URLs that are no pages: 1,132 gone, 10 that redirect, fail or are not fetched")
        );
        assert_eq!(no_pages(&Figures::default()), None);
    }

    #[test]
    fn a_warning_says_what_to_do() {
        let one = Suspicion {
            kind: SuspicionKind::RepeatedName,
            attribute: "name".to_owned(),
            value: "S So".to_owned(),
            hits: 224,
            of: 1_347,
        };
        assert_eq!(
            suspicion("hall.example", &one),
            "hall.example: 224 of 1,347 objects have the name \"S So\", at different times: a heading or a calendar was \
             probably taken for objects; `magpie objects --site hall.example` and `magpie patterns hall.example` show them"
        );
    }
}
