//! Searches whose answers are redirects to another URL.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use magpie_engine::surface::{SurfaceRequest, redirects_to, surface};
use magpie_rows::{SubmissionOutcome, TemplateState};
use magpie_test_support::server::{Reply, Site};

use super::hostile_searches::{Asked, ISSUES, LINKED, ask_with, hits, list, title};

const FORM: &str =
    "<form action=/find><input type=search name=q aria-label=Search><button>Search</button></form>";

fn page(title: &str, body: &str) -> Reply {
    Reply::html(format!("<!doctype html><title>{title}</title>{FORM}{body}"))
}

fn results(query: &str) -> Reply {
    let found = hits(&query.to_lowercase());
    let items = match found.is_empty() {
        true => "<p>Nothing was found.".to_owned(),
        false => format!("<ul>{}</ul>", list(found)),
    };
    page("Results", &format!("<h1>Results for {query}</h1>{items}"))
}

/// A tracker that answers `/find` by one function of the query, and other paths by another.
fn tracker(
    find: impl Fn(&str) -> Reply + Send + Sync + 'static,
    other: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> Site {
    tracker_with("", find, other)
}

/// The same, with something more on its home page.
fn tracker_with(
    more: &'static str,
    find: impl Fn(&str) -> Reply + Send + Sync + 'static,
    other: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> Site {
    Site::start(move |path| {
        if let Some(query) = path.strip_prefix("/find?q=") {
            return find(&query.replace('+', " "));
        }
        match path.strip_prefix("/issue").and_then(|number| number.parse().ok()) {
            Some(number) if number < ISSUES => page(
                &format!("Issue {number}: {} - Tracker", title(number)),
                "<p>It is broken.",
            ),
            _ if path == "/" => page("Tracker", &format!("{}{more}", list(0..LINKED))),
            _ => other(path),
        }
    })
}

fn count(site: &Site, prefix: &str) -> usize {
    let requests = site.requests();
    requests.iter().filter(|path| path.starts_with(prefix)).count()
}

fn ask(site: &Site) -> Asked {
    ask_with(site, "fetch.retries = 0\n")
}

fn redirect(asked: &Asked) -> Option<String> {
    redirects_to(asked.templates.first().expect("a template"))
}

#[test]
fn queries_go_where_all_answers_lead() {
    let site = tracker(
        |query| Reply::redirect(&format!("/found/{}", query.replace(' ', "%20"))),
        |path| match path.strip_prefix("/found/") {
            Some(query) => results(&query.replace("%20", " ")),
            None => Reply::status(404),
        },
    );
    let asked = ask(&site);
    assert_eq!(asked.state(), TemplateState::Working, "{:?}", asked.templates);
    assert!(asked.objects() > LINKED);
    assert_eq!(redirect(&asked), Some(site.url("/found/{query}")));
    let (before, direct) = (count(&site, "/find?"), count(&site, "/found/"));
    assert!(
        before < direct,
        "{before} of {direct} by the form: {:?}",
        site.requests()
    );
    // It is known from now on.
    let request = SurfaceRequest {
        max_requests: 5,
        ..SurfaceRequest::default()
    };
    surface(&asked.session, &request, &mut ()).expect("it asks");
    assert!(count(&site, "/found/") > direct);
    assert_eq!(count(&site, "/find?"), before);
}

#[test]
fn addresses_without_the_query_are_no_template() {
    let queries = Mutex::new(Vec::<String>::new());
    let known = std::sync::Arc::new(queries);
    let kept = std::sync::Arc::clone(&known);
    let site = tracker(
        move |query| {
            let mut known = known.lock().expect("no panic");
            known.push(query.to_owned());
            Reply::redirect(&format!("/answer/{}", known.len() - 1))
        },
        move |path| {
            let number = path
                .strip_prefix("/answer/")
                .and_then(|number| number.parse::<usize>().ok());
            let kept = kept.lock().expect("no panic");
            match number.and_then(|number| kept.get(number)) {
                Some(query) => results(query),
                None => Reply::status(404),
            }
        },
    );
    let asked = ask(&site);
    assert_eq!(redirect(&asked), None);
    assert!(asked.objects() > LINKED);
}

#[test]
fn a_template_that_only_works_after_the_form_is_left() {
    let is_open = std::sync::Arc::new(AtomicUsize::new(0));
    let opened = std::sync::Arc::clone(&is_open);
    let site = tracker(
        move |query| {
            opened.fetch_add(1, Ordering::SeqCst);
            Reply::redirect(&format!("/found?words={}", query.replace(' ', "+")))
        },
        move |path| match path.strip_prefix("/found?words=") {
            Some(query) if is_open.load(Ordering::SeqCst) > 0 => {
                is_open.fetch_sub(1, Ordering::SeqCst);
                results(&query.replace('+', " "))
            }
            _ => Reply::status(404),
        },
    );
    let asked = ask(&site);
    assert_eq!(asked.state(), TemplateState::Working, "{:?}", asked.templates);
    assert_eq!(redirect(&asked), None);
    assert!(asked.objects() > LINKED);
}

#[test]
fn an_answer_that_was_crawled_before_is_read_again() {
    const PLACES: [&str; 3] = ["harbour", "kitchen", "lantern"];
    const LINKS: &str =
        "<a href=/place/harbour>H</a> <a href=/place/kitchen>K</a> <a href=/place/lantern>L</a>";
    let site = tracker_with(
        LINKS,
        |query| {
            let query = query.to_lowercase();
            let place = PLACES.iter().find(|place| query.contains(**place));
            Reply::redirect(&format!("/place/{}", place.unwrap_or(&"none")))
        },
        |path| match path.strip_prefix("/place/") {
            Some(place) => results(place),
            None => Reply::status(404),
        },
    );
    let asked = ask(&site);
    assert_eq!(asked.state(), TemplateState::Working, "{:?}", asked.templates);
    let store = asked.session.store();
    let sites = store.sites_after(None, 10).expect("sites");
    let rows = store.submissions("tracker", sites[0].id).expect("queries");
    let outcomes: Vec<_> = rows.iter().map(|row| (&row.query, row.outcome)).collect();
    assert!(outcomes.len() > 5, "{outcomes:?}");
    assert!(
        outcomes
            .iter()
            .all(|(_, outcome)| *outcome != SubmissionOutcome::Failed),
        "{outcomes:?}"
    );
}
