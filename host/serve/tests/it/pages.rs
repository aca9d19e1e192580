//! Pages of a workspace with objects: what they show, what they never show, and acts.

use std::sync::{Arc, Mutex};

use magpie_engine::settings::Resolved;
use magpie_engine::{LearnRequest, Session, learn};
use magpie_serve::{Act, Actions, Effect};
use magpie_test_support::server::{Reply, Site, links};
use rusqlite::Connection;
use serde_json::Value;

use crate::support::{Answer, Collected, HOSTILE, Served, session_options, settings};

/// Paths that are pages, once there are objects.
pub(crate) const PAGES: [&str; 29] = [
    "/",
    "/events",
    "/events?q=quartet",
    "/events?view=calendar&month=2026-12",
    "/events?view=prices",
    "/events?view=map",
    "/events?q=nonsense%3A1",
    "/events?q=nothingatall",
    "/object/1",
    "/object/1/value/name",
    "/changes",
    "/sites",
    "/plan",
    "/urls",
    "/urls?state=refused&reason=robots",
    "/runs",
    "/run/1",
    "/quality",
    "/violations",
    "/doubts",
    "/verticals",
    "/url",
    "/page/1",
    "/objects",
    "/-/exclude?pattern=hostile",
    "/-/exclude",
    "/webhooks",
    "/api",
    "/run/2",
];

/// Lists that have the forms of data.
pub(crate) const LISTS: [&str; 10] = [
    "/events",
    "/changes",
    "/sites",
    "/plan",
    "/urls",
    "/runs",
    "/quality",
    "/violations",
    "/doubts",
    "/verticals",
];

/// Fails if a text of a stranger acts on a page.
pub(crate) fn assert_harmless(path: &str, answer: &Answer) {
    let body = answer.body.to_lowercase();
    for bad in [
        "<script>alert",
        "<img src=x",
        "href=\"javascript:",
        "src=\"javascript:",
        " onerror=alert(2)>",
    ] {
        assert!(!body.contains(bad), "{path} has {bad}");
    }
    assert!(
        !body.contains("style=\""),
        "{path}: the policy drops styles within a page"
    );
}

fn json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{error}: {}", answer.body))
}

#[test]
fn pages_show_what_was_collected_and_nothing_of_it_acts() {
    let collected = Collected::new();
    let served = collected.serve(None);
    for path in PAGES {
        let answer = served.get(path);
        let is_redirect = path == "/objects" && answer.status == 303;
        assert!(
            answer.status == 200 || is_redirect,
            "{path}: {} {}",
            answer.status,
            answer.body
        );
        assert_harmless(path, &answer);
    }
    let list = served.get("/events");
    assert!(
        list.body.contains("&lt;script&gt;alert(1)"),
        "texts are shown escaped: {}",
        list.body
    );
    for path in LISTS {
        let data = json(&served.get(&format!("{path}.json")));
        assert_eq!(data["ok"], true, "{path}");
        let lines = served.get(&format!("{path}.jsonl")).body;
        lines
            .lines()
            .for_each(|line| drop(serde_json::from_str::<Value>(line).unwrap()));
        let table = served.get(&format!("{path}.csv"));
        assert!(table.field("Content-Type").starts_with("text/csv"), "{path}");
    }
    site_pages(&collected, &served);
    search(&served);
    one_object(&served);
    archived(&served);
    let report = served.get("/run/1/report");
    assert!(
        report.field("Content-Security-Policy").starts_with("sandbox"),
        "{}",
        report.head
    );
    acts_are_refused(&served);
    operators_programs(&served);
}

fn site_pages(collected: &Collected, served: &Served) {
    let site: String = url::form_urlencoded::byte_serialize(collected.site.as_bytes()).collect();
    let page = served.get(&format!("/site/{site}"));
    assert_eq!(page.status, 200, "{}", page.body);
    assert_harmless("/site", &page);
    assert!(
        page.body.contains("Disallow: /private"),
        "the robots file is shown: {}",
        page.body
    );
    assert!(page.body.contains("<svg"), "the navigation is drawn");
    assert_eq!(served.get("/site/nowhere.example").status, 404);
    let refused = served.get("/urls?state=refused&reason=robots");
    assert!(refused.body.contains("/private/page"), "{}", refused.body);
    assert_eq!(served.get("/urls?state=lost").status, 400);
    let explained = json(&served.get(&format!("/url.json?u={site}%2Fprivate%2Fpage")));
    assert_eq!(explained["known"][0]["reason"], "robots", "{explained}");
}

