//! Sites as the workspace knows them: what learning and recrawls begin with.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use magpie_discovery::Canonicaliser;
use magpie_model::{CanonicalUrl, PostedForm, UrlReason};
use magpie_patterns::pattern::UrlPattern;
use magpie_patterns::plan::Survey;
use magpie_rows::{KnownPage, ObjectId, PageId, ReadStore, SiteId, StoreError, UrlId};
use magpie_values::Timestamp;

use super::kind::UrlKind;
use super::prohibitions::Prohibitions;
use crate::crawl::refusal;
use crate::settings::Settings;

/// Links that are not canonical which are remembered while a site is read; some hundred bytes each.
const MET: usize = 100_000;

/// Pages whose links are read at a time: some megabytes.
const LINKED: usize = 500;

/// The objects on all pages, for one vertical, as of a moment.
#[derive(Clone, Debug, Default)]
pub struct ObjectsByPage {
    seen: Arc<Seen>,
    now: Timestamp,
}

#[derive(Debug, Default)]
struct Seen {
    /// The numbers of the objects of every URL.
    of_url: HashMap<String, Vec<u32>>,
    /// The cluster behind every number.
    clusters: Vec<ObjectId>,
    times: Vec<Times>,
}

/// The moments of an object.
#[derive(Debug)]
struct Times {
    first_seen: Timestamp,
    last_seen: Timestamp,
    expires_at: Option<Timestamp>,
}

impl ObjectsByPage {
    /// Reads them. Objects that had expired by `now` are not current.
    pub fn read(reader: &dyn ReadStore, vertical: &str, now: Timestamp) -> Result<ObjectsByPage, StoreError> {
        let mut seen = Seen::default();
        let mut numbers: HashMap<i64, u32> = HashMap::new();
        for row in reader.all_objects_on_pages(vertical)? {
            let number = *numbers.entry(row.object.0).or_insert_with(|| {
                seen.clusters.push(row.object);
                seen.times.push(Times {
                    first_seen: row.first_seen,
                    last_seen: row.last_seen,
                    expires_at: row.expires_at,
                });
                seen.clusters.len() as u32 - 1
            });
            seen.of_url.entry(row.url).or_default().push(number);
        }
        Ok(ObjectsByPage {
            seen: Arc::new(seen),
            now,
        })
    }

    /// Returns the same as of another moment.
    pub(crate) fn as_of(&self, now: Timestamp) -> ObjectsByPage {
        ObjectsByPage {
            seen: Arc::clone(&self.seen),
            now,
        }
    }

    fn times(&self, object: u32) -> Option<&Times> {
        self.seen.times.get(object as usize)
    }

    /// The objects of a page.
    pub fn of(&self, url: &str) -> &[u32] {
        self.seen.of_url.get(url).map_or(&[], Vec::as_slice)
    }

    /// Returns true if an object has not expired.
    pub fn is_current(&self, object: u32) -> bool {
        let is_current = |times: &Times| times.expires_at.is_none_or(|at| at >= self.now);
        self.times(object).is_some_and(is_current)
    }

    /// Returns `true` if an object was seen at a moment or later.
    pub(crate) fn was_seen_since(&self, object: u32, at: Timestamp) -> bool {
        self.times(object).is_some_and(|times| times.last_seen >= at)
    }

    /// Returns `true` if an object was seen first at a moment or later.
    pub(crate) fn is_new_since(&self, object: u32, at: Timestamp) -> bool {
        self.times(object).is_some_and(|times| times.first_seen >= at)
    }

    /// Returns true if any object of a page has not expired.
    pub fn has_current(&self, url: &str) -> bool {
        self.of(url).iter().any(|object| self.is_current(*object))
    }

    /// The cluster behind a number.
    pub fn cluster(&self, object: u32) -> Option<ObjectId> {
        self.seen.clusters.get(object as usize).copied()
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.seen.clusters.len()
    }

    /// Returns the numbers of current objects and of those that have expired.
    pub fn count(&self) -> (u64, u64) {
        let objects = 0..u32::try_from(self.len()).unwrap_or(u32::MAX);
        let current = objects.clone().filter(|object| self.is_current(*object)).count();
        (current as u64, (objects.len() - current) as u64)
    }

    /// Returns true if there are no objects.
    pub fn is_empty(&self) -> bool {
        self.seen.clusters.is_empty()
    }
}

/// Probabilities of uncertain matches.
#[derive(Clone, Debug, Default)]
pub(crate) struct MatchConfidence(HashMap<(u64, u32), f32>);

