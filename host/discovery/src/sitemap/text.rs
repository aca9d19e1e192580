//! Sitemaps in plain text: one URL per line.

use super::{MAX_LOCATION_LEN, Sitemap, SitemapEntry, SitemapKind, SitemapLimits, SitemapProblem};

pub(super) fn read(text: &str, limits: &SitemapLimits, sitemap: &mut Sitemap) {
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if !is_url(line) {
            sitemap.problem(SitemapProblem::BadLine(number + 1));
            continue;
        }
        if sitemap.entries.len() >= limits.max_entries {
            sitemap.problem(SitemapProblem::TooManyEntries(limits.max_entries));
            break;
        }
        sitemap.entries.push(SitemapEntry {
            location: line.to_owned(),
            ..Default::default()
        });
    }
    if sitemap.entries.is_empty() {
        // A page of prose is no list with a hundred bad lines.
        sitemap
            .problems
            .retain(|problem| !matches!(problem, SitemapProblem::BadLine(_)));
        sitemap.problem(SitemapProblem::NotASitemap(
            "it is neither XML nor a list of URLs",
        ));
    } else {
        sitemap.kind = SitemapKind::Text;
    }
}

fn is_url(line: &str) -> bool {
    let is_web = ["http://", "https://"].iter().any(|scheme| {
        line.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    is_web && line.len() <= MAX_LOCATION_LEN && !line.contains(char::is_whitespace)
}