fn search(served: &Served) {
    let all = json(&served.get("/events.json"));
    assert_eq!(all["objects"].as_array().unwrap().len(), 16);
    let found = json(&served.get("/events.json?q=recital"));
    assert_eq!(found["objects"].as_array().unwrap().len(), 1);
    let page = served.get("/events?q=quartet");
    assert!(
        page.body.contains("Remove quartet"),
        "a filter can be removed: {}",
        page.body
    );
    assert!(page.body.contains("12 objects"), "{}", page.body);
    let broken = served.get("/events?q=nonsense%3A1");
    assert_eq!(broken.status, 200);
    assert!(broken.body.contains("there is no attribute"), "{}", broken.body);
    assert_eq!(served.get("/events.json?q=nonsense%3A1").status, 400);
    assert_eq!(served.get("/events.json?after=garbage").status, 400);
    assert_eq!(served.get("/nothing").status, 404);
    let month = served.get("/events?view=calendar&month=2026-12");
    assert!(month.body.contains("December 2026") && month.body.contains("Amber Quartet"));
}

fn one_object(served: &Served) {
    let found = json(&served.get("/events.json?q=amber&sort=start"));
    let id = found["objects"][0]["object"].as_i64().unwrap();
    let page = served.get(&format!("/object/{id}"));
    assert!(
        page.body.contains("Old Mill") && page.body.contains("Time line"),
        "{}",
        page.body
    );
    assert!(page.body.contains("application/ld+json") && page.body.contains("MusicEvent"));
    let linked = json(&served.get(&format!("/object/{id}.jsonld")));
    assert_eq!(linked["@type"], "MusicEvent");
    assert!(linked["name"].as_str().unwrap().contains("Amber"));
    let whole = json(&served.get(&format!("/object/{id}.json")));
    assert_eq!(whole["object"], id);
    let schema = json(&served.get("/verticals.json"));
    assert_eq!(schema["verticals"][0]["vertical"], "events");
    let value = served.get(&format!("/object/{id}/value/name"));
    assert!(
        value.body.contains("<iframe") && value.body.contains("sandbox"),
        "{}",
        value.body
    );
    assert_eq!(served.get("/object/999999").status, 404);
    assert_eq!(served.get(&format!("/object/{id}/value/nothing")).status, 404);
    assert_eq!(served.get("/object/x").status, 404);
}

fn archived(served: &Served) {
    let whole = json(&served.get("/object/1.json"));
    let page = whole["members"][0]["sightings"][0]["page"].as_i64().unwrap();
    let raw = served.get(&format!("/page/{page}/raw?nodes=1,2,3"));
    let policy = raw.field("Content-Security-Policy");
    assert!(policy.starts_with("sandbox; default-src 'none'"), "{policy}");
    assert!(raw.body.contains("magpie-mark"), "{}", raw.body);
    for hostile in HOSTILE {
        assert!(
            !raw.body.contains(hostile) || !hostile.contains('<'),
            "{}",
            raw.body
        );
    }
    assert_eq!(served.get("/page/999999/raw").status, 404);
}

/// Names a site without objects, which learning takes nothing from.
pub(crate) fn name_a_site_without_objects(collected: &Collected) -> Site {
    let town = Site::start(|path| match path {
        "/" => links("Our town", &["/about", "/news", "/secret"]),
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /secret\n"),
        "/about" | "/news" => links("A page of our town", &["/"]),
        _ => Reply::status(404),
    });
    let mut options = session_options(&collected.toml);
    options.clock = collected.clock.clone();
    let session = Session::open(collected.folder.path(), options).unwrap();
    let request = LearnRequest::sites([town.url("/")]).unwrap();
    learn(&session, &request, &mut ()).expect_err("the site has no objects");
    town
}

