//! Rounds of programs that read no lists: one asks only the sitemaps of a site, another only its
//! feeds.
//!
//! Each has read them when the site was learned. A week later it fetches the pages that are new
//! there, or that have another date. It is not told what robots.txt forbids, so it may fetch more
//! than a crawler would.

use std::collections::{BTreeMap, HashSet};

use anyhow::Result;
use magpie_discovery::sitemap::{self, SitemapKind, SitemapLimits};
use magpie_discovery::{LinkKind, Robots, ScanLimits, scan};
use magpie_values::Timestamp;
use url::Url;

use crate::site::mirror::{Answer, FileNumber, Mirror, Shown};

/// Redirects that are followed, one after the other.
const REDIRECTS: usize = 5;

/// Pages that a feed lists at least. One about a single page has its comments.
const LISTED: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Sitemaps,
    Feeds,
}

/// A site in one state, as a program asks it.
pub(super) struct Visit<'a> {
    mirror: &'a Mirror,
    shown: &'a Shown,
    pub(super) requests: u64,
    /// The files that it got.
    pub(super) files: HashSet<FileNumber>,
    /// The sitemaps, feeds and pages that it read.
    pub(super) texts: Vec<String>,
}

/// Returns the round of a program on a site that has changed; `None` if the site has no sitemaps or
/// feeds.
pub(super) fn round<'a>(
    source: Source,
    mirror: &'a Mirror,
    before: &Shown,
    after: &'a Shown,
) -> Result<Option<Visit<'a>>> {
    let mut learning = Visit::new(mirror, before);
    let roots = match source {
        Source::Sitemaps => learning.sitemaps()?,
        Source::Feeds => learning.feeds()?,
    };
    if roots.is_empty() {
        return Ok(None);
    }
    let known = learning.announced(&roots);
    let mut round = Visit::new(mirror, after);
    if source == Source::Sitemaps {
        round.get(&mirror.home.join(ROBOTS)?);
    }
    for (page, date) in round.announced(&roots) {
        if known.get(&page) != Some(&date) {
            let text = round.get(&page);
            round.texts.extend(text);
        }
    }
    Ok(Some(round))
}

const ROBOTS: &str = "/robots.txt";

