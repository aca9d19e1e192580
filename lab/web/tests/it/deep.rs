//! Tests of deep sites: their forms, the results of searches, and the truth about both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::support::{body, fetch, links};
use magpie_lab::{
    Act, ArgumentKind, FormPurpose, PageKind, Request, Response, ResultState, Size, TrueForm, TrueSearch,
    Vertical, Web, WebSpec, WeekHandle, serve,
};
use magpie_page::{Column, Page, Selector};

/// Creates a web of deep sites with about `objects` objects each.
fn deep(vertical: Vertical, seed: u64, sites: u32, hazards: bool) -> Web {
    Web::new(WebSpec {
        deep: 1_000,
        hazards,
        ..WebSpec::new(vertical, Size::Small, seed).with_sites(sites)
    })
}

const NONSENSE: [&str; 3] = ["qqxzvbkrr", "wrtkpsdf bvcxnmlk", "x7q9z3k1v5"];

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn url_of(search: &TrueSearch, query: &str) -> Option<String> {
    let template = search.templates.first().filter(|_| search.answers_get)?;
    Some(
        template
            .replace("{query}", &encoded(query))
            .replace("{token}", "1"),
    )
}

/// Fetches a URL and follows redirects. Returns the last URL, too.
fn follow(web: &Web, url: &str) -> (String, Response) {
    let mut url = url.to_owned();
    for _ in 0..5 {
        let response = fetch(web, &url, 0, 3);
        match &response.location {
            Some(to) => url.clone_from(to),
            None => return (url, response),
        }
    }
    panic!("redirects do not end: {url}");
}

