//! Pages that need a browser.

use magpie_render::{PageAnswer, Refusal, RequestOutcome, Resource};

use crate::support::{Tester, html, json, missing, patient, response};

#[test]
fn a_page_is_read_after_its_scripts_and_only_they_are_asked_for() {
    let Some(tester) = Tester::start(patient()) else {
        return;
    };
    page_of_scripts(&tester);
    redirects_are_answers(&tester);
    pages_share_nothing(&tester);
    a_refused_page_says_why(&tester);
    a_page_is_scrolled_as_long_as_that_brings_more(&tester);
}

fn a_page_is_scrolled_as_long_as_that_brings_more(tester: &Tester) {
    let outcome = tester.page(
        "<ul id=list></ul><div id=end>more</div><script>
        let next = 1;
        const seen = new IntersectionObserver((entries) => {
          if (!entries.some((entry) => entry.isIntersecting) || next > 4) return;
          list.innerHTML += `<li style='height: 3000px'>row ${next++}</li>`;
        });
        list.innerHTML = \"<li style='height: 3000px'>row 0</li>\";
        seen.observe(end);
        </script>",
    );
    let document = outcome.document();
    assert!(document.is_settled);
    for row in 0..=4 {
        assert!(
            document.html.contains(&format!("row {row}")),
            "{row}: {}",
            document.html
        );
    }
}

fn page_of_scripts(tester: &Tester) {
    const PAGE: &str = r#"<!DOCTYPE html><title>Shop</title><link rel=stylesheet href=/look.css>
        <img src=/picture.png><iframe src=/advert></iframe><ul id=list></ul>
        <script src=/shop.js></script><script src=https://www.google-analytics.com/ga.js></script>"#;
    const SCRIPT: &str = r#"document.cookie = "seen=yes";
        fetch("/send", { method: "POST", body: "x" }).catch(() => 0);
        fetch("http://api.test/list", { headers: { "X-Wanted": "books" } })
          .then((answer) => answer.json())
          .then((books) => { for (const book of books) list.innerHTML += `<li>${book}</li>`; })
          .then(() => fetch("/more")).then((answer) => answer.json())
          .then((books) => { for (const book of books) list.innerHTML += `<li>${book}</li>`; });"#;
    let outcome = tester.render("http://site.test/page?q=1#top", |request| {
        match (request.url.host_str(), request.url.path()) {
            (Some("site.test"), "/page") => html(PAGE),
            (Some("site.test"), "/shop.js") => response(200, &[("Content-Type", "text/javascript")], SCRIPT),
            (Some("site.test"), "/more") => json(r#"["Emma"]"#),
            (Some("api.test"), "/list") => json(r#"["Persuasion"]"#),
            _ => missing(),
        }
    });
    let document = outcome.document();
    assert!(document.html.starts_with("<!DOCTYPE html>"), "{}", document.html);
    assert!(
        document.html.contains("<li>Persuasion</li><li>Emma</li>"),
        "{}",
        document.html
    );
    assert!(document.is_settled);
    assert_eq!((document.status, document.links.len()), (200, 0));
    assert_eq!(document.url.as_str(), "http://site.test/page?q=1#top");
    let asked: Vec<_> = outcome.asked.iter().map(|request| request.url.path()).collect();
    assert_eq!(asked, ["/page", "/shop.js", "/list", "/more"]);
    let resources = outcome.asked.iter().map(|request| request.resource);
    let expected = [
        Resource::Document,
        Resource::Script,
        Resource::Data,
        Resource::Data,
    ];
    assert_eq!(resources.collect::<Vec<_>>(), expected);
    let list = &outcome.asked[2];
    assert!(
        list.headers
            .iter()
            .any(|(name, value)| name == "X-Wanted" && value == "books")
    );
    assert_eq!(list.cookie, None);
    assert_eq!(outcome.asked[3].cookie.as_deref(), Some("seen=yes"));
    for (ending, refusal) in [
        ("/look.css", Refusal::Resource),
        ("/advert", Refusal::Resource),
        ("/ga.js", Refusal::Tracker),
        ("/send", Refusal::Method),
    ] {
        assert_eq!(
            outcome.outcome(ending),
            &RequestOutcome::Refused(refusal),
            "{ending}"
        );
    }
    let data = RequestOutcome::Answered {
        status: 200,
        bytes: 8,
    };
    assert_eq!(outcome.outcome("/more"), &data);
    let bytes = PAGE.len() + SCRIPT.len() + r#"["Emma"]["Persuasion"]"#.len();
    assert_eq!(outcome.rendered.bytes, bytes as u64);
    assert!(!outcome.rendered.cpu.is_zero());
}

fn redirects_are_answers(tester: &Tester) {
    let outcome = tester.render("http://site.test/old", |request| match request.url.path() {
        "/old" => response(302, &[("Location", "http://www.site.test/new")], ""),
        "/new" => html("<p>new"),
        _ => missing(),
    });
    assert_eq!(outcome.document().url.as_str(), "http://www.site.test/new");
    assert_eq!(outcome.asked.len(), 2);
    let moved = RequestOutcome::Answered {
        status: 302,
        bytes: 0,
    };
    assert_eq!(outcome.outcome("/old"), &moved);
}

fn pages_share_nothing(tester: &Tester) {
    const PAGE: &str = r#"<p id=before></p><script>
        before.textContent = `${document.cookie}|${localStorage.mark ?? ""}`;
        document.cookie = "mark=1"; localStorage.mark = "1";</script>"#;
    for _ in 0..2 {
        let outcome = tester.page(PAGE);
        let html = &outcome.document().html;
        assert!(html.contains("<p id=\"before\">|</p>"), "{html}");
    }
}

fn a_refused_page_says_why(tester: &Tester) {
    let outcome = tester.render("http://site.test/private", |_| PageAnswer::Refused {
        reason: "robots.txt".to_owned(),
    });
    let error = outcome.rendered.document.as_ref().expect_err("no document");
    assert_eq!(error.to_string(), "the page was not opened: robots.txt");
    let forbidden = RequestOutcome::Forbidden("robots.txt".to_owned());
    assert_eq!(outcome.outcome("/private"), &forbidden);
}
