//! `xcrawl`: the published guided walk beside other orders, replayed on the link graphs of sites.

mod graphs;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use magpie_focus::rank::{OutDegree, Teleport};
use magpie_focus::region::RegionKind;
use magpie_focus::strategy::{Choice, Expected, LinkClassifier, Strategy, Walk, WalkSettings};
use magpie_focus::unseen::Sightings;
use magpie_lab::{Vertical, Web, WebSpec, Weight};
use magpie_plot::{LineChart, Point, Series};

use super::{Experiment, Measure, Progress};
use crate::baselines::{BreadthFirst, ByYield, SleepingBandit};
use crate::figure::{Figure, Report, cell};
use crate::mean::{Measured, share};
use crate::random::Random;
use crate::site::graph::SiteGraph;
use crate::site::replay::{MOST, Replay};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "xcrawl",
    about: "pages of a site in the best order: the guided walk of xCRAWL beside its rivals and ours",
    measure: Measure::Walks(SITES),
    report,
    spec: light_books,
};

const SITES: u32 = 6;

/// Known targets that a crawl begins with, as published.
const KNOWN: usize = 20;

/// Fetches per target after which recall is measured, in tenths.
const BUDGETS: [usize; 3] = [11, 15, 20];

/// Targets that a site needs to be measured.
const MIN_TARGETS: usize = 60;

/// Estimated share of the targets at which a crawl stops.
const GOAL: f64 = 0.95;

/// Restart probabilities of the published study.
const RESTARTS: [f64; 6] = [0.05, 0.10, 0.15, 0.20, 0.25, 0.30];

/// Published gain of recall over a crawler with a classifier of links at equal time.
const PUBLISHED_GAIN: f64 = 1.42;

/// Aims: area under the curve of recall against the walk, recall against breadth first, share of
/// the best harvest rate that is possible.
const AREA_GAIN: f64 = 1.25;
const WORST_AREA_GAIN: f64 = 0.95;
const BREADTH_GAIN: f64 = 1.4;
const OF_OPTIMUM: f64 = 0.8;
const STOP_ERROR: f64 = 0.05;

const BREADTH: &str = "breadth first";
const CLASSIFIER: &str = "link classifier";
const BANDIT: &str = "sleeping bandit";
const YIELD: &str = "by yield (learn)";
const WALK: &str = "xCRAWL";
const OURS: &str = "ours";
const METHODS: [&str; 6] = [BREADTH, CLASSIFIER, BANDIT, WALK, YIELD, OURS];

const AREA: &str = "area";
const HARVEST: &str = "harvest";
const OPTIMUM: &str = "of optimum";
const REACHED: &str = "reached 90 %";
const CHOOSING: &str = "ms a fetch";
const HUB_PRECISION: &str = "hubs: precision";
const HUB_RECALL: &str = "hubs: recall";
const OPTIMUM_RATE: &str = "optimum";

/// Subject of the figures of a graph itself.
const GRAPH: &str = "graph";

/// Ways in which the part of a hub is found that lists targets.
const REGIONS: [(&str, RegionKind); 2] = [
    ("region by repeated path", RegionKind::RepeatedPath),
    ("region by common ancestor", RegionKind::CommonAncestor),
];

const HUB_AIMS: (f64, f64) = (0.8, 0.9);
const REGION_AIMS: (f64, f64) = (0.95, 0.98);

/// Share of the graphs on which the gain over the walk is wanted.
const MOST_GRAPHS: f64 = 0.75;

/// Subject under which the names of sites are recorded.
const SUBJECTS: &str = "subjects";

/// Stop rules: their names, with the estimate that each stops by.
const FORECAST: &str = "forecast";
const CHAO: &str = "Chao";
const STOP_RULES: [&str; 2] = [FORECAST, CHAO];

/// Points of the curves of the plot: shares of twice the number of targets.
const CURVE: usize = 20;

fn light_books(spec: &mut WebSpec) {
    spec.vertical = Vertical::Books;
    spec.weight = Weight::Light;
    spec.redesigns = 0;
    *spec = spec.clone().with_scale(4.0);
}

fn at(budget: usize) -> String {
    format!("recall at {:.1}", budget as f64 / 10.0)
}