#[test]
fn all_pages_give_one_verdict_on_a_site_and_one_count_of_its_objects() {
    let collected = Collected::new();
    let database = Connection::open(collected.folder.path().join("magpie.db")).unwrap();
    let fell = "UPDATE coverage SET fell_at = 1 WHERE attribute = 'price'";
    assert_eq!(database.execute(fell, []).unwrap(), 1);
    let gone = "UPDATE member SET current = 0 WHERE object_id = (SELECT min(object_id) FROM member)";
    assert!(database.execute(gone, []).unwrap() > 0);
    drop(database);
    let served = collected.serve(None);
    let site: String = url::form_urlencoded::byte_serialize(collected.site.as_bytes()).collect();
    let page = format!("/site/{site}");
    for path in ["/sites", "/sites.json", "/status.json", "/run/2/report", &page] {
        let body = served.get(path).body;
        assert!(body.contains("ewer values of price"), "{path}: {body}");
    }
    let home = served.get("/").body;
    assert!(home.contains("1 of 1 site</a> needs a look"), "{home}");
    assert!(home.contains("1 site with trouble"), "{home}");

    let objects = json(&served.get("/events.json?limit=1000"))["objects"].clone();
    let count = objects.as_array().expect("objects").len();
    assert_eq!(json(&served.get("/sites.json"))["sites"][0]["objects"], count);
    let figure = format!(">{count}</a>");
    for path in ["/", &page] {
        let body = served.get(path).body;
        assert!(body.contains(&figure), "{path}: no {figure} in {body}");
    }
    let report = served.get("/run/2/report").body;
    let row = report.split("objects found so far").nth(1).expect("the figure");
    let row = row.split("</tr>").next().expect("its row");
    assert!(row.contains(&format!("<div>{count}</div>")), "{row}");
}

#[test]
fn a_site_that_brought_nothing_says_why() {
    let collected = Collected::new();
    let town = name_a_site_without_objects(&collected);
    let served = collected.serve(None);
    let link = |page: &Answer, text: &str| -> String {
        let before = page.body.split(text).next().unwrap();
        let href = before.rsplit("href=\"").next().unwrap();
        href.split('"').next().unwrap().replace("&amp;", "&")
    };
    // From the first page two clicks lead there.
    let home = served.get("/");
    let sites = served.get(&link(&home, "1 site that was named brought nothing"));
    assert_eq!(sites.status, 200);
    assert!(
        !sites.body.contains(&format!(">{}<", collected.site)),
        "the others are left out"
    );
    let key = town.url("").trim_end_matches('/').to_owned();
    let row = sites.body.split("brought nothing</span>").next().unwrap();
    let href = row
        .rsplit("href=\"")
        .next()
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    let page = served.get(&href);
    assert_eq!(page.status, 200, "{href}: {}", page.body);
    assert_harmless(&href, &page);
    for part in [
        "No object of events was taken from the 3 pages that were fetched.",
        "robots.txt forbids it",
        "Disallow: /secret",
        &format!("magpie fetch {key}/ --render"),
        "--drop",
    ] {
        assert!(page.body.contains(part), "no {part} in {}", page.body);
    }
    let data = json(&served.get(&format!("{href}.json")));
    assert_eq!(data["sites"][0]["learned_at"], Value::Null, "{data}");
    let fetched = served.get(&link(&page, "What was made of its first page"));
    assert_eq!(fetched.status, 200, "{}", fetched.body);
    assert_eq!(served.get("/site/nowhere.example").status, 404);
}

#[test]
fn a_month_without_objects_leads_to_the_next_with_some() {
    let collected = Collected::new();
    let served = collected.serve(None);
    let now = served.get("/events?view=calendar");
    assert!(now.body.contains("November 2026"), "{}", now.body);
    assert!(
        now.body.contains("No object that matches is in this month."),
        "{}",
        now.body
    );
    assert!(now.body.contains("month=2026-12") && now.body.contains("The next are in December 2026."));
    let last = served.get("/events?view=calendar&month=2027-06");
    assert!(last.body.contains("No object that matches") && !last.body.contains("The next are in"));
    let some = served.get("/events?view=calendar&month=2026-12");
    assert!(!some.body.contains("No object that matches"), "{}", some.body);
    let prices = served.get("/events?view=prices&q=quartet");
    assert!(prices.body.contains("12 objects"), "{}", prices.body);
    let none = served.get("/events?view=prices&q=price%3E1000");
    assert!(
        none.body.contains("No object that matches has one."),
        "{}",
        none.body
    );
}