impl MatchConfidence {
    pub(crate) fn read(
        reader: &dyn ReadStore,
        vertical: &str,
        sightings: &ObjectsByPage,
    ) -> Result<MatchConfidence, StoreError> {
        let numbers: HashMap<i64, u32> = (0..)
            .zip(&sightings.seen.clusters)
            .map(|(number, cluster)| (cluster.0, number))
            .collect();
        let mut doubts = MatchConfidence::default();
        for (url, cluster, likely) in reader.doubtful_pages(vertical)? {
            if let Some(number) = numbers.get(&cluster.0) {
                doubts.0.insert((url, *number), likely as f32);
            }
        }
        Ok(doubts)
    }

    /// Returns the probability that the record on a page belongs to an object.
    pub(crate) fn likely(&self, url: &CanonicalUrl, object: u32) -> f32 {
        self.0.get(&(url.fingerprint().0, object)).copied().unwrap_or(1.0)
    }
}

/// A site with what is known of its pages, in the order of the survey.
#[derive(Clone, Debug)]
pub struct SitePages {
    /// The site in numbers, for learning.
    pub survey: Survey,
    /// The state of each page.
    pub pages: Vec<KnownPage>,
    /// For each page, true if links that were read lead to it from the entry page, or a sitemap or
    /// feed does.
    reached: Vec<bool>,
    prohibitions: Prohibitions,
    /// The last time the site's lists were found gone. Links that were read before that time are
    /// not believed.
    lists_gone_at: Option<Timestamp>,
    /// The number of links that bodies have: the first ones of the survey's.
    links_of_bodies: usize,
    /// The number of redirects: the links after them. The rest leads to pages that are named.
    redirects: usize,
}

impl SitePages {
    /// Reads a site: its newest pages and their objects, without links, which are most of the work.
    pub fn read_pages(
        reader: &dyn ReadStore,
        site: SiteId,
        key: &str,
        (settings, canonicaliser): (&Settings, &Canonicaliser),
        sightings: &ObjectsByPage,
    ) -> Result<SitePages, StoreError> {
        let mut survey = Survey {
            site: key.to_owned(),
            ..Survey::default()
        };
        let mut pages = Vec::new();
        let mut known = reader.known_pages(site)?;
        // The answer to a form that is sent by POST is no page of a round: its search asks for it.
        known.retain(|page| !PostedForm::is_marked(&page.url));
        for (url, page) in by_name(known, canonicaliser) {
            survey.urls.push(url);
            pages.push(page);
        }
        survey.entry = entry(&survey.urls, &pages);
        let prohibitions = Prohibitions::read(reader, (settings, sightings.now), &survey.urls)?;
        for (number, page) in pages
            .iter()
            .enumerate()
            .filter(|(_, page)| prohibitions.may_read(page))
        {
            let objects = sightings.of(&page.url).iter();
            survey
                .objects
                .extend(objects.map(|object| (number as u32, *object)));
        }
        Ok(SitePages {
            survey,
            reached: vec![false; pages.len()],
            pages,
            prohibitions,
            lists_gone_at: None,
            links_of_bodies: 0,
            redirects: 0,
        })
    }

    /// Ignores links of pages that were fetched before a moment.
    pub(crate) fn since_lists_were_gone(mut self, at: Option<Timestamp>) -> Self {
        self.lists_gone_at = at;
        self
    }

    pub(crate) fn lists_gone_at(&self) -> Option<Timestamp> {
        self.lists_gone_at
    }

    /// Returns the same site as it was before its links were read.
    pub(crate) fn without_links(&self) -> SitePages {
        let survey = Survey {
            links: Vec::new(),
            moved: Vec::new(),
            named: Vec::new(),
            ..self.survey.clone()
        };
        SitePages {
            survey,
            pages: self.pages.clone(),
            reached: vec![false; self.pages.len()],
            prohibitions: self.prohibitions.clone(),
            lists_gone_at: self.lists_gone_at,
            links_of_bodies: 0,
            redirects: 0,
        }
    }

    fn is_of_today(&self, at: Option<Timestamp>) -> bool {
        self.lists_gone_at.is_none_or(|gone_at| at >= Some(gone_at))
    }

    /// Returns true if the links of a page are still believed.
    fn is_believed(&self, page: &KnownPage) -> bool {
        // They are not if the page redirects by now, or was not read since the site's lists were
        // gone.
        let was_read = matches!(page.status, Some(200..=299 | 304)) && self.is_of_today(page.fetched_at);
        was_read || (self.lists_gone_at.is_none() && moved_to(page).is_none())
    }

