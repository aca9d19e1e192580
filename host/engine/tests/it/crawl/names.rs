//! Pages that go by several names, and servers that insist on one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use magpie_engine::crawl::{CrawlConfig, Ending, LinkFilter, LinkFilters};
use magpie_engine::settings::Settings;
use magpie_engine::{canonicaliser_knowing, proof_of_order};
use magpie_model::CanonicalUrl;
use magpie_rows::{Frontier, Requeue as _};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::server::{Asked, Reply, Site, links};

use super::common::{config, crawl, crawl_hearing, crawl_with, in_a_folder, memory, settings};

/// Ten items, each linked from all pages. Every answer has links with a session of its own, under a
/// key that is on no list.
fn in_sessions(link: fn(usize, usize) -> String) -> impl Fn(&str) -> Reply + Send + Sync {
    let answers = AtomicUsize::new(0);
    move |path: &str| {
        let name = path.split(['?', ';']).next().unwrap_or(path).to_owned();
        if name != "/" && !name.starts_with("/item") {
            return Reply::status(404);
        }
        let session = answers.fetch_add(1, Ordering::Relaxed);
        let links: String = (0..10)
            .map(|item| format!("<a href=\"{}\">item {item}</a> ", link(item, session)))
            .collect();
        Reply::html(format!(
            "<!doctype html><title>{name}</title><h1>All about {name}</h1>{links}"
        ))
    }
}

#[test]
fn sessions_of_any_name_are_found_out_and_known_in_later_runs() {
    let in_query: fn(usize, usize) -> String = |item, session| format!("/item{item}?bin={session}&x=1");
    let in_path: fn(usize, usize) -> String = |item, session| format!("/item{item};bin={session}");
    for (link, key) in [(in_query, "bin"), (in_path, ";bin")] {
        let site = Site::start(in_sessions(link));
        let (_folder, path, workspace) = in_a_folder();
        let first = config(Arc::clone(&workspace) as _, &settings(""));
        // A crawl that is killed right after it reported a key must not fetch the dropped URLs
        // again.
        let mut durable = Vec::new();
        let first = crawl_hearing(first, &[site.url("/")], None, &mut |_| {
            let reader = magpie_engine::open_reader(&path).expect("a reader");
            let url_rules = reader.url_rules(&site.address.to_string()).expect("rules");
            durable.extend(url_rules.into_iter().map(|kept| kept.key));
        });
        assert_eq!(durable, [key]);
        assert_eq!(first.ending, Ending::Finished, "{key}");
        let told = format!("`{key}` in its URLs makes no difference; it is dropped from now on");
        assert_eq!(first.notices, [told]);
        // Until it was proven the pages led to others without end.
        let needed = first.pages.len();
        assert!((11..200).contains(&needed), "{key}: {needed}");
        let plain = first.pages.keys().filter(|url| !url.contains("bin="));
        assert_eq!(plain.count(), 11, "{key}");

        workspace.flush().expect("written");
        let reader = magpie_engine::open_reader(&path).expect("a reader");
        let url_rules = reader.url_rules(&site.address.to_string()).expect("rules");
        let url_rules: Vec<_> = url_rules
            .iter()
            .map(|kept| (&*kept.url_rule, &*kept.key))
            .collect();
        assert_eq!(url_rules, [("needless-key", key)]);

        let of = workspace.site(&site.address.to_string()).expect("a site");
        let known = reader.known_pages(of).expect("pages");
        let plain = known.iter().filter(|page| !page.url.contains("bin="));
        let queued = workspace.queue_urls(of, plain.map(|page| page.id).collect());
        assert_eq!(queued.expect("queued"), 11);
        let second = crawl(Arc::clone(&workspace) as _, &settings(""), &[site.url("/")], None);
        assert_eq!(second.pages.len(), 11, "{key}: {:?}", second.pages);
        assert!(second.pages.keys().all(|url| !url.contains("bin=")), "{key}");
    }
}

/// Answers of a host under its name with `www.`. Its pages link to themselves under both names.
#[derive(Clone, Copy, Debug)]
enum Twin {
    Same,
    /// But for an advertisement, which is another at each visit.
    SameTitles,
    Redirects,
    Differs,
}

