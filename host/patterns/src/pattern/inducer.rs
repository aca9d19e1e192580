//! Induction of patterns from the URLs of wanted pages: the interface and the published inducer.

use std::collections::BTreeMap;

use magpie_model::CanonicalUrl;

use super::set::PatternSet;
use super::url_pattern::{Reach, UrlPattern};

/// The known URLs of a site.
#[derive(Clone, Copy, Debug, Default)]
pub struct SiteUrls<'a> {
    /// Wanted pages, such as those with objects.
    pub wanted: &'a [&'a CanonicalUrl],
    /// Other known pages of the site, which patterns should not match.
    pub others: &'a [&'a CanonicalUrl],
}

/// The patterns of a site.
#[derive(Clone, Debug, Default)]
pub struct Induction {
    /// Distinct patterns. Together they match every wanted URL.
    pub patterns: Vec<UrlPattern>,
}

pub trait Inducer {
    /// Returns the name used in reports.
    fn name(&self) -> &'static str;

    /// Induces the patterns of one site. At least one of them matches each wanted URL.
    fn induce(&self, site: &SiteUrls<'_>) -> Induction;
}

/// The published inducer: the longest common prefix of the URLs of a folder.
///
/// It cuts at the first difference, even inside of numbers, and only the end of its patterns
/// varies. It serves as a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderInducer {
    /// Extent of the patterns; [`Reach::Folder`] by default.
    pub reach: Reach,
}

impl Default for FolderInducer {
    fn default() -> FolderInducer {
        FolderInducer { reach: Reach::Folder }
    }
}

impl Inducer for FolderInducer {
    fn name(&self) -> &'static str {
        match self.reach {
            Reach::Plain => "longest common prefix, plain",
            Reach::Folder => "longest common prefix, within the folder",
            Reach::Exact => "every URL by itself",
        }
    }

    fn induce(&self, site: &SiteUrls<'_>) -> Induction {
        let mut folders: BTreeMap<&str, Vec<&CanonicalUrl>> = BTreeMap::new();
        for url in site.wanted {
            folders.entry(folder_of(url)).or_default().push(url);
        }
        let prefixes = folders.values().map(|urls| prefix_of(urls, self.reach)).collect();
        let patterns = prune(prefixes).into_iter().map(|(prefix, reach)| match reach {
            Reach::Exact => CanonicalUrl::trusted(prefix).map(|url| UrlPattern::exact(&url)),
            reach => Some(UrlPattern::prefix(prefix, reach)),
        });
        Induction {
            patterns: patterns.flatten().collect(),
        }
    }
}

/// Returns scheme, host, and path up to its last slash. Slashes in the query do not count.
pub(super) fn folder_of(url: &CanonicalUrl) -> &str {
    let path_end = url.origin().len() + url.path().len();
    let slash = url.as_str()[..path_end].rfind('/').unwrap_or(path_end);
    &url.as_str()[..=slash]
}

/// Returns the longest common prefix of a folder's URLs. A single URL is its own pattern.
fn prefix_of<'a>(urls: &[&'a CanonicalUrl], reach: Reach) -> (&'a str, Reach) {
    let first = urls[0].as_str();
    let common = |length: usize, url: &&CanonicalUrl| {
        let pairs = first.bytes().zip(url.as_str().bytes()).take(length);
        pairs.take_while(|(one, other)| one == other).count()
    };
    let length = urls.iter().fold(first.len(), common);
    let alike = urls.iter().all(|url| url.as_str() == first);
    (&first[..length], if alike { Reach::Exact } else { reach })
}

/// Drops every pattern whose URLs are all covered by another pattern.
fn prune(mut prefixes: Vec<(&str, Reach)>) -> Vec<(&str, Reach)> {
    prefixes.sort_unstable();
    prefixes.dedup();
    let mut kept: Vec<(&str, Reach)> = Vec::with_capacity(prefixes.len());
    let mut open: Vec<(&str, Reach)> = Vec::new();
    for (prefix, reach) in prefixes {
        // In sorted order all prefixes of a pattern precede it, so one pass with a stack of open
        // prefixes finds them.
        while open.last().is_some_and(|(before, _)| !prefix.starts_with(before)) {
            open.pop();
        }
        if !open.iter().any(|(before, wide)| wide.contains(before, prefix)) {
            kept.push((prefix, reach));
        }
        open.push((prefix, reach));
    }
    kept
}

impl Induction {
    pub fn compile(&self) -> PatternSet {
        PatternSet::new(self.patterns.iter().cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::{Reach, prune};

    fn check(reach: Reach, prefixes: &[&str], kept: &[&str]) {
        let prefixes = prefixes.iter().map(|prefix| (*prefix, reach)).collect();
        let left: Vec<&str> = prune(prefixes).into_iter().map(|(prefix, _)| prefix).collect();
        assert_eq!(left, kept, "{reach:?}");
    }

    #[test]
    fn a_pattern_inside_another_is_pruned() {
        for reach in [Reach::Plain, Reach::Folder] {
            check(reach, &["/a/", "/a/b?id=", "/c/x1"], &["/a/", "/c/x1"]);
        }
        check(Reach::Plain, &["/a/", "/a/b/"], &["/a/"]);
        check(Reach::Folder, &["/a/", "/a/b/"], &["/a/", "/a/b/"]);
    }

    #[test]
    fn an_exact_url_covers_no_other() {
        check(Reach::Exact, &["/", "/a"], &["/", "/a"]);
    }
}