    /// Returns true if the page at a place may be asked for, by the robots.txt as far as it is
    /// valid.
    pub(crate) fn may_fetch(&self, place: usize) -> bool {
        self.prohibitions.may_fetch(place)
    }

    /// Returns true if links of the page at a place are followed.
    pub(crate) fn may_follow(&self, place: usize) -> bool {
        self.prohibitions.may_follow_page(place, &self.pages[place])
    }

    /// Makes a known page the entry of the site.
    pub(crate) fn begin_with(&mut self, entry: &UrlPattern) {
        // A person may have chosen another entry than learning.
        let place = self.survey.urls.iter().position(|url| entry.matches(url));
        self.survey.entry = place.unwrap_or(self.survey.entry);
    }

    /// Reads the links on the pages that are asked for, and on the entry page.
    pub(crate) fn read_links(
        &mut self,
        reader: &dyn ReadStore,
        canonicaliser: &Canonicaliser,
        wanted: &dyn Fn(&CanonicalUrl) -> bool,
    ) -> Result<(), StoreError> {
        let entry = self.survey.entry;
        let urls = &self.survey.urls;
        let places: HashMap<&str, u32> = (0..)
            .zip(urls)
            .filter(|(place, _)| self.may_fetch(*place as usize))
            .map(|(place, url)| (url.as_str(), place))
            .collect();
        let with_body: Vec<(PageId, u32)> = (0..)
            .zip(&self.pages)
            .filter(|(_, page)| self.is_believed(page))
            .filter_map(|(place, page)| Some((page.page?, place)))
            .filter(|(_, place)| *place as usize == entry || wanted(&urls[*place as usize]))
            .filter(|(_, place)| self.may_follow(*place as usize))
            .collect();
        let mut links = Vec::new();
        let mut met: HashMap<String, Option<u32>> = HashMap::new();
        let mut target = |href: &str| {
            // Most hrefs are canonical; most of the others repeat.
            if let Some(place) = places.get(href).or_else(|| met.get(href)?.as_ref()) {
                return Some(*place);
            }
            if met.contains_key(href) {
                return None;
            }
            let canonical = canonicaliser.canonicalise_text(href, None).ok();
            let place = canonical.and_then(|canonical| places.get(canonical.url.as_str()).copied());
            // A full table is emptied, since the hrefs of the next pages repeat among themselves.
            if met.len() >= MET {
                met.clear();
            }
            met.insert(href.to_owned(), place);
            place
        };
        for some in with_body.chunks(LINKED) {
            let ids: Vec<PageId> = some.iter().map(|(id, _)| *id).collect();
            let froms: HashMap<PageId, u32> = some.iter().copied().collect();
            for of in reader.page_links(&ids)? {
                let Some(from) = froms.get(&of.page) else { continue };
                let followed = of.links.iter().filter(|link| self.prohibitions.may_follow(link));
                let targets = followed.filter_map(|link| target(&link.href));
                links.extend(targets.map(|to| (*from, to)));
            }
        }
        let links_of_bodies = links.len();
        let mut moved = Vec::new();
        let pages = (0..).zip(&self.pages);
        for (place, page) in pages.filter(|(place, _)| self.may_fetch(*place as usize)) {
            let to = page
                .redirect
                .as_deref()
                .filter(|_| page.page.is_none() || moved_to(page).is_some())
                .and_then(&mut target);
            links.extend(to.map(|to| (place, to)));
            let is_moved = matches!(page.status, Some(301 | 308));
            if is_moved && to.is_some_and(|to| is_there(&self.pages[to as usize])) {
                moved.push(place);
            }
        }
        self.links_of_bodies = links_of_bodies;
        self.redirects = links.len() - links_of_bodies;
        self.survey.moved = moved;
        self.survey.links = links;
        self.reach((entry < self.pages.len()).then_some(entry));
        self.link_named();
        Ok(())
    }