fn restart_name(restart: f64) -> String {
    format!("restart {restart:.2}")
}

/// Variants of the walk, by name.
fn variants() -> Vec<(String, WalkSettings)> {
    let base = WalkSettings::default();
    let mut variants: Vec<(String, WalkSettings)> = RESTARTS
        .iter()
        .map(|restart| {
            (
                restart_name(*restart),
                WalkSettings {
                    restart: *restart,
                    ..base
                },
            )
        })
        .collect();
    for iterations in [10, 25, 100] {
        variants.push((
            format!("iterations {iterations}"),
            WalkSettings { iterations, ..base },
        ));
    }
    let of_source = WalkSettings {
        divisor: OutDegree::Source,
        ..base
    };
    let largest = WalkSettings {
        choice: Choice::Largest,
        ..base
    };
    let seeded = magpie_focus::rank::PageRank {
        teleport: Teleport::Accepted,
        ..base.rank
    };
    let region = WalkSettings {
        region: RegionKind::RepeatedPath,
        ..base
    };
    variants.extend([
        ("source out-degree".to_owned(), of_source),
        ("largest weight".to_owned(), largest),
        (
            "jumps to accepted pages".to_owned(),
            WalkSettings { rank: seeded, ..base },
        ),
        ("region by repeated path".to_owned(), region),
    ]);
    variants
}

/// Values of the sites of one seed, by method and quantity.
#[derive(Default)]
struct Sample(BTreeMap<(String, String), Vec<f64>>);

impl Sample {
    fn add(&mut self, method: &str, quantity: &str, value: impl Into<Option<f64>>) {
        let values = self
            .0
            .entry((method.to_owned(), quantity.to_owned()))
            .or_default();
        values.extend(value.into());
    }

    /// Adds the means under a subject, which has a name only where something was measured.
    fn add_to(self, subject: &str, measured: &mut Measured) {
        if !self.0.is_empty() {
            measured.add(SUBJECTS, subject, 1.0);
        }
        for ((method, quantity), values) in self.0 {
            let mean = share(values.iter().sum(), values.len() as f64);
            measured.add(&format!("{subject}, {method}"), &quantity, mean);
        }
    }
}

/// The options of the experiment.
#[derive(clap::Args)]
#[group(skip)]
pub(super) struct Options {
    /// Replay on the link graphs in this folder instead of the lab's sites: files `NAME.edges.tsv`
    /// with lines of URL, page with the link and path, and `NAME.gold.tsv` with lines of labelling,
    /// URL and class
    #[arg(long, value_name = "DIR")]
    graphs: Option<PathBuf>,
    /// Replay on whole saved sites: a folder of folders with `urls.tsv` (file, tabulator, URL),
    /// `site.json` and, unless the markup of pages tells it, `truth.jsonl`
    #[arg(long, value_name = "DIR", conflicts_with = "graphs")]
    pages: Option<PathBuf>,
}

impl Options {
    /// Returns true if real sites are measured.
    pub(super) fn are_real(&self) -> bool {
        self.graphs.is_some() || self.pages.is_some()
    }
}

/// Measures on the lab's sites, or on the graphs that the options name. Each seed gives one value
/// for a subject: that of its graph, or the mean over the sites of a web.
pub(super) fn measure(experiment: &Experiment, options: &super::Options, more: &Options) -> Result<Measured> {
    let mut measured = Measured::default();
    let graphs = match (&more.graphs, &more.pages) {
        (Some(folder), _) => Some(graphs::of_folder(folder)),
        (None, Some(folder)) => Some(graphs::of_saved_sites(folder)),
        (None, None) => None,
    };
    let graphs = graphs.transpose()?;
    for seed in options.seeds.iter() {
        let progress = Progress::new(*seed, options);
        match &graphs {
            Some(graphs) => {
                for graph in graphs {
                    let mut sample = Sample::default();
                    measure_graph(graph, *seed, &progress, &mut sample);
                    sample.add_to(&graph.name, &mut measured);
                }
            }
            None => {
                let web = Arc::new(Web::new(experiment.spec(options, *seed)?));
                let mut sample = Sample::default();
                for graph in graphs::of_lab(&web) {
                    measure_graph(&graph, *seed, &progress, &mut sample);
                }
                sample.add_to("lab", &mut measured);
            }
        }
        progress.tell("done");
    }
    Ok(measured)
}

