//! From crawled sites to patterns, a selection and navigations.

use std::collections::{BTreeSet, HashSet};

use magpie_patterns::navigate::{Lists, Role};
use magpie_patterns::pattern::{PatternSet, UrlPattern};
use magpie_patterns::plan::{Costs, Matches, Offer, SiteOffer, SitePatterns, Survey, induced, way};
use magpie_patterns::rendering::RenderingRules;
use magpie_patterns::select::{
    Bound, Candidates, CostAware, Goal, GreedyByCount, GreedyByRatio, Selection, Strategy,
};
use magpie_rows::{
    LearnedSite, PatternRow, ReadStore, SelectedQuery, SelectionRow, SelectionStrategy, SiteId, StoreError,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use magpie_model::UrlReason;

use super::answers::{WorkingSearches, searches_of};
use super::stage::{NavigationsMade, PatternsMade, PatternsSelected};
use crate::settings::{Learn, StrategyChoice};
use crate::site::{
    Collection, LearnedRules, MatchConfidence, NavigationFileError, ObjectsByPage, SiteError, SiteRendering,
    SiteSnapshot, Snapshots, View, forget_site_file, navigation_file, read_navigation, renew_navigation,
};

/// Cost of an updated selection, relative to a new one, up to which the selected patterns stay.
const MAX_FOR_STABILITY: f64 = 1.1;

/// Returns the strategy that is set, and its goal: the count rule stops by itself, and a coverage
/// would stop it sooner.
fn strategy(learn: &Learn, goal: Goal) -> (Box<dyn Strategy>, Goal) {
    match learn.strategy {
        StrategyChoice::CostAware => {
            let sources = u32::try_from(learn.sources).unwrap_or(u32::MAX);
            (Box::new(CostAware { sources }), goal)
        }
        StrategyChoice::Ratio => (Box::new(GreedyByRatio), goal),
        StrategyChoice::Count => {
            let least = u32::try_from(learn.min_new).unwrap_or(u32::MAX);
            (Box::new(GreedyByCount { least }), Goal::Coverage(1.0))
        }
    }
}

fn selected(strategy: &dyn Strategy, candidates: &Candidates, kept: &[usize], goal: Goal) -> Selection {
    let selected = strategy.select(candidates, goal);
    if kept.is_empty() {
        return selected;
    }
    // The patterns chosen before (`kept`) stay where the strategy lets them, unless a new selection
    // is much cheaper.
    let renewed = strategy.renew(candidates, kept, goal);
    match renewed.cost <= MAX_FOR_STABILITY * selected.cost {
        true => renewed,
        false => selected,
    }
}

/// The patterns that were made of a site.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct SitePatternsMade {
    key: String,
    pages: usize,
    has_objects: bool,
    /// The cause, if it has no objects and its first page shows one.
    why_empty: Option<String>,
    /// Pages with objects.
    yielding: usize,
    patterns: usize,
    /// Pages with objects that patterns made without them match, all such pages, and all pages that
    /// these patterns match.
    validation: Option<(usize, usize, usize)>,
    /// Objects that links and searches lead to, and the others.
    reached: BTreeSet<u32>,
    unreached: BTreeSet<u32>,
}

impl PatternsMade {
    /// Adds the patterns of sites up.
    pub(crate) fn of(sites: impl IntoIterator<Item = SitePatternsMade>) -> PatternsMade {
        let mut made = PatternsMade::default();
        let mut hits = 0;
        let (mut reached, mut unreached) = (BTreeSet::new(), BTreeSet::new());
        for mut site in sites {
            made.pages += site.pages;
            made.sites += usize::from(site.has_objects);
            made.yielding += site.yielding;
            made.patterns += site.patterns;
            let (site_hits, held_out, matched) = site.validation.unwrap_or_default();
            hits += site_hits;
            made.held_out += held_out;
            made.matched += matched;
            reached.append(&mut site.reached);
            unreached.append(&mut site.unreached);
            if !site.has_objects {
                made.without_objects.push(site.key.clone());
                made.reasons.extend(site.why_empty.map(|why| (site.key, why)));
            }
        }
        let share = |of: usize| (of > 0).then(|| hits as f64 / of as f64);
        (made.recall, made.precision) = (share(made.held_out), share(made.matched));
        // Another site may reach an object.
        made.unreached = unreached.difference(&reached).count();
        made
    }
}

