//! Searches that misbehave. Each is bounded, has an outcome, and is sent nothing that acts.

use std::sync::atomic::{AtomicUsize, Ordering};

use magpie_engine::crawl::Target;
use magpie_engine::surface::{SurfaceRequest, surface};
use magpie_engine::{CrawlRequest, Session};
use magpie_model::CanonicalUrl;
use magpie_rows::{ObjectFilter, QueryTemplateRow, RunKind, TemplateState};
use magpie_test_support::server::{Reply, Site};
use magpie_tests::TestWorkspace;

pub(super) const ISSUES: usize = 60;

/// Issues that the home page links to. The others are only behind the search.
pub(super) const LINKED: usize = 8;

pub(super) const REQUESTS: u64 = 30;

/// A part of each title: every sixth issue has the same.
const PLACES: [&str; 6] = ["harbour", "kitchen", "lantern", "meadow", "orchard", "station"];

const FORM: &str =
    "<form action=/find><input type=search name=q aria-label=Search><button>Search</button></form>";

pub(super) fn title(number: usize) -> String {
    format!("Broken {} number {}", PLACES[number % PLACES.len()], number + 100)
}

fn page(title: &str, body: &str) -> Reply {
    Reply::html(format!("<!doctype html><title>{title}</title>{FORM}{body}"))
}

pub(super) fn list(numbers: impl IntoIterator<Item = usize>) -> String {
    let item = |number| format!("<li><a href=/issue{number}>{}</a></li>", title(number));
    numbers.into_iter().map(item).collect()
}

fn query(path: &str) -> Option<String> {
    let (_, query) = path.strip_prefix("/find?")?.split_once("q=")?;
    let query = query.split('&').next().unwrap_or_default();
    Some(query.replace('+', " ").to_lowercase())
}

/// The issues with all words of a query.
pub(super) fn hits(query: &str) -> Vec<usize> {
    let has = |number: &usize| {
        let title = title(*number).to_lowercase();
        query
            .split_whitespace()
            .all(|word| title.split(' ').any(|known| known == word))
    };
    (0..ISSUES).filter(has).collect()
}

/// A tracker whose searches are answered by a function of the query and of the number of those
/// before.
fn tracker(search: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) -> Site {
    let asked = AtomicUsize::new(0);
    Site::start(move |path| {
        if let Some(query) = query(path) {
            return search(&query, asked.fetch_add(1, Ordering::Relaxed));
        }
        match path.strip_prefix("/issue").and_then(|number| number.parse().ok()) {
            Some(number) if number < ISSUES => page(
                &format!("Issue {number}: {} - Tracker", title(number)),
                "<p>It is broken.",
            ),
            _ if path == "/" => page("Tracker", &list(0..LINKED)),
            _ => Reply::status(404),
        }
    })
}

/// An ordinary answer, with something more on it.
fn results(query: &str, more: &str) -> Reply {
    let found = hits(query);
    let items = match found.is_empty() {
        true => "<p>Nothing was found.".to_owned(),
        false => format!("<ul>{}</ul>", list(found)),
    };
    page("Results", &format!("<h1>Results for {query}</h1>{items}{more}"))
}

/// A workspace after a crawl of a site and its search.
pub(super) struct Asked {
    pub(super) session: Session,
    pub(super) templates: Vec<QueryTemplateRow>,
    _workspace: TestWorkspace,
}

impl Asked {
    pub(super) fn objects(&self) -> usize {
        let objects = self.session.objects(&ObjectFilter::default());
        objects.expect("objects").len()
    }

    pub(super) fn state(&self) -> TemplateState {
        self.templates.first().expect("a template").state
    }
}

fn ask(site: &Site) -> Asked {
    ask_with(site, "fetch.retries = 0\n")
}

/// Crawls a site and asks its search, with settings besides those of all tests.
pub(super) fn ask_with(site: &Site, more: &str) -> Asked {
    let settings = format!("fetch.first_byte_timeout = \"300ms\"\n{more}");
    let workspace = TestWorkspace::local(&magpie_tests::guest("tracker"), &settings);
    let session = workspace.open();
    let home = CanonicalUrl::trusted(site.url("/").as_str()).expect("a URL");
    let run = session.begin_run(RunKind::Crawl).expect("a run");
    let crawl = CrawlRequest::new(run, vec![Target::From(home)]);
    session.crawl(crawl, &mut ()).expect("it crawls");
    session.end_run(run.0).expect("it ends");
    session.cluster(&mut ()).expect("it clusters");
    let request = SurfaceRequest {
        max_requests: REQUESTS,
        ..SurfaceRequest::default()
    };
    let outcome = surface(&session, &request, &mut ()).expect("it asks");
    let templates = outcome.expect("it was not stopped").templates;
    let asked: u64 = templates.iter().map(|row| row.asked).sum();
    assert!(asked <= REQUESTS * templates.len() as u64, "{templates:?}");
    Asked {
        session,
        templates,
        _workspace: workspace,
    }
}

