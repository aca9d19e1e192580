//! `second-level`: arguments of the links on result pages.

use std::collections::{BTreeMap, BTreeSet};

use magpie_plot::{Bar, BarChart};
use magpie_surface::arguments::{ArgumentStudy, Kind, Method, semantic_key};
use url::Url;

use super::super::{Experiment, Measure};
use super::grid::{self, Row};
use super::sample::Sample;
use super::site::Site;
use super::{SITES, light_deep_books, subjects};
use crate::figure::Report;
use crate::mean::{Measured, share};
use crate::random::Random;

pub(in crate::experiment) const EXPERIMENT: Experiment = Experiment {
    name: "second-level",
    about: "arguments of links on result pages: prevalence beside the effect on objects",
    measure: Measure::Searches(measure, SITES),
    report,
    spec: light_deep_books,
};

/// Number of queries whose answers are studied.
const QUERIES: usize = 30;

/// Methods; ours is the last.
const METHODS: [(Method, &str); 2] = [(Method::Published, "prevalence"), (Method::ByEffect, "effect")];

const PRECISION: &str = "dropped arguments that select nothing";
const RECALL: &str = "arguments that select nothing, dropped";
const LOST: &str = "selection arguments lost";
const WRONG_URLS: &str = "URLs wrongly dropped";
const BY_KEYWORD: &str = "reduction by the keyword argument";
const REDUCTION: &str = "reduction in all";
const TRUE_REDUCTION: &str = "reduction by true kinds";
const PROBES: &str = "probes an argument";
const ARGUMENTS: &str = "arguments";
const UNLABELLED: &str = "arguments without a label";

fn measure(site: &Site<'_>, seed: u64, sample: &mut Sample) {
    let Some(keyword) = site.template.keyword_argument().map(str::to_owned) else {
        return;
    };
    let mut random = Random::new(seed, 0x21);
    let words = site.title_words();
    let frequent = &words[..words.len().min(200)];
    let queries: Vec<String> = (0..QUERIES)
        .filter_map(|_| random.pick(frequent).map(|(word, _)| word.clone()))
        .collect();
    for (method, name) in METHODS {
        let mut study = ArgumentStudy::new(method, &keyword);
        let mut all: BTreeSet<String> = BTreeSet::new();
        let mut urls: BTreeSet<String> = BTreeSet::new();
        for query in &queries {
            let answer = site.ask(query);
            let own = Url::parse(&answer.url).ok();
            let is_inside = |href: &str| {
                let url = Url::parse(href).ok();
                url.zip(own.as_ref())
                    .is_some_and(|(url, own)| url.host_str() == own.host_str())
            };
            let hrefs = answer.links.iter().map(|link| &link.href);
            all.extend(hrefs.filter(|href| is_inside(href)).cloned());
            let embedded = answer.links_with(&keyword);
            urls.extend(embedded.iter().map(|href| (*href).to_owned()));
            // The plain page is that of the form, as long as it is not redirected elsewhere.
            let url = match answer.url.is_empty() {
                true => continue,
                false => answer.url.as_str(),
            };
            study.add_page(url, &answer.outcome(), &embedded);
        }
        if urls.is_empty() {
            return;
        }
        let mut probes = 0.0;
        while let Some(probe) = study.next_probe() {
            let answer = Url::parse(&probe.url).map(|url| site.get(&url));
            study.record(&probe, &answer.map(|answer| answer.outcome()).unwrap_or_default());
            probes += 1.0;
        }
        let kinds = study.kinds();
        note(site, name, &kinds, &urls, sample);
        for (argument, kind) in &kinds {
            let truth = site.kinds.get(argument);
            let prevalence = study.prevalence().of(argument);
            let probes = study.probes_of(argument);
            sample.detail(format!(
                "{name}: {argument}: {kind:?}, truth {truth:?}, prevalence {prevalence:.3}, {probes} probes"
            ));
        }
        let all = all.len() as f64;
        sample.add(name, BY_KEYWORD, share(all, urls.len() as f64));
        let keys = |kinds: &BTreeMap<String, Kind>| {
            let keys: BTreeSet<u64> = urls.iter().map(|url| semantic_key(url, kinds)).collect();
            keys.len() as f64
        };
        sample.add(name, REDUCTION, share(all, keys(&kinds)));
        sample.add(name, TRUE_REDUCTION, share(all, keys(&site.kinds)));
        let others = kinds.values().filter(|kind| **kind != Kind::Query).count();
        sample.add(name, PROBES, share(probes, others as f64));
    }
}

