//! Searches that are sent by POST. The log of the server shows method and body of each request.

use magpie_engine::{Archive, Source};
use magpie_model::{PostedForm, UrlReason};
use magpie_rows::{FoundUrl, TemplateState, UrlState};
use magpie_test_support::server::{Asked, Reply, Site};
use magpie_web::Request;

use super::hostile_searches::{ISSUES, LINKED, REQUESTS, ask_with, hits, list, title};

const POST: &str = "surface.post = \"search\"\nfetch.retries = 2\nfetch.retry_wait = \"1ms\"\n";

const FORM: &str = "<form method=post action=/find><input type=search name=q aria-label=Search>\
    <input type=hidden name=in value=all><button>Search</button></form>";

/// Forms that are no search, each with a path of its own.
const OTHERS: [&str; 9] = [
    "<form method=post action=/login><input name=user><input type=password name=pass><button>Log in</button></form>",
    "<form method=post action=/cart><input name=q value=1><button>Add to cart</button></form>",
    "<form method=post action=/contact><input name=subject><textarea name=text></textarea><button>Send</button></form>",
    "<form method=post action=/export><input type=search name=q><button>Export</button></form>",
    "<form method=post action=/token><input type=search name=q><input type=hidden name=csrf value=x>\
     <button>Search</button></form>",
    "<form method=post action=/parts enctype=multipart/form-data><input type=search name=q><button>Search</button></form>",
    "<form method=post action=/proof><input type=search name=q><div class=cf-turnstile data-sitekey=k></div>\
     <button>Search</button></form>",
    "<form method=post action='javascript:go()'><input type=search name=q><button>Search</button></form>",
    "<form method=post action=http://other.invalid/find><input type=search name=q><button>Search</button></form>",
];

/// Links and statements that name a POST without being a form. `HOST` is the server.
const LINKS: &str = "<a href='/find?__wb_method=POST&in=all&q=harbour'>Harbour</a>\
    <a href='/delete?__wb_method=POST&id=3'>Three</a>\
    <form action=/get><input type=search name=q><input type=hidden name=__wb_method value=POST><button>Search</button></form>\
    <script type=application/ld+json>{\"@type\":\"SearchAction\",\
    \"target\":\"http://HOST/stated?__wb_method=POST&q={q}\",\"query-input\":\"required name=q\"}</script>";

fn page(title: &str, body: &str) -> Reply {
    let others = OTHERS.concat();
    Reply::html(format!(
        "<!doctype html><title>{title}</title>{FORM}{body}<hr>{others}{LINKS}"
    ))
}

fn results(query: &str) -> Reply {
    let found = hits(query);
    let items = match found.is_empty() {
        true => "<p>Nothing was found.".to_owned(),
        false => format!("<ul>{}</ul>", list(found)),
    };
    page("Results", &format!("<h1>Results for {query}</h1>{items}"))
}

/// Returns the query of a body that the form makes.
fn query(asked: &Asked) -> Option<String> {
    let body = asked.body.strip_prefix("q=")?.strip_suffix("&in=all")?;
    Some(body.replace('+', " ").to_lowercase())
}

/// A tracker that answers its search by a function of the query.
fn tracker(robots: &'static str, search: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Site {
    Site::asked(move |asked| {
        let mut reply = answer(asked, robots, &search);
        let host = asked.field("host").unwrap_or_default();
        let body = String::from_utf8_lossy(&reply.body).replace("HOST", host);
        reply.body = body.into();
        reply
    })
}

fn answer(asked: &Asked, robots: &str, search: &dyn Fn(&str) -> Reply) -> Reply {
    let path = asked.path.as_str();
    if asked.method == "POST" {
        return match query(asked).filter(|_| path == "/find") {
            Some(query) => search(&query),
            None => Reply::status(405),
        };
    }
    if let Some(query) = path.strip_prefix("/results?q=") {
        return results(&query.replace('+', " "));
    }
    match path.strip_prefix("/issue").and_then(|number| number.parse().ok()) {
        Some(number) if number < ISSUES => page(
            &format!("Issue {number}: {} - Tracker", title(number)),
            "<p>It is broken.",
        ),
        _ if path == "/" => page("Tracker", &list(0..LINKED)),
        _ if path == "/robots.txt" => Reply::text(robots),
        _ => Reply::status(404),
    }
}

/// Returns the POST requests of a site. Fails if one is no search, or if a GET names one.
fn posts(site: &Site) -> Vec<String> {
    let requests = site.requests();
    let (posts, gets): (Vec<String>, Vec<String>) = requests
        .into_iter()
        .partition(|request| !request.starts_with('/'));
    let is_search = |post: &String| post.starts_with("POST /find q=") && post.ends_with("&in=all");
    assert!(posts.iter().all(is_search), "{posts:?}");
    let marked: Vec<&String> = gets.iter().filter(|get| get.contains("__wb_method")).collect();
    assert!(marked.is_empty(), "{marked:?}");
    posts
}

/// Returns what the frontier knows of an address.
fn find(asked: &super::hostile_searches::Asked, address: &str) -> Vec<FoundUrl> {
    let url = magpie_model::CanonicalUrl::trusted(address).expect("a URL");
    let found = asked.session.store().find_urls(&[url.fingerprint().0]);
    found.expect("it is looked up")
}

