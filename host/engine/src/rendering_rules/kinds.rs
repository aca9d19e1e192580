//! Kinds of pages of a crawled site.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::{Inducer as _, PatternSet, SiteUrls, TypedInducer, UrlPattern};
use magpie_patterns::rendering::{Mode, RenderingRule, RenderingRules};
use magpie_rows::{PageId, RunId, SiteId, UrlId};

use crate::PipelineError;
use crate::session::Session;

/// Kinds of a site that are looked at in one pass, those with most pages first.
const MAX_KINDS: usize = 40;

/// Values of a query key that are kinds of their own, at most.
const MAX_NAMES: usize = 24;

/// Pages at the root of a host that are kinds of their own, at most. A site with more has its
/// objects there.
const MAX_ROOTS: usize = 40;

/// Pages that have a folder in common before it is one of a kind.
const MIN_PAGES: usize = 3;

/// Pages asked for at a time when their records are counted.
const PAGES: usize = 500;

pub(super) struct FetchedPage {
    pub(super) id: UrlId,
    pub(super) url: CanonicalUrl,
    page: PageId,
    /// The run of its last fetch.
    run: Option<RunId>,
    pub(super) records: usize,
}

pub(super) struct FetchedPages {
    key: String,
    pages: Vec<FetchedPage>,
}

impl FetchedPages {
    pub(super) fn read(session: &Session, site: SiteId, key: &str) -> Result<FetchedPages, PipelineError> {
        let known = session.store().known_pages(site)?;
        let fetched = known.into_iter().filter_map(|page| {
            let is_good = page
                .status
                .is_some_and(|status| (200..300).contains(&status) || status == 304);
            Some(FetchedPage {
                id: page.id,
                url: CanonicalUrl::trusted(page.url)?,
                page: page.page.filter(|_| is_good)?,
                run: page.run,
                records: 0,
            })
        });
        let mut pages: Vec<FetchedPage> = fetched.collect();
        count_records(session, &mut pages)?;
        Ok(FetchedPages {
            key: key.to_owned(),
            pages,
        })
    }

    /// Returns the rules that no longer bring what they did, as far as the pages of a run show:
    /// most pages of their pattern have no objects, or their data can't be fetched.
    pub(super) fn stale(&self, rules: &[RenderingRule], run: RunId) -> Vec<RenderingRule> {
        let compiled = RenderingRules::new(rules.to_vec());
        let by_url: HashMap<&str, &FetchedPage> =
            self.pages.iter().map(|page| (page.url.as_str(), page)).collect();
        let mut counts: Vec<(usize, usize)> = vec![(0, 0); rules.len()];
        for page in self.pages.iter().filter(|page| page.run == Some(run)) {
            let Some(rule) = compiled.place(&page.url) else {
                continue;
            };
            let has_objects = match rules[rule].mode {
                Mode::Endpoint => {
                    let data = compiled.endpoint(&page.url);
                    let data = data.and_then(|data| by_url.get(data.as_str()).copied());
                    data.is_some_and(|data| data.records > 0)
                }
                Mode::Plain | Mode::Embedded | Mode::Render => page.records > 0,
            };
            counts[rule].0 += 1;
            counts[rule].1 += usize::from(has_objects);
        }
        // Some pages of a pattern have no objects at any time, so a few empty ones do not discard
        // its rule.
        let is_stale = |(pages, yielding): &(usize, usize)| *pages > 0 && 2 * yielding < *pages;
        let stale = rules.iter().zip(&counts).filter(|(_, counts)| is_stale(counts));
        stale.map(|(rule, _)| rule.clone()).collect()
    }
}

pub(super) struct Kind {
    pub(super) pattern: UrlPattern,
    /// Indexes of its pages, those first that show its present state.
    pub(super) pages: Vec<usize>,
    /// The number of pages that show its present state.
    pub(super) counted: usize,
    /// Those of them with records.
    pub(super) yielding: usize,
}

/// Share of the pages of a kind with records from which on the kind is taken to have objects.
const YIELDING: f64 = 0.5;

/// Pages of a kind with objects that have none, from which on these are looked at.
const MIN_EMPTY: usize = 2;

impl Kind {
    /// Returns true if most of its pages have objects.
    pub(super) fn has_objects(&self) -> bool {
        self.yielding as f64 >= YIELDING * self.counted as f64
    }

