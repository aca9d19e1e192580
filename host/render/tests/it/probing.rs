//! Hovering and clicking.

use std::sync::Arc;
use std::time::Duration;

use magpie_render::{Answering, Answers, PageRequest, ProbeLimits, RenderSettings};

use crate::support::{Tester, html, json, missing, patient};

#[test]
fn clicks_lead_to_the_links_that_no_element_names() {
    let probe = ProbeLimits {
        time: Duration::from_secs(300),
        ..ProbeLimits::default()
    };
    let settings = RenderSettings {
        probe: Some(probe),
        ..patient()
    };
    let Some(tester) = Tester::start(settings) else {
        return;
    };
    const PAGE: &str = r#"<title>Calendar</title><a href="/known">Known</a>
        <div id=next>Next month</div><button id=old onclick="history.pushState({}, '', '/old')">Old</button>
        <span onclick="window.open('/window')">Window</span><a onclick="location = '/script'">Script</a>
        <b onmouseover="location.assign('/hover')">Hover</b>
        <button id=more>More</button><ul id=list></ul><button id=tab>Tab</button><div id=panel></div>
        <form action="/sent"><button>Send</button><input name=q onclick="location = '/typed'"></form>
        <button disabled onclick="location = '/disabled'">Never</button>
        <script>
        next.addEventListener("click", () => { location.href = "/next"; });
        more.addEventListener("click", async () => {
            for (const name of await (await fetch("/list")).json())
                list.innerHTML += `<li><a href="/book/${name}">${name}</a></li>`;
        });
        tab.addEventListener("click", () => {
            panel.innerHTML = `<button onclick="location = '/deep'">Deep</button>`;
        });
        </script>"#;
    let outcome = tester.render("http://site.test/page", |request| match request.url.path() {
        "/page" => html(PAGE),
        "/list" => json(r#"["emma"]"#),
        _ => missing(),
    });
    let links = &outcome.document().links;
    let found: Vec<_> = links
        .iter()
        .map(|link| (link.url.path(), link.text.as_str()))
        .collect();
    let expected = [
        ("/book/emma", "emma"),
        ("/deep", "Deep"),
        ("/hover", "Hover"),
        ("/next", "Next month"),
        ("/old", "Old"),
        ("/script", "Script"),
        ("/window", "Window"),
    ];
    assert_eq!(found, expected);
    assert_eq!(links[3].path, "html[1]/body[1]/div[1]");
    // The page is opened again out of the answers that it got before, and nothing is left.
    let asked: Vec<_> = outcome.asked.iter().map(|request| request.url.path()).collect();
    assert_eq!(asked, ["/page", "/list"]);
    assert_eq!(outcome.document().url.path(), "/page");
}

/// Answers that let nothing be clicked that is said to delete.
struct Careful;

impl Answers for Careful {
    fn answer(&self, _: PageRequest) -> Answering<'_> {
        const PAGE: &str = r#"<button onclick="location = '/gone'">Delete</button>
            <button id=delete-2 onclick="location = '/gone-2'">X</button>
            <button aria-label="delete it" onclick="location = '/gone-3'">X</button>
            <div id=listening>Please delete</div><button onclick="location = '/next'">Next</button>
            <script>listening.addEventListener("click", () => { location.href = "/gone-4"; });</script>"#;
        Box::pin(async { html(PAGE) })
    }

    fn may_click(&self, said: &str) -> bool {
        !said.to_lowercase().contains("delete")
    }
}

#[test]
fn elements_that_may_not_be_clicked_are_left_alone() {
    let settings = RenderSettings {
        probe: Some(ProbeLimits {
            time: Duration::from_secs(300),
            ..ProbeLimits::default()
        }),
        ..patient()
    };
    let Some(tester) = Tester::start(settings) else {
        return;
    };
    let rendered = tester.render_with("http://site.test/page", Arc::new(Careful));
    let links = rendered.document.expect("a document").links;
    let found: Vec<_> = links.iter().map(|link| link.url.path()).collect();
    assert_eq!(found, ["/next"]);
}
