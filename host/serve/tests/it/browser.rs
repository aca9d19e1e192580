//! The pages in a real browser, as a person uses it. Skipped with a line where Chromium is missing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use magpie_serve::{Role, add_account};
use magpie_test_support::browser::{Browser, Tab};
use magpie_test_support::server::{Reply, Site};
use serde_json::Value;

use crate::pages::{Noted, PAGES};
use crate::support::{Collected, Served, open_to_others};

/// The checker of accessibility, its version and the hash of its file.
const AXE: &str = "axe-core@4.14.1";
const AXE_SHA256: &str = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c";

/// Parts in which all pages are checked.
const PARTS: usize = 4;

/// Widths of a desk and of a small telephone.
const WIDTHS: [u32; 2] = [1_280, 320];

const CHECK: &str = "axe.run(document, {iframes: false, resultTypes: ['violations'], runOnly: {type: 'tag', \
    values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}}).then(result => \
    result.violations.map(found => found.id + ': ' + found.nodes.slice(0, 2).map(node => node.html.slice(0, 300) \
    + ' ' + node.failureSummary).join(' | ')))";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Gets the checker from npm, once. Skips the test and returns `None` where that is not possible.
fn axe() -> Option<String> {
    let folder = folder("axe-core");
    let file = folder.join("package/axe.min.js");
    if !file.exists() {
        let script = format!("timeout 60 npm pack --silent {AXE} && tar xzf axe-core-*.tgz");
        let outcome = Command::new("sh")
            .args(["-c", &script])
            .current_dir(&folder)
            .output();
        if !outcome.is_ok_and(|outcome| outcome.status.success()) {
            magpie_test_support::skip("axe-core could not be fetched from npm");
            return None;
        }
    }
    let text = std::fs::read_to_string(&file).ok()?;
    let hash = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    let hash: String = hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash, AXE_SHA256, "axe-core is not the file that was looked at");
    Some(text)
}

/// Opens the link that begins a session.
fn enter(tab: &mut Tab<'_>, served: &Served) {
    tab.open(&served.entrance);
    assert_eq!(tab.status, 200, "the entrance leads to the first page");
}

/// Fails if a page asked for something elsewhere or had an error.
fn assert_sound(tab: &mut Tab<'_>, served: &Served, path: &str) {
    tab.look();
    let own = format!("http://{}/", served.own);
    for request in &tab.requests {
        assert!(request.starts_with(&own), "{path} asks for {request}");
    }
    assert!(tab.errors.is_empty(), "{path}: {:?}", tab.errors);
}

/// Checks a page in both widths and colour schemes.
fn check_forms(
    tab: &mut Tab<'_>,
    axe: Option<&str>,
    has_script: bool,
    path: &str,
    findings: &mut Vec<String>,
) {
    if let Some(axe) = axe.filter(|_| has_script) {
        tab.evaluate(axe);
    }
    let name: String = path
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '-'
            }
        })
        .collect();
    for width in WIDTHS {
        for is_dark in [false, true] {
            tab.set(width, is_dark, has_script);
            let form = format!(
                "{path} at {width} px, {}, script {}",
                if is_dark { "dark" } else { "light" },
                if has_script { "on" } else { "off" }
            );
            let wide = tab.evaluate("document.documentElement.scrollWidth");
            if wide != width {
                findings.push(format!("{form}: it is {wide} px wide"));
            }
            if !has_script {
                continue;
            }
            if axe.is_some() {
                let found = tab.evaluate(CHECK);
                findings.extend(
                    found
                        .as_array()
                        .into_iter()
                        .flatten()
                        .map(|one| format!("{form}: {one}")),
                );
            }
            // Both widths and both schemes are seen, each once.
            if is_dark != (width == WIDTHS[1]) {
                continue;
            }
            let scheme = if is_dark { "dark" } else { "light" };
            tab.screenshot(&folder("pages").join(format!("{name}-{width}-{scheme}.png")));
        }
    }
}

