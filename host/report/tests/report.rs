//! Reports as whole pages: their content, forbidden content, and maximum size.

use magpie_report::{
    Alarm, CurvePoint, Drift, Expected, Figures, Head, Level, MapState, Method, Notice, Pattern, Problem,
    Relearned, Report, Role, Sample, Selection, Site, SiteMap, Stage, render,
};
use quick_xml::Reader;
use quick_xml::events::Event;

/// A text that would break out of any context if unescaped, with characters that XML forbids and
/// that change the text direction.
const HOSTILE: &str =
    "\"'></td></style><script src=http://evil.example/>&amp;\u{0}\u{1}\u{202e}<img onerror=x>\u{1f4da}";

fn hostile() -> String {
    HOSTILE.to_owned()
}

/// Returns a report in which every text is `text` and every list has `count` entries.
fn filled(text: &str, count: usize) -> Report {
    let text = || text.to_owned();
    let many = |index: usize| format!("{}{index}", text());
    let state = |index: usize| MapState {
        name: many(index),
        role: [Role::Hub, Role::Object, Role::Both][index % 3],
        patterns: vec![text(); count.min(10)],
        pages_seen: 9,
        pages_fetched: 3,
        objects: index as u64,
        next: vec![many(index + 1), many(index), many(0)],
    };
    Report {
        head: Head {
            title: text(),
            run: text(),
            vertical: text(),
            vertical_version: text(),
            workspace: text(),
            when: text(),
            program_version: text(),
            seconds: 61.0,
        },
        notices: vec![
            Notice {
                level: Level::Problem,
                sentence: text()
            };
            count
        ],
        methods: vec![
            Method {
                name: text(),
                note: text(),
                is_this_run: true,
                share_of_objects_interval: Some((0.1, 0.2)),
                ..Method::default()
            };
            count
        ],
        selection: Some(Selection {
            strategy: text(),
            goal: text(),
            covered: 5.0,
            coverable: 10.0,
            cost: 5.0,
            lower_bound: Some(4.0),
            interval: Some((4.0, 6.0)),
            gap: Some(0.25),
            curve: (0..count)
                .map(|index| CurvePoint {
                    patterns: index as u64,
                    cost: index as f64,
                    covered: index as f64,
                })
                .collect(),
            ..Selection::default()
        }),
        stages: vec![
            Stage {
                name: text(),
                seconds: 3.0,
                sentence: text()
            };
            count
        ],
        sites: (0..count)
            .map(|index| Site {
                name: many(index),
                state: text(),
                objects: index as u64,
                ..Site::default()
            })
            .collect(),
        maps: vec![
            SiteMap {
                site: text(),
                entry: text(),
                objects: 12,
                states: (0..count.min(300)).map(state).collect()
            };
            count.min(20)
        ],
        patterns: vec![
            Pattern {
                readable: text(),
                regex: text(),
                site: text(),
                reason: text(),
                alarm: Some(text()),
                samples: vec![Sample {
                    label: text(),
                    attributes: vec![(text(), text())],
                    page: text(),
                }],
                ..Pattern::default()
            };
            count
        ],
        drift: Drift {
            alarms: vec![
                Alarm {
                    site: text(),
                    pattern: text(),
                    since: text(),
                    sentence: text()
                };
                count
            ],
            relearned: vec![
                Relearned {
                    site: text(),
                    what: text(),
                    sentence: text()
                };
                count
            ],
        },
        problems: vec![
            Problem {
                site: text(),
                page: text(),
                what: text()
            };
            count
        ],
        figures: Some(Figures::default()),
    }
}

fn charts(page: &str) -> Vec<&str> {
    let begin = page.match_indices("<svg").map(|(at, _)| at);
    begin
        .map(|at| &page[at..at + page[at..].find("</svg>").expect("an end") + 6])
        .collect()
}