    /// Returns true if some of its pages have objects, and some have none.
    pub(super) fn is_mixed(&self) -> bool {
        self.yielding > 0 && self.counted - self.yielding >= MIN_EMPTY
    }

    /// The pages that show its present state.
    pub(super) fn today(&self) -> &[usize] {
        &self.pages[..self.counted]
    }
}

/// The fetched pages of a site by kind, without those of kinds that have a rule.
pub(super) struct SiteKinds {
    pub(super) key: String,
    pub(super) pages: Vec<FetchedPage>,
    pub(super) kinds: Vec<Kind>,
}

impl SiteKinds {
    /// Finds the kinds of pages that no rule is about; `None` if there are none.
    pub(super) fn of(
        fetched: FetchedPages,
        rules: &[RenderingRule],
        run: Option<RunId>,
    ) -> Option<SiteKinds> {
        // With a run, the pages that it fetched show the present state of a kind, where there are
        // some: the site may have changed since the others were.
        let FetchedPages { key, pages } = fetched;
        let rules = RenderingRules::new(rules.to_vec());
        let is_open = |page: &FetchedPage| rules.of(&page.url).is_none();
        let names = Names::of(&pages);
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, page) in pages.iter().enumerate().filter(|(_, page)| is_open(page)) {
            by_name.entry(names.name(&page.url)).or_default().push(index);
        }
        merge_folders(&mut by_name, &pages, names.has_few_roots);
        let mut kinds = Vec::new();
        for of_name in by_name.values() {
            kinds.extend(patterns_of(&pages, of_name, run));
        }
        kinds.sort_by_key(|kind| std::cmp::Reverse(kind.pages.len()));
        // Each kind may cost several requests and a page in a browser, so a site of countless kinds
        // must not have all of them sampled.
        kinds.truncate(MAX_KINDS);
        (!kinds.is_empty()).then_some(SiteKinds { key, kinds, pages })
    }
}

/// Names of kinds of pages: the parts of URLs that are the same for all pages of a kind. They are
/// finer than patterns, so that a page that a script makes is not taken for one beside it.
struct Names {
    /// Query keys of which each value is a kind of its own, as in `?section=list`.
    keys: BTreeSet<String>,
    /// Pages at the root of the host are kinds of their own.
    has_few_roots: bool,
}

impl Names {
    fn of(pages: &[FetchedPage]) -> Names {
        let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut roots = BTreeSet::new();
        for page in pages {
            for (key, value) in pairs(&page.url) {
                values.entry(key).or_default().insert(value);
            }
            if is_root(page.url.path()) {
                roots.insert(page.url.path());
            }
        }
        let is_word = |value: &&str| !value.contains(|letter: char| letter.is_ascii_digit());
        let keys = values
            .into_iter()
            // A few words name parts of a site, while numbers and long lists of values name single
            // objects.
            .filter(|(_, values)| values.len() <= MAX_NAMES && values.iter().all(is_word));
        Names {
            keys: keys.map(|(key, _)| key.to_owned()).collect(),
            has_few_roots: roots.len() <= MAX_ROOTS,
        }
    }

    fn name(&self, url: &CanonicalUrl) -> String {
        let path = url.path();
        let folder = path.rfind('/').map_or(path, |slash| &path[..=slash]);
        let shown = match is_root(path) && self.has_few_roots {
            true => path,
            false => folder,
        };
        let mut name = format!("{}{shown}", url.origin());
        let mut parts: Vec<String> = pairs(url)
            .map(|(key, value)| match self.keys.contains(key) {
                true => format!("{key}={value}"),
                false => key.to_owned(),
            })
            .collect();
        parts.sort_unstable();
        name.push('?');
        name.push_str(&parts.join("&"));
        // A number is like any other.
        let mut plain = String::with_capacity(name.len());
        for letter in name.chars() {
            let shown = if letter.is_ascii_digit() { '0' } else { letter };
            if shown != '0' || !plain.ends_with('0') {
                plain.push(shown);
            }
        }
        plain
    }
}