/// Returns some words and titles of the site's objects.
fn queries(web: &Web, search: &TrueSearch) -> Vec<String> {
    let mut queries = Vec::new();
    let objects: Vec<u32> = search.hidden.iter().chain(&search.surface).copied().collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for id in &objects {
        for word in title_of(web, *id).split(' ').filter(|word| word.len() > 4) {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
    queries.extend(
        counts
            .into_iter()
            .max_by_key(|(_, count)| *count)
            .map(|(word, _)| word),
    );
    for id in objects.iter().step_by((objects.len() / 6).max(1)) {
        let title = title_of(web, *id);
        queries.extend(title.split(' ').max_by_key(|word| word.len()).map(str::to_owned));
        queries.push(title);
    }
    queries
}

fn title_of(web: &Web, id: u32) -> String {
    // Seeds are objects with their attributes; the title of any object is in the truth of its page.
    TITLES.with(|titles| {
        let mut titles = titles.borrow_mut();
        let key = (web.spec().vertical.name(), web.spec().seed, web.spec().sites);
        let known = titles.entry(key).or_insert_with(|| {
            let all = Arc::new(Web::new(web.spec().clone())).truth(0).objects;
            let title = |attributes: &BTreeMap<String, Vec<String>>| {
                let value = attributes.get("name").or_else(|| attributes.get("title"));
                value.and_then(|value| value.first()).cloned().unwrap_or_default()
            };
            all.iter()
                .map(|object| (object.id, title(&object.attributes)))
                .collect()
        });
        known.get(&id).cloned().unwrap_or_default()
    })
}

type Titles = BTreeMap<(&'static str, u64, u32), BTreeMap<u32, String>>;

thread_local! {
    static TITLES: std::cell::RefCell<Titles> = const { std::cell::RefCell::new(BTreeMap::new()) };
}

/// Returns the objects whose detail pages a page links to.
fn linked(web: &Web, url: &str, html: &str) -> BTreeSet<u32> {
    let located = links(url, html)
        .into_iter()
        .filter_map(|link| web.locate(&link, 0));
    located
        .filter_map(|page| {
            let shown = web.shown(&page.url, 0);
            shown.first().filter(|one| one.is_main).map(|one| one.object)
        })
        .collect()
}

#[test]
fn every_kind_occurs() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = 0;
    for vertical in Vertical::ALL {
        for search in deep(vertical, 5, 200, true).searches(0) {
            all += 1;
            for kind in search.kinds {
                *counts.entry(kind).or_default() += 1;
            }
        }
    }
    for kind in KINDS.split(' ') {
        assert!(
            counts.contains_key(kind),
            "no {kind} among {all} sites: {counts:?}"
        );
    }
    let known: BTreeSet<&str> = KINDS.split(' ').collect();
    let unknown: Vec<_> = counts
        .keys()
        .filter(|kind| !known.contains(kind.as_str()) && !kind.starts_with("empty-"))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    let share = |kind: &str| counts[kind] as f64 / f64::from(all);
    assert!((0.34..0.46).contains(&share("inputs-1")), "{}", share("inputs-1"));
    assert!(share("fragment") < 0.07 && share("get") > 0.7);
    println!("{all} sites: {counts:?}");
}

/// All kinds, separated by spaces.
const KINDS: &str = "\
    honeypot bulk-hidden huge-select odd-name inputs-1 inputs-2 inputs-3 inputs-4 inputs-5 inputs-6 \
    inputs-7 inputs-8 inputs-9 inputs-10 get post script fragment form-on-home form-on-advanced \
    form-on-results redirect-to-path redirect-to-other no-keyword several-texts select radio \
    checkbox number date hidden dependent-selects price-range date-range postcode language \
    page-size sort token source ignored-input decoy-newsletter decoy-newsletter-get decoy-login \
    decoy-articles paging-from-one paging-from-zero paging-offset paging-cursor limit-top \
    limit-refine slow quota blocks flaky act-cart act-export act-random act-delete act-alert \
    own-host inert heavy any-word prefix min-letters lists-all semicolons facets related choices \
    sort-links tracking adverts sponsored title-redirect list-only partly-list-only noindex \
    disallowed open-search search-action form-everywhere named-button empty-sentence";

#[test]
fn every_style_of_empty_page_occurs() {
    let searches = Vertical::ALL
        .into_iter()
        .flat_map(|vertical| deep(vertical, 6, 120, false).searches(0).collect::<Vec<_>>());
    let styles: BTreeSet<String> = searches
        .flat_map(|search| search.kinds)
        .filter(|kind| kind.starts_with("empty-"))
        .collect();
    assert_eq!(styles.len(), 10, "{styles:?}");
}

#[test]
fn served_results_agree_with_the_truth() {
    let mut states: BTreeMap<ResultState, usize> = BTreeMap::new();
    for vertical in Vertical::ALL {
        let web = Web::new(deep(vertical, 7, 40, false).spec().clone().with_scale(4.0));
        for search in web.searches(0) {
            for query in queries(&web, &search).iter().map(String::as_str).chain(NONSENSE) {
                let Some(url) = url_of(&search, query) else {
                    continue;
                };
                let result = web.result(&url, None, 0).expect("templates lead to results");
                *states.entry(result.state).or_default() += 1;
                let (last, response) = follow(&web, &url);
                let html = body(&response);
                let listed: BTreeSet<u32> = linked(&web, &last, &html);
                match result.state {
                    ResultState::Object => {
                        let shown = web.shown(&last, 0);
                        assert!(shown[0].is_main && result.objects == [shown[0].object], "{url}");
                        continue;
                    }
                    ResultState::Empty if response.status == 404 => {
                        assert!(search.kinds.contains(&"empty-404".to_owned()));
                    }
                    _ => assert_eq!(response.status, 200, "{url}"),
                }
                if web.locate(&last, 0).is_none_or(|page| page.url != result.url) {
                    // An empty result redirects to the home page at some sites.
                    assert_eq!(result.state, ResultState::Empty, "{url} {last}");
                    continue;
                }
                let expected: BTreeSet<u32> = result.objects.iter().chain(&result.others).copied().collect();
                let with_page: BTreeSet<u32> = expected
                    .iter()
                    .filter(|id| !search.list_only.contains(id))
                    .copied()
                    .collect();
                assert_eq!(listed, with_page, "{url} {result:?}");
                // Objects without a page are on the list all the same.
                let shown: BTreeSet<u32> = web.shown(&last, 0).iter().map(|one| one.object).collect();
                assert_eq!(shown, expected, "{url}");
            }
        }
    }
    for state in [
        ResultState::Hits,
        ResultState::Empty,
        ResultState::TooMany,
        ResultState::Choice,
        ResultState::Object,
    ] {
        assert!(states.contains_key(&state), "{states:?}");
    }
}

#[test]
fn nonsense_finds_nothing_unless_the_search_is_inert() {
    let web = deep(Vertical::Books, 8, 80, false);
    let mut inert = 0;
    for search in web.searches(0) {
        let is_inert = search.kinds.contains(&"inert".to_owned());
        let results: Vec<_> = NONSENSE
            .iter()
            .filter_map(|query| web.result(&url_of(&search, query)?, None, 0))
            .collect();
        for result in &results {
            assert_eq!(result.is_empty(), !is_inert, "{}", result.url);
            assert_eq!(result.objects, results[0].objects);
        }
        inert += usize::from(is_inert);
    }
    assert!(inert > 0);
}

#[test]
fn a_title_finds_its_object_and_pages_lead_to_all_that_is_listed() {
    let web = deep(Vertical::Products, 9, 40, false);
    let mut walked = 0;
    for search in web.searches(0) {
        let of = |kind: &str| search.kinds.iter().any(|one| one == kind);
        assert_eq!(
            search.surface.len() + search.hidden.len(),
            search.database as usize,
            "{}",
            search.host
        );
        if of("inert") {
            continue;
        }
        for id in search.hidden.iter().step_by(3) {
            let title = title_of(&web, *id);
            let Some(url) = url_of(&search, &title) else { break };
            let result = web.result(&url, None, 0).expect("a result");
            let is_listed = result.objects.contains(id) || result.total > result.objects.len() as u32;
            assert!(is_listed, "{url} {title} {result:?}");
        }
        let Some(query) = queries(&web, &search)
            .into_iter()
            .find(|query| !query.contains(' '))
        else {
            continue;
        };
        let Some(url) = url_of(&search, &query) else {
            continue;
        };
        let first = web.result(&url, None, 0).expect("a result");
        if first.state != ResultState::Hits {
            continue;
        }
        // Follow the pager: links to results with another page of the same search.
        let mut seen = BTreeSet::new();
        let mut queue = vec![first.url.clone()];
        let mut objects = BTreeSet::new();
        while let Some(url) = queue.pop() {
            if !seen.insert(url.clone()) || seen.len() > 200 {
                continue;
            }
            let result = web.result(&url, None, 0).expect("a result");
            if result.total != first.total || result.state != ResultState::Hits {
                continue;
            }
            objects.extend(result.objects);
            let html = body(&fetch(&web, &url, 0, 0));
            queue.extend(links(&url, &html).into_iter().filter_map(|link| {
                let page = web.result(&link, None, 0)?;
                (page.total == first.total).then_some(page.url)
            }));
        }
        assert!(
            objects.len() >= first.listed as usize,
            "{} of {first:?}",
            objects.len()
        );
        walked += 1;
    }
    assert!(walked > 5);
}

#[test]
fn arguments_have_their_true_effect() {
    let web = deep(Vertical::Events, 10, 60, false);
    let (mut irrelevant, mut selections) = (0, 0);
    for search in web.searches(0) {
        if search.kinds.iter().any(|kind| kind == "inert") {
            continue;
        }
        for query in queries(&web, &search).iter().take(4) {
            let Some(url) = url_of(&search, query) else { break };
            let plain = web.result(&url, None, 0).expect("a result");
            for argument in &search.arguments {
                let with = |value: &str| {
                    web.result(&format!("{url}&{}={}", argument.name, encoded(value)), None, 0)
                        .expect("a result")
                };
                match argument.kind {
                    ArgumentKind::Irrelevant => {
                        assert_eq!(with("7"), plain, "{url} {argument:?}");
                        irrelevant += 1;
                    }
                    ArgumentKind::Presentation => assert_eq!(with("20").total, plain.total),
                    ArgumentKind::Selection => {
                        assert!(with("1").total <= plain.total, "{url} {argument:?}");
                        selections += 1;
                    }
                    ArgumentKind::Query | ArgumentKind::Paging => {}
                }
            }
        }
    }
    assert!(irrelevant > 50 && selections > 50, "{irrelevant} {selections}");
}

/// Returns the names of the inputs of each form of a page, read by an HTML parser.
fn parsed(url: &str, html: &str) -> Vec<(Option<String>, Option<String>, Vec<String>)> {
    let page = Page::from_html(url, html).expect("pages have URLs");
    let rows = |scope, selector: &str, columns: &[Column]| {
        let selector = Selector::parse(selector).expect("a selector");
        page.table(scope, &selector, columns, &mut || true)
            .expect("not stopped")
    };
    let column = |value: &str| Column::parse("", value).expect("a column");
    let text = |row: &magpie_page::Row, index: usize| row.cells[index].as_ref().map(|cell| cell.text.clone());
    let forms = rows(
        page.document().root(),
        "form",
        &[column("url:action"), column("@method")],
    );
    forms
        .iter()
        .map(|form| {
            let inputs = rows(form.node, "input, select", &[column("@name")]);
            let mut names: Vec<String> = inputs.iter().filter_map(|input| text(input, 0)).collect();
            // Radio buttons repeat their name.
            names.dedup();
            (text(form, 0), text(form, 1), names)
        })
        .collect()
}

#[test]
fn forms_are_those_of_the_truth() {
    let mut purposes: BTreeSet<FormPurpose> = BTreeSet::new();
    for vertical in Vertical::ALL {
        let web = deep(vertical, 11, 40, false);
        for search in web.searches(0) {
            let pages: BTreeSet<&String> = search.forms.iter().map(|form| &form.page).collect();
            for page in pages {
                let (url, response) = follow(&web, page);
                let served = parsed(&url, &body(&response));
                for form in search.forms.iter().filter(|form| form.page == *page) {
                    purposes.insert(form.purpose);
                    let names: Vec<String> = form.inputs.iter().map(|input| input.name.clone()).collect();
                    let found = served.iter().find(|(action, _, inputs)| {
                        *inputs == names && (form.action.is_none() || *action == form.action)
                    });
                    let (_, method, _) = found.unwrap_or_else(|| panic!("{form:?} {served:?}"));
                    if form.action.is_some() {
                        assert_eq!(method.as_deref(), Some(form.method));
                    }
                }
            }
        }
    }
    assert_eq!(purposes.len(), 4, "{purposes:?}");
}

/// Returns the body that a browser would send with a form.
fn filled(form: &TrueForm, query: &str) -> String {
    let mut body = url::form_urlencoded::Serializer::new(String::new());
    for input in &form.inputs {
        let value = if input.is_keyword { query } else { &input.default };
        body.append_pair(&input.name, value);
    }
    body.finish()
}

#[test]
fn a_post_answers_results_and_a_get_of_the_same_url_does_not() {
    let web = deep(Vertical::Books, 12, 120, false);
    let mut tried = 0;
    for search in web
        .searches(0)
        .filter(|search| search.kinds.contains(&"post".to_owned()))
    {
        let form = search
            .forms
            .iter()
            .find(|form| form.purpose == FormPurpose::Search)
            .expect("a deep site has a search form");
        assert_eq!(form.method, "post");
        if !form.inputs.iter().any(|input| input.is_keyword) || search.kinds.contains(&"inert".to_owned()) {
            continue;
        }
        let id = search.hidden[0];
        let sent = filled(form, &title_of(&web, id));
        let action = form.action.as_ref().expect("it has an action");
        let result = web.result(action, Some(&sent), 0).expect("a result");
        assert!(result.total > 0, "{action} {sent}");
        let rest = action.strip_prefix("http://").expect("a URL");
        let (host, path) = rest.split_at(rest.find('/').expect("a path"));
        let request = |form, path| Request {
            host,
            path_and_query: path,
            form,
            ..Request::default()
        };
        let posted = web.respond(&request(Some(&sent), path), 0, 0);
        let expected: BTreeSet<u32> = result.objects.iter().chain(&result.others).copied().collect();
        if result.state == ResultState::Hits {
            assert_eq!(linked(&web, action, &body(&posted)), expected);
        }
        let asked = format!("{path}?{sent}");
        let got = web.respond(&request(None, &asked), 0, 0);
        assert!(linked(&web, action, &body(&got)).is_empty());
        assert!(web.result(&format!("{action}?{sent}"), None, 0).is_none());
        tried += 1;
    }
    assert!(tried > 2, "{tried}");
}

#[test]
fn sites_that_are_not_deep_are_the_same_whatever_the_share_of_deep_ones() {
    let spec = |deep| WebSpec {
        deep,
        ..WebSpec::new(Vertical::Products, Size::Small, 13).with_sites(20)
    };
    let (none, some) = (Web::new(spec(0)), Web::new(spec(90)));
    let mut compared = 0;
    for site in some.sites().filter(|site| !site.is_deep) {
        assert!(some.search_of(site.index, 0).is_none());
        for page in some.pages(site.index, 0).step_by(7) {
            assert_eq!(fetch(&some, &page.url, 0, 0), fetch(&none, &page.url, 0, 0));
            compared += 1;
        }
    }
    assert!(compared > 100);
}

#[test]
fn robots_files_forbid_results_and_nothing_else() {
    let web = deep(Vertical::Books, 18, 80, false);
    let mut forbidden = 0;
    for search in web.searches(0) {
        let site = web.sites().nth(search.site as usize).expect("it is a site");
        let response = fetch(&web, &format!("http://{}/robots.txt", site.host), 0, 0);
        let robots = magpie_discovery::Robots::parse(&response.body);
        let rules = robots.rules("magpie");
        if let Some(url) = url_of(&search, "word") {
            let path = url
                .strip_prefix(&format!("http://{}", search.host))
                .expect("on its host");
            assert_eq!(rules.allows(path), !search.is_forbidden, "{url}");
            let result = web.result(&url, None, 0).expect("a result");
            assert_eq!(result.is_forbidden, search.is_forbidden, "{url}");
            forbidden += usize::from(search.is_forbidden);
        }
        for page in web
            .pages(search.site, 0)
            .filter(|page| page.kind == PageKind::Detail)
        {
            let path = page
                .url
                .strip_prefix(&format!("http://{}", site.host))
                .expect("on the main host");
            assert!(rules.allows(path), "{}", page.url);
        }
    }
    assert!(forbidden > 3, "{forbidden}");
}

#[test]
fn quotas_refuse_searches_and_nothing_else() {
    let web = deep(Vertical::Events, 5, 120, true);
    let mut refused = BTreeSet::new();
    for search in web.searches(0) {
        let Some(url) = url_of(&search, "anything") else {
            continue;
        };
        let rest = url.strip_prefix("http://").expect("a URL");
        let (host, path) = rest.split_at(rest.find('/').expect("a path"));
        for searches in [0, 30, 36, 60, 1_000] {
            let request = Request {
                host,
                path_and_query: path,
                searches,
                ..Request::default()
            };
            let status = web.respond(&request, 0, 0).status;
            if matches!(status, 429 | 403) {
                refused.insert((status, searches));
                let has = |kind: &str| search.kinds.iter().any(|one| one == kind);
                assert!(has("quota") || has("blocks"));
            }
        }
    }
    assert!(
        refused.contains(&(429, 30)) && !refused.contains(&(429, 36)),
        "{refused:?}"
    );
    assert!(refused.contains(&(403, 60)) && refused.contains(&(403, 1_000)));
}

#[tokio::test]
async fn the_server_logs_what_acts_and_counts_searches() {
    let web = Arc::new(deep(Vertical::Products, 14, 30, false));
    let server = serve(
        Arc::clone(&web),
        WeekHandle::default(),
        ([127, 0, 0, 1], 0).into(),
    )
    .await
    .expect("a port is free");
    let address = server.address();
    let ask = |text: String| async move { crate::server::ask(address, &text).await };
    let searches: Vec<TrueSearch> = web.searches(0).collect();
    let with = |kind: &str| {
        let has = |search: &&TrueSearch| search.kinds.iter().any(|one| one == kind);
        searches.iter().find(has).expect("the kind occurs")
    };
    let home = |search: &TrueSearch| {
        web.sites()
            .find(|site| site.index == search.site)
            .expect("it is a site")
            .host
    };
    let mut expected = Vec::new();
    for (kind, act, path) in [
        ("act-cart", Act::Cart, "/cart/add?item=1"),
        ("act-export", Act::Export, "/export.csv"),
        ("act-random", Act::Random, "/random"),
        ("act-delete", Act::Delete, "/list/delete?item=2"),
        ("decoy-newsletter-get", Act::Newsletter, "/newsletter?email=a"),
    ] {
        let host = home(with(kind));
        let answer = ask(format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        ))
        .await;
        assert!(
            answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 302"),
            "{answer}"
        );
        expected.push((host, act));
    }
    let host = home(with("decoy-login"));
    let post = format!(
        "POST /account/login HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 7\r\n\r\nemail=a"
    );
    ask(post).await;
    expected.push((host.clone(), Act::Login));
    let search = searches
        .iter()
        .find(|search| search.answers_get && !search.templates.is_empty())
        .expect("some have a template");
    let url = url_of(search, "word").expect("a URL");
    let path = url
        .strip_prefix(&format!("http://{}", search.host))
        .expect("on its host");
    ask(format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        search.host
    ))
    .await;
    let logged: Vec<(String, Act)> = server
        .acts()
        .into_iter()
        .map(|line| (line.host, line.act))
        .collect();
    assert_eq!(logged, expected);
    let traffic = server.traffic();
    assert!(traffic[&host].posts == 1 && traffic[&host].acts >= 1);
    assert_eq!(traffic[&home(search)].searches, 1);
}

