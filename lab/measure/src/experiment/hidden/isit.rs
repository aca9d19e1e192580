//! `isit`: informative templates of forms with several inputs.

use std::collections::BTreeSet;

use magpie_discovery::forms::{FieldPurpose, field_purpose};
use magpie_page::{FieldKind, Form};
use magpie_plot::{LineChart, Point, Series};
use magpie_surface::ObjectId;
use magpie_surface::isit::{Decision, Input, Isit, Settings, Signature, Submission};

use super::super::{Experiment, Measure};
use super::grid::{self, Row};
use super::sample::Sample;
use super::site::{Site, is_input};
use super::{SITES, light_deep_books, subjects};
use crate::figure::Report;
use crate::mean::{Measured, share};

pub(in crate::experiment) const EXPERIMENT: Experiment = Experiment {
    name: "isit",
    about: "informative templates of forms: requests and decisions of the published test and ours",
    measure: Measure::Searches(measure, SITES),
    report,
    spec: light_deep_books,
};

/// Published mean numbers of tested and informative templates and of URLs, for 1 to 5 inputs.
const PUBLISHED: [(f64, f64, f64); 5] = [
    (1.0, 1.0, 23.0),
    (2.82, 1.76, 136.0),
    (5.38, 3.04, 446.0),
    (8.80, 3.75, 891.0),
    (12.66, 5.93, 1_323.0),
];

/// Maximum number of inputs of a form that are tried.
const MAX_INPUTS: usize = 5;

/// Words that are tried in each text field.
const WORDS: usize = 60;

/// Maximum number of values of a menu.
const MAX_CHOICES: usize = 300;

/// Maximum number of requests of one search.
const MAX_REQUESTS: u32 = 3_000;

/// Bounds that are tried in text fields for prices and dates.
const PRICES: [&str; 8] = ["0", "5", "10", "15", "20", "30", "50", "100"];
const DATES: [&str; 6] = [
    "1990-01-01",
    "2000-01-01",
    "2010-01-01",
    "2015-01-01",
    "2020-01-01",
    "2027-01-01",
];

const ORACLE: &str = "published";
const PAGES: &str = "published, pages";
const OURS: &str = "ours";

const AGREEMENT: &str = "decisions as published";
const SELECTIVE_AGREEMENT: &str = "decisions as published, without sorting inputs";
const REQUESTS: &str = "requests a form";
const RATIO: &str = "requests, ratio to published";
const FOUND: &str = "share of all objects seen";
const PER_URL: &str = "objects a request";
const WITHIN: &str = "share of all objects within 0.35 requests an object";

/// Requests for each object of a site within which the objects should be seen.
const URLS_AN_OBJECT: f64 = 0.35;

/// The inputs of a form that are bound, each with the fields that it sets.
struct Bound {
    input: Input,
    fields: Vec<usize>,
    is_presentation: bool,
}

struct Run {
    informative: BTreeSet<Vec<usize>>,
    tried: BTreeSet<Vec<usize>>,
    requests: u32,
    objects: usize,
    /// Number of objects seen within [`URLS_AN_OBJECT`].
    objects_within: usize,
    is_cut: bool,
}

fn measure(site: &Site<'_>, seed: u64, sample: &mut Sample) {
    let Some(form) = site.form() else {
        return;
    };
    let words: Vec<String> = site.title_words().into_iter().map(|(word, _)| word).collect();
    // Words from frequent to rare.
    let step = (words.len() / WORDS / 4).max(1);
    let words: Vec<String> = words.into_iter().step_by(step).take(WORDS).collect();
    let bound = bind(&form, &words);
    if bound.is_empty() {
        return;
    }
    let oracle = Settings {
        signature: Signature::Objects,
        ..Settings::published()
    };
    let published = run(site, &form, &bound, oracle, false, seed);
    let pages = run(site, &form, &bound, Settings::published(), false, seed);
    let ours = run(site, &form, &bound, Settings::sequential(), true, seed);
    let count = bound.len();
    let sorting: BTreeSet<usize> = (0..count).filter(|place| bound[*place].is_presentation).collect();
    for (run, name) in [(&published, ORACLE), (&pages, PAGES), (&ours, OURS)] {
        let requests = f64::from(run.requests);
        let names: Vec<&str> = bound
            .iter()
            .flat_map(|bound| &bound.input.names)
            .map(String::as_str)
            .collect();
        sample.detail(format!(
            "{name}: {names:?}, {} requests, informative {:?}",
            run.requests, run.informative
        ));
        sample.add(name, REQUESTS, requests);
        sample.add(name, &of_inputs(count, REQUESTS), requests);
        sample.add(
            name,
            &of_inputs(count, "templates tested"),
            run.tried.len() as f64,
        );
        sample.add(
            name,
            &of_inputs(count, "templates informative"),
            run.informative.len() as f64,
        );
        sample.add(name, RATIO, share(requests, f64::from(published.requests)));
        sample.add(
            name,
            &of_inputs(count, RATIO),
            share(requests, f64::from(published.requests)),
        );
        sample.add(name, FOUND, share(run.objects as f64, site.size()));
        sample.add(name, WITHIN, share(run.objects_within as f64, site.size()));
        sample.add(name, PER_URL, share(run.objects as f64, requests));
        sample.add(name, "forms cut at the maximum", f64::from(u8::from(run.is_cut)));
        let agreement = |skips: bool| {
            let tried = published.tried.union(&run.tried);
            let tried = tried.filter(|inputs| !skips || inputs.iter().all(|input| !sorting.contains(input)));
            let tried: Vec<&Vec<usize>> = tried.collect();
            let is_same = |inputs: &&&Vec<usize>| {
                published.informative.contains(**inputs) == run.informative.contains(**inputs)
            };
            let same = tried.iter().filter(is_same).count();
            share(same as f64, tried.len() as f64)
        };
        sample.add(name, AGREEMENT, agreement(false));
        sample.add(name, SELECTIVE_AGREEMENT, agreement(true));
    }
}