/// Makes one kind of pages that each have a folder of their own, as in `/{title}/event/{number}`:
/// of groups of few pages, those whose segments are the same where they are the same on many pages.
fn merge_folders(by_name: &mut BTreeMap<String, Vec<usize>>, pages: &[FetchedPage], has_few_roots: bool) {
    let mut scattered: Vec<usize> = Vec::new();
    by_name.retain(|_, of_name| {
        // A home page is alone in its kind and would otherwise be merged with other small groups.
        let is_of_root = has_few_roots && of_name.iter().any(|page| is_root(pages[*page].url.path()));
        let is_kept = of_name.len() >= MIN_PAGES || is_of_root;
        if !is_kept {
            scattered.append(of_name);
        }
        is_kept
    });
    fn segments(url: &CanonicalUrl) -> Vec<&str> {
        url.path().split('/').collect()
    }
    let mut common: HashMap<(usize, usize, &str), usize> = HashMap::new();
    for page in &scattered {
        let segments = segments(&pages[*page].url);
        for (place, segment) in segments.iter().enumerate() {
            *common.entry((segments.len(), place, *segment)).or_default() += 1;
        }
    }
    for page in scattered.iter().copied() {
        let url = &pages[page].url;
        let segments = segments(url);
        let shown = segments.iter().enumerate().map(|(place, segment)| {
            let is_common = common[&(segments.len(), place, *segment)] >= MIN_PAGES;
            if is_common { *segment } else { "*" }
        });
        let path = shown.collect::<Vec<_>>().join("/");
        let keys = pairs(url).map(|(key, _)| key).collect::<Vec<_>>().join("&");
        by_name
            .entry(format!("{}{path}?{keys}", url.origin()))
            .or_default()
            .push(page);
    }
}

/// Returns true for a path of one segment.
fn is_root(path: &str) -> bool {
    !path.trim_matches('/').contains('/')
}

