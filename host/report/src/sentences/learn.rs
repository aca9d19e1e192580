//! Sentences about learning.

use crate::format;
use std::collections::BTreeMap;

use magpie_engine::crawl::FoundShare;
use magpie_engine::learn::{
    FormsAsked, Idle, NavigationsMade, PatternsMade, PatternsSelected, RecordsClustered, SitesCrawled,
    SitesExpanded, SitesFound, StageOutcome,
};
use magpie_model::CanonicalUrl;
use magpie_patterns::rendering::{Mode, RenderingRule};
use magpie_rows::MatcherKind;

/// Returns a sentence about the outcome of a stage.
pub fn stage(outcome: &StageOutcome) -> String {
    match outcome {
        StageOutcome::Find(found) => sites_found(found),
        StageOutcome::Sample(None) => "the sites are given, so none is sampled".to_owned(),
        StageOutcome::Sample(Some(crawled)) | StageOutcome::Crawl(crawled) => sites_crawled(crawled),
        StageOutcome::Expand(expanded) => sites_expanded(expanded),
        StageOutcome::Surface(None) => "search forms are not asked, since `surface.requests` is 0".to_owned(),
        StageOutcome::Surface(Some(asked)) => forms_asked(asked),
        StageOutcome::Cluster(clustered) => records_clustered(clustered),
        StageOutcome::Patterns(made) => patterns_made(made),
        StageOutcome::Select(selected) => patterns_selected(selected),
        StageOutcome::Navigate(made) => navigations_made(made),
    }
}

/// Returns a sentence about the way to have the pages of a pattern.
pub fn way(rule: &RenderingRule) -> String {
    let pattern = &rule.pattern;
    match (rule.mode, &rule.endpoint) {
        (Mode::Plain, _) | (Mode::Endpoint, None) => format!("a plain fetch has all of {pattern}"),
        (Mode::Embedded, _) => format!("pages of {pattern} have their objects in data for scripts"),
        (Mode::Endpoint, Some(endpoint)) => format!("scripts fetch the objects of {pattern} from {endpoint}"),
        (Mode::Render, _) => format!(
            "{pattern} needs a browser, at the cost of {}",
            format::counted(u64::from(rule.cost), "plain fetch", "plain fetches")
        ),
    }
}

fn sites_found(found: &SitesFound) -> String {
    if let (Some(engine), Some(expansion)) = (&found.engine, &found.expansion) {
        let hosts: Vec<String> = found.sites.iter().map(|home| host(home)).collect();
        return format!(
            "{} to {engine} found {}; the first {} are sampled: {}",
            format::counted(u64::from(expansion.asked()), "query", "queries"),
            format::count(expansion.votes().len(), "site"),
            hosts.len(),
            format::listed(&hosts),
        );
    }
    if let (Some(engine), Some(words)) = (&found.engine, &found.words) {
        let hosts: Vec<String> = found.sites.iter().map(|home| host(home)).collect();
        let middle: Vec<String> = words.words.iter().map(|(word, _)| word.clone()).collect();
        return format!(
            "{} of words such as {} to {engine} led to {}, {} of them accepted, of {}; {}; {} crawled: {}",
            format::counted(u64::from(words.queries), "query", "queries"),
            format::listed(&middle),
            format::count(words.judged, "page"),
            words.accepted,
            format::count(words.sites, "site"),
            words.reason,
            if hosts.len() == 1 { "one is" } else { "these are" },
            format::listed(&hosts),
        );
    }
    let mut sentence = format!("{} named", format::count(found.sites.len(), "site"));
    if !found.left_out.is_empty() {
        sentence.push_str(&format!(
            "; named earlier, dropped now: {}",
            format::listed(&found.left_out)
        ));
    }
    if found.others > 0 {
        let others = format::count(found.others, "other site");
        sentence.push_str(&format!(
            "; {others} learned earlier are kept: `magpie sites SITE --drop` drops one"
        ));
    }
    sentence
}