#[test]
fn searches_are_sent_by_post_where_the_setting_permits() {
    let site = tracker("", results);
    let asked = ask_with(&site, POST);
    assert_eq!(asked.templates.len(), 1, "{:?}", asked.templates);
    assert_eq!(asked.state(), TemplateState::Working, "{:?}", asked.templates);
    assert!(asked.objects() > LINKED, "{} objects", asked.objects());
    let posts = posts(&site);
    assert_eq!(posts.len() as u64, asked.templates[0].asked);
    assert!(posts.len() as u64 <= REQUESTS);

    // A linked address is refused, even if it is the address of the search.
    let of_link = find(&asked, &site.url("/delete?__wb_method=POST&id=3"));
    let refused: Vec<_> = of_link.iter().map(|found| (found.state, &found.reason)).collect();
    assert_eq!(refused, [(UrlState::Refused, &Some(UrlReason::Post))]);

    // The archive answers to the same form, and to no other.
    let store = asked.session.store();
    let submissions = store.submissions(asked.session.vertical(), asked.templates[0].site);
    let submissions = submissions.expect("queries");
    let known = submissions
        .iter()
        .find(|row| row.objects > 0)
        .expect("a query with results");
    let form = PostedForm::of_address(&known.url).expect("an address");
    assert_eq!(form.action, site.url("/find"));
    let reader = magpie_engine::open_reader(asked.session.folder()).expect("a reader");
    let archive = Source::Archive(Box::new(Archive::new(reader, None)));
    let fetch = |body: &str| {
        let mut request = Request::new(form.action.parse().expect("a URL"));
        request.form = Some(body.to_owned());
        asked.session.runtime().block_on(archive.fetch(&request))
    };
    let kept = fetch(&form.body).expect("it is kept");
    let text = String::from_utf8_lossy(kept.body()).into_owned();
    assert!(text.contains("<h1>Results for"), "{text}");
    assert_eq!(kept.url.as_str(), known.url);
    assert!(fetch("q=never+asked&in=all").is_err());
}

#[test]
fn nothing_is_sent_by_post_without_the_setting() {
    let site = tracker("", results);
    let asked = ask_with(&site, "");
    assert!(asked.templates.is_empty(), "{:?}", asked.templates);
    assert_eq!((posts(&site).len(), asked.objects()), (0, LINKED));
    let forms = asked.session.store().forms(None).expect("forms");
    let search = forms.iter().find(|form| {
        let template = form.template.as_deref().unwrap_or_default();
        template.ends_with("/find?__wb_method=POST&q={query}&in=all")
    });
    let refusal = search.and_then(|form| form.refusal.as_deref());
    assert!(
        refusal.is_some_and(|reason| reason.contains("`surface.post` does not permit")),
        "{forms:?}"
    );
    assert!(forms.iter().all(|form| form.refusal.is_some()), "{forms:?}");
}

#[test]
fn the_robots_file_is_asked_about_the_action() {
    let forbidden = tracker("User-agent: *\nDisallow: /find\n", results);
    let asked = ask_with(&forbidden, POST);
    assert_eq!(asked.state(), TemplateState::Forbidden, "{:?}", asked.templates);
    assert!(posts(&forbidden).is_empty());
    // The body is no part of the action.
    let allowed = tracker("User-agent: *\nDisallow: /find?\nDisallow: /*__wb\n", results);
    let asked = ask_with(&allowed, POST);
    assert_eq!(asked.state(), TemplateState::Working, "{:?}", asked.templates);
}

#[test]
fn a_redirect_after_post_is_followed_by_get_or_not_at_all() {
    for status in [301, 302, 303] {
        let site = tracker("", move |query| {
            Reply::redirect(&format!("/results?q={}", query.replace(' ', "+"))).with_status(status)
        });
        let asked = ask_with(&site, POST);
        assert_eq!(
            asked.state(),
            TemplateState::Working,
            "{status}: {:?}",
            asked.templates
        );
        assert!(asked.objects() > LINKED);
        assert!(!posts(&site).is_empty());
    }
    for (status, to) in [(307, "/results?q=x"), (308, "http://other.invalid/find")] {
        let site = tracker("", move |_| Reply::redirect(to).with_status(status));
        let asked = ask_with(&site, POST);
        assert_eq!(
            asked.state(),
            TemplateState::Failing,
            "{status}: {:?}",
            asked.templates
        );
        assert_eq!(asked.objects(), LINKED);
        let posts = posts(&site);
        assert!(!posts.is_empty());
        assert!(
            !site.requests().iter().any(|path| path.starts_with("/results")),
            "{status}"
        );
        let store = asked.session.store();
        let sites = store.sites_after(None, 10).expect("sites");
        let known = store.known_pages(sites[0].id).expect("pages");
        let posted: Vec<_> = known
            .iter()
            .filter(|page| PostedForm::is_marked(&page.url))
            .collect();
        let told = posted.iter().filter(|page| page.problem == Some(UrlReason::Post));
        assert_eq!(told.count(), posts.len(), "{posted:?}");
    }
}

#[test]
fn a_form_is_never_sent_twice() {
    let site = tracker("", |_| Reply::status(500));
    let asked = ask_with(&site, POST);
    assert_eq!(asked.state(), TemplateState::Failing, "{:?}", asked.templates);
    let mut posts = posts(&site);
    let all = posts.len();
    posts.sort();
    posts.dedup();
    assert_eq!(posts.len(), all);
}