/// Checks every page of a part of them, each in all forms. The parts are tests of their own, so
/// that they run side by side.
fn check_part(part: usize) {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let axe = axe();
    let collected = Collected::new();
    let served = collected.serve(Some(Arc::new(Noted::default())));
    let mut tab = browser.tab();
    enter(&mut tab, &served);
    let site: String = url::form_urlencoded::byte_serialize(collected.site.as_bytes()).collect();
    // An object whose price has changed has two records.
    let (object, whole) = (1..=16)
        .map(|id| {
            let whole = served.get(&format!("/object/{id}.json")).body;
            (id, serde_json::from_str::<Value>(&whole).unwrap())
        })
        .find(|(_, whole)| {
            whole["members"]
                .as_array()
                .is_some_and(|members| members.len() > 1)
        })
        .unwrap();
    let record = |at: usize| whole["members"][at]["record"].to_string();
    let more = [
        format!("/site/{site}"),
        "/audit".to_owned(),
        format!("/-/split?object={object}&one={}&other={}", record(0), record(1)),
    ];
    let all = PAGES.iter().copied().chain(more.iter().map(String::as_str));
    let mut findings = Vec::new();
    for path in all.skip(part).step_by(PARTS) {
        for has_script in [true, false] {
            tab.set(WIDTHS[0], false, has_script);
            tab.open(&format!("http://{}{path}", served.own));
            assert_eq!(tab.status, 200, "{path}");
            check_forms(&mut tab, axe.as_deref(), has_script, path, &mut findings);
            assert_sound(&mut tab, &served, path);
        }
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn pages_of_the_first_part_are_sound_in_every_form() {
    check_part(0);
}

#[test]
fn pages_of_the_second_part_are_sound_in_every_form() {
    check_part(1);
}

#[test]
fn pages_of_the_third_part_are_sound_in_every_form() {
    check_part(2);
}

#[test]
fn pages_of_the_fourth_part_are_sound_in_every_form() {
    check_part(3);
}

#[test]
fn a_person_logs_in_by_keyboard_and_out_again() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let axe = axe();
    let collected = Collected::new();
    let password = "correct horse battery";
    let now = collected.clock.now();
    add_account(collected.folder.path(), "ada", Role::Operator, password, now).unwrap();
    let actions = Some(Arc::new(Noted::default()) as Arc<dyn magpie_serve::Actions>);
    let served = open_to_others(collected.folder.path(), &collected.toml, actions);
    let mut tab = browser.tab();
    let mut findings = Vec::new();
    for has_script in [true, false] {
        tab.set(WIDTHS[0], false, has_script);
        tab.open(&format!("http://{}/sites", served.own));
        assert_eq!(
            tab.evaluate("location.pathname + location.search"),
            "/-/login?next=%2Fsites"
        );
        check_forms(&mut tab, axe.as_deref(), has_script, "/-/login", &mut findings);
        assert_sound(&mut tab, &served, "/-/login");
    }
    // To the second address browsers send no Sec-Fetch-Site, as to any name without https.
    for (width, host) in WIDTHS.into_iter().zip(["127.0.0.1", "0.0.0.0"]) {
        tab.set(width, false, true);
        tab.open(&format!("http://{host}:{}/sites", served.address.port()));
        assert_eq!(
            tab.evaluate("document.activeElement.name"),
            "name",
            "one can type at once"
        );
        tab.call("Input.insertText", serde_json::json!({"text": "ada"}));
        tab.press("Tab", 9);
        tab.call("Input.insertText", serde_json::json!({"text": password}));
        tab.press("Enter", 13);
        tab.wait_until("location.pathname === '/sites'", Duration::from_secs(20));
        tab.wait_until("document.readyState === 'complete'", Duration::from_secs(5));
        let foot = tab.evaluate("document.querySelector('footer').innerText");
        assert!(foot.as_str().unwrap().contains("You are ada."), "{foot}");
        check_forms(&mut tab, axe.as_deref(), true, "/sites for ada", &mut findings);
        tab.leads("document.querySelector('footer button').click()");
        assert_eq!(tab.evaluate("location.pathname"), "/-/login");
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// Facts about the element that has the focus.
const FOCUSED: &str = "(() => { const at = document.activeElement, box = at.getBoundingClientRect(), style = \
    getComputedStyle(at.closest('svg') ? at.querySelector('circle') : at); return {name: at.tagName + '.' + at.className + ' ' \
    + at.innerText, hasOutline: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 1 || \
    parseFloat(style.strokeWidth) > 3, isSeen: box.width > 0 && box.height > 0 && box.right > 0 && box.bottom > 0 && \
    box.left < innerWidth && box.top < innerHeight, isBody: at === document.body}; })()";

#[test]
fn pages_are_usable_by_keyboard_alone() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let collected = Collected::new();
    let served = collected.serve(None);
    let mut tab = browser.tab();
    for path in ["/", "/events", "/events?view=map", "/object/1", "/sites"] {
        for width in WIDTHS {
            tab.set(width, false, true);
            tab.open(&format!("http://{}{path}", served.own));
            tab.press("Tab", 9);
            let first = tab.evaluate(FOCUSED);
            assert!(
                first["name"].as_str().unwrap().starts_with("A.skip"),
                "{path}: {first}"
            );
            assert!(
                first["isSeen"] == true,
                "the skip link is seen when it has the focus: {first}"
            );
            tab.press("Enter", 13);
            tab.wait_until("document.activeElement.id === 'main'", Duration::from_secs(5));
            for _ in 0..25 {
                tab.press("Tab", 9);
                let focused = tab.evaluate(FOCUSED);
                if focused["isBody"] == true {
                    break;
                }
                assert!(focused["hasOutline"] == true, "{path} at {width} px: {focused}");
                assert!(focused["isSeen"] == true, "{path} at {width} px: {focused}");
            }
        }
    }
    // Without a script the menu of a small screen opens and leads on.
    tab.set(WIDTHS[1], false, false);
    tab.open(&format!("http://{}/", served.own));
    let is_shown = "getComputedStyle(document.getElementById('menu')).display !== 'none'";
    assert_eq!(tab.evaluate(is_shown), false);
    tab.evaluate("document.querySelector('.to-menu').click()");
    tab.wait_until(is_shown, Duration::from_secs(5));
}

/// A script that follows the link with this text.
fn follow(text: &str) -> String {
    format!(
        "[...document.querySelectorAll('main a')].find(link => link.innerText.trim() === {}).click()",
        Value::from(text)
    )
}

/// The value of a property in a calendar.
fn property<'a>(calendar: &'a str, name: &str) -> &'a str {
    let line = calendar.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or_else(|| panic!("no {name} in {calendar}")).trim()
}

