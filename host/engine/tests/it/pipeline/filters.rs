//! Objects behind forms of choices: informative inputs, dependent ones, orders and page sizes.

use std::collections::BTreeSet;
use std::time::Duration;

use magpie_engine::crawl::Target;
use magpie_engine::recrawl::Method;
use magpie_engine::recrawl::{StepOutcome, recrawl};
use magpie_engine::site::{navigation_file, read_navigation};
use magpie_engine::surface::{
    Decision, SurfaceMethod, SurfaceOutcome, SurfaceRequest, forms_of, surface, templates_of,
};
use magpie_engine::{CrawlRequest, Event, Observer, Session, Stop};
use magpie_model::CanonicalUrl;
use magpie_rows::{ObjectFilter, RunKind, SubmissionOutcome, TemplateState};
use magpie_test_support::server::{Reply, Site};
use magpie_tests::TestWorkspace;

const MAKES: usize = 4;

const MODELS: usize = 5;

const CARS: usize = 6;

/// Results of a page. There are no further pages.
const RESULTS: usize = 10;

const NAMES: [&str; 6] = ["amber", "bison", "comet", "delta", "ember", "falcon"];

fn all() -> usize {
    MAKES * MODELS * CARS
}

fn model(car: usize) -> usize {
    car / CARS
}

fn make(car: usize) -> usize {
    model(car) / MODELS
}

fn options(name: &str, first: &str, values: impl IntoIterator<Item = usize>) -> String {
    let values = values
        .into_iter()
        .map(|value| format!("<option value={value}>{name} {value}"));
    let values: String = values.collect();
    format!("<label>{name} <select name={name}><option value=\"\">{first}{values}</select></label>")
}

/// The form of the cars, and one that acts on them.
fn forms() -> String {
    format!(
        "<form action=/list>{}{}<label>Sort by <select name=sort><option value=\"\">Newest\
         <option value=price>Price<option value=age>Age</select></label>\
         <label>Results per page <select name=per_page><option value=\"\">10<option value=5>5</select></label>\
         <label><input type=checkbox name=layout value=grid> Grid</label><button>Show</button></form>\
         <form action=/marked><select name=do><option value=delete>Delete<option value=keep>Keep</select>\
         <button>Filter</button></form>",
        options("make", "Any", 1..=MAKES),
        options("model", "Any", 1..=MAKES * MODELS),
    )
}

fn page(title: &str, body: &str) -> Reply {
    Reply::html(format!("<!doctype html><title>{title}</title>{}{body}", forms()))
}

/// The cars that a list shows.
fn shown(query: &str) -> Vec<usize> {
    let of = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs
            .find(|(key, value)| *key == name && !value.is_empty())
            .map(|(_, value)| value.to_owned())
    };
    let is_of = |name: &str, number: usize| of(name).is_none_or(|value| value == (number + 1).to_string());
    let cars = (0..all()).filter(|car| is_of("make", make(*car)) && is_of("model", model(*car)));
    let size = of("per_page")
        .and_then(|size| size.parse().ok())
        .unwrap_or(RESULTS);
    // Neighbours are of one model, so the page without a choice has some of each.
    let mut cars: Vec<usize> = cars.collect();
    cars.sort_by_key(|car| (car % CARS, *car));
    if of("sort").is_some() {
        cars.reverse();
    }
    cars.truncate(size);
    cars
}

/// Each has a word of its own: titles that differ in figures alone would count as one.
fn title(car: usize) -> String {
    const MODELS: [&str; 20] = [
        "harbour", "kitchen", "lantern", "meadow", "orchard", "station", "velvet", "walnut", "copper",
        "granite", "juniper", "marble", "nutmeg", "opal", "pepper", "quartz", "raven", "saddle", "tundra",
        "willow",
    ];
    format!(
        "{} {} number {}",
        NAMES[car % CARS],
        MODELS[model(car)],
        car + 100
    )
}

/// A list of cars, with something more behind each.
fn list(cars: &[usize], more: impl Fn(usize) -> String) -> String {
    let item = |car: &usize| format!("<li><a href=/car{car}>{}</a>{}", title(*car), more(*car));
    match cars.is_empty() {
        true => "<p>No car was found.".to_owned(),
        false => format!("<ul>{}</ul>", cars.iter().map(item).collect::<String>()),
    }
}

