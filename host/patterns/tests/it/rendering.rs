//! Templates of endpoints, and decisions about kinds of pages.

use magpie_model::CanonicalUrl;
use magpie_patterns::rendering::{
    Content, EndpointTemplate, Mode, RenderingRule, RenderingRules, SampledPage, decide,
};

/// Pages with the URLs of their data, and the template that leads from one to the other.
type Case = (&'static [(&'static str, &'static str)], Option<&'static str>);

fn url(path: &str) -> CanonicalUrl {
    let text = match path.starts_with("http") {
        true => path.to_owned(),
        false => format!("https://hall.example{path}"),
    };
    CanonicalUrl::trusted(text).expect("a URL")
}

#[test]
fn templates_take_over_what_pages_share_with_their_data() {
    let cases: &[Case] = &[
        (
            &[
                ("/events/1?page=2", "/api/v1/events/1?page=2"),
                ("/events/7", "/api/v1/events/7"),
            ],
            Some("https://hall.example/api/v1{path}{query}"),
        ),
        (
            &[("/events/night-music", "/data/events/night-music.json?v=3")],
            Some("https://hall.example/data{path}.json?v=3"),
        ),
        (
            &[("/events/night-music", "/events/night-music.json")],
            Some("https://hall.example{path}.json"),
        ),
        (
            &[
                ("/show/81-night-music", "/api/shows/81"),
                ("/show/95-late", "/api/shows/95"),
            ],
            Some("https://hall.example/api/shows/{id}"),
        ),
        (
            &[
                ("/tag/jazz", "https://api.example/list?tag=jazz&n=20"),
                ("/tag/folk", "https://api.example/list?tag=folk&n=20"),
            ],
            Some("https://api.example/list?tag={2}&n=20"),
        ),
        (
            &[
                ("/list?page=2&tag=jazz", "/q?p=2"),
                ("/list?page=13&tag=jazz", "/q?p=13"),
            ],
            Some("https://hall.example/q?p={=page}"),
        ),
        // All pages show the same file.
        (
            &[("/a", "/papers.json"), ("/b", "/papers.json")],
            Some("https://hall.example/papers.json"),
        ),
        // Nothing of the page's URL is in that of its data.
        (&[("/a", "/data/9f3e"), ("/b", "/data/77aa")], None),
        (&[], None),
    ];
    for (pairs, expected) in cases {
        let pairs: Vec<_> = pairs.iter().map(|(page, data)| (url(page), url(data))).collect();
        let borrowed: Vec<_> = pairs.iter().map(|(page, data)| (page, data)).collect();
        let template = EndpointTemplate::derive(&borrowed);
        assert_eq!(
            template.as_ref().map(ToString::to_string).as_deref(),
            *expected,
            "{pairs:?}"
        );
        let Some(template) = template else { continue };
        assert_eq!(template.to_string().parse(), Ok(template.clone()));
        for (page, data) in &pairs {
            assert_eq!(template.fill(page).as_ref(), Some(data));
        }
    }
}

#[test]
fn invalid_templates_are_refused() {
    for (text, problem) in [
        ("/api{path}", "http://"),
        ("https://{path}", "http://"),
        ("https://hall.example{2}", "http://"),
        ("https://hall.example/{paht}", "{paht}"),
        ("https://hall.example/{0}", "{0}"),
        ("https://hall.example/{path", "does not end"),
    ] {
        let error = text.parse::<EndpointTemplate>().expect_err(text).to_string();
        assert!(error.contains(problem), "{text}: {error}");
    }
    let template: EndpointTemplate = "https://hall.example/{2}".parse().expect("valid");
    assert_eq!(template.fill(&url("/only")), None);
}

/// Objects `0..objects`, and links `0..links`.
fn content(objects: u64, links: u64) -> Content {
    Content {
        objects: (0..objects).collect(),
        links: (0..links).collect(),
    }
}

fn sample(path: &str, plain: Content, rendered: Content) -> SampledPage {
    SampledPage {
        url: url(path),
        plain,
        state: None,
        rendered: Some(rendered),
        data: Vec::new(),
        plain_cost: (5.0, 20_000),
        rendered_cost: (300.0, 400_000),
    }
}

fn with_data(mut sample: SampledPage, path: &str, data: Content) -> SampledPage {
    sample.data.push((url(path), data));
    sample
}

fn with_state(mut sample: SampledPage, state: Content) -> SampledPage {
    sample.state = Some(state);
    sample
}