fn of_inputs(count: usize, quantity: &str) -> String {
    match count {
        1 => format!("1 input, {quantity}"),
        _ => format!("{count} inputs, {quantity}"),
    }
}

/// Chooses values for the inputs of a form.
fn bind(form: &Form, words: &[String]) -> Vec<Bound> {
    let mut bound: Vec<Bound> = Vec::new();
    let fields = form
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| is_input(field));
    let mut open: Option<(usize, FieldPurpose)> = None;
    for (place, field) in fields {
        let purpose = field_purpose(field);
        let choices: Vec<String> = field
            .choices
            .iter()
            .filter(|choice| !choice.is_disabled && !choice.is_default && !choice.value.is_empty())
            .map(|choice| choice.value.clone())
            .take(MAX_CHOICES)
            .collect();
        let range = match purpose {
            FieldPurpose::PriceFrom | FieldPurpose::DateFrom => {
                open = Some((place, purpose));
                continue;
            }
            FieldPurpose::PriceTo => Some((FieldPurpose::PriceFrom, PRICES.to_vec())),
            FieldPurpose::DateTo => Some((FieldPurpose::DateFrom, DATES.to_vec())),
            _ => None,
        };
        if let Some((from, bounds)) = range
            && let Some((first, _)) = open.take_if(|(_, purpose)| *purpose == from)
        {
            let bounds: Vec<String> = match choices.len() > 1 {
                true => choices,
                false => bounds.into_iter().map(str::to_owned).collect(),
            };
            bound.push(Bound {
                input: Input::range(&form.fields[first].name, &field.name, &bounds),
                fields: vec![first, place],
                is_presentation: false,
            });
            continue;
        }
        let values = match field.kind {
            FieldKind::Select { .. } | FieldKind::Radio => choices,
            _ => words.to_vec(),
        };
        if !values.is_empty() {
            bound.push(Bound {
                input: Input::new(&field.name, values),
                fields: vec![place],
                is_presentation: matches!(purpose, FieldPurpose::Sort | FieldPurpose::PageSize),
            });
        }
    }
    bound.truncate(MAX_INPUTS);
    bound
}

fn run(
    site: &Site<'_>,
    form: &Form,
    bound: &[Bound],
    settings: Settings,
    knows_purposes: bool,
    seed: u64,
) -> Run {
    let inputs: Vec<Input> = bound
        .iter()
        .map(|bound| Input {
            is_presentation: knows_purposes && bound.is_presentation,
            ..bound.input.clone()
        })
        .collect();
    let mut search = Isit::new(&inputs, settings, seed);
    let submit = |submission: &Submission| {
        let url = form.submission_url(&values(bound, submission));
        url.map(|url| site.get(&url).outcome()).unwrap_or_default()
    };
    let budget = ((URLS_AN_OBJECT * site.size()) as u32).min(site.max_requests);
    let mut objects: BTreeSet<ObjectId> = BTreeSet::new();
    let mut objects_within = 0;
    let mut asked: BTreeSet<Submission> = BTreeSet::new();
    let max_requests = site.max_requests.min(MAX_REQUESTS);
    while search.requests() < max_requests
        && let Some(submission) = search.next()
    {
        let outcome = submit(&submission);
        objects.extend(&outcome.objects);
        search.record(&submission, &outcome);
        if search.requests() <= budget {
            objects_within = objects.len();
        }
        asked.insert(submission);
    }
    // The rest of the budget submits the informative templates, the smallest first.
    let mut within = objects.clone();
    let mut sizes: Vec<(usize, &Vec<usize>)> = search
        .informative()
        .map(|template| (combinations(&inputs, &template.inputs), &template.inputs))
        .collect();
    sizes.sort();
    let submissions = sizes
        .iter()
        .flat_map(|(size, template)| (0..*size).map(|number| combination(&inputs, template, number)));
    let left = budget.saturating_sub(search.requests()) as usize;
    for submission in submissions
        .filter(|submission| !asked.contains(submission))
        .take(left)
    {
        within.extend(&submit(&submission).objects);
        objects_within = within.len();
    }
    let of = |wanted: &dyn Fn(Decision) -> bool| {
        let decided = search.decided().iter();
        let decided = decided.filter(|template| wanted(template.decision));
        decided.map(|template| template.inputs.clone()).collect()
    };
    Run {
        informative: of(&|decision| decision == Decision::Informative),
        tried: of(&|decision| decision != Decision::TooLarge),
        requests: search.requests(),
        objects: objects.len(),
        objects_within,
        is_cut: search.requests() >= max_requests,
    }
}

