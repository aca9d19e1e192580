//! From the URLs of wanted pages to patterns: what every inducer does, and the published one.

use std::collections::BTreeMap;

use magpie_model::CanonicalUrl;

use super::set::PatternSet;
use super::url_pattern::{Reach, UrlPattern};

/// What is known of a site when its patterns are induced.
#[derive(Clone, Copy, Debug, Default)]
pub struct SiteUrls<'a> {
    /// Pages that are wanted, as those with objects on them.
    pub wanted: &'a [&'a CanonicalUrl],
    /// Other pages of the site, where they are known: what a pattern should not match.
    pub others: &'a [&'a CanonicalUrl],
}

/// The patterns of a site.
#[derive(Clone, Debug, Default)]
pub struct Induction {
    /// The patterns, each once. Together they match every wanted URL.
    pub patterns: Vec<UrlPattern>,
}

/// A way to make patterns.
pub trait Inducer {
    /// What it is called in reports.
    fn name(&self) -> &'static str;

    /// The patterns of the wanted URLs of one site. Every wanted URL is matched by one of them at least.
    fn induce(&self, site: &SiteUrls<'_>) -> Induction;
}

/// The published inducer: the longest common prefix of the URLs of a folder.
///
/// It cuts where the URLs differ first, inside of numbers too, and knows no variable part but the end. It is
/// here to be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderInducer {
    /// How its patterns match; [`Reach::Folder`] unless the other reading is wanted.
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
            Reach::Itself => "every URL by itself",
        }
    }

    fn induce(&self, site: &SiteUrls<'_>) -> Induction {
        let mut folders: BTreeMap<&str, Vec<&CanonicalUrl>> = BTreeMap::new();
        for url in site.wanted {
            folders.entry(folder_of(url)).or_default().push(url);
        }
        let prefixes = folders.values().map(|urls| prefix_of(urls, self.reach)).collect();
        let patterns = prune(prefixes).into_iter().map(|(prefix, reach)| match reach {
            Reach::Itself => CanonicalUrl::trusted(prefix).map(|url| UrlPattern::exact(&url)),
            reach => Some(UrlPattern::prefix(prefix, reach)),
        });
        Induction {
            patterns: patterns.flatten().collect(),
        }
    }
}

/// Scheme, host and path up to its last slash. Slashes of the query are none of the path's.
pub(super) fn folder_of(url: &CanonicalUrl) -> &str {
    let path_end = url.origin().len() + url.path().len();
    let slash = url.as_str()[..path_end].rfind('/').unwrap_or(path_end);
    &url.as_str()[..=slash]
}

/// The longest common prefix of a folder's URLs; a URL alone is its own pattern.
fn prefix_of<'a>(urls: &[&'a CanonicalUrl], reach: Reach) -> (&'a str, Reach) {
    let first = urls[0].as_str();
    let common = |length: usize, url: &&CanonicalUrl| {
        let pairs = first.bytes().zip(url.as_str().bytes()).take(length);
        pairs.take_while(|(one, other)| one == other).count()
    };
    let length = urls.iter().fold(first.len(), common);
    let alike = urls.iter().all(|url| url.as_str() == first);
    (&first[..length], if alike { Reach::Itself } else { reach })
}

/// Drops every pattern whose URLs are all URLs of another.
///
/// A sorted list has the prefixes of a pattern before it and in its own neighbourhood, so one pass with the
/// prefixes still open finds them all.
fn prune(mut prefixes: Vec<(&str, Reach)>) -> Vec<(&str, Reach)> {
    prefixes.sort_unstable();
    prefixes.dedup();
    let mut kept: Vec<(&str, Reach)> = Vec::with_capacity(prefixes.len());
    let mut open: Vec<(&str, Reach)> = Vec::new();
    for (prefix, reach) in prefixes {
        while open.last().is_some_and(|(before, _)| !prefix.starts_with(before)) {
            open.pop();
        }
        if !open.iter().any(|(before, wide)| wide.swallows(before, prefix)) {
            kept.push((prefix, reach));
        }
        open.push((prefix, reach));
    }
    kept
}

impl Induction {
    /// The patterns, compiled.
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
    fn a_url_alone_swallows_nothing() {
        check(Reach::Itself, &["/", "/a"], &["/", "/a"]);
    }
}