/// The facts by which selection weighs objects.
struct Weighed {
    sightings: ObjectsByPage,
    doubts: MatchConfidence,
    searches: WorkingSearches,
    ways: LearnedRules,
}

impl Weighed {
    fn read(collection: &Collection<'_>, snapshots: &mut Snapshots) -> Result<Weighed, SiteError> {
        let (store, vertical) = (collection.store, collection.vertical);
        let sightings = collection.view().sightings(snapshots)?;
        Ok(Weighed {
            doubts: MatchConfidence::read(store, vertical, &sightings)?,
            searches: WorkingSearches::read(store, vertical)?,
            ways: LearnedRules::read(store, vertical)?,
            sightings,
        })
    }

    /// Returns the survey of a site with what its pages cost, the answers of its searches, and its
    /// current objects.
    fn survey(&self, collection: &Collection<'_>, standing: &SiteSnapshot) -> Result<Survey, StoreError> {
        let mut survey = (*standing.survey).clone();
        let (folder, vertical, site) = (collection.folder, collection.vertical, &standing.site);
        let rules = SiteRendering::read_or_learned(folder, vertical, &self.ways, &site.key);
        survey.rendered = rendered(&survey, &RenderingRules::new(rules.all()));
        let source: (&dyn ReadStore, &str) = (collection.store, vertical);
        let objects = (&self.sightings, &self.doubts);
        survey.answers = self
            .searches
            .answers(source, site.site, &standing.surveyed, objects)?;
        Ok(only_current(survey, &self.sightings))
    }
}