/// A dealer whose home page links to the first cars.
fn dealer(linked: usize) -> Site {
    Site::start(move |path| {
        if let Some(query) = path.strip_prefix("/list?") {
            let acts =
                |car| format!("<a href=/car{car}/delete>Delete</a> <a href=/compare/{car}>Compare</a>");
            return page("Cars", &list(&shown(query), acts));
        }
        match path
            .strip_prefix("/car")
            .and_then(|car| car.parse::<usize>().ok())
        {
            Some(car) if car < all() => {
                page(&format!("Issue {car}: {} - Dealer", title(car)), "<p>It drives.")
            }
            _ if path == "/" => page(
                "Dealer",
                &list(&(0..linked).collect::<Vec<_>>(), |_| String::new()),
            ),
            _ => Reply::status(404),
        }
    })
}

fn crawl(session: &Session, site: &Site) {
    let home = CanonicalUrl::trusted(site.url("/").as_str()).expect("a URL");
    let run = session.begin_run(RunKind::Crawl).expect("a run");
    let request = CrawlRequest::new(run, vec![Target::From(home)]);
    session.crawl(request, &mut ()).expect("it crawls");
    session.end_run(run.0).expect("it ends");
    session.cluster(&mut ()).expect("it clusters");
}

fn workspace() -> TestWorkspace {
    TestWorkspace::local(&magpie_tests::guest("tracker"), "fetch.retries = 0\n")
}

/// A workspace whose only session has crawled a site.
fn crawled(site: &Site) -> (TestWorkspace, Session) {
    let workspace = workspace();
    let session = workspace.open();
    crawl(&session, site);
    (workspace, session)
}

fn ask(session: &Session, max_requests: u64, observer: &mut dyn Observer) -> Option<SurfaceOutcome> {
    let request = SurfaceRequest {
        max_requests,
        ..SurfaceRequest::default()
    };
    surface(session, &request, observer).expect("it asks")
}

fn objects(session: &Session) -> usize {
    let objects = session.objects(&ObjectFilter::default());
    objects.expect("objects").len()
}

fn submissions(site: &Site) -> Vec<String> {
    let requests = site.requests().into_iter();
    requests.filter(|path| path.starts_with("/list?")).collect()
}

fn assert_safe(site: &Site) {
    let requests = site.requests();
    let acts = requests
        .iter()
        .filter(|path| path.contains("delete") || path.starts_with("/marked"));
    assert_eq!(acts.count(), 0, "{requests:?}");
}

fn decision(outcome: &SurfaceOutcome, inputs: &[&str]) -> Option<Decision> {
    let mut decisions = outcome.decisions.iter();
    let found = decisions.find(|decided| decided.inputs == inputs)?;
    Some(found.decision)
}

#[test]
fn choices_show_all_objects_in_few_of_their_combinations() {
    let site = dealer(3);
    let (_workspace, session) = crawled(&site);
    assert_eq!(objects(&session), 3);
    let outcome = ask(&session, 200, &mut ()).expect("it was not stopped");
    let [row] = outcome.templates.as_slice() else {
        panic!("one form is sent: {:?}", outcome.templates);
    };
    assert_eq!(row.state, TemplateState::Working, "{row:?}");
    let template = site.url("/list?make=&model=&sort=&per_page=&{arguments}");
    assert_eq!(row.template, template);
    assert_eq!(decision(&outcome, &["make"]), Some(Decision::Informative));
    assert_eq!(decision(&outcome, &["model"]), Some(Decision::Informative));
    assert_eq!(
        decision(&outcome, &["make", "model"]),
        Some(Decision::Redundant),
        "{:?}",
        outcome.decisions
    );
    assert_eq!(decision(&outcome, &["sort"]), Some(Decision::Presentation));
    assert_eq!(decision(&outcome, &["per_page"]), Some(Decision::Presentation));
    assert_eq!(decision(&outcome, &["layout"]), Some(Decision::Inert));
    assert_eq!(objects(&session), all());
    // All combinations are 5 · 21 · 3 · 2 · 2 = 1,260.
    let asked = submissions(&site);
    assert!(asked.len() <= 60, "{} requests: {asked:?}", asked.len());
    assert_eq!(row.asked, asked.len() as u64);
    assert_safe(&site);
}

#[test]
fn objects_that_no_link_has_shown_the_way_to_are_found() {
    let site = dealer(0);
    let (_workspace, session) = crawled(&site);
    assert_eq!(objects(&session), 0);
    let outcome = ask(&session, 200, &mut ()).expect("it was not stopped");
    assert_eq!(outcome.templates[0].state, TemplateState::Working, "{outcome:?}");
    assert_eq!(objects(&session), all());
    assert!(submissions(&site).len() <= 70, "{:?}", submissions(&site));
    assert_safe(&site);
}

struct StopAfter<'a> {
    site: &'a Site,
    submissions: usize,
    stop: Stop,
}

impl Observer for StopAfter<'_> {
    fn observe(&mut self, _: Event<'_>) {
        if submissions(self.site).len() >= self.submissions {
            self.stop.ask();
        }
    }
}