#[test]
fn the_cheapest_way_that_has_nearly_everything_is_chosen() {
    let none = || content(0, 10);
    let cases: Vec<(&str, Vec<SampledPage>, Mode, Option<&str>)> = vec![
        (
            "nothing in the browser",
            vec![sample("/about", none(), none())],
            Mode::Plain,
            None,
        ),
        (
            "the same objects",
            vec![sample("/a", content(5, 10), content(5, 10))],
            Mode::Plain,
            None,
        ),
        (
            "two links more",
            vec![sample("/a", none(), content(0, 12))],
            Mode::Plain,
            None,
        ),
        (
            "three links more of many",
            vec![sample("/a", content(0, 100), content(0, 103))],
            Mode::Plain,
            None,
        ),
        (
            "objects only in the browser",
            vec![sample("/a", none(), content(8, 18))],
            Mode::Render,
            None,
        ),
        (
            "links only in the browser",
            vec![sample("/a", none(), content(0, 18))],
            Mode::Render,
            None,
        ),
        (
            "objects in the state",
            vec![with_state(
                sample("/a", content(8, 10), content(8, 18)),
                content(8, 20),
            )],
            Mode::Embedded,
            None,
        ),
        (
            "a page of one object in the state",
            vec![with_state(
                sample("/a", content(1, 10), content(1, 10)),
                content(1, 0),
            )],
            Mode::Embedded,
            None,
        ),
        (
            "a state without objects",
            vec![with_state(sample("/a", none(), content(8, 18)), content(0, 0))],
            Mode::Render,
            None,
        ),
        (
            "data with objects",
            vec![
                with_data(
                    sample("/list?page=1", none(), content(8, 18)),
                    "/api/list?page=1",
                    content(8, 18),
                ),
                with_data(
                    sample("/list?page=2", none(), content(8, 18)),
                    "/api/list?page=2",
                    content(8, 18),
                ),
            ],
            Mode::Endpoint,
            Some("https://hall.example/api{path}{query}"),
        ),
        (
            "data with the links that elements without href lead to",
            vec![with_data(
                sample("/a", none(), content(8, 10)),
                "/api/a",
                content(8, 18),
            )],
            Mode::Endpoint,
            Some("https://hall.example/api{path}"),
        ),
        (
            "data without most of the objects",
            vec![with_data(
                sample("/a", none(), content(8, 18)),
                "/api/a",
                content(3, 3),
            )],
            Mode::Render,
            None,
        ),
        (
            "data whose URLs can't be told from those of the pages",
            vec![
                with_data(sample("/a", none(), content(8, 18)), "/x/91", content(8, 18)),
                with_data(sample("/b", none(), content(8, 18)), "/x/47", content(8, 18)),
            ],
            Mode::Render,
            None,
        ),
        (
            "configuration beside the data",
            vec![with_data(
                with_data(
                    sample("/a", none(), content(8, 18)),
                    "/config.json",
                    content(0, 1),
                ),
                "/api/a",
                content(8, 18),
            )],
            Mode::Endpoint,
            Some("https://hall.example/api{path}"),
        ),
    ];
    for (name, samples, mode, endpoint) in cases {
        let choice = decide(&samples).expect(name);
        assert_eq!(choice.mode, mode, "{name}");
        assert_eq!(
            choice.endpoint.map(|template| template.to_string()).as_deref(),
            endpoint,
            "{name}"
        );
        // 300 ms and 32 ms of transfer beside 5 ms and 1.6 ms.
        assert!(
            (choice.cost - 332.0 / 6.6).abs() < 0.01,
            "{name}: {}",
            choice.cost
        );
    }
}

#[test]
fn pages_that_no_browser_could_show_decide_nothing() {
    let mut failed = sample("/a", content(0, 10), content(0, 0));
    failed.rendered = None;
    assert_eq!(decide(&[failed.clone()]), None);
    assert_eq!(decide(&[]), None);
    let shown = sample("/b", content(0, 10), content(8, 18));
    assert_eq!(
        decide(&[failed, shown]).map(|choice| choice.mode),
        Some(Mode::Render)
    );
}

#[test]
fn the_most_specific_rule_holds() {
    let rule = |pattern: &str, mode, endpoint: Option<&str>| RenderingRule {
        pattern: pattern.parse().expect("a pattern"),
        mode,
        endpoint: endpoint.map(|template| template.parse().expect("a template")),
        cost: 40,
    };
    let rules = RenderingRules::new(vec![
        rule("https://hall.example/event/{slug}", Mode::Render, None),
        rule(
            "https://hall.example/event/all",
            Mode::Endpoint,
            Some("https://hall.example/api{path}{query}"),
        ),
    ]);
    assert_eq!(rules.mode(&url("/event/night-music")), Mode::Render);
    assert_eq!(rules.mode(&url("/event/all")), Mode::Endpoint);
    assert_eq!(rules.mode(&url("/about")), Mode::Plain);
    assert_eq!(rules.endpoint(&url("/event/all")), Some(url("/api/event/all")));
    assert_eq!(rules.endpoint(&url("/event/night-music")), None);
    // Only a browser costs more than a plain fetch.
    assert_eq!(rules.cost(&url("/event/night-music")), 40);
    assert_eq!(rules.cost(&url("/event/all")), 1);
}

#[test]
fn only_the_service_that_an_endpoint_names_is_used() {
    let rule = |mode, endpoint: &str| RenderingRule {
        pattern: "https://hall.example/event/{slug}".parse().expect("a pattern"),
        mode,
        endpoint: Some(endpoint.parse().expect("a template")),
        cost: 1,
    };
    let named = RenderingRules::new(vec![rule(
        Mode::Endpoint,
        "https://hall.example/wp-json/events{query}",
    )]);
    assert!(named.uses_service(&url("/wp-json/events?page=2"), "wp-json"));
    for (path, service) in [
        ("/wp-json/users", "wp-json"),
        ("/cart", "cart"),
        ("/event/wp-json", "wp-json"),
    ] {
        assert!(!named.uses_service(&url(path), service), "{path}");
    }
    // A template that begins with the page's own path names nothing, and neither does one that is
    // not used.
    for other in [
        rule(Mode::Endpoint, "https://hall.example{path}?format=json"),
        rule(Mode::Render, "https://hall.example/wp-json/events"),
    ] {
        let rules = RenderingRules::new(vec![other]);
        assert!(!rules.uses_service(&url("/wp-json/events?format=json"), "wp-json"));
    }
}