#[test]
fn places_are_drawn_and_narrow_the_search() {
    let collected = Collected::new();
    let served = collected.serve(None);
    let map = served.get("/events?view=map&q=quartet");
    let text = &map.body;
    assert!(text.contains("<svg class=\"map\""), "{text}");
    assert!(
        text.contains(">4</text>"),
        "four objects are at one place: {text}"
    );
    assert!(
        text.contains("52.5") && text.contains(" km</text>"),
        "lines and a scale: {text}"
    );
    assert!(text.contains("have no place and can"), "{text}");
    let link = text
        .split("<a href=\"")
        .find(|part| part.contains("aria-label=\"Old Mill"))
        .unwrap();
    let link = link.split('"').next().unwrap().replace("&amp;", "&");
    assert!(link.contains("quartet") && link.contains("coordinates"), "{link}");
    let narrowed = served.get(&link);
    assert!(narrowed.body.contains("4 objects"), "{}", narrowed.body);
    assert!(narrowed.body.contains("Show the whole map"), "{}", narrowed.body);
    let object = json(&served.get("/events.json?q=amber%20venue:%22Old%20Mill%22"));
    let page = served.get(&format!("/object/{}", object["objects"][0]["object"]));
    assert!(
        page.body.contains("view=map"),
        "the object leads to the map: {}",
        page.body
    );
    let none = served.get("/events?view=map&q=hostile%20OR");
    assert!(none.body.contains("the map is empty"), "{}", none.body);
    let hall = served.get("/events?view=map&q=venue%3A%22Harbour%20Stage%22");
    assert!(hall.body.contains("has a place: no site gives"), "{}", hall.body);
    for bad in ["91,0..92,1", "0,0..0,0", "x..y", "1,2..", "-90,-180..90,180"] {
        let query: String =
            url::form_urlencoded::byte_serialize(format!("coordinates:{bad}").as_bytes()).collect();
        assert_eq!(
            served.get(&format!("/events?view=map&q={query}")).status,
            200,
            "{bad}"
        );
    }
}

#[test]
fn values_that_do_not_fit_are_counted_by_reason_and_lead_to_their_pages() {
    let collected = Collected::new();
    let served = collected.serve(None);
    let all = json(&served.get("/violations.json"));
    let all = all["violations"].as_array().unwrap();
    let found = all
        .iter()
        .find(|row| row["attribute"] == "image" && row["code"] == "unreadable");
    let found = found.unwrap_or_else(|| panic!("{all:?}"));
    assert_eq!(found["site"], collected.site.as_str());
    let page = served.get("/violations").body;
    let link = page
        .split("href=\"")
        .find(|part| part.contains("attribute=image"))
        .unwrap();
    let link = link.split('"').next().unwrap().replace("&amp;", "&");
    let pages = served.get(&link);
    assert!(pages.body.contains("/event/0-concert"), "{}", pages.body);
    assert!(pages.body.contains("image dropped"), "{}", pages.body);
    let other = link.replace("attribute=image", "attribute=name");
    assert!(served.get(&other).body.contains("No page has such a value"));
    assert_eq!(
        served
            .get("/violations?code=x&site=nowhere.example&vertical=events")
            .status,
        404
    );
}

/// The heaviest page, packed, and the script.
const MAX_PAGE: u64 = 60_000;
const MAX_SCRIPT: u64 = 10_000;

#[test]
fn pages_weigh_little() {
    let collected = Collected::new();
    let served = collected.serve(Some(Arc::new(Noted::default())));
    let packed = |path: &str| -> u64 {
        let answer = served.send(&format!("GET {path}"), &["Accept-Encoding: gzip"], "");
        answer.field("Content-Length").parse().unwrap()
    };
    let home = served.get("/").body;
    let asset = |ending: &str| {
        home.split('"')
            .find(|part| part.ends_with(ending))
            .unwrap()
            .to_owned()
    };
    let (sheet, script) = (packed(&asset(".css")), packed(&asset(".js")));
    let heaviest = PAGES.iter().map(|path| (packed(path), *path)).max().unwrap();
    println!(
        "the style sheet weighs {sheet} bytes, the script {script}, and {} {}",
        heaviest.1, heaviest.0
    );
    assert!(script <= MAX_SCRIPT, "the script weighs {script}");
    assert!(
        sheet + script + heaviest.0 <= MAX_PAGE,
        "{} weighs {}, with a style sheet of {sheet}",
        heaviest.1,
        heaviest.0
    );
}

fn acts_are_refused(served: &Served) {
    let own = format!("Origin: http://{}", served.address);
    let refused = served.post("/-/act", &[&own], "act=pause");
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert!(refused.body.contains("only reads"), "{}", refused.body);
}

fn operators_programs(served: &Served) {
    let metrics = served.get("/metrics");
    assert!(
        metrics.body.contains("magpie_build_info{version="),
        "{}",
        metrics.body
    );
    assert!(
        metrics.body.contains("magpie_objects{vertical=\"events\"} 16"),
        "{}",
        metrics.body
    );
    let status = json(&served.get("/status.json"));
    assert_eq!(status["verticals"][0]["vertical"], "events");
}

/// Notes the acts that it is asked for.
#[derive(Default)]
pub(crate) struct Noted(pub(crate) Mutex<Vec<Act>>);

impl Actions for Noted {
    fn act(&self, act: Act) -> Result<Effect, String> {
        self.0.lock().unwrap().push(act);
        Ok(Effect::Done)
    }