/// The host of a URL, as it is shown.
fn host(url: &str) -> String {
    CanonicalUrl::trusted(url).map_or_else(|| url.to_owned(), |url| url.authority().to_owned())
}

fn sites_expanded(expanded: &SitesExpanded) -> String {
    let Some(queries) = expanded.queries else {
        return "the sites are given, so none is searched for".to_owned();
    };
    format!(
        "{} of the sampled sites, {queries} queries in all, {} of {}; {}",
        format::count(expanded.objects, "object"),
        expanded.sites.len(),
        format::count(expanded.known_sites, "site"),
        expanded.reason,
    )
}

fn sites_crawled(crawled: &SitesCrawled) -> String {
    let mut sentence = format!(
        "{} of {}, {}, {} on them",
        format::many(crawled.pages, "page"),
        format::count(crawled.sites, "site"),
        format::bytes(crawled.bytes),
        format::many(crawled.records, "record"),
    );
    if !crawled.found.is_empty() {
        sentence.push_str(&format!(
            "; {}",
            found(&crawled.found, crawled.strategy.as_deref())
        ));
    }
    if let Some(queue) = &crawled.idle {
        sentence.push_str(&format!("; {}", idle(queue)));
    }
    for (site, why) in &crawled.unreached {
        sentence.push_str(&format!("; {site} can't be reached: {why}"));
    }
    sentence
}

/// Describes the sites that were left with a part of their pages, and the objects of all sites.
fn found(sites: &BTreeMap<String, FoundShare>, strategy: Option<&str>) -> String {
    let all = sites
        .values()
        .fold(FoundShare::default(), |all, site| FoundShare {
            objects: all.objects + site.objects,
            expected: all.expected + site.expected,
        });
    // A strategy may be that of `learn` or of `focus`, each with a setting of its own.
    let setting = if strategy.is_none() {
        " (`learn.until`)"
    } else {
        ""
    };
    format!(
        "{} left with an estimated {:.0} % of their objects found{setting}",
        format::counted(sites.len() as u64, "site was", "sites were"),
        all.share() * 100.0
    )
}

/// Explains why a crawl fetched nothing, and what to type.
fn idle(queue: &Idle) -> String {
    if queue.queued > 0 {
        let waiting: Vec<String> = queue
            .waiting
            .iter()
            .map(|(site, state)| format!("{site} {state}"))
            .collect();
        let why = match waiting.is_empty() {
            true => String::new(),
            false => format!(" ({})", format::listed(&waiting)),
        };
        return format!(
            "{} queued{why}; `magpie crawl` fetches those that are due",
            format::counted(queue.queued, "URL is", "URLs are")
        );
    }
    format!(
        "nothing is queued: of {} known, {} fetched and {} failed or refused; `magpie crawl --again SITE` fetches the known pages again",
        format::counted(queue.known, "URL", "URLs"),
        format::counted(queue.fetched, "is", "are"),
        format::counted(queue.failed, "is", "are"),
    )
}

fn forms_asked(asked: &FormsAsked) -> String {
    if asked.templates == 0 {
        return "no site has a search form that may be asked; `magpie forms` shows the reasons".to_owned();
    }
    format!(
        "{} of {} work: {} in all showed {}; {} fetched",
        format::thousands(asked.working as u64),
        format::count(asked.templates, "search form"),
        format::many(asked.requests, "request"),
        format::many(asked.objects, "object"),
        format::many(asked.pages, "page"),
    )
}

fn records_clustered(clustered: &RecordsClustered) -> String {
    let by = match clustered.matcher {
        Some(MatcherKind::Plugin) => "by the comparison of the vertical",
        Some(MatcherKind::Schema) | None => "by the schema",
    };
    let new = match clustered.records {
        0 => "no new records since the last time".to_owned(),
        records => format!(
            "{} on {}, {} of them new",
            format::many(records, "record"),
            format::many(clustered.pages, "page"),
            format::thousands(clustered.new_records)
        ),
    };
    format!("{} in all {by}; {new}", format::many(clustered.objects, "object"))
}