#[test]
fn a_person_finds_a_concert_checks_its_price_and_subscribes() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let collected = Collected::new();
    // It is Friday, the 27th of November.
    let served = collected.serve(None);
    let mut tab = browser.tab();
    tab.set(WIDTHS[0], false, true);
    tab.open(&format!("http://{}/", served.own));
    tab.leads(
        "document.querySelector('header input[type=search]').value = 'quartet'; \
         document.querySelector('header form button').click()",
    );
    let shown = |tab: &mut Tab<'_>| tab.evaluate("document.querySelector('[role=status]').innerText");
    assert!(shown(&mut tab).as_str().unwrap().starts_with("12 objects"));
    tab.leads(&follow("Town Hall"));
    assert!(shown(&mut tab).as_str().unwrap().starts_with("4 objects"));
    tab.leads(&follow("next weekend"));
    assert!(shown(&mut tab).as_str().unwrap().starts_with("1 object "));
    let calendar = tab.evaluate(
        "[...document.querySelectorAll('main a')].find(a => a.innerText === 'Calendar (ICS)').pathname \
        + [...document.querySelectorAll('main a')].find(a => a.innerText === 'Calendar (ICS)').search",
    );
    let calendar = calendar.as_str().unwrap().to_owned();
    tab.leads("document.querySelector('.hits h3 a').click()");
    let text = tab.evaluate("document.querySelector('main').innerText");
    let text = text.as_str().unwrap();
    assert!(
        text.contains("Amber Quartet") && text.contains("Sat 5 Dec 2026, 20:00"),
        "{text}"
    );
    tab.leads("document.querySelector('a[href$=\"/value/price\"]').click()");
    // The mark is in a frame whose scripts may not run, and which no script of ours can read.
    tab.wait_until(
        "document.querySelector('iframe') !== null",
        Duration::from_secs(5),
    );
    let tree = tab
        .call(
            "DOM.getDocument",
            serde_json::json!({"depth": -1, "pierce": true}),
        )
        .to_string();
    assert!(tree.contains("magpie-mark"), "{tree}");
    assert!(
        tree.contains("16 EUR") || tree.contains("\\\"price\\\":\\\"16\\\""),
        "{tree}"
    );
    let before = served.get(&calendar).body;
    assert!(
        before.contains("SUMMARY:Concert of the Amber Quartet"),
        "{before}"
    );
    collected.a_week_later();
    let path = tab.evaluate("document.querySelector('.verdict a').pathname");
    let object = format!("{}.ics", path.as_str().unwrap());
    let after = served.get(&object).body;
    assert_eq!(property(&before, "UID:"), property(&after, "UID:"));
    let sequence = |calendar: &str| property(calendar, "SEQUENCE:").parse::<u64>().unwrap();
    assert!(sequence(&after) > sequence(&before), "{before}\n{after}");
    assert!(property(&after, "DTSTART").contains("T21"), "{after}");
}