#[track_caller]
fn assert_well_formed(xml: &str) {
    let mut reader = Reader::from_str(xml);
    let mut open = 0i32;
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(start) => {
                open += 1;
                start.attributes().for_each(|attribute| {
                    let attribute = attribute.expect("an attribute");
                    let value = String::from_utf8(attribute.value.into_owned()).expect("text");
                    quick_xml::escape::unescape(&value).expect("an escaped value");
                });
            }
            Event::End(_) => open -= 1,
            Event::Text(text) => {
                let text = String::from_utf8(text.into_inner().into_owned()).expect("text");
                quick_xml::escape::unescape(&text).expect("an escaped text");
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(open, 0);
}

#[test]
fn charts_are_well_formed_whatever_the_texts() {
    for text in [HOSTILE, "", "plain"] {
        let page = render(&filled(text, 5));
        let charts = charts(&page);
        // Methods, selection and two of the sites in two widths each; five maps.
        assert_eq!(charts.len(), 13);
        charts.into_iter().for_each(assert_well_formed);
    }
}

#[test]
fn hostile_texts_are_escaped_everywhere() {
    let page = render(&filled(&hostile(), 5));
    for forbidden in ["<script", "<img", "\u{0}", "\u{1}", "\u{202e}", "&amp;amp;\u{0}"] {
        assert!(!page.contains(forbidden), "{forbidden:?}");
    }
    assert!(page.contains("&lt;script src=http://evil.example/&gt;&amp;amp;"));
    assert_eq!(page.matches("</style>").count(), 1);
}

#[test]
fn nothing_outside_is_referred_to() {
    let page = render(&filled("http://evil.example/a.png", 5));
    for forbidden in [
        " src=", "href=\"h", "url(h", "url(/", "@import", "<link", "<script", "<iframe", "<object",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    // Every reference has exactly one target in the page.
    for prefix in ["url(#", "href=\"#"] {
        for (at, _) in page.match_indices(prefix) {
            let name: String = page[at + prefix.len()..]
                .chars()
                .take_while(|letter| !")\"".contains(*letter))
                .collect();
            assert!(page.contains(&format!("id=\"{name}\"")), "{name}");
        }
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn absent_parts_leave_no_heading() {
    let page = render(&Report::default());
    for forbidden in ["<h2", "<section", "<nav", "<table", "<svg", "<dl", "<ul", "NaN"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("<h1>Magpie</h1>"));
    let report = Report {
        stages: filled("x", 1).stages,
        ..Report::default()
    };
    assert_eq!(render(&report).matches("<h2").count(), 1);
}

#[test]
fn an_empty_json_object_is_a_report_and_reports_survive_json() {
    let empty: Report = serde_json::from_str("{}").expect("a report");
    assert_eq!(empty, Report::default());
    let report = filled(HOSTILE, 3);
    let json = serde_json::to_string(&report).expect("JSON");
    assert_eq!(serde_json::from_str::<Report>(&json).expect("a report"), report);
}

#[test]
fn ten_thousand_of_everything_stays_small_and_says_what_is_missing() {
    let page = render(&filled("a-site-with-a-name-of-usual-length.example", 10_000));
    assert!(page.len() < 2_500_000, "{} bytes", page.len());
    assert!(page.contains("and 9,750 more sites with "));
    assert!(page.contains("and 9,750 more patterns"));
    // Even where every text is as long as a stranger likes.
    let page = render(&filled(&"\u{1f4da}<&".repeat(300), 60));
    assert!(page.len() < 12_000_000, "{} bytes", page.len());
}

/// Returns the percentages of a text, in their order. None and almost none are 0.
fn percentages(text: &str) -> Vec<f64> {
    let parts: Vec<&str> = text.split('%').collect();
    let (_, with) = parts.split_last().expect("a part");
    let number = |part: &&str| {
        let at = part
            .rfind(|letter: char| !letter.is_ascii_digit() && letter != '.')
            .map_or(0, |at| at + 1);
        part[at..].parse::<f64>().expect("a number")
    };
    with.iter().map(number).collect()
}

#[test]
fn a_share_is_in_its_interval_whatever_was_estimated() {
    let mut state = 7_u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 24) as f64
    };
    for _ in 0..1_000 {
        let coverable = 1.0 + (draw() * 500.0).round();
        let covered = (draw() * coverable).round();
        let ends = (draw() * coverable, draw() * coverable);
        let ends = (ends.0.min(ends.1), ends.0.max(ends.1));
        let expected = Expected {
            value: (draw() * 500.0).round(),
            low: draw() * 500.0,
            high: draw() * 500.0,
        };
        let page = render(&Report {
            selection: Some(Selection {
                covered,
                coverable,
                interval: Some(ends),
                ..Selection::default()
            }),
            methods: vec![Method {
                share_of_objects: covered / coverable,
                share_of_objects_interval: Some((ends.0 / coverable, ends.1 / coverable)),
                ..Method::default()
            }],
            figures: Some(Figures {
                expected_objects: Some(expected),
                ..Figures::default()
            }),
            ..Report::default()
        });
        let sentence = page.split("that links lead to, ").nth(1).expect("the sentence");
        let sentence = sentence
            .split(')')
            .next()
            .expect("its end")
            .replace("(95% interval ", "");
        let row = page.split("Of all objects found").nth(2).expect("the cell");
        let cell = row.split("</td>").next().expect("its end");
        for text in [sentence.as_str(), cell] {
            let [share, low, high] = percentages(text)[..] else {
                panic!("{text}")
            };
            assert!(low <= share && share <= high, "{text}");
        }
        let figure = page
            .split("objects expected on all known pages")
            .nth(1)
            .expect("the figure");
        let figure = figure.split("</td>").next().expect("its end");
        let numbers: Vec<f64> = figure
            .split(|letter: char| !letter.is_ascii_digit())
            .filter_map(|number| number.parse().ok())
            .collect();
        let [value, low, high] = numbers[..] else {
            panic!("{figure}")
        };
        assert!(low <= value && value <= high, "{figure}");
    }
}

#[test]
fn figures_without_measure_are_not_drawn() {
    let mut report = filled("x", 5);
    let mut selection = report.selection.take().expect("a selection");
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1.0] {
        selection.cost = value;
        selection.covered = value;
        selection.lower_bound = Some(value);
        selection.interval = Some((value, value));
        selection.curve[1] = CurvePoint {
            patterns: u64::MAX,
            cost: value,
            covered: value,
        };
        report.head.seconds = value;
        report.methods[0].share_of_objects = value;
        report.methods[0].bytes = u64::MAX;
        report.sites[0].objects = u64::MAX;
        report.patterns[0].failure_share = value;
        let page = render(&Report {
            selection: Some(selection.clone()),
            ..report.clone()
        });
        let charts = charts(&page);
        assert!(!charts.is_empty(), "{value}");
        for chart in charts {
            assert_well_formed(chart);
            assert!(
                !chart.contains("NaN") && !chart.contains("inf"),
                "{value}: {chart}"
            );
        }
    }
}

#[test]
fn sites_stand_by_objects_and_every_chart_has_its_figures() {
    let page = render(&filled("site", 5));
    let at = |name: &str| {
        page.find(&format!("<th scope=\"row\">{name}</th>"))
            .expect("a row")
    };
    assert!(at("site4") < at("site3") && at("site1") < at("site0"));
    // A table beside each figure: in its own fold, or right below it in the section.
    for section in page
        .split("<section")
        .skip(1)
        .filter(|section| section.contains("<svg"))
    {
        assert!(section.contains("<table"));
    }
}

#[test]
fn a_map_begins_at_its_entry_and_turns_pages_on_itself() {
    let state = |name: &str, next: &[&str]| MapState {
        name: name.into(),
        next: next.iter().map(|name| (*name).to_owned()).collect(),
        ..MapState::default()
    };
    let states = vec![
        state("list", &["list", "item"]),
        state("item", &[]),
        state("nowhere", &["unknown"]),
    ];
    let map = |entry: &str| SiteMap {
        site: "s".into(),
        entry: entry.into(),
        objects: 3,
        states: states.clone(),
    };
    let page = render(&Report {
        maps: vec![map("https://s.example/")],
        ..Report::default()
    });
    let svg = charts(&page)[0];
    assert!(svg.contains(">https://s.example/</text>") && svg.contains(">entry</text>"));
    // From the entry to both states that nothing leads to, from the list to itself and to the item.
    assert_eq!(svg.matches("class=\"h\"").count(), 4);
    let page = render(&Report {
        maps: vec![map("list")],
        ..Report::default()
    });
    assert_eq!(charts(&page)[0].matches("class=\"h\"").count(), 2);
}