impl<'a> Visit<'a> {
    fn new(mirror: &'a Mirror, shown: &'a Shown) -> Visit<'a> {
        Visit {
            mirror,
            shown,
            requests: 0,
            files: HashSet::new(),
            texts: Vec::new(),
        }
    }

    fn get(&mut self, url: &Url) -> Option<String> {
        let mut url = url.clone();
        for _ in 0..REDIRECTS {
            if url.host_str() != Some(self.shown.host()) {
                return None;
            }
            self.requests += 1;
            match self.shown.answer(&url) {
                Answer::Page { body, .. } => {
                    self.files.extend(self.mirror.file(&url));
                    return Some(String::from_utf8_lossy(&body).into_owned());
                }
                Answer::Moved(to) => url = to.parse().ok()?,
                Answer::Nothing => return None,
            }
        }
        None
    }

    /// Returns the sitemaps that robots.txt names, and the usual one, as far as they list pages.
    fn sitemaps(&mut self) -> Result<Vec<Url>> {
        let robots = self.get(&self.mirror.home.join(ROBOTS)?).unwrap_or_default();
        let robots = Robots::parse(robots.as_bytes());
        let named = robots.sitemaps().iter().map(String::as_str);
        let mut roots: Vec<Url> = Vec::new();
        for root in named.chain(["/sitemap.xml"]) {
            roots.extend(
                self.mirror
                    .home
                    .join(root)
                    .ok()
                    .filter(|url| !roots.contains(url)),
            );
        }
        roots.retain(|root| !self.announced(std::slice::from_ref(root)).is_empty());
        Ok(roots)
    }

    /// Returns the feeds that pages name, those of the entry page first, as far as they list
    /// several pages.
    fn feeds(&mut self) -> Result<Vec<Url>> {
        let (entry, _) = self.mirror.entry()?;
        let start: Vec<FileNumber> = self.mirror.file(&entry).into_iter().collect();
        let mut reached: Vec<FileNumber> = self.mirror.graph()?.reachable(&start).into_iter().collect();
        reached.sort_unstable();
        let mut feeds: Vec<Url> = Vec::new();
        let mut seen = HashSet::new();
        for page in start.into_iter().chain(reached) {
            let url = self.mirror.document(page).url;
            let Some(html) = self.get(&url) else { continue };
            let scanned = scan(&html, &ScanLimits::default());
            let base = scanned.base_url(&url).into_owned();
            for link in scanned.links.iter().filter(|link| link.kind == LinkKind::Feed) {
                let feed = base.join(scanned.href(link)).ok();
                let Some(feed) = feed.filter(|feed| seen.insert(feed.clone())) else {
                    continue;
                };
                if self.announced(std::slice::from_ref(&feed)).len() >= LISTED {
                    feeds.push(feed);
                }
            }
        }
        Ok(feeds)
    }

    /// Returns the pages that sitemaps, with those that they list, or feeds list, with their dates.
    fn announced(&mut self, roots: &[Url]) -> BTreeMap<Url, Option<Timestamp>> {
        let mut pages = BTreeMap::new();
        let mut open = roots.to_vec();
        let mut seen = HashSet::new();
        while let Some(url) = open.pop() {
            if !seen.insert(url.clone()) {
                continue;
            }
            let Some(text) = self.get(&url) else { continue };
            let listing = sitemap::read(text.as_bytes(), &SitemapLimits::default());
            for entry in listing.entries {
                let Ok(mut to) = url.join(&entry.location) else {
                    continue;
                };
                to.set_fragment(None);
                match listing.kind {
                    SitemapKind::Index => open.push(to),
                    _ => {
                        pages.insert(to, entry.last_modified);
                    }
                }
            }
            self.texts.push(text);
        }
        pages
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use magpie_values::date::Date;

    use super::*;
    use crate::site::edit::{Edit, Edits, Swap};

    #[test]
    fn what_is_announced_as_new_or_changed_is_fetched() {
        let folder = tempfile::tempdir().unwrap();
        let shop = "https://shop.example";
        let entry =
            |name: &str| format!("<url><loc>{shop}/{name}.html</loc><lastmod>2024-01-01</lastmod></url>");
        let item = |name: &str| format!("<item><title>{name}</title><link>{shop}/{name}.html</link></item>");
        let pages = ["hats", "coat", "gown"];
        let files = [
            ("site.json", format!(r#"{{"base": "{shop}/"}}"#)),
            ("urls.tsv", format!("index.html\t{shop}/\n")),
            (
                "index.html",
                r#"<link rel="alternate" type="application/rss+xml" href="/feed.html"><a href="hats.html">Hats</a>"#
                    .to_owned(),
            ),
            ("hats.html", "<h1>Hats</h1> 25.99".to_owned()),
            ("coat.html", "<h1>Coat</h1>".to_owned()),
            ("gown.html", "<h1>Gown</h1>".to_owned()),
            ("sitemap.xml", format!("<urlset>{}</urlset>", pages.map(entry).concat())),
            (
                "feed.html",
                format!("<rss><channel>{}</channel></rss>", ["hats", "gown"].map(item).concat()),
            ),
        ];
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let mirror = Mirror::read(folder.path()).unwrap();
        // A feed that is saved as a page is none.
        assert_eq!(mirror.pages().unwrap(), 4);
        let file = |name: &str| mirror.file(&format!("{shop}/{name}.html").parse().unwrap());
        let mut edits = Edits {
            owners: (0..)
                .zip(pages)
                .map(|(owner, page)| (file(page).unwrap(), owner))
                .collect(),
            day: Date::new(2024, 1, 4),
            ..Edits::default()
        };
        let (from, to) = ("25.99".to_owned(), "35.99".to_owned());
        edits
            .edits
            .insert(0, Edit::Changed(vec![Swap::Amount { from, to }]));
        let name = Swap::Name {
            from: vec!["Coat".to_owned()],
            to: "Cape".to_owned(),
        };
        let (from, to) = ("coat".to_owned(), "coat-reprise".to_owned());
        edits
            .edits
            .insert(1, Edit::Copied(vec![name, Swap::Segment { from, to }]));
        let before = mirror.without(HashSet::new());
        let after = mirror.without(HashSet::new()).edited(Arc::new(edits));
        let cape = "<h1>Cape</h1>".to_owned();

        // robots.txt, the sitemap, the changed page, and the new one.
        let visit = round(Source::Sitemaps, &mirror, &before, &after)
            .unwrap()
            .unwrap();
        assert_eq!(visit.requests, 4);
        assert!(visit.texts.contains(&cape) && file("hats").is_some_and(|hats| visit.files.contains(&hats)));
        assert!(!visit.files.contains(&file("gown").unwrap()));

        // The feed has the new page in place of the oldest, and does not tell of the change.
        let visit = round(Source::Feeds, &mirror, &before, &after).unwrap().unwrap();
        assert_eq!(visit.requests, 2);
        assert!(visit.texts.contains(&cape) && !visit.texts[0].contains("gown"));
        assert!(
            round(Source::Feeds, &mirror, &after, &after)
                .unwrap()
                .unwrap()
                .requests
                == 1
        );
    }
}