#[test]
fn machine_readable_descriptions_have_the_template() {
    let web = deep(Vertical::Books, 15, 120, false);
    let (mut described, mut actions) = (0, 0);
    for search in web.searches(0) {
        let site = web.sites().nth(search.site as usize).expect("it is a site");
        let (_, home) = follow(&web, &site.home);
        let html = body(&home);
        let has = |kind: &str| search.kinds.iter().any(|one| one == kind);
        assert_eq!(html.contains("opensearchdescription+xml"), has("open-search"));
        if has("open-search") {
            let xml = body(&fetch(
                &web,
                &format!("http://{}/opensearch.xml", site.host),
                0,
                0,
            ));
            let template = search.templates[0]
                .replace("{query}", "{searchTerms}")
                .replace('&', "&amp;");
            assert!(xml.contains(&template), "{xml} {template}");
            described += 1;
        }
        if has("search-action") {
            let written =
                |template: &String| html.contains(&template.replace("{query}", "{search_term_string}"));
            assert!(search.templates.iter().any(written), "{:?}", search.templates);
            actions += 1;
        }
    }
    assert!(described > 3 && actions > 3);
}

#[test]
fn list_only_objects_are_in_the_truth_with_one_page_of_results() {
    let web = Arc::new(deep(Vertical::Products, 16, 30, false));
    let truth = web.truth(0);
    let mut found = 0;
    for page in truth.pages.iter().filter(|page| page.kind == PageKind::Results) {
        let result = web.result(&page.url, None, 0).expect("a page of results");
        let search = truth.searches.iter().find(|search| search.site == page.site);
        let search = search.expect("only deep sites have results");
        assert!(
            page.objects.iter().any(|id| search.list_only.contains(id)),
            "{result:?}"
        );
        found += 1;
    }
    assert!(found > 10, "{found}");
    for search in &truth.searches {
        for id in search.hidden.iter().chain(&search.surface) {
            assert!(truth.object(*id).is_some());
        }
    }
}

#[test]
fn the_query_log_is_skewed_and_the_knowledge_base_has_foreign_types() {
    let web = Web::new(WebSpec::new(Vertical::Books, Size::Paper, 17).with_sites(20));
    let log = web.query_log(400);
    assert_eq!(log.len(), 400);
    assert!(log[0].count > 50 * log[399].count.max(1), "{:?}", log[0]);
    let affixed = log.iter().filter(|line| {
        ["buy ", "cheap ", "kaufen "]
            .iter()
            .any(|word| line.query.starts_with(word))
    });
    assert!(affixed.count() > 10);
    let entities = web.entities(200);
    let kinds: BTreeSet<&str> = entities.iter().map(|entity| entity.kind.as_str()).collect();
    assert!(
        kinds.contains("author") && kinds.contains("mineral") && kinds.len() > 12,
        "{kinds:?}"
    );
    assert!(entities.iter().filter(|entity| entity.kind == "enzyme").count() == 200);
    let hosts: BTreeSet<String> = web.sites().map(|site| site.host).collect();
    assert!(log.iter().all(|line| hosts.contains(&line.host)));
}