    fn settings(&self) -> Result<Resolved, String> {
        Ok(settings(""))
    }
}

#[test]
fn acting_needs_the_session_that_the_link_begins_once() {
    let collected = Collected::new();
    let noted = Arc::new(Noted::default());
    let served = collected.serve(Some(noted.clone()));
    let own = format!("Origin: http://{}", served.address);
    assert_eq!(served.post("/-/act", &[&own], "act=pause").status, 403);
    assert!(!served.get("/sites").body.contains("Pause all sites"));
    let fields = served.enter();
    let [host, cookie, origin] = fields.each_ref().map(String::as_str);
    let path = &served.entrance[served.entrance.find("/-/").unwrap()..];
    assert_eq!(
        served.send(&format!("GET {path}"), &[host], "").status,
        403,
        "the link is used up"
    );
    let session = [host, cookie];
    assert!(
        served
            .send("GET /sites", &session, "")
            .body
            .contains("Pause all sites")
    );
    // A program at another port of 127.0.0.1 receives all cookies of this name, and can write any
    // Origin. It knows neither the name of the link nor its cookie.
    assert!(
        !served
            .send("GET /sites", &[cookie], "")
            .body
            .contains("Pause all sites")
    );
    assert_eq!(served.post("/-/act", &[cookie, &own], "act=pause").status, 403);
    assert_eq!(
        served.get(&format!("/-/enter?token={}", "0".repeat(64))).status,
        403
    );
    let key = collected.site.as_str();
    let of_site = |act: &str| {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("act", act).append_pair("site", key).finish()
    };
    let site = Some(key.to_owned());
    let acts = [
        ("act=pause", Act::Pause { site: None }),
        (&of_site("pause"), Act::Pause { site: site.clone() }),
        (&of_site("resume"), Act::Resume { site }),
        (&of_site("drop"), Act::Drop { site: key.to_owned() }),
        (&of_site("visit"), Act::Visit { site: key.to_owned() }),
        (
            "act=budget&value=10%2Fday",
            Act::Budget {
                budget: "10/day".to_owned(),
            },
        ),
        (
            "act=exclude&value=%2Fold%2F",
            Act::Exclude {
                site: None,
                pattern: "/old/".to_owned(),
            },
        ),
        ("act=split&one=1&other=2", Act::Split { one: 1, other: 2 }),
        (
            "act=add&value=https%3A%2F%2Fa.example%2F%0D%0Ab.example",
            Act::Add {
                sites: vec!["https://a.example/".to_owned(), "https://b.example/".to_owned()],
            },
        ),
    ];
    for (form, act) in acts {
        let answer = served.post("/-/act", &[host, cookie, origin], form);
        assert_eq!(answer.status, 303, "{form}: {}", answer.body);
        let shown = served.send(&format!("GET {}", answer.field("Location")), &session, "");
        assert_eq!(shown.status, 200, "{form}: {}", shown.body);
        let command = act.command();
        assert!(shown.body.contains(&command), "{command}: {}", shown.body);
        assert_eq!(noted.0.lock().unwrap().pop(), Some(act));
    }
    // A link from elsewhere shows no command of its own, and a reader nothing at all.
    let done = "GET /-/done?effect=done&act=pause&command=curl+evil.example";
    let shown = served.send(done, &session, "");
    assert!(shown.body.contains("magpie sites --pause"), "{}", shown.body);
    assert!(!shown.body.contains("curl evil.example"), "{}", shown.body);
    assert_eq!(served.send(done, &[], "").status, 403);
    for (form, status) in [
        ("act=exclude&value=(", 400),
        ("act=nothing", 400),
        ("act=drop", 400),
        ("act=visit", 400),
        ("act=visit&site=a.example", 404),
        ("act=pause&site=a.example", 404),
        ("act=resume&site=a.example", 404),
        ("act=drop&site=a.example", 404),
        ("act=exclude&value=x&site=a.example", 404),
        ("act=add&value=javascript%3Aalert(1)", 400),
    ] {
        assert_eq!(
            served.post("/-/act", &[host, cookie, origin], form).status,
            status,
            "{form}"
        );
    }
    let elsewhere = ["Sec-Fetch-Site: cross-site", host, cookie];
    assert_eq!(served.post("/-/act", &elsewhere, "act=pause").status, 403);
    assert!(noted.0.lock().unwrap().is_empty());
    let shown = served.send("GET /-/exclude?pattern=hostile", &session, "");
    assert!(
        shown.body.contains("Exclude them") && shown.body.contains("Fetched pages"),
        "{}",
        shown.body
    );
}