fn searches(site: &Site) -> usize {
    site.requests()
        .iter()
        .filter(|path| path.starts_with("/find"))
        .count()
}

#[test]
fn links_that_act_on_results_are_not_followed() {
    let site = tracker(|query, _| {
        let act = |number: usize| {
            format!(
                "<a href=/delete?id={number}>Delete</a> <a href=/issue{number}/delete>x</a> \
                 <a href=/watch/{number}>Subscribe</a> <a href=/basket/add/{number}>Add to cart</a> \
                 <a href=/go/{number}>Remove this issue</a> <a href=/issue?@action=retire&id={number}>-</a>"
            )
        };
        let acts: String = hits(query).into_iter().map(act).collect();
        results(
            query,
            &format!("{acts}<a href=/find.csv?q={query}>CSV</a> <a href=/random>Any issue</a>"),
        )
    });
    let asked = ask(&site);
    assert_eq!(asked.state(), TemplateState::Working);
    assert!(asked.objects() > LINKED);
    let plain = |path: &String| {
        let is_issue = path
            .strip_prefix("/issue")
            .is_some_and(|rest| rest.parse::<usize>().is_ok());
        is_issue
            || path.starts_with("/find?")
            || path == "/"
            || path.starts_with("/robots.txt")
            || path.contains("sitemap")
    };
    let requests = site.requests();
    let other: Vec<&String> = requests.iter().filter(|path| !plain(path)).collect();
    // The crawl asks once for a missing page, to know the site's answer for such pages.
    assert!(other.len() <= 1, "{other:?}");
}

#[test]
fn a_search_that_ignores_its_input_is_left() {
    let site = tracker(|query, _| page("Results", &format!("<h1>Results for {query}</h1>{}", list(0..20))));
    let asked = ask(&site);
    assert_eq!(asked.state(), TemplateState::Inert);
    assert!(searches(&site) <= 8, "{:?}", site.requests());
}

#[test]
fn a_search_that_blocks_or_fails_is_left() {
    let blocking = tracker(|query, number| match number {
        0..20 => results(query, ""),
        _ => Reply::status(429).with("Retry-After", "0"),
    });
    let asked = ask(&blocking);
    assert!(asked.objects() > LINKED);
    let failing = tracker(|_, _| Reply::status(500));
    let asked = ask(&failing);
    assert_eq!(asked.state(), TemplateState::Failing, "{:?}", asked.templates);
    assert_eq!(asked.objects(), LINKED);
    let silent = tracker(|_, _| {
        std::thread::sleep(std::time::Duration::from_secs(2));
        Reply::status(200)
    });
    let asked = ask(&silent);
    assert_eq!(asked.state(), TemplateState::Failing, "{:?}", asked.templates);
}

#[test]
fn a_search_that_fails_now_and_then_is_asked_on() {
    let site = tracker(|query, number| match number % 4 {
        3 => Reply::status(500),
        _ => results(query, ""),
    });
    let asked = ask(&site);
    assert_eq!(asked.state(), TemplateState::Working, "{:?}", asked.templates);
    assert!(asked.objects() > LINKED);
}

#[test]
fn suggestions_that_lead_in_circles_and_adverts_are_no_results() {
    let site = tracker(|query, number| {
        let other = format!("{}x", query.replace(' ', "+"));
        results(
            query,
            &format!(
                "<p>Did you mean <a href=/find?q={other}>{other}</a>? <div class=ad>\
                 <a href=/out/{number}>Buy a new one</a> <a href=http://adverts.invalid/{number}>Sponsored</a></div>"
            ),
        )
    });
    let asked = ask(&site);
    assert_eq!(asked.state(), TemplateState::Working, "{:?}", asked.templates);
    assert!(asked.objects() > LINKED);
    assert!(searches(&site) <= REQUESTS as usize, "{:?}", site.requests());
    let requests = site.requests();
    let adverts: Vec<_> = requests.iter().filter(|path| path.starts_with("/out/")).collect();
    assert!(adverts.is_empty(), "{adverts:?}");
}

