//! A walk through a site's sitemaps: bounded in levels and files, and never in a circle.

use std::collections::HashSet;

use magpie_model::{CanonicalUrl, UrlFingerprint};

/// Limits of the sitemaps that are read of one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkLimits {
    /// Levels of indexes. The protocol allows one index above its sitemaps; some sites have one
    /// more.
    pub max_levels: u32,
    /// Sitemaps over the whole tree of indexes.
    pub max_sitemaps: usize,
}

impl Default for WalkLimits {
    fn default() -> Self {
        WalkLimits {
            max_levels: 3,
            // A million pages in files of fifty thousand need twenty; shops with a file per
            // category have hundreds.
            max_sitemaps: 1_000,
        }
    }
}

/// Reason why a sitemap is not read. Displays as a plain sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SitemapRefusal {
    /// Indexes inside one another.
    #[error("sitemap indexes nest deeper than {0} levels")]
    TooDeep(u32),
    #[error("there are more than {0} sitemaps")]
    TooManySitemaps(usize),
    /// It was read already.
    #[error("the sitemap was read already")]
    Repeated,
}

/// The sitemaps of one host that were read, or wait to be read.
#[derive(Debug)]
pub struct SitemapWalk {
    limits: WalkLimits,
    seen: HashSet<UrlFingerprint>,
}

impl SitemapWalk {
    /// A walk that has read nothing yet.
    pub fn new(limits: WalkLimits) -> SitemapWalk {
        SitemapWalk {
            limits,
            seen: HashSet::new(),
        }
    }

    /// Adds a sitemap to those to read, or returns why it is not read. Those in robots.txt are of
    /// level 0, those that an index names one further.
    pub fn offer(&mut self, sitemap: &CanonicalUrl, level: u32) -> Result<(), SitemapRefusal> {
        if level >= self.limits.max_levels {
            return Err(SitemapRefusal::TooDeep(self.limits.max_levels));
        }
        if self.seen.contains(&sitemap.fingerprint()) {
            return Err(SitemapRefusal::Repeated);
        }
        if self.seen.len() >= self.limits.max_sitemaps {
            return Err(SitemapRefusal::TooManySitemaps(self.limits.max_sitemaps));
        }
        self.seen.insert(sitemap.fingerprint());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{SitemapRefusal, SitemapWalk, WalkLimits};
    use magpie_model::CanonicalUrl;

    #[test]
    fn a_circle_of_indexes_ends() {
        let limits = WalkLimits {
            max_levels: 3,
            max_sitemaps: 3,
        };
        let mut walk = SitemapWalk::new(limits);
        let url = |name: &str| CanonicalUrl::trusted(format!("https://a.example/{name}")).expect("canonical");
        assert_eq!(walk.offer(&url("index.xml"), 0), Ok(()));
        assert_eq!(walk.offer(&url("index.xml"), 1), Err(SitemapRefusal::Repeated));
        assert_eq!(walk.offer(&url("1.xml"), 3), Err(SitemapRefusal::TooDeep(3)));
        assert_eq!(walk.offer(&url("1.xml"), 1), Ok(()));
        assert_eq!(walk.offer(&url("2.xml"), 1), Ok(()));
        assert_eq!(
            walk.offer(&url("3.xml"), 1),
            Err(SitemapRefusal::TooManySitemaps(3))
        );
    }
}