    /// Returns the site as [`SitePages::read_links`] reads it for a navigation. This site must have
    /// all its links.
    pub(crate) fn along(&self, entry: &UrlPattern, reads: &dyn Fn(&CanonicalUrl) -> bool) -> SitePages {
        let mut along = self.clone();
        along.begin_with(entry);
        let entry = along.survey.entry;
        let urls = &along.survey.urls;
        let mut wanted: HashMap<u32, bool> = HashMap::new();
        let mut is_wanted = |from: u32| {
            let reads = || from as usize == entry || reads(&urls[from as usize]);
            *wanted.entry(from).or_insert_with(reads)
        };
        let (bodies, others) = self.survey.links.split_at(self.links_of_bodies);
        let bodies = bodies.iter().filter(|(from, _)| is_wanted(*from));
        let links: Vec<(u32, u32)> = bodies.copied().collect();
        along.links_of_bodies = links.len();
        along.survey.links = links;
        along.survey.links.extend(&others[..self.redirects]);
        along.survey.named.clear();
        along.reached.fill(false);
        along.reach((entry < along.pages.len()).then_some(entry));
        along.link_named();
        along
    }

    /// Adds links from the entry page to pages with objects that only a sitemap or feed names.
    fn link_named(&mut self) {
        let mut named: Vec<u32> = self.survey.objects.iter().map(|(page, _)| *page).collect();
        named.dedup();
        named.retain(|page| {
            let known = &self.pages[*page as usize];
            let is_named = known.named_at.is_some() && self.is_of_today(known.named_at.max(known.fetched_at));
            let is_new = self.may_fetch(*page as usize) && !self.reached[*page as usize];
            is_named && is_there(known) && is_new
        });
        if named.is_empty() {
            return;
        }
        self.reach(named.iter().map(|page| *page as usize));
        let entry = self.survey.entry as u32;
        self.survey.links.extend(named.iter().map(|page| (entry, *page)));
        self.survey.named = named;
    }

    /// Returns the URL under which a page is fetched: its known URL, or a new one that was not
    /// fetched yet.
    pub(crate) fn asked_by(
        &self,
        places: impl IntoIterator<Item = usize>,
    ) -> (Vec<UrlId>, Vec<CanonicalUrl>) {
        let (mut known, mut renamed) = (Vec::new(), Vec::new());
        for place in places {
            let (url, page) = self.at(place);
            match page.url == url.as_str() {
                true => known.push(page.id),
                false => renamed.push(url.clone()),
            }
        }
        (known, renamed)
    }

    /// Explains an empty site by the answer for its first page.
    pub(crate) fn why_empty(&self) -> Option<String> {
        let asked = || self.pages.iter().find(|page| page.fetched_at.is_some());
        let Some(page) = self.pages.get(self.survey.entry).or_else(asked) else {
            return Some("nothing answered".to_owned());
        };
        match (page.status, moved_to(page)) {
            (_, Some(to)) => Some(format!("leads to {to}")),
            (Some(status @ 400..), _) => Some(format!("answers {status}")),
            (None, _) => {
                let why = page.problem.as_ref().or(page.reason.as_ref());
                let sentence = |why: &UrlReason| refusal(why).unwrap_or_else(|| why.to_string());
                Some(why.map_or_else(|| "nothing answered".to_owned(), sentence))
            }
            _ => page.reason.as_ref().and_then(refusal),
        }
    }

    /// Returns the number of pages that shares of the site's pages are shares of.
    pub(crate) fn known_pages(&self) -> usize {
        self.pages
            .iter()
            .filter(|page| UrlKind::of(page).is_page())
            .count()
    }

    /// All pages with their names of today.
    pub(crate) fn named_pages(&self) -> impl Iterator<Item = (&CanonicalUrl, &KnownPage)> {
        self.survey.urls.iter().zip(&self.pages)
    }

    /// Returns the number of HTML pages that were fetched.
    pub(crate) fn fetched_pages(&self) -> usize {
        let kinds = self.pages.iter().map(UrlKind::of);
        kinds.filter(|kind| *kind == UrlKind::Page).count()
    }

    /// The page at a place.
    pub fn at(&self, place: usize) -> (&CanonicalUrl, &KnownPage) {
        (&self.survey.urls[place], &self.pages[place])
    }

    /// Returns the part of the site from which patterns are made: pages that existed at the last
    /// fetch and are reachable from the entry page, a sitemap or a feed. Recrawls do not meet other
    /// pages.
    pub fn fetched(&self) -> Survey {
        self.part(&self.reached)
    }

    /// Returns the same with unfetched pages, as a repair or a budget leaves them.
    pub(crate) fn fetched_and_unseen(&self) -> Survey {
        let is_unseen = |place: usize| self.pages[place].fetched_at.is_none() && !self.reached[place];
        let kept: Vec<bool> = (0..self.pages.len())
            .map(|place| self.reached[place] || is_unseen(place))
            .collect();
        let mut survey = self.part(&kept);
        let kept = (0..kept.len()).filter(|place| kept[*place]);
        survey.unseen = (0..)
            .zip(kept)
            .filter(|(_, place)| is_unseen(*place))
            .map(|(number, _)| number)
            .collect();
        survey
    }