fn measure_graph(graph: &SiteGraph, seed: u64, progress: &Progress, sample: &mut Sample) {
    let mut random = Random::new(seed, 0xf0);
    let mut targets = graph.target_pages();
    let known: Vec<u32> = (0..KNOWN.min(targets.len()))
        .map(|_| targets.swap_remove(random.below(targets.len())))
        .collect();
    let starts: Vec<u32> = [graph.home].into_iter().chain(known).collect();
    let reachable = graph.reachable(&starts);
    let count = graph
        .target_pages()
        .iter()
        .filter(|page| reachable.contains(page))
        .count();
    if count < MIN_TARGETS {
        progress.detail(|| format!("{}: only {count} targets, left out", graph.name));
        return;
    }
    let best_hubs = graph.smallest_hub_set();
    let hubs = best_hubs.len() as f64;
    progress.tell(&format!("{}: {count} targets, {hubs} hubs", graph.name));
    let optimum = count as f64 / (count as f64 + hubs);
    sample.add(GRAPH, "pages", reachable.len() as f64);
    sample.add(GRAPH, "targets", count as f64);
    sample.add(GRAPH, "hubs", hubs);
    sample.add(GRAPH, OPTIMUM_RATE, optimum);
    let limit = 2 * count;
    let note = |method: &str, replay: &Replay, sample: &mut Sample| {
        for budget in BUDGETS {
            sample.add(method, &at(budget), replay.recall(count * budget / 10, count));
        }
        sample.add(method, AREA, replay.area(limit, count));
        let harvest = replay.harvest(count);
        sample.add(method, HARVEST, harvest);
        sample.add(method, OPTIMUM, harvest.map(|harvest| harvest / optimum));
        let time = replay.choosing.as_secs_f64() * 1e3 / replay.fetched.len().max(1) as f64;
        sample.add(method, CHOOSING, time);
        let reached = replay.fetches_to(MOST, count).is_some();
        sample.add(method, REACHED, f64::from(u8::from(reached)));
        for point in 1..=CURVE {
            let recall = replay.recall(limit * point / CURVE, count);
            sample.add(method, &curve_point(point), recall);
        }
        progress.detail(|| format!("{}, {method}: area {:.3}", graph.name, replay.area(limit, count)));
    };
    fn plain<S: Strategy>(graph: &SiteGraph, mut strategy: S, starts: &[u32], limit: usize) -> Replay {
        graph.replay(&mut strategy, starts, limit, GOAL, &[])
    }
    let run = |settings: WalkSettings| {
        plain(
            graph,
            Walk::new(WalkSettings { seed, ..settings }),
            &starts,
            limit,
        )
    };
    for (name, replay) in [
        (BREADTH, plain(graph, BreadthFirst::default(), &starts, limit)),
        (
            CLASSIFIER,
            plain(graph, LinkClassifier::default(), &starts, limit),
        ),
        (BANDIT, plain(graph, SleepingBandit::new(seed), &starts, limit)),
        (YIELD, plain(graph, ByYield::default(), &starts, limit)),
    ] {
        note(name, &replay, sample);
    }
    let walk = run(WalkSettings::default());
    note(WALK, &walk, sample);
    let estimates: [fn(&Expected, &Sightings) -> f64; 2] = [
        |strategy, _| strategy.forecast().share(),
        |_, sightings| sightings.coverage(),
    ];
    let mut ours = Expected::default();
    let replay = graph.replay(&mut ours, &starts, limit, GOAL, &estimates);
    note(OURS, &replay, sample);
    note_hubs(graph, &best_hubs, &[(WALK, &walk), (OURS, &replay)], sample);
    for (rule, stop) in STOP_RULES.iter().zip(&replay.stops) {
        let error = stop.map(|(estimate, fetches)| (estimate - replay.recall(fetches, count)).abs());
        sample.add(rule, "error", error);
        let recall = stop.map(|(_, fetches)| replay.recall(fetches, count));
        sample.add(rule, "recall", recall);
        sample.add(
            rule,
            "fetches per target",
            stop.map(|(_, fetches)| fetches as f64 / count as f64),
        );
        sample.add(rule, "stopped", f64::from(u8::from(stop.is_some())));
    }
    // The published restart is that of the walk itself.
    let base = WalkSettings::default().restart;
    let (own, others): (Vec<_>, Vec<_>) = variants()
        .into_iter()
        .partition(|(name, _)| *name == restart_name(base));
    own.iter().for_each(|(name, _)| note(name, &walk, sample));
    for (name, replay) in side_by_side(others, |(name, settings)| (name, run(settings))) {
        note(&name, &replay, sample);
    }
}