/// Compares the kinds with the true ones.
fn note(
    site: &Site<'_>,
    name: &str,
    kinds: &BTreeMap<String, Kind>,
    urls: &BTreeSet<String>,
    sample: &mut Sample,
) {
    let known = kinds
        .iter()
        .filter_map(|(name, kind)| Some((*kind, *site.kinds.get(name)?)));
    let known: Vec<(Kind, Kind)> = known.filter(|(_, truth)| *truth != Kind::Query).collect();
    let count = |test: &dyn Fn(Kind, Kind) -> bool| {
        known.iter().filter(|(kind, truth)| test(*kind, *truth)).count() as f64
    };
    let dropped = count(&|kind, _| !kind.is_selective());
    let rightly = count(&|kind, truth| !kind.is_selective() && !truth.is_selective());
    let needless = count(&|_, truth| !truth.is_selective());
    sample.add(name, PRECISION, share(rightly, dropped));
    sample.add(name, RECALL, share(rightly, needless));
    sample.add(
        name,
        LOST,
        share(dropped - rightly, known.len() as f64 - needless),
    );
    sample.add(name, ARGUMENTS, known.len() as f64);
    sample.add(
        name,
        UNLABELLED,
        kinds
            .keys()
            .filter(|name| !site.kinds.contains_key(*name))
            .count() as f64,
    );
    // One URL of each key is fetched. A URL is lost if none with its true key is.
    let mut fetched: BTreeMap<u64, u64> = BTreeMap::new();
    for url in urls {
        let truth = semantic_key(url, &site.kinds);
        fetched.entry(semantic_key(url, kinds)).or_insert(truth);
    }
    let kept: BTreeSet<&u64> = fetched.values().collect();
    let is_lost = |url: &&String| !kept.contains(&semantic_key(url, &site.kinds));
    let lost = urls.iter().filter(is_lost).count();
    sample.add(name, WRONG_URLS, share(lost as f64, urls.len() as f64));
}

fn report(measured: &Measured, report: &mut Report) {
    let rows = [
        Row::new(PRECISION, "share").more_is_better().published(0.98),
        Row::new(RECALL, "share")
            .more_is_better()
            .published(0.94)
            .target(0.95),
        Row::new(LOST, "share").target(0.02),
        Row::new(WRONG_URLS, "share").published(0.007),
        Row::new(BY_KEYWORD, "ratio").more_is_better().published(3.6),
        Row::new(REDUCTION, "ratio").more_is_better().published(10.0),
        Row::new(TRUE_REDUCTION, "ratio").more_is_better(),
        Row::new(PROBES, "requests").target(3.0),
        Row::new(ARGUMENTS, "count"),
        Row::new(UNLABELLED, "count"),
    ];
    let names = METHODS.map(|(_, name)| name);
    grid::add(report, "second-level", &names, &rows, measured);
    report.note("sites with the query in an argument; 30 queries a site, links on first pages");
    report.note(
        "reduction: distinct links within the site, by distinct keys of links with the keyword argument",
    );
    report.note("URLs wrongly dropped: none with the same selection is fetched");
    report.note("true kinds: of the lab's searches; of servers labelled by hand");
    let bar = |subject: &str, quantity: &str, name: &str| {
        let mean = grid::mean(measured, &format!("{subject}, {name}"), quantity, "share");
        Bar {
            value: mean.map_or(0.0, |mean| mean.value),
            interval: mean.and_then(|mean| mean.interval),
        }
    };
    let groups = subjects(measured).into_iter().flat_map(|subject| {
        [(LOST, "selections lost"), (RECALL, "needless dropped")].map(|(quantity, label)| {
            let bars = names.iter().map(|name| bar(&subject, quantity, name));
            (format!("{subject}: {label}"), bars.collect())
        })
    });
    let chart = BarChart {
        title: "Arguments of links on result pages".to_owned(),
        y: "share".to_owned(),
        kinds: names.map(str::to_owned).to_vec(),
        groups: groups.collect(),
    };
    report.draw(chart.to_svg());
}