impl Collection<'_> {
    /// Returns the sites with patterns.
    pub fn learned_sites(&self) -> Result<Vec<(SiteId, String)>, StoreError> {
        let learned = self.store.learned_sites(self.vertical)?;
        Ok(learned.into_iter().map(|site| (site.site, site.key)).collect())
    }

    /// Makes the patterns of sites from their fetched pages. Forgets sites without objects.
    pub fn make_patterns(
        &self,
        sites: &[(SiteId, String)],
        snapshots: &mut Snapshots,
    ) -> Result<PatternsMade, SiteError> {
        Ok(PatternsMade::of(self.site_patterns(sites, true, snapshots)?))
    }

    /// Makes the patterns of sites from their fetched pages. With `forgets`, it forgets sites
    /// without objects.
    pub(crate) fn site_patterns(
        &self,
        sites: &[(SiteId, String)],
        forgets: bool,
        snapshots: &mut Snapshots,
    ) -> Result<Vec<SitePatternsMade>, SiteError> {
        let searches = WorkingSearches::read(self.store, self.vertical)?;
        let sightings = self.view().sightings(snapshots)?;
        let mut all = Vec::new();
        for (site, key) in sites {
            let mut made = SitePatternsMade {
                key: key.clone(),
                ..SitePatternsMade::default()
            };
            let (surveyed, survey) = self.view().whole_site(*site, key, snapshots)?;
            let objects = (&sightings, &MatchConfidence::default());
            let answers = searches.answers((self.store, self.vertical), *site, &surveyed, objects)?;
            let shown = answers.iter().flat_map(|answer| &answer.pages);
            let shown = shown.flat_map(|page| &page.objects);
            let linked = survey.objects.iter().map(|(_, object)| *object);
            made.reached = linked.chain(shown.map(|(object, _)| *object)).collect();
            let seen = surveyed.survey.objects.iter().map(|(_, object)| *object);
            made.unreached = seen.filter(|object| !made.reached.contains(object)).collect();
            made.pages = survey.urls.len();
            // A site whose objects only searches show has no patterns and is kept.
            if survey.objects.is_empty() && answers.is_empty() {
                made.why_empty = surveyed.why_empty();
                if forgets {
                    self.store.forget_site(self.vertical, *site)?;
                    renew_navigation(&navigation_file(self.folder, self.vertical, key), None)?;
                }
                all.push(made);
                continue;
            }
            let patterns = induced(&survey, self.induce());
            made.validation = patterns.validation.map(|validation| {
                let (recall, precision) = (validation.recall, validation.precision);
                (recall.hits, recall.of, precision.of)
            });
            let (learned, rows) = self.rows(*site, key, &survey, &patterns)?;
            made.has_objects = true;
            made.yielding = learned.yielding as usize;
            made.patterns = patterns.wanted.len();
            self.store.put_patterns(self.vertical, learned, rows)?;
            if forgets {
                self.learn_coverage(*site, &surveyed)?;
            }
            all.push(made);
        }
        Ok(all)
    }

    /// Returns the rows of a site's patterns.
    pub(super) fn rows(
        &self,
        site: SiteId,
        key: &str,
        survey: &Survey,
        patterns: &SitePatterns,
    ) -> Result<(LearnedSite, Vec<PatternRow>), SiteError> {
        let most = survey
            .objects
            .iter()
            .map(|(_, object)| object + 1)
            .max()
            .unwrap_or(0);
        let sites = [(survey.clone(), patterns.clone())];
        let offer = Offer::of(&sites, most, Costs::PUBLISHED, &Matches::CERTAIN)?;
        let wanted = offer.patterns.iter().map(|offered| PatternRow {
            pattern: offered.pattern.to_string(),
            wanted: true,
            pages: offered.pages as u64,
            yielding: offered.yielding as u64,
            objects: offered.objects.len() as u64,
            learned_at: self.now,
            ..PatternRow::default()
        });
        let others = patterns.others.iter().map(|pattern| PatternRow {
            pattern: pattern.to_string(),
            pages: survey.urls.iter().filter(|url| pattern.matches(url)).count() as u64,
            learned_at: self.now,
            ..PatternRow::default()
        });
        let objects = survey.objects_of_pages();
        let mut all: Vec<u32> = objects.iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        let entry = survey.urls.get(survey.entry);
        let learned = LearnedSite {
            site,
            key: key.to_owned(),
            entry: entry.map_or_else(String::new, |url| url.as_str().to_owned()),
            learned_at: self.now,
            pages: survey.urls.len() as u64,
            yielding: objects.iter().filter(|objects| !objects.is_empty()).count() as u64,
            objects: all.len() as u64,
            hubs: 0,
        };
        Ok((learned, wanted.chain(others).collect()))
    }

    /// Selects among the patterns of all sites, and weighs all objects again.
    pub fn choose_anew(&self, snapshots: &mut Snapshots) -> Result<PatternsSelected, SiteError> {
        let offers = self.site_offers(&self.learned_sites()?, snapshots)?;
        self.choose(offers, snapshots)
    }

    /// Returns what sites offer to a new selection, which weighs all objects again.
    pub(crate) fn site_offers(
        &self,
        sites: &[(SiteId, String)],
        snapshots: &mut Snapshots,
    ) -> Result<Vec<(SiteId, SiteOffer)>, SiteError> {
        let weighed = Weighed::read(self, snapshots)?;
        let mut offers = Vec::new();
        for learned in self.store.learned_sites(self.vertical)? {
            if !sites.iter().any(|(site, _)| *site == learned.site) {
                continue;
            }
            let standing = self.view().whole_snapshot(learned, snapshots)?;
            let survey = weighed.survey(self, &standing)?;
            let likely = |page: usize, object: u32| weighed.doubts.likely(&survey.urls[page], object);
            let offer = SiteOffer::of(&survey, &standing.patterns, self.costs(), &likely);
            offers.push((standing.site.site, offer));
        }
        Ok(offers)
    }

    /// Selects among what sites offer.
    pub(crate) fn choose(
        &self,
        mut offers: Vec<(SiteId, SiteOffer)>,
        snapshots: &mut Snapshots,
    ) -> Result<PatternsSelected, SiteError> {
        let sightings = self.view().sightings(snapshots)?;
        // The order in which they were made must not matter.
        offers.sort_by_key(|(site, _)| *site);
        let (sites, offers): (Vec<SiteId>, Vec<SiteOffer>) = offers.into_iter().unzip();
        let is_weighted = self.learn_settings().soft_matches;
        let offer = Offer::join(offers, sightings.len() as u32, self.costs(), is_weighted)?;
        self.choose_among(&sites, &offer, &[])
    }

    /// Selects again, and keeps as much of the current selection as is still good.
    pub fn choose_again(&self, snapshots: &mut Snapshots) -> Result<PatternsSelected, SiteError> {
        let weighed = Weighed::read(self, snapshots)?;
        let standing = self.view().whole_snapshots(snapshots)?;
        let surveys = standing.iter().map(|standing| {
            let survey = weighed.survey(self, standing)?;
            Ok((survey, standing.patterns.clone()))
        });
        let mut sites: Vec<(Survey, SitePatterns)> = surveys.collect::<Result<_, StoreError>>()?;
        let asked = self.store.selected_queries(self.vertical)?;
        self.drop_abandoned_objects(&mut sites, &standing, &asked, &weighed.sightings);
        let matches = Matches {
            likely: &|site, page, object| weighed.doubts.likely(&sites[site].0.urls[page], object),
            count: self.learn_settings().soft_matches,
        };
        let offer = Offer::of(&sites, weighed.sightings.len() as u32, self.costs(), &matches)?;
        let kept = chosen_before(&standing, &asked, &offer);
        let sites: Vec<SiteId> = standing.iter().map(|standing| standing.site.site).collect();
        self.choose_among(&sites, &offer, &kept)
    }

    fn choose_among(
        &self,
        sites: &[SiteId],
        offer: &Offer,
        kept: &[usize],
    ) -> Result<PatternsSelected, SiteError> {
        let (strategy, goal) = strategy(self.learn_settings(), self.goal());
        let selection = selected(&*strategy, &offer.candidates, kept, goal);
        let (low, high) = offer.interval(&selection.patterns);
        // Without `learn.soft_matches` an uncertain match counts in full. Then the objects to
        // expect may be fewer than those that are covered.
        let interval = (low.min(selection.covered), high.max(selection.covered));
        self.keep_choice(sites, offer, &selection, interval)?;
        let queries = offer.queries_of(&selection.patterns).count();
        Ok(PatternsSelected {
            patterns: selection.patterns.len() - queries,
            candidates: offer.patterns.len(),
            queries,
            query_candidates: offer.queries.len(),
            sites: offer.sites_of(&selection.patterns).len(),
            cost: selection.cost,
            covered: selection.covered,
            coverable: selection.coverable,
            gap: selection.gap(),
            interval,
            strategy: strategy.name().to_owned(),
            gap_of_objects: matches!(selection.bound, Bound::Covered(_)),
        })
    }

    /// Leaves out objects that were not seen lately and that the current selection does not show.
    fn drop_abandoned_objects(
        &self,
        sites: &mut [(Survey, SitePatterns)],
        standing: &[SiteSnapshot],
        asked: &[SelectedQuery],
        sightings: &ObjectsByPage,
    ) {
        let since = self.now - self.settings.settings.recrawl.refresh / 2;
        let mut collected: HashSet<u32> = HashSet::new();
        for ((survey, _), standing) in sites.iter().zip(standing) {
            let chosen = PatternSet::new(standing.chosen_patterns());
            let on_chosen = |page: &u32| chosen.matches(&survey.urls[*page as usize]);
            let objects = survey.objects.iter().filter(|(page, _)| on_chosen(page));
            collected.extend(objects.map(|(_, object)| *object));
            let site = standing.site.site;
            for answer in &survey.answers {
                let is_same = |query: &&SelectedQuery| {
                    query.site == site && query.template == answer.template && query.query == answer.query
                };
                let depth = asked.iter().find(is_same).map_or(0, |query| query.pages as usize);
                let shown = answer.pages.iter().take(depth).flat_map(|page| &page.objects);
                collected.extend(shown.map(|(object, _)| *object));
            }
        }
        // They were given up before for their cost, and an updated selection replaces only what
        // broke.
        let is_kept = |object: u32| collected.contains(&object) || sightings.was_seen_since(object, since);
        for (survey, _) in sites {
            retain_objects(survey, is_kept);
        }
    }

    /// Returns the costs of the rounds of a week, in which `recrawl.refresh` sets the visits of
    /// known pages, as the strategy counts them.
    fn costs(&self) -> Costs {
        const WEEK: f64 = 7.0 * 86_400.0;
        if self.learn_settings().strategy != StrategyChoice::CostAware {
            return Costs::PUBLISHED;
        }
        let refresh = self.settings.settings.recrawl.refresh.as_secs_f64();
        Costs {
            page: (WEEK / refresh).min(1.0),
            ..Costs::default()
        }
    }

    fn keep_choice(
        &self,
        sites: &[SiteId],
        offer: &Offer,
        selection: &Selection,
        interval: (f64, f64),
    ) -> Result<(), SiteError> {
        let chosen: HashSet<usize> = selection.patterns.iter().copied().collect();
        let patterns = offer.patterns.iter().enumerate().map(|(number, offered)| {
            (
                sites[offered.site],
                offered.pattern.to_string(),
                offered.hubs as u64,
                chosen.contains(&number),
            )
        });
        let chosen_queries = offer.queries_of(&selection.patterns).count();
        let asked = offer.queries_of(&selection.patterns).map(|query| SelectedQuery {
            site: sites[query.site],
            template: query.template.clone(),
            query: query.query.clone(),
            pages: query.pages,
        });
        let queries = deepest(asked.collect());
        let bound = match selection.bound {
            Bound::Cost(bound) | Bound::Covered(bound) => bound,
        };
        let curve = selection.curve.iter();
        let curve: Vec<_> = curve
            .map(|point| json!([point.patterns, point.cost, point.covered]))
            .collect();
        let row = SelectionRow {
            made_at: self.now,
            strategy: match self.learn_settings().strategy {
                StrategyChoice::CostAware => SelectionStrategy::CostAware,
                StrategyChoice::Ratio => SelectionStrategy::Ratio,
                StrategyChoice::Count => SelectionStrategy::Count,
            },
            goal: match strategy(self.learn_settings(), self.goal()).1 {
                Goal::Coverage(share) => format!("coverage {share}"),
                Goal::Pages(pages) => format!("pages {pages}"),
            },
            patterns: (selection.patterns.len() - chosen_queries) as u64,
            cost: selection.cost,
            lower_bound: bound,
            gap: selection.gap(),
            covered: selection.covered,
            coverable: selection.coverable,
            interval,
            curve: serde_json::Value::from(curve).to_string(),
        };
        Ok(self
            .store
            .put_selection(self.vertical, row, patterns.collect(), queries)?)
    }

    /// Forgets a site, and has others bring what it brought, where they can.
    pub fn drop_site(&self, key: &str) -> Result<NavigationsMade, SiteError> {
        let site = self.store.site(key)?;
        self.store.forget_site(self.vertical, site)?;
        self.leave_queue(key)?;
        let kept = forget_site_file(&navigation_file(self.folder, self.vertical, key));
        let kept = kept.map_err(NavigationFileError::from)?;
        let mut wayed = NavigationsMade::default();
        if !self.store.learned_sites(self.vertical)?.is_empty() {
            let mut snapshots = Snapshots::default();
            self.choose_again(&mut snapshots)?;
            wayed = self.find_ways_of(&[], &mut snapshots)?;
        }
        wayed.kept.extend(kept);
        Ok(wayed)
    }

    /// Puts aside what is queued of a site.
    pub(crate) fn leave_queue(&self, key: &str) -> Result<(), SiteError> {
        let site = self.store.site(key)?;
        self.store.hold_queue(site, &UrlReason::NotPlanned)?;
        Ok(())
    }

    /// Learns the navigations of sites to the selected patterns, and writes their files.
    pub fn find_navigations(
        &self,
        sites: &[(SiteId, String)],
        snapshots: &mut Snapshots,
    ) -> Result<NavigationsMade, SiteError> {
        let is_among = |learned: &LearnedSite| sites.iter().any(|(site, _)| *site == learned.site);
        self.ways_where(snapshots, is_among, |_| true)
    }

    /// Learns the navigations of a few sites, and of sites whose files do not match their selected
    /// patterns.
    pub(crate) fn find_ways_of(
        &self,
        keys: &[String],
        snapshots: &mut Snapshots,
    ) -> Result<NavigationsMade, SiteError> {
        let asked = self.store.selected_queries(self.vertical)?;
        self.ways_where(
            snapshots,
            |_| true,
            |standing| {
                let is_current = || {
                    let file = navigation_file(self.folder, self.vertical, &standing.site.key);
                    // A broken file is reported to its author, who corrects it.
                    let Ok(navigation) = read_navigation(&file) else {
                        return true;
                    };
                    let searches = navigation.iter().flat_map(|navigation| &navigation.searches);
                    if !searches.eq(&searches_of(&asked, standing.site.site)) {
                        return false;
                    }
                    let states = navigation.map(|navigation| navigation.states).unwrap_or_default();
                    let wanted = states.iter().filter(|state| state.role != Role::Hub);
                    let known: HashSet<&UrlPattern> = wanted.flat_map(|state| &state.patterns).collect();
                    let mut chosen = standing.chosen().peekable();
                    match chosen.peek() {
                        None => known.is_empty(),
                        Some(_) => chosen.all(|learned| known.contains(&learned.pattern)),
                    }
                };
                keys.contains(&standing.site.key) || !is_current()
            },
        )
    }

    fn ways_where(
        &self,
        snapshots: &mut Snapshots,
        is_among: impl Fn(&LearnedSite) -> bool,
        wanted: impl Fn(&SiteSnapshot) -> bool,
    ) -> Result<NavigationsMade, SiteError> {
        let lists = match self.learn_settings().strategy {
            StrategyChoice::CostAware => Lists::Promising,
            StrategyChoice::Ratio | StrategyChoice::Count => Lists::Needed,
        };
        let mut wayed = NavigationsMade::default();
        let ways = LearnedRules::read(self.store, self.vertical)?;
        let asked = self.store.selected_queries(self.vertical)?;
        // A site that shows no object any more keeps its old navigation, since its objects may come
        // back.
        let has_objects = |standing: &SiteSnapshot| {
            let mut asked = asked.iter();
            !standing.survey.objects.is_empty() || asked.any(|query| query.site == standing.site.site)
        };
        let learned = self.store.learned_sites(self.vertical)?;
        for learned in learned.into_iter().filter(is_among) {
            let standing = self.view().whole_snapshot(learned, snapshots)?;
            if !has_objects(&standing) || !wanted(&standing) {
                continue;
            }
            let chosen = standing.chosen_patterns();
            let site = &standing.site.key;
            let file = navigation_file(self.folder, self.vertical, site);
            let rendering = SiteRendering::read_or_learned(self.folder, self.vertical, &ways, site);
            let searches = searches_of(&asked, standing.site.site);
            let mut learned = match chosen.is_empty() && searches.is_empty() {
                true => None,
                false => {
                    let survey = standing.surveyed.fetched_and_unseen();
                    way(&survey, &standing.patterns, &chosen, lists)
                }
            };
            if let Some(learned) = &mut learned {
                learned.navigation.searches = searches;
                learned.navigation.rendering = rendering.of_file();
            }
            let hubs = learned.as_ref().map_or(0, |learned| learned.hubs.len());
            let kept = renew_navigation(&file, learned.as_ref().map(|learned| &learned.navigation))?;
            wayed.kept.extend(kept);
            self.store
                .put_hubs(self.vertical, standing.site.site, hubs as u64)?;
            if let Some(learned) = learned {
                wayed.sites += 1;
                wayed.mapped += usize::from(learned.navigation.sitemaps);
                wayed.hubs += hubs;
                wayed.reached += learned.reached;
                wayed.reachable += learned.reachable;
            }
        }
        Ok(wayed)
    }
}