fn combinations(inputs: &[Input], template: &[usize]) -> usize {
    template
        .iter()
        .fold(1, |product, input| product * inputs[*input].values.len())
}

fn combination(inputs: &[Input], template: &[usize], number: usize) -> Submission {
    let mut rest = number;
    let values = template.iter().map(|input| {
        let size = inputs[*input].values.len().max(1);
        let value = rest % size;
        rest /= size;
        value
    });
    Submission {
        inputs: template.to_vec(),
        values: values.collect(),
    }
}

fn values<'a>(bound: &'a [Bound], submission: &Submission) -> Vec<(usize, &'a str)> {
    let pairs = submission.inputs.iter().zip(&submission.values);
    let of = |(input, value): (&usize, &usize)| {
        let bound = bound.get(*input)?;
        let values = bound.input.values.get(*value)?;
        Some(
            bound
                .fields
                .iter()
                .copied()
                .zip(values.iter().map(String::as_str)),
        )
    };
    pairs.filter_map(of).flatten().collect()
}

fn report(measured: &Measured, report: &mut Report) {
    let mut rows = Vec::new();
    for (count, (tested, informative, urls)) in (1..).zip(PUBLISHED) {
        rows.push(Row::new(of_inputs(count, "templates tested"), "count").published(tested));
        rows.push(Row::new(of_inputs(count, "templates informative"), "count").published(informative));
        rows.push(Row::new(of_inputs(count, REQUESTS), "requests").published(urls));
        rows.push(Row::new(of_inputs(count, RATIO), "ratio"));
    }
    rows.extend([
        Row::new(REQUESTS, "requests"),
        Row::new(RATIO, "ratio").target(0.25),
        Row::new(AGREEMENT, "share").more_is_better(),
        Row::new(SELECTIVE_AGREEMENT, "share")
            .more_is_better()
            .target(0.95),
        Row::new(FOUND, "share").more_is_better(),
        Row::new(PER_URL, "objects").more_is_better(),
        Row::new(WITHIN, "share").more_is_better().target(0.95),
        Row::new("forms cut at the maximum", "share"),
    ]);
    grid::add(report, "isit", &[PAGES, ORACLE, OURS], &rows, measured);
    report.note(
        "published, pages: 200 samples, distinct texts; published: 200 samples, distinct sets of objects",
    );
    report.note(
        "the first five inputs of a form; text fields get 60 words of titles; at most 3,000 requests a form",
    );
    report.note(
        "decisions as published: as those by 200 samples and sets of objects; ours omits what only sorts",
    );
    report.note(
        "objects: on the pages that the search for templates requests; within 0.35 requests an object: what",
    );
    report.note("is left of these submits the informative templates, the smallest first");
    let subject = subjects(measured).into_iter().next().unwrap_or_default();
    let line = |name: &str| Series {
        name: name.to_owned(),
        points: (1..=PUBLISHED.len())
            .filter_map(|count| {
                let of = format!("{subject}, {name}");
                let mean = grid::mean(measured, &of, &of_inputs(count, REQUESTS), "requests")?;
                Some(Point {
                    x: count as f64,
                    y: mean.value,
                    interval: mean.interval,
                })
            })
            .collect(),
    };
    let publication = (1_u32..).zip(PUBLISHED);
    let mut series = vec![Series {
        name: "publication".to_owned(),
        points: publication
            .map(|(count, (_, _, urls))| Point::new(f64::from(count), urls))
            .collect(),
    }];
    series.extend([line(ORACLE), line(OURS)]);
    let chart = LineChart {
        title: format!("Requests until the informative templates are known: {subject}"),
        x: "inputs of the form".to_owned(),
        y: "requests".to_owned(),
        series,
    };
    report.draw(chart.to_svg());
}