    /// The pages that are marked, with what is between them.
    fn part(&self, is_kept: &[bool]) -> Survey {
        let mut places = Vec::with_capacity(is_kept.len());
        let mut urls = Vec::new();
        for (url, is_kept) in self.survey.urls.iter().zip(is_kept) {
            places.push(urls.len() as u32);
            if *is_kept {
                urls.push(url.clone());
            }
        }
        let is_kept = |page: u32| is_kept[page as usize];
        let place = |page: u32| places[page as usize];
        let of_kept = |pages: &[u32]| -> Vec<u32> {
            let kept = pages.iter().filter(|page| is_kept(**page));
            kept.map(|page| place(*page)).collect()
        };
        let links = self.survey.links.iter();
        let objects = self.survey.objects.iter();
        Survey {
            site: self.survey.site.clone(),
            entry: places.get(self.survey.entry).map_or(0, |place| *place as usize),
            moved: of_kept(&self.survey.moved),
            named: of_kept(&self.survey.named),
            unseen: Vec::new(),
            rendered: Vec::new(),
            links: links
                .filter(|(from, to)| is_kept(*from) && is_kept(*to))
                .map(|(from, to)| (place(*from), place(*to)))
                .collect(),
            objects: objects
                .filter(|(page, _)| is_kept(*page))
                .map(|(page, object)| (place(*page), *object))
                .collect(),
            answers: Vec::new(),
            urls,
        }
    }

    /// Marks pages as reached, and all that links lead to from there and is there.
    fn reach(&mut self, begin: impl IntoIterator<Item = usize>) {
        let graph = self.survey.graph();
        let mut queue: VecDeque<usize> = begin.into_iter().collect();
        queue.iter().for_each(|page| self.reached[*page] = true);
        while let Some(page) = queue.pop_front() {
            for link in graph.links(page) {
                let link = *link as usize;
                if !self.reached[link] && is_there(&self.pages[link]) {
                    self.reached[link] = true;
                    queue.push_back(link);
                }
            }
        }
    }
}

/// Groups pages by their current canonical URL. Pages found before a rule for their URLs was
/// learned may have several.
fn by_name(pages: Vec<KnownPage>, canonicaliser: &Canonicaliser) -> Vec<(CanonicalUrl, KnownPage)> {
    // URLs that were never fetched have no canonical form only if another program wrote them.
    let own = |page: &KnownPage| CanonicalUrl::trusted(page.url.as_str());
    // Without a learned rule each URL is canonical, and a large site is read without parsing it
    // again.
    if canonicaliser.ignored_keys().next().is_none() {
        let pages = pages.into_iter();
        return pages.filter_map(|page| Some((own(&page)?, page))).collect();
    }
    let mut named: Vec<(CanonicalUrl, KnownPage)> = Vec::with_capacity(pages.len());
    let mut places: HashMap<u64, usize> = HashMap::new();
    for page in pages {
        let canonical = canonicaliser.canonicalise_text(&page.url, None);
        let Some(name) = canonical.map_or_else(|_| own(&page), |canonical| Some(canonical.url)) else {
            continue;
        };
        match places.entry(name.fingerprint().0) {
            Entry::Vacant(place) => {
                place.insert(named.len());
                named.push((name, page));
            }
            // The page that already has the canonical URL represents them, else the one fetched
            // last.
            Entry::Occupied(place) => merge_pages(&name, &mut named[*place.get()].1, page),
        }
    }
    named
}

/// Merges two pages that share a canonical URL.
fn merge_pages(name: &CanonicalUrl, stays: &mut KnownPage, mut goes: KnownPage) {
    let rank = |page: &KnownPage| (page.url == name.as_str(), page.page_at);
    if rank(&goes) > rank(stays) {
        std::mem::swap(stays, &mut goes);
    }
    stays.depth = stays.depth.min(goes.depth);
    stays.named_at = stays.named_at.max(goes.named_at);
}

/// Returns true if a page existed at the last fetch.
pub(crate) fn is_there(page: &KnownPage) -> bool {
    match page.status {
        Some(200..=299 | 304) => page.page.is_some(),
        Some(300..=399) => page.redirect.is_some(),
        // These errors are temporary, so a page that existed before still counts.
        Some(408 | 425 | 429 | 500..=599) | None => page.page.is_some(),
        Some(_) => false,
    }
}