#[test]
fn a_host_with_the_same_pages_under_two_names_is_crawled_under_one() {
    const ITEMS: usize = 40;
    let crawled = |twin: Twin| {
        let port = Arc::new(AtomicUsize::new(0));
        let known = Arc::clone(&port);
        let visits = AtomicUsize::new(0);
        let site = Site::asked(move |asked: &Asked| {
            let path = asked.path.as_str();
            if path != "/" && !path.starts_with("/item") {
                return Reply::status(404);
            }
            let bare = format!("twin.test:{}", known.load(Ordering::Relaxed));
            let host = asked.field("host").unwrap_or_default();
            let name = match twin {
                Twin::Redirects if host != bare => return Reply::redirect(&format!("http://{bare}{path}")),
                Twin::SameTitles => {
                    let visit = visits.fetch_add(1, Ordering::Relaxed);
                    &"and our shop ".repeat(1 + visit % 7)
                }
                Twin::Differs => host,
                Twin::Same | Twin::Redirects => "",
            };
            let items = (0..ITEMS).map(|item| format!("<a href=\"/item{item}\">{item}</a> "));
            let names = ["", "www."].map(|www| format!("<a href=\"http://{www}{bare}{path}\">this</a> "));
            let links: String = items.chain(names).collect();
            let title = match twin {
                Twin::SameTitles => format!("<title>{path}</title>"),
                _ => String::new(),
            };
            Reply::html(format!(
                "<!doctype html>{title}<h1>About {path} {name}</h1>{links}"
            ))
        });
        let at = site.address;
        port.store(usize::from(at.port()), Ordering::Relaxed);
        let resolve = ["", "www."].map(|www| format!("\"{www}twin.test:*:{}\"", at.ip()));
        let settings = settings(&format!(
            "[network]\nresolve = [{}]\n[traps]\nnear_duplicates = false\n",
            resolve.join(", ")
        ));
        let start = format!("http://twin.test:{}/", at.port());
        let crawled = crawl(memory(), &settings, &[start], None);
        let www = crawled.pages.keys().filter(|url| url.contains("www.")).count();
        let asked = format!("; http://twin.test:{} is used from now on", at.port());
        let told = crawled.notices.iter().filter(|notice| notice.ends_with(&asked));
        (www, crawled.pages.len() - www, told.count())
    };
    for twin in [Twin::Same, Twin::SameTitles, Twin::Redirects] {
        let (www, bare, told) = crawled(twin);
        assert_eq!((bare, told), (ITEMS + 1, 1), "{twin:?}");
        assert!((4..ITEMS / 2).contains(&www), "{www}");
    }
    assert_eq!(crawled(Twin::Differs), (ITEMS + 1, ITEMS + 1, 0));
}

/// Wants one page, from wherever a link leads to it, and nothing else.
struct WantsOne(&'static str);

impl LinkFilter for WantsOne {
    fn wants(&mut self, _: &CanonicalUrl, link: &CanonicalUrl, _: bool) -> bool {
        link.path_and_query() == self.0
    }

    fn reads_sitemaps(&self) -> bool {
        false
    }

    fn wants_named(&mut self, _: &CanonicalUrl) -> bool {
        false
    }

    fn is_list(&self, _: &CanonicalUrl) -> bool {
        false
    }

    fn wants_whole(&self, _: &CanonicalUrl) -> bool {
        false
    }

    fn fetched(&mut self, _: &CanonicalUrl, _: u64, _: u64) {}
}

impl LinkFilters for WantsOne {
    fn filter(&self, _: &str) -> Option<Box<dyn LinkFilter>> {
        Some(Box::new(WantsOne(self.0)))
    }
}

#[test]
fn guided_crawls_find_sessions_out_too() {
    // Values as machines make them, the same few letters never twice.
    let link: fn(usize, usize) -> String = |item, session| {
        let session = (session as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!("/item{item}?bin={session:016x}")
    };
    let site = Site::start(in_sessions(link));
    let own = CrawlConfig {
        filters: Some(Arc::new(WantsOne("/item9"))),
        ..config(memory(), &settings(""))
    };
    let planned: Vec<String> = (0..8).map(|item| site.url(&format!("/item{item}"))).collect();
    let crawled = crawl_with(own, &planned, None);
    let wanted = site.url("/item9");
    assert!(crawled.pages.contains_key(&wanted), "{:?}", crawled.pages);
    assert_eq!(crawled.pages.len(), 9);
}

/// Five pages of one script, which redirects to its own order of keys from any other.
fn with_an_order(path: &str) -> Reply {
    let address = |number: usize| format!("/index.php?page=thing&id={number}");
    let all: Vec<String> = (1..=5).map(address).collect();
    let id = path.strip_prefix("/index.php?").and_then(|query| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == "id").map(|(_, id)| id)
    });
    match (path, id.and_then(|id| id.parse().ok())) {
        ("/", _) => links("Home", &all.iter().map(String::as_str).collect::<Vec<_>>()),
        (_, Some(number)) if path == address(number) => links(&format!("Thing {number}"), &[]),
        (_, Some(number)) => Reply::redirect(&address(number)),
        _ => Reply::status(404),
    }
}