#[test]
fn what_was_stopped_goes_on_and_asks_nothing_twice() {
    let site = dealer(3);
    let (mut workspace, session) = crawled(&site);
    drop(session);
    for submissions in [8, 20] {
        let session = workspace.open();
        let mut observer = StopAfter {
            site: &site,
            submissions,
            stop: std::mem::take(&mut workspace.stop),
        };
        assert!(ask(&session, 200, &mut observer).is_none());
    }
    let session = workspace.open();
    let outcome = ask(&session, 200, &mut ()).expect("it was not stopped");
    assert_eq!(objects(&session), all());
    assert_eq!(decision(&outcome, &["make", "model"]), Some(Decision::Redundant));
    // A batch that was stopped is asked again.
    let asked = submissions(&site);
    let distinct: BTreeSet<&String> = asked.iter().collect();
    assert!(asked.len() - distinct.len() <= 8, "{asked:?}");
    assert_safe(&site);
}

#[test]
fn a_form_is_listed_and_asked_by_its_method() {
    let site = dealer(3);
    let (_workspace, session) = crawled(&site);
    let request = SurfaceRequest {
        max_requests: 200,
        method: SurfaceMethod::Probe,
        ..SurfaceRequest::default()
    };
    let outcome = surface(&session, &request, &mut ()).expect("it asks");
    assert!(outcome.expect("it was not stopped").templates.is_empty());
    assert_eq!(submissions(&site).len(), 0);
    let reader = magpie_engine::open_reader(session.folder()).expect("a reader");
    let key = session.store().sites_after(None, 10).expect("sites");
    let forms = forms_of(&*reader, key[0].id, session.settings(), session.now()).expect("forms");
    let of = |method| -> Vec<String> {
        let templates = forms.iter().flat_map(|form| templates_of(form, method));
        templates.collect()
    };
    assert_eq!(of(SurfaceMethod::Isit).len(), 1, "{forms:?}");
    assert_eq!(of(SurfaceMethod::Auto), of(SurfaceMethod::Isit));
    assert_eq!(of(SurfaceMethod::Entities).len(), 0);
    // The other form is one that acts.
    assert!(forms.iter().any(|form| form.refusal.is_some()), "{forms:?}");
}

#[test]
fn a_recrawl_submits_the_choices_that_its_navigation_says() {
    let site = dealer(20);
    let workspace = workspace();
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    ask(&session, 200, &mut ()).expect("it was not stopped");
    assert_eq!(objects(&session), all());
    let sites = session.store().sites_after(None, 10).expect("sites");
    let path = navigation_file(session.folder(), "tracker", &sites[0].key);
    let navigation = read_navigation(&path).expect("readable").expect("a navigation");
    let [search] = navigation.searches.as_slice() else {
        panic!("one form is asked again: {:?}", navigation.searches);
    };
    assert!(search.template.ends_with("&{arguments}"), "{search:?}");
    let is_choice = |query: &String| query.contains('=') || query.is_empty();
    assert!(search.queries.iter().all(is_choice), "{search:?}");
    // 90 % of 100 hidden cars, six at a time, and ten at a time for some.
    assert!((10..=18).contains(&search.queries.len()), "{search:?}");

    let before = submissions(&site).len();
    let outcome = recrawl(&session, Method::Selective, &mut ()).expect("it recrawls");
    let outcome = outcome.expect("it was not stopped");
    let asked = outcome.steps.iter().find_map(|(step, _)| match step {
        StepOutcome::Ask { queries, .. } => Some(*queries),
        _ => None,
    });
    assert_eq!(asked, Some(search.queries.len() as u64));
    let after = submissions(&site);
    assert_eq!(after.len() - before, search.queries.len());
    let url = site.url(&after[after.len() - 1]);
    let rows = session.store().submissions_to(&url).expect("rows");
    assert!(
        rows.iter().any(|row| row.template == search.template
            && search.queries.contains(&row.query)
            && row.outcome == SubmissionOutcome::Results),
        "{rows:?}"
    );

    // Cars behind the results are due like others, and the promise counts them.
    let cars = || {
        site.requests()
            .iter()
            .filter(|path| path.starts_with("/car"))
            .count()
    };
    let before = cars();
    session
        .clock()
        .set(session.now() + Duration::from_secs(90 * 86_400));
    let outcome = recrawl(&session, Method::Selective, &mut ()).expect("it recrawls");
    let outcome = outcome.expect("it was not stopped");
    assert!(
        cars() - before >= all() * 8 / 10,
        "{} of {}",
        cars() - before,
        all()
    );
    assert_eq!(outcome.walked, outcome.fetched, "{:?}", outcome.steps);
    assert_safe(&site);
}