fn pairs(url: &CanonicalUrl) -> impl Iterator<Item = (&str, &str)> {
    let pairs = url.query().unwrap_or_default().split('&');
    pairs
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// Returns the patterns of the pages of one name, each page with one of them.
fn patterns_of(pages: &[FetchedPage], of_name: &[usize], run: Option<RunId>) -> Vec<Kind> {
    let urls: Vec<&CanonicalUrl> = of_name.iter().map(|index| &pages[*index].url).collect();
    let own: BTreeSet<usize> = of_name.iter().copied().collect();
    let others = (0..pages.len()).filter(|index| !own.contains(index));
    let others: Vec<&CanonicalUrl> = others.map(|index| &pages[index].url).collect();
    let site = SiteUrls {
        wanted: &urls,
        others: &others,
    };
    let set = PatternSet::new(TypedInducer::default().induce(&site).patterns);
    let mut by_pattern: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for index in of_name {
        if let Some(pattern) = set.best(&pages[*index].url) {
            by_pattern.entry(pattern).or_default().push(*index);
        }
    }
    // Pages of an earlier run are kept behind the others: they help to describe the kind, but not
    // to judge it.
    let is_of_run = |index: &usize| run.is_some() && pages[*index].run == run;
    let kinds = by_pattern.into_iter().map(|(pattern, of_pattern)| {
        let (mut ordered, others): (Vec<usize>, Vec<usize>) = of_pattern.into_iter().partition(is_of_run);
        let counted = if ordered.is_empty() {
            others.len()
        } else {
            ordered.len()
        };
        ordered.extend(others);
        Kind {
            pattern: set.patterns()[pattern].clone(),
            yielding: ordered[..counted]
                .iter()
                .filter(|index| pages[**index].records > 0)
                .count(),
            counted,
            pages: ordered,
        }
    });
    kinds.collect()
}

fn count_records(session: &Session, pages: &mut [FetchedPage]) -> Result<(), PipelineError> {
    let mut counts: HashMap<PageId, usize> = HashMap::new();
    let ids: Vec<PageId> = pages.iter().map(|page| page.page).collect();
    for ids in ids.chunks(PAGES) {
        for record in session.store().records_of(session.vertical(), ids)? {
            *counts.entry(record.page).or_default() += 1;
        }
    }
    for page in pages {
        page.records = counts.get(&page.page).copied().unwrap_or_default();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const THIS: RunId = RunId(2);

    fn page(number: i64, url: &str, run: RunId, records: usize) -> FetchedPage {
        FetchedPage {
            id: UrlId(number),
            url: CanonicalUrl::trusted(url).expect("a URL"),
            page: PageId(number),
            run: Some(run),
            records,
        }
    }

    fn rule(pattern: &str, mode: Mode, endpoint: Option<&str>) -> RenderingRule {
        RenderingRule {
            pattern: pattern.parse().expect("a pattern"),
            mode,
            endpoint: endpoint.map(|template| template.parse().expect("a template")),
            cost: 1,
        }
    }

    #[test]
    fn pages_with_a_folder_each_are_of_one_kind() {
        let titles = [
            "odd-winter",
            "the-wild-kiln",
            "faded-bramble",
            "plain-mirror",
            "night",
        ];
        let mut pages: Vec<FetchedPage> = titles
            .iter()
            .zip(1..)
            .map(|(title, number)| {
                let url = format!("https://hall.example/{title}/event/{number}f3a{number}.htm");
                page(number, &url, THIS, 0)
            })
            .collect();
        pages.push(page(8, "https://hall.example/about.htm", THIS, 0));
        pages.push(page(9, "https://hall.example/list.htm", THIS, 0));
        let fetched = FetchedPages {
            key: "hall.example".to_owned(),
            pages,
        };
        let kinds = SiteKinds::of(fetched, &[], None).expect("kinds").kinds;
        let counts: Vec<usize> = kinds.iter().map(|kind| kind.pages.len()).collect();
        assert_eq!(counts, [5, 1, 1]);
        let other = "https://hall.example/pale-harbour/event/77aa01.htm";
        let other = CanonicalUrl::trusted(other).expect("a URL");
        assert!(kinds[0].pattern.matches(&other), "{}", kinds[0].pattern);
    }

    #[test]
    fn pages_of_a_run_show_what_a_kind_is_today() {
        let event = |number: i64, run: RunId, records: usize| {
            let url = format!("https://hall.example/events/night-{number}");
            page(number, &url, run, records)
        };
        let before = RunId(1);
        let check = |run: Option<RunId>, has_objects: bool, is_mixed: bool, first: i64| {
            let mut pages: Vec<FetchedPage> = (1..=8).map(|number| event(number, before, 1)).collect();
            pages.extend([event(9, THIS, 0), event(10, THIS, 0), event(11, THIS, 1)]);
            let fetched = FetchedPages {
                key: "hall.example".to_owned(),
                pages,
            };
            let found = SiteKinds::of(fetched, &[], run).expect("kinds");
            assert_eq!(found.kinds.len(), 1);
            let kind = &found.kinds[0];
            assert_eq!((kind.has_objects(), kind.is_mixed()), (has_objects, is_mixed));
            assert_eq!(found.pages[kind.pages[0]].id, UrlId(first));
        };
        check(None, true, true, 1);
        check(Some(THIS), false, true, 9);
        // A run that fetched none of the kind is no evidence about it.
        check(Some(RunId(3)), true, true, 1);
    }

    #[test]
    fn a_rule_is_stale_if_most_of_its_pages_of_the_run_bring_nothing() {
        let data = "https://hall.example/api{path}";
        let check = |pages: Vec<FetchedPage>, mode: Mode, is_stale: bool| {
            let endpoint = (mode == Mode::Endpoint).then_some(data);
            let rules = [rule("https://hall.example/events/{slug}", mode, endpoint)];
            let fetched = FetchedPages {
                key: "hall.example".to_owned(),
                pages,
            };
            assert_eq!(!fetched.stale(&rules, THIS).is_empty(), is_stale, "{mode}");
        };
        let event = |number: i64, run: RunId, records: usize| {
            page(
                number,
                &format!("https://hall.example/events/night-{number}"),
                run,
                records,
            )
        };
        let answer = |number: i64, records: usize| {
            let url = format!("https://hall.example/api/events/night-{number}");
            page(100 + number, &url, THIS, records)
        };
        let before = RunId(1);
        for mode in [Mode::Embedded, Mode::Render] {
            check(vec![event(1, THIS, 1), event(2, THIS, 0)], mode, false);
            check(
                vec![event(1, THIS, 1), event(2, THIS, 0), event(3, THIS, 0)],
                mode,
                true,
            );
            // Earlier fetches are no evidence about today.
            check(vec![event(1, before, 1), event(2, THIS, 0)], mode, true);
            check(vec![event(1, before, 0), event(2, before, 0)], mode, false);
        }
        let shells = || vec![event(1, THIS, 0), event(2, THIS, 0)];
        let with = |answers: Vec<FetchedPage>| shells().into_iter().chain(answers).collect::<Vec<_>>();
        check(with(vec![answer(1, 1), answer(2, 1)]), Mode::Endpoint, false);
        check(with(vec![answer(1, 0), answer(2, 0)]), Mode::Endpoint, true);
        // The endpoint has moved.
        check(shells(), Mode::Endpoint, true);
    }
}