/// Does work on all items, as many at a time as there are processors. Results are in the order of
/// the items.
fn side_by_side<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let left = Mutex::new(items.into_iter().enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work_off = || {
        let mut done = Vec::new();
        while let Some((place, item)) = next() {
            done.push((place, work(item)));
        }
        done
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work_off)).collect();
        let done = workers.into_iter().map(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        done.flatten().collect()
    });
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Notes how good the hubs are that crawls found: those of their pages that lead to nearly all
/// targets that they fetched, beside the smallest set of hubs of the site.
fn note_hubs(graph: &SiteGraph, best: &[u32], crawls: &[(&str, &Replay)], sample: &mut Sample) {
    for (method, replay) in crawls {
        let own = graph.hubs_among(&replay.fetched);
        let common = own.iter().filter(|hub| best.contains(hub)).count() as f64;
        sample.add(method, HUB_PRECISION, share(common, own.len() as f64));
        sample.add(method, HUB_RECALL, share(common, best.len() as f64));
        let fetched: HashSet<u32> = replay.fetched.iter().copied().collect();
        for (name, kind) in REGIONS {
            if let Some((precision, recall)) = graph.region_quality(&own, &fetched, kind) {
                sample.add(method, &format!("{name}: precision"), precision);
                sample.add(method, &format!("{name}: recall"), recall);
            }
        }
    }
}

fn curve_point(point: usize) -> String {
    format!("curve {point:02}")
}

fn report(measured: &Measured, report: &mut Report) {
    let subjects = measured.quantities(SUBJECTS);
    for subject in &subjects {
        let of = |method: &str| format!("{subject}, {method}");
        let mean = |method: &str, quantity: &str| measured.mean(&of(method), quantity);
        let shares = |method: &str| {
            let shares = BUDGETS
                .map(at)
                .into_iter()
                .chain([AREA.to_owned(), HARVEST.to_owned()]);
            let cells = shares
                .map(|quantity| cell(mean(method, &quantity).map(|mean| mean.within(0.0, 1.0)), "share"));
            cells
                .chain([
                    cell(mean(method, OPTIMUM), "share"),
                    cell(mean(method, REACHED).map(|mean| mean.within(0.0, 1.0)), "share"),
                    cell(mean(method, CHOOSING), "ms"),
                ])
                .collect::<Vec<String>>()
        };
        report.table(&[
            subject.as_str(),
            "recall at 1.1",
            "at 1.5",
            "at 2.0",
            "area",
            "harvest",
            "of optimum",
            "reach 90 %",
            "ms a fetch",
        ]);
        for method in METHODS {
            report.row([method.to_owned()].into_iter().chain(shares(method)));
        }
        let variants = variants();
        for (name, _) in &variants {
            report.row([format!("  {WALK}, {name}")].into_iter().chain(shares(name)));
        }
        hub_table(measured, subject, report);
        report.table(&[
            "stop at 95 %",
            "runs that stop",
            "fetches per target",
            "true recall",
            "error",
        ]);
        for rule in STOP_RULES {
            report.row([
                rule.to_owned(),
                cell(mean(rule, "stopped").map(|mean| mean.within(0.0, 1.0)), "share"),
                cell(mean(rule, "fetches per target"), "ratio"),
                cell(mean(rule, "recall").map(|mean| mean.within(0.0, 1.0)), "share"),
                cell(mean(rule, "error").map(|mean| mean.within(0.0, 1.0)), "share"),
            ]);
        }
        figures(measured, subject, report);
    }
    if subjects.len() > 1 {
        over_graphs(measured, &subjects, report);
    }
    report.note("recall at k: share of the targets found by k fetches a target; area: mean recall up to 2 fetches a target");
    report.note("harvest: targets per fetch until 90 % of them are found, or up to 2 fetches a target; of optimum: against targets and the smallest set of hubs");
    report.note("ms a fetch: time that the order takes to choose a page and to learn from it; hubs found: the smallest set of fetched pages with links to 95 % of the targets fetched, beside the smallest set of the site");
    report.note("published are gains at equal time, here they are at equal fetches");
    report.draw(draw(measured, &subjects));
    report.draw_beside("restart", draw_restarts(measured, &subjects));
}