impl View<'_> {
    /// Returns the learned sites of the vertical with all their links.
    fn whole_snapshots(&self, snapshots: &mut Snapshots) -> Result<Vec<SiteSnapshot>, SiteError> {
        let sites = self.reader.learned_sites(self.vertical)?.into_iter();
        sites.map(|site| self.whole_snapshot(site, snapshots)).collect()
    }
}

/// Returns the pages that a browser shows, with the cost of each as a multiple of that of a plain
/// fetch.
fn rendered(survey: &Survey, rules: &RenderingRules) -> Vec<(u32, u32)> {
    if rules.is_empty() {
        return Vec::new();
    }
    let costs = survey.urls.iter().map(|url| rules.cost(url));
    (0..).zip(costs).filter(|(_, cost)| *cost > 1).collect()
}

/// Leaves out expired objects: pages are not fetched for them.
fn only_current(mut survey: Survey, sightings: &ObjectsByPage) -> Survey {
    let shown = survey.answers.iter().flat_map(|answer| &answer.pages);
    let shown = shown.flat_map(|page| &page.objects).map(|(object, _)| object);
    let mut all = survey.objects.iter().map(|(_, object)| object).chain(shown);
    // If all have expired, they are kept, since they show which pages future objects will have.
    if all.any(|object| sightings.is_current(*object)) {
        retain_objects(&mut survey, |object| sightings.is_current(object));
    }
    survey
}