#[test]
fn forms_that_must_not_be_sent_are_listed_with_a_reason() {
    let forms = [
        // A script sends it, it leads elsewhere, it acts, or it is no search.
        "<form action=\"javascript:go()\"><input type=search name=q><button>Search</button></form>".to_owned(),
        "<form action=http://other.invalid/find><input type=search name=q><button>Search</button></form>".to_owned(),
        "<form action=/delete><input type=search name=q><button>Delete</button></form>".to_owned(),
        "<form action=/in><input name=user><input type=password name=pass><button>Log in</button></form>".to_owned(),
        "<form method=post action=/find2><input type=search name=q><button>Search</button></form>".to_owned(),
        "<form action=/proof1><input type=search name=q><div class=g-recaptcha data-sitekey=k></div><button>Search</button></form>"
            .to_owned(),
        "<form action=/proof2><input type=search name=q><iframe src=https://newassets.hcaptcha.com/x></iframe></form>".to_owned(),
        "<form action=/proof3><input type=search name=q><input name=cf-turnstile-response type=hidden></form>".to_owned(),
        "<form action=/send><input type=email name=mail><input name=q><textarea name=t></textarea></form>".to_owned(),
        // Without an action it is sent to the page that has it.
        "<form><input type=search name=words><button>Search</button></form>".to_owned(),
        // Parts of it are huge, or are markup.
        format!(
            "<form action=/big><input type=search name=q><select name=a>{}</select><button>Search</button></form>",
            "<option value=x>y</option>".repeat(10_000)
        ),
        format!(
            "<form action=/wide><input type=hidden name=h value={}><input type=search name=q></form>",
            "v".repeat(1 << 20)
        ),
        "<form action=/odd><input type=search name=\"<script>alert(1)</script>\"><button>Search</button></form>"
            .to_owned(),
    ];
    let body = forms.concat();
    let site = Site::start(move |path| match path {
        "/" => Reply::html(format!("<!doctype html><title>Forms</title>{}{body}", list(0..3))),
        _ => Reply::status(404),
    });
    let asked = ask(&site);
    let store = asked.session.store();
    let sites = store.sites_after(None, 10).expect("sites");
    let kept = store.forms(Some(sites[0].id)).expect("forms");
    let sendable = kept.iter().filter(|form| form.refusal.is_none());
    for form in sendable {
        let template = form.template.as_deref().unwrap_or_default();
        let is_harmless = ["/big", "/odd", "/wide", "/?words="]
            .iter()
            .any(|path| template.contains(path));
        assert!(is_harmless && template.len() < 4_096, "{form:?}");
    }
    let own_page = site.url("/?words={query}");
    let mut templates = kept.iter().filter_map(|form| form.template.as_ref());
    assert!(templates.any(|template| *template == own_page), "{kept:?}");
    let refused = kept.iter().filter_map(|form| form.refusal.as_deref());
    assert!(refused.clone().count() >= 8, "{kept:?}");
    let captchas = refused.clone().filter(|reason| reason.contains("captcha"));
    assert_eq!(captchas.count(), 3, "{kept:?}");
    assert!(refused.clone().all(|reason| !reason.is_empty()));
    let requests = site.requests();
    let acted: Vec<&String> = requests
        .iter()
        .filter(|path| {
            ["/delete", "/in", "/send", "/find2", "/proof"]
                .iter()
                .any(|act| path.starts_with(act))
        })
        .collect();
    assert!(acted.is_empty(), "{acted:?}");
}

#[test]
fn fields_that_only_programs_see_keep_their_values() {
    const TRAPS: &str = "<form action=/find>\
        <p style='position:absolute;left:-9999px'>Leave empty: <input name=website></p>\
        <div aria-hidden=true><input name=homepage value=keep></div>\
        <input name=email2 hidden><input type=search name=q aria-label=Search>";
    let answer = |path: &str, tokens: &AtomicUsize| {
        let token = tokens.fetch_add(1, Ordering::Relaxed);
        let form = format!(
            "{TRAPS}<input type=hidden name=csrf_token value=t{token}><button>Search</button></form>"
        );
        let page = |title: &str, body: &str| {
            Reply::html(format!("<!doctype html><title>{title}</title>{form}{body}"))
        };
        if let Some(arguments) = path.strip_prefix("/find?") {
            let query = arguments
                .strip_prefix("website=&homepage=keep&email2=&q=")
                .and_then(|rest| rest.split_once("&csrf_token=t"));
            let found = query.map_or(Vec::new(), |(query, _)| {
                hits(&query.replace('+', " ").to_lowercase())
            });
            return page("Results", &format!("<h1>Results</h1><ul>{}</ul>", list(found)));
        }
        match path.strip_prefix("/issue").and_then(|number| number.parse().ok()) {
            Some(number) if number < ISSUES => page(
                &format!("Issue {number}: {} - Tracker", title(number)),
                "<p>It is broken.",
            ),
            _ if path == "/" => page("Tracker", &list(0..LINKED)),
            _ => Reply::status(404),
        }
    };
    let tokens = AtomicUsize::new(0);
    let site = Site::start(move |path| answer(path, &tokens));
    let asked = ask(&site);
    assert_eq!(asked.state(), TemplateState::Working, "{:?}", asked.templates);
    assert_eq!(
        asked.templates.len(),
        1,
        "a token makes no other form: {:?}",
        asked.templates
    );
    assert!(asked.objects() > LINKED);
    let requests = site.requests();
    let searches: Vec<&String> = requests.iter().filter(|path| path.starts_with("/find")).collect();
    let is_default = |path: &&String| {
        path.starts_with("/find?website=&homepage=keep&email2=&q=") && path.contains("&csrf_token=t")
    };
    assert!(searches.iter().all(is_default), "{searches:?}");
}