#[test]
fn the_order_of_keys_that_a_server_insists_on_is_kept() {
    let site = Site::start(with_an_order);
    let (_folder, path, workspace) = in_a_folder();
    let first = crawl(Arc::clone(&workspace) as _, &settings(""), &[site.url("/")], None);
    assert_eq!(first.ending, Ending::Finished);
    assert_eq!(
        first.notices,
        ["its server requires its own order of query keys; the order is kept from now on"]
    );
    let things = |pages: &std::collections::BTreeMap<String, (Option<u16>, Option<String>)>| {
        let good = pages
            .iter()
            .filter(|(url, (status, _))| url.contains("page=thing&id=") && *status == Some(200));
        good.count()
    };
    assert_eq!(things(&first.pages), 5, "{:?}", first.pages);

    // Later runs know it, also where nothing may be found out.
    workspace.flush().expect("written");
    let site_id = workspace.site(&site.address.to_string()).expect("a site");
    let known = magpie_engine::open_reader(&path)
        .expect("a reader")
        .known_pages(site_id)
        .expect("pages");
    let url_rules = magpie_engine::open_reader(&path).expect("a reader");
    let url_rules = url_rules.url_rules(&site.address.to_string()).expect("rules");
    let canonicaliser = canonicaliser_knowing(&Settings::default(), &url_rules);
    let name = |path: &str| {
        let canonical = canonicaliser.canonicalise_text(&site.url(path), None);
        canonical.expect("a URL")
    };
    let thing = name("/index.php?page=thing&id=3");
    assert_eq!(thing.url.as_str(), site.url("/index.php?page=thing&id=3"));
    let proof = proof_of_order(&thing, &url_rules).map(|kept| kept.evidence.contains("in another order"));
    assert_eq!(
        (proof, proof_of_order(&name("/"), &url_rules)),
        (Some(true), None)
    );

    let home = known.iter().filter(|page| page.url == site.url("/"));
    workspace
        .queue_urls(site_id, home.map(|page| page.id).collect())
        .expect("queued");
    let second = crawl(
        Arc::clone(&workspace) as _,
        &settings("[urls]\nlearn_keys = false\n"),
        &[site.url("/")],
        None,
    );
    assert_eq!(second.notices, [""; 0]);
    assert_eq!(second.pages.len(), 1, "{:?}", second.pages);
}

/// Pages for which the server requires another spelling of the URL, or a cookie.
fn insisting(asked: &Asked) -> Reply {
    let has_cookie = asked
        .field("cookie")
        .is_some_and(|cookies| cookies.contains("seen=1"));
    match asked.path.as_str() {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /*utm_medium\n"),
        "/" => links(
            "Home",
            &["/item?id=1", "/item?id=2", "/walled", "/round", "/shut?id=1"],
        ),
        "/item?id=1&utm_source=own" | "/item?id=2&utm_source=own" => links("An item", &["/below"]),
        "/item?id=1" | "/item?id=2" => Reply::redirect(&format!("{}&utm_source=own", asked.path)),
        "/walled" if has_cookie => links("Behind the wall", &[]),
        "/walled" => Reply::redirect("/walled").with("set-cookie", "seen=1"),
        "/round" => Reply::redirect("/round").with("set-cookie", "again=1"),
        "/shut?id=1" => Reply::redirect("/shut?id=1&utm_medium=own"),
        "/below" => links("Below", &[]),
        _ => Reply::status(404),
    }
}

#[test]
fn pages_are_asked_for_as_their_server_insists() {
    let site = Site::asked(insisting);
    let (_folder, path, workspace) = in_a_folder();
    let crawled = crawl(Arc::clone(&workspace) as _, &settings(""), &[site.url("/")], None);
    assert_eq!(crawled.ending, Ending::Finished);
    for page in ["/item?id=1", "/item?id=2", "/walled", "/below"] {
        assert_eq!(crawled.pages[&site.url(page)], (Some(200), None), "{page}");
    }
    assert_eq!(
        crawled.notices,
        ["its server redirects to URLs with `utm_source`, which links lack; such a page takes two requests"]
    );
    let round = &crawled.pages[&site.url("/round")];
    assert_eq!(round.1.as_deref(), Some("redirect-circle"));
    let counts = site.counts();
    assert_eq!(
        (counts["/walled"], counts["/round"], counts["/item?id=1"]),
        (2, 2, 1)
    );
    assert!(!counts.contains_key("/shut?id=1&utm_medium=own"), "{counts:?}");
    assert_eq!(crawled.progress.refused["robots"], 1);
    // The names are the pages', and the archive has both answers of each.
    workspace.flush().expect("written");
    let reader = magpie_engine::open_reader(&path).expect("a reader");
    let named = |path: &str| {
        let url = CanonicalUrl::trusted(site.url(path)).expect("a URL");
        reader.explain(url.fingerprint().0).expect("known").len()
    };
    assert_eq!((named("/item?id=1"), named("/item?id=1&utm_source=own")), (1, 0));
    drop(workspace);
    let verified = Workspace::open(&path, &WorkspaceOptions::default())
        .and_then(|workspace| workspace.verify())
        .expect("verified");
    assert!(verified.problems.is_empty(), "{:?}", verified.problems);
}