/// Returns true if a page was missing at the last fetch.
pub(crate) fn is_gone(page: &KnownPage) -> bool {
    // If lists still link to it, it is tried now and then: some pages are announced early, and some
    // come back.
    matches!(page.status, Some(404 | 410))
}

/// Returns the permanent redirect target of a page, as of the last fetch.
pub(crate) fn moved_to(page: &KnownPage) -> Option<&str> {
    let is_redirect = matches!(page.status, Some(300..=303 | 305..=399));
    page.redirect.as_deref().filter(|_| is_redirect)
}

/// Returns the fetched page with which the site was begun.
fn entry(urls: &[CanonicalUrl], pages: &[KnownPage]) -> usize {
    let fetched = |page: &KnownPage| page.page.is_some() || page.redirect.is_some();
    let places = (0..pages.len()).filter(|place| fetched(&pages[*place]));
    let Some(first) = places.min_by_key(|place| (pages[*place].depth, *place)) else {
        return 0;
    };
    // If it is gone, returns the page with the shortest URL among later seeds and the links of its
    // error page, which is usually the new home page.
    let stands_in = |place: &usize| {
        let page = &pages[*place];
        page.depth <= 1 && page.fetched_at >= pages[first].fetched_at && is_there(page)
    };
    let others = (0..pages.len()).filter(stands_in);
    let shortest = others.min_by_key(|place| (urls[*place].as_str().len(), *place));
    shortest.filter(|_| is_gone(&pages[first])).unwrap_or(first)
}

/// A page that was fetched once, and of which nothing else is known.
#[cfg(test)]
pub(crate) fn visited_page(id: i64, url: &str, at: Timestamp) -> KnownPage {
    KnownPage {
        id: UrlId(id),
        url: url.to_owned(),
        depth: 0,
        page: Some(PageId(id)),
        page_at: Some(at),
        tags: magpie_rows::RobotsTags::default(),
        state: magpie_rows::UrlState::Fetched,
        reason: None,
        fetched_at: Some(at),
        status: Some(200),
        problem: None,
        media_type: None,
        redirect: None,
        run: None,
        bytes: 0,
        unchanged: 0,
        bodies: 1,
        contradicted: false,
        named_at: None,
        sitemap: None,
        feed: None,
    }
}

#[cfg(test)]
mod tests {
    use magpie_discovery::{CanonicalSettings, UrlRule};

    use super::*;

    fn page(id: i64, url: &str, depth: u32, at: Timestamp) -> KnownPage {
        KnownPage {
            depth,
            named_at: (id == 3).then_some(Timestamp::from_millis(1)),
            ..visited_page(id, url, at)
        }
    }

    #[test]
    fn pages_go_by_the_names_that_they_have_today() {
        let mut canonicaliser = Canonicaliser::new(&CanonicalSettings::default());
        let pages = || {
            vec![
                page(1, "http://a.test/?from=1", 0, Timestamp::from_millis(10)),
                page(2, "http://a.test/b?from=1", 1, Timestamp::from_millis(11)),
                page(3, "http://a.test/", 2, Timestamp::from_millis(5)),
                page(4, "http://a.test/b?from=2", 3, Timestamp::from_millis(12)),
            ]
        };
        assert_eq!(by_name(pages(), &canonicaliser).len(), 4);
        canonicaliser.learn(&UrlRule::NeedlessKey("from".to_owned()));
        let named = by_name(pages(), &canonicaliser);
        let found: Vec<_> = named
            .iter()
            .map(|(name, page)| (name.as_str(), page.id.0, page.depth, page.named_at))
            .collect();
        // The first also represents the seed. The second was not fetched under its current URL.
        let expected = [
            ("http://a.test/", 3, 0, Some(Timestamp::from_millis(1))),
            ("http://a.test/b", 4, 1, None),
        ];
        assert_eq!(found, expected);
        let (urls, pages) = named.into_iter().unzip();
        let surveyed = SitePages {
            survey: Survey {
                urls,
                ..Survey::default()
            },
            pages,
            reached: Vec::new(),
            prohibitions: Prohibitions::default(),
            lists_gone_at: None,
            links_of_bodies: 0,
            redirects: 0,
        };
        let (known, renamed) = surveyed.asked_by([0, 1]);
        assert_eq!(known, [UrlId(3)]);
        assert_eq!(
            renamed.iter().map(CanonicalUrl::as_str).collect::<Vec<_>>(),
            ["http://a.test/b"]
        );
    }
}