/// Leaves out objects of a site's pages and of its searches.
fn retain_objects(survey: &mut Survey, is_kept: impl Fn(u32) -> bool) {
    survey.objects.retain(|(_, object)| is_kept(*object));
    for page in survey.answers.iter_mut().flat_map(|answer| &mut answer.pages) {
        page.objects.retain(|(object, _)| is_kept(*object));
    }
}

/// Keeps of several choices of one query the one with the most pages, which has those of the
/// others.
fn deepest(mut queries: Vec<SelectedQuery>) -> Vec<SelectedQuery> {
    queries.sort_by(|one, other| other.cmp(one));
    queries.dedup_by(|less, more| {
        (less.site, &less.template, &less.query) == (more.site, &more.template, &more.query)
    });
    queries
}

/// Returns the indices of the currently selected patterns and queries.
fn chosen_before(standing: &[SiteSnapshot], asked: &[SelectedQuery], offer: &Offer) -> Vec<usize> {
    let is_chosen = |number: &usize| {
        let offered = &offer.patterns[*number];
        let mut chosen = standing[offered.site].chosen();
        chosen.any(|learned| learned.pattern == offered.pattern)
    };
    let patterns = (0..offer.patterns.len()).filter(is_chosen);
    let queries = (offer.patterns.len()..).zip(&offer.queries);
    let queries = queries.filter(|(_, offered)| {
        let site = standing[offered.site].site.site;
        asked.iter().any(|query| {
            (query.site, query.pages) == (site, offered.pages)
                && query.template == offered.template
                && query.query == offered.query
        })
    });
    patterns.chain(queries.map(|(number, _)| number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use magpie_patterns::select::PatternSpec;

    #[test]
    fn a_repair_renews_by_the_strategy_that_is_set() {
        // All three stood. The second adds one object to the first, the third two.
        let mut builder = Candidates::builder(6);
        builder.site(0.0);
        let patterns: [&[u32]; 3] = [&[0, 1, 2], &[2, 3], &[4, 5]];
        for objects in patterns {
            let spec = PatternSpec {
                own_pages: 1.0,
                objects,
                ..PatternSpec::default()
            };
            builder.pattern(spec).expect("sound");
        }
        let candidates = builder.build();
        let learn = |strategy| Learn {
            strategy,
            min_new: 2,
            ..Learn::default()
        };
        let renewed = |choice, coverage| {
            let (strategy, goal) = strategy(&learn(choice), Goal::Coverage(coverage));
            selected(&*strategy, &candidates, &[0, 1, 2], goal).patterns
        };
        // The goal of the count rule is two new objects of each pattern at any coverage.
        assert_eq!(renewed(StrategyChoice::Count, 0.5), [0, 2]);
        assert_eq!(renewed(StrategyChoice::Count, 1.0), [0, 2]);
        assert_eq!(renewed(StrategyChoice::Ratio, 0.5), [0]);
        assert_eq!(renewed(StrategyChoice::CostAware, 1.0).len(), 3);
        let (rule, goal) = strategy(&learn(StrategyChoice::Count), Goal::Coverage(0.5));
        assert_eq!((rule.name(), goal), ("most new objects", Goal::Coverage(1.0)));
        assert_eq!(
            strategy(&learn(StrategyChoice::Ratio), Goal::Pages(9.0)).1,
            Goal::Pages(9.0)
        );
    }
}