/// Clicks of somebody new, from the first page on, without typing an address.
struct Newcomer<'a, 'b> {
    tab: &'a mut Tab<'b>,
    clicks: usize,
}

impl<'a, 'b> Newcomer<'a, 'b> {
    fn at_home(tab: &'a mut Tab<'b>, served: &Served) -> Newcomer<'a, 'b> {
        tab.open(&format!("http://{}/", served.own));
        Newcomer { tab, clicks: 0 }
    }

    /// Clicks on a link or a button by its text.
    fn click(&mut self, text: &str) {
        self.tab.leads(&format!(
            "[...document.querySelectorAll('a, button')].find(part => part.offsetParent !== null && \
             part.innerText.trim() === {}).click()",
            Value::from(text)
        ));
        self.clicks += 1;
    }

    fn text(&mut self) -> String {
        let text = self.tab.evaluate("document.querySelector('main').innerText");
        text.as_str().unwrap().to_owned()
    }

    /// The address that a link has.
    fn address(&mut self, text: &str) -> String {
        let found = self.tab.evaluate(&format!(
            "(link => link.pathname + link.search)([...document.querySelectorAll('main a')].find(link => \
             link.innerText.trim() === {}))",
            Value::from(text)
        ));
        found.as_str().unwrap().to_owned()
    }
}

/// The most clicks that a task may need.
const MAX_CLICKS: usize = 4;

#[test]
fn somebody_new_does_five_tasks_from_the_first_page() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let collected = Collected::new();
    let _town = crate::pages::name_a_site_without_objects(&collected);
    let noted = Arc::new(Noted::default());
    let served = collected.serve(Some(noted.clone()));
    let mut tab = browser.tab();
    enter(&mut tab, &served);
    for width in WIDTHS {
        tab.set(width, false, true);
        // A concert next weekend at one place, and its calendar.
        let mut person = Newcomer::at_home(&mut tab, &served);
        person.click("All events");
        person.click("next weekend");
        person.click("Town Hall");
        assert!(person.text().contains("1 object"), "{}", person.text());
        let calendar = person.address("Calendar (ICS)");
        assert!(
            served
                .get(&calendar)
                .body
                .contains("SUMMARY:Concert of the Amber Quartet")
        );
        assert!(person.clicks <= MAX_CLICKS);

        // The reason why a site brought nothing.
        let mut person = Newcomer::at_home(&mut tab, &served);
        person.click("1 site that was named brought nothing");
        let name = person
            .tab
            .evaluate("document.querySelector('tbody a').innerText.trim()");
        person.click(name.as_str().unwrap());
        assert!(
            person.text().contains("No object of events was taken from"),
            "{}",
            person.text()
        );
        assert!(person.clicks <= MAX_CLICKS);

        // The changes since Monday, as a table for a spreadsheet.
        let mut person = Newcomer::at_home(&mut tab, &served);
        person.click("what changed in the last 7 days");
        person.click("since Monday");
        let table = person.address("CSV");
        let table = served.get(&table);
        assert!(table.body.contains("Recital by Candlelight"), "{}", table.body);
        assert!(person.clicks <= MAX_CLICKS);

        // The source of a price.
        let mut person = Newcomer::at_home(&mut tab, &served);
        person.click("Recital by Candlelight");
        let row = "[...document.querySelectorAll('main tr')].find(row => row.innerText.startsWith('Price')).innerText";
        let row = person.tab.evaluate(row);
        assert!(row.as_str().unwrap().contains("127.0.0.1"), "{row}");
        person
            .tab
            .leads("document.querySelector('a[href$=\"/value/price\"]').click()");
        assert!(person.text().contains("7 EUR"), "{}", person.text());

        // A site is paused.
        let mut person = Newcomer::at_home(&mut tab, &served);
        match width == WIDTHS[0] {
            true => person.click("Sites"),
            // The menu of a small screen is one click more.
            false => {
                person.tab.evaluate("document.querySelector('.to-menu').click()");
                person.clicks += 1;
                person.tab.wait_until(
                    "document.querySelector('#menu').offsetParent !== null",
                    Duration::from_secs(5),
                );
                person.click("Sites");
            }
        }
        let name = collected.site.trim_start_matches("http://").to_owned();
        let own = person
            .tab
            .evaluate("document.querySelector('tbody a').innerText.trim()");
        assert!(own.as_str().unwrap().contains(&name), "{own}");
        person.click(own.as_str().unwrap());
        person.click("Pause this site");
        assert!(person.text().contains("It is done"), "{}", person.text());
        assert!(person.clicks <= MAX_CLICKS);
        let acts = std::mem::take(&mut *noted.0.lock().unwrap());
        assert_eq!(
            acts,
            [magpie_serve::Act::Pause {
                site: Some(collected.site.clone())
            }]
        );
    }
}