/// Reports the graph itself, and the hubs that the crawls found.
fn hub_table(measured: &Measured, subject: &str, report: &mut Report) {
    let mean = |method: &str, quantity: &str| measured.mean(&format!("{subject}, {method}"), quantity);
    report.table(&["graph", "pages", "targets", "hubs", OPTIMUM_RATE]);
    let counts = ["pages", "targets", "hubs"].map(|quantity| cell(mean(GRAPH, quantity), ""));
    let optimum = cell(mean(GRAPH, OPTIMUM_RATE), "share");
    report.row([subject.to_owned()].into_iter().chain(counts).chain([optimum]));
    let regions = REGIONS.iter().flat_map(|(name, kind)| {
        // The published region has no aim.
        let aims = (*kind == RegionKind::RepeatedPath).then_some(REGION_AIMS);
        [
            (format!("{name}: precision"), aims.map(|aims| aims.0)),
            (format!("{name}: recall"), aims.map(|aims| aims.1)),
        ]
    });
    let quantities: Vec<(String, Option<f64>)> = [
        (HUB_PRECISION.to_owned(), Some(HUB_AIMS.0)),
        (HUB_RECALL.to_owned(), Some(HUB_AIMS.1)),
    ]
    .into_iter()
    .chain(regions)
    .collect();
    let names: Vec<&str> = quantities.iter().map(|(name, _)| name.as_str()).collect();
    report.table(&[["hubs found"].as_slice(), &names].concat());
    for method in [WALK, OURS] {
        let values = quantities
            .iter()
            .map(|(quantity, _)| cell(mean(method, quantity).map(|mean| mean.within(0.0, 1.0)), "share"));
        report.row([method.to_owned()].into_iter().chain(values));
    }
    for (quantity, aim) in quantities {
        if let Some(mean) = mean(OURS, &quantity) {
            let name = format!("{subject}: {quantity}, ours");
            let figure = Figure::new(name, mean.within(0.0, 1.0), "share").more_is_better();
            report.add(match aim {
                Some(aim) => figure.at_least(aim),
                None => figure,
            });
        }
    }
}

/// Reports the share of the graphs on which ours gains enough over the walk.
fn over_graphs(measured: &Measured, subjects: &[String], report: &mut Report) {
    let mut gains = Measured::default();
    for subject in subjects {
        let of = |method: &str| format!("{subject}, {method}");
        if let Some(gain) = measured.ratio(&of(OURS), &of(WALK), AREA) {
            gains.add("all", "gain", gain.value);
            gains.add("all", "enough", f64::from(u8::from(gain.value >= AREA_GAIN)));
            gains.add(
                "all",
                "never worse",
                f64::from(u8::from(gain.value >= WORST_AREA_GAIN)),
            );
        }
    }
    let aims = [
        ("enough", "graphs with an area of 1.25 of xCRAWL", MOST_GRAPHS),
        ("never worse", "graphs with an area of .95 of xCRAWL", 1.0),
    ];
    for (quantity, name, aim) in aims {
        if let Some(mean) = gains.mean("all", quantity) {
            report.add(Figure::new(name, mean.within(0.0, 1.0), "share").at_least(aim));
        }
    }
    if let Some(mean) = gains.mean("all", "gain") {
        report
            .add(Figure::new("mean area over the graphs, ours / xCRAWL", mean, "ratio").at_least(AREA_GAIN));
    }
}