fn patterns_made(made: &PatternsMade) -> String {
    let mut sentence = format!(
        "{} with objects among {} of {} give {}",
        format::count(made.yielding, "page"),
        format::thousands(made.pages as u64),
        format::count(made.sites, "site"),
        format::count(made.patterns, "pattern"),
    );
    if let (Some(recall), Some(precision)) = (made.recall, made.precision) {
        sentence.push_str(&format!(
            "; they match {1:.1} % of {0} that were held out, and {2:.1} % of {3} that they match have objects",
            format::count(made.held_out, "page"),
            recall * 100.0,
            precision * 100.0,
            format::count(made.matched, "page"),
        ));
    }
    if made.unreached > 0 {
        sentence.push_str(&format!(
            "; {} only on pages to which no link, sitemap, feed or search leads, so rounds do not reach them",
            format::count(made.unreached, "object")
        ));
    }
    if !made.without_objects.is_empty() {
        let empty = empty_sites(made);
        sentence.push_str(&format!("; without objects: {}", format::listed(&empty)));
    }
    sentence
}

fn patterns_selected(selected: &PatternsSelected) -> String {
    let queries = match selected.query_candidates {
        0 => String::new(),
        _ => format!(
            " and {}",
            format::counted(selected.queries as u64, "search query", "search queries")
        ),
    };
    format!(
        "{} of {} patterns{queries} at {} by {}: {}, {}{}",
        selected.patterns,
        selected.candidates,
        format::count(selected.sites, "site"),
        selected.strategy,
        of_found(selected.covered, selected.coverable),
        gap(selected.gap, selected.gap_of_objects),
        doubts(selected),
    )
}

/// The objects that are covered, of those that were found where links lead and that have not
/// expired.
pub fn of_found(covered: f64, coverable: f64) -> String {
    let found = format::many(coverable as u64, "current object");
    match coverable - covered < 0.5 {
        true => format!("all of {found} that links lead to"),
        false => format!(
            "{} of {found} that links lead to ({:.1} %)",
            format::thousands(covered as u64),
            covered / coverable * 100.0
        ),
    }
}

/// The distance of a selection from the best that there can be, at most: in covered objects or in
/// cost.
pub fn gap(gap: f64, of_objects: bool) -> String {
    let percent = gap * 100.0;
    match of_objects {
        false => format!("at a cost at most {percent:.1} % above the minimum for these patterns"),
        true => format!("at most {percent:.1} % below the maximum for this cost"),
    }
}

/// Returns the interval of objects to expect if some matches are in doubt, else nothing.
fn doubts(selected: &PatternsSelected) -> String {
    let (low, high) = format::around(selected.covered, selected.interval);
    match selected.covered - low < 0.5 {
        true => String::new(),
        false => format!("; since some matches are uncertain, {low:.0} to {high:.0} objects are expected"),
    }
}

fn navigations_made(made: &NavigationsMade) -> String {
    let maps = match made.mapped {
        0 => String::new(),
        mapped => format!(
            ", with the sitemaps and feeds of {},",
            format::count(mapped, "site")
        ),
    };
    format!(
        "{}{maps} lead to {} of {} on pages of chosen patterns at {}, each counted at every site that has it; a round \
         fetches {} now; the navigations are in the workspace's folder `navigation`",
        format::count(made.hubs, "hub page"),
        format::thousands(made.reached as u64),
        format::many(made.reachable as u64, "object"),
        format::count(made.sites, "site"),
        format::many(made.round_pages, "page"),
    )
}

/// The sites without objects, with the reasons that are known.
pub fn empty_sites(made: &PatternsMade) -> Vec<String> {
    let described = |site: &String| match made.reasons.get(site) {
        Some(why) => format!("{site} ({why})"),
        None => site.clone(),
    };
    made.without_objects.iter().map(described).collect()
}