#[test]
fn attacks_of_pages_and_sites_do_nothing() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let collected = Collected::new();
    let noted = Arc::new(Noted::default());
    let served = collected.serve(Some(noted.clone()));
    let (address, named) = (served.own.clone(), served.own.clone());
    let hostile = Site::start(move |path| match path {
        "/frame" => Reply::html(format!(
            "<!doctype html><title>x</title><iframe src=\"http://{named}/\"></iframe>"
        )),
        "/post" => Reply::html(format!(
            "<!doctype html><title>x</title><form method=post action=\"http://{named}/-/act\">\
             <input name=act value=pause></form><script>document.forms[0].submit()</script>"
        )),
        _ => Reply::status(404),
    });
    let mut tab = browser.tab();
    tab.set(WIDTHS[0], false, true);
    enter(&mut tab, &served);
    for path in [
        "/events?q=night",
        "/events?q=javascript%3Aalert(1)",
        "/events?q=%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
        "/events?view=calendar&month=2026-12",
        "/events?view=map&q=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/url?u=javascript%3Aalert(1)",
        "/-/done?act=budget&value=%3Cscript%3Ealert(1)%3C%2Fscript%3E&effect=javascript%3Aalert(1)",
        "/-/exclude?pattern=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/changes?kind=new&since=7d",
        "/urls?state=refused&reason=%3Cscript%3E",
        "/plan?vertical=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    ] {
        tab.open(&format!("http://{address}{path}"));
        tab.look();
        let acted: Vec<&String> = tab
            .errors
            .iter()
            .filter(|error| !error.contains("status of 400"))
            .collect();
        assert!(acted.is_empty(), "{path}: {acted:?}");
        let bad = tab.evaluate(
            "[...document.querySelectorAll('a, iframe, img, form')].map(part => part.href || part.src || part.action)\
             .filter(address => address && !/^https?:/.test(address))",
        );
        assert_eq!(bad, serde_json::json!([]), "{path}");
        assert_eq!(
            tab.evaluate("document.querySelectorAll('script:not([src]):not([type])').length"),
            0,
            "{path}"
        );
    }
    tab.open(&hostile.url("/frame"));
    tab.look();
    let errors = tab.errors.join(" ");
    assert!(
        errors.contains("frame-ancestors"),
        "the page is not framed: {errors}"
    );
    tab.open(&hostile.url("/post"));
    tab.wait_until(
        &format!("location.href.startsWith('http://{address}/') && document.readyState === 'complete'"),
        Duration::from_secs(10),
    );
    let text = tab.evaluate("document.body.innerText");
    assert!(
        text.as_str().unwrap().contains("comes from another site"),
        "{text}"
    );
    assert!(noted.0.lock().unwrap().is_empty(), "nothing was done");
    // Our own page may.
    tab.open(&format!("http://{address}/sites"));
    tab.leads("[...document.querySelectorAll('main button')].find(button => button.innerText === 'Pause all sites').click()");
    assert_eq!(noted.0.lock().unwrap().len(), 1);
}