fn figures(measured: &Measured, subject: &str, report: &mut Report) {
    let of = |method: &str| format!("{subject}, {method}");
    let mut ratio = |quantity: &str, one: &str, other: &str, finish: &dyn Fn(Figure) -> Figure| {
        if let Some(mean) = measured.ratio(&of(one), &of(other), quantity) {
            let name = format!("{subject}: {quantity}, {one} / {other}");
            report.add(finish(Figure::new(name, mean, "ratio").more_is_better()));
        }
    };
    ratio(AREA, OURS, WALK, &|figure| figure.at_least(AREA_GAIN));
    // Later breadth first has most targets, too, so that no order could gain as much.
    ratio(&at(BUDGETS[0]), OURS, BREADTH, &|figure| {
        figure.at_least(BREADTH_GAIN)
    });
    ratio(&at(BUDGETS[1]), OURS, BREADTH, &|figure| figure);
    ratio(&at(BUDGETS[2]), OURS, BREADTH, &|figure| figure);
    for method in [OURS, WALK] {
        ratio(&at(BUDGETS[1]), method, CLASSIFIER, &|figure| {
            figure.published(Some(PUBLISHED_GAIN))
        });
    }
    for rival in [BANDIT, YIELD] {
        ratio(AREA, OURS, rival, &|figure| figure.at_least(1.0));
    }
    let mut share = |name: String, method: &str, quantity: &str, finish: &dyn Fn(Figure) -> Figure| {
        if let Some(mean) = measured.mean(&of(method), quantity) {
            report.add(finish(Figure::new(
                format!("{subject}: {name}"),
                mean.within(0.0, 1.0),
                "share",
            )));
        }
    };
    let name = "harvest rate of the optimum, ours".to_owned();
    share(name, OURS, OPTIMUM, &|figure| figure.at_least(OF_OPTIMUM));
    for rule in STOP_RULES {
        let name = format!("error of the estimate at the stop, {rule}");
        share(name, rule, "error", &|figure| figure.at_most(STOP_ERROR));
    }
    for method in METHODS {
        share(format!("area, {method}"), method, AREA, &Figure::more_is_better);
    }
    for restart in RESTARTS.map(restart_name) {
        let note = |figure: Figure| figure.more_is_better().note("published: best at 0.15");
        share(format!("harvest rate, {restart}"), &restart, HARVEST, &note);
    }
}

/// Draws the mean recall over all subjects by fetches.
fn draw(measured: &Measured, subjects: &[String]) -> String {
    let series = METHODS.map(|method| {
        let point = |point: usize| {
            let means = subjects
                .iter()
                .filter_map(|subject| measured.mean(&format!("{subject}, {method}"), &curve_point(point)));
            let values: Vec<f64> = means.map(|mean| mean.value).collect();
            let mean = share(values.iter().sum(), values.len() as f64)?;
            Some(Point::new(2.0 * point as f64 / CURVE as f64, mean))
        };
        Series {
            name: method.to_owned(),
            points: (1..=CURVE).filter_map(point).collect(),
        }
    });
    let chart = LineChart {
        title: "Targets found, by fetches".to_owned(),
        x: "fetches per target".to_owned(),
        y: "share of targets".to_owned(),
        series: series.into(),
    };
    chart.to_svg()
}

/// Draws the harvest rate of the walk over its restart probability, for each subject.
fn draw_restarts(measured: &Measured, subjects: &[String]) -> String {
    let series = subjects.iter().map(|subject| {
        let points = RESTARTS.iter().filter_map(|restart| {
            let of = format!("{subject}, {}", restart_name(*restart));
            let mean = measured.mean(&of, HARVEST)?.within(0.0, 1.0);
            Some(mean.at(*restart))
        });
        Series {
            name: subject.clone(),
            points: points.collect(),
        }
    });
    let chart = LineChart {
        title: format!("Harvest rate of {WALK}, by restart probability"),
        x: "restart probability of a step".to_owned(),
        y: "targets per fetch".to_owned(),
        series: series.filter(|series| !series.points.is_empty()).collect(),
    };
    chart.to_svg_within(0.0, 1.0)
}
