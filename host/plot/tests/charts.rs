//! Charts as others see them: well-formed, within their sheet, no text upon another, bounded.

mod sheet;

use magpie_plot::{
    Bar, BarChart, BarList, Bound, Chosen, CurveChart, Graph, GraphBox, LineChart, ListRow, Point, Series,
};
use sheet::Sheet;

const HOSTILE: &str = "<b>\"'&\u{0}\u{202e}\u{1f4da}]]></b>";
const LONG: &str =
    "a name that is far longer than any room that a chart has for the name of one of its lines";

fn lines(names: &[&str], points: usize) -> LineChart {
    let series = |(index, name): (usize, &&str)| Series {
        name: (*name).to_owned(),
        points: (0..points)
            .map(|x| Point {
                x: x as f64,
                y: x as f64 / (index + 1) as f64,
                interval: Some((x as f64 / 9.0, x as f64)),
            })
            .collect(),
    };
    LineChart {
        title: format!("{LONG} {LONG}"),
        x: "x".into(),
        y: "y".into(),
        series: names.iter().enumerate().map(series).collect(),
    }
}

#[test]
fn points_are_not_joined_and_their_axes_begin_at_zero() {
    let mut chart = lines(&["one", "two"], 0);
    for series in &mut chart.series {
        series.points = vec![Point::new(9.0, 7.0), Point::new(8.0, 7.5)];
    }
    let [joined, points] = [chart.to_svg(), chart.to_svg_of_points()];
    assert!(joined.contains("<polyline") && !joined.contains(">0</text>"));
    assert!(!points.contains("<polyline"));
    assert_eq!(points.matches(">0</text>").count(), 2);
}

fn bars(names: &[&str], kinds: usize) -> BarChart {
    let bar = |kind: usize| Bar {
        value: kind as f64 + 0.5,
        interval: Some((kind as f64, kind as f64 + 1.0)),
    };
    BarChart {
        title: "Bars".into(),
        y: "share".into(),
        kinds: (0..kinds).map(|kind| format!("kind {kind}")).collect(),
        groups: names
            .iter()
            .map(|name| ((*name).to_owned(), (0..kinds).map(bar).collect()))
            .collect(),
    }
}

fn list(names: &[&str]) -> BarList {
    let row = |(index, name): (usize, &&str)| ListRow {
        name: (*name).to_owned(),
        value: 123_456.0 * index as f64,
        whole: Some(1_234_567.0),
        interval: Some((1_000.0, 2e6)),
    };
    BarList {
        title: "Sites".into(),
        part: "pages fetched".into(),
        whole: LONG.into(),
        rows: names.iter().enumerate().map(row).collect(),
    }
}

fn curve(bound: Bound) -> CurveChart {
    CurveChart {
        title: "Coverage".into(),
        x: "pages".into(),
        y: "objects".into(),
        points: (0..5_000)
            .map(|x| (f64::from(x) * 1_000.0, f64::from(x).sqrt()))
            .collect(),
        is_stepped: true,
        chosen: Some(Chosen {
            x: 2e6,
            y: 45.0,
            interval: Some((40.0, 50.0)),
            name: LONG.into(),
        }),
        bound: Some(bound),
    }
}

fn graph(boxes: usize, ways: Vec<(usize, usize)>) -> Graph {
    let shown = |index: usize| GraphBox {
        name: format!("{LONG} {index}"),
        kind: index % 4,
        lines: vec![LONG.into(); index % 9],
    };
    Graph {
        title: LONG.into(),
        kinds: vec!["hub".into(), LONG.into()],
        boxes: (0..boxes).map(shown).collect(),
        start: 0,
        ways,
    }
}

/// All charts, with many and with hostile names, in a narrow and a wide sheet.
fn all() -> Vec<String> {
    let names: Vec<String> = (0..40).map(|index| format!("the name {index}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let strange = [HOSTILE, LONG, "", "書店かもめ書店かもめ", "WWWWWWWWWWWW", HOSTILE];
    let x = || Bound::X {
        at: 1.8e6,
        name: LONG.into(),
    };
    let y = || Bound::Y {
        at: 60.0,
        name: HOSTILE.into(),
    };
    let mut charts = Vec::new();
    for width in [280.0, 340.0, 720.0, 1_200.0] {
        for names in [&names[..], &strange[..], &[]] {
            charts.push(lines(names, 9).to_svg_of_width(width));
            charts.push(list(names).to_svg_of_width(width));
            charts.extend([1, 2, 9].map(|kinds| bars(names, kinds).to_svg_of_width(width)));
        }
        charts.extend([x(), y()].map(|bound| curve(bound).to_svg_of_width(width)));
    }
    let ring = (0..60).flat_map(|index| {
        [
            (index, (index + 1) % 60),
            (index, index),
            (index, index / 3),
            (index % 5, index),
        ]
    });
    charts.push(graph(60, ring.collect()).to_svg());
    charts.push(graph(0, vec![(3, 4)]).to_svg());
    charts
}

#[test]
fn all_texts_are_within_their_sheet_and_none_touches_another() {
    for svg in all() {
        let sheet = Sheet::read(&svg);
        assert!(!sheet.texts.is_empty() || svg.len() < 2_500, "nothing was read");
        for (index, text) in sheet.texts.iter().enumerate() {
            assert!(
                text.is_within(sheet.size),
                "{} leaves {:?}",
                text.content,
                sheet.size
            );
            for other in &sheet.texts[index + 1..] {
                assert!(!text.touches(other), "{} touches {}", text.content, other.content);
            }
        }
    }
}

#[test]
fn charts_hold_no_reference_and_no_number_without_measure() {
    for svg in all() {
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("href"));
        assert!(!svg.contains("<b>") && !svg.contains('\u{0}') && !svg.contains('\u{1}'));
    }
}

#[test]
fn values_without_measure_draw_without_trouble() {
    let strange = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN,
        0.0,
        -0.0,
        5e-324,
    ];
    for value in strange {
        for other in strange {
            let point = Point {
                x: value,
                y: other,
                interval: Some((other, value)),
            };
            let series = Series {
                name: "s".into(),
                points: vec![point, Point::new(other, value)],
            };
            let bar = Bar {
                value,
                interval: Some((other, value)),
            };
            let row = ListRow {
                value,
                whole: Some(other),
                interval: Some((value, other)),
                ..ListRow::default()
            };
            let chosen = Chosen {
                x: value,
                y: other,
                interval: Some((other, value)),
                name: String::new(),
            };
            let charts = [
                LineChart {
                    series: vec![series, Series::default()],
                    ..LineChart::default()
                }
                .to_svg(),
                BarChart {
                    groups: vec![("g".into(), vec![bar])],
                    ..BarChart::default()
                }
                .to_svg_of_width(value),
                BarList {
                    rows: vec![row],
                    ..BarList::default()
                }
                .to_svg(),
                CurveChart {
                    points: vec![(value, other)],
                    chosen: Some(chosen),
                    bound: Some(Bound::X {
                        at: value,
                        name: String::new(),
                    }),
                    ..CurveChart::default()
                }
                .to_svg(),
            ];
            for svg in charts {
                Sheet::read(&svg);
                assert!(
                    !svg.contains("NaN") && !svg.contains("inf"),
                    "{value} {other}: {svg}"
                );
            }
        }
    }
}

#[test]
fn lines_and_bars_differ_by_more_than_colour() {
    let svg = lines(&["a", "b <&>"], 2).to_svg();
    assert!(svg.contains("stroke-dasharray=\"none\"") && svg.contains("stroke-dasharray=\"8 4\""));
    assert!(svg.contains("<circle") && svg.contains("b &lt;&amp;&gt;"));
    let svg = bars(&["g"], 2).to_svg();
    assert!(svg.contains("fill0)\"") && svg.contains("fill1)\""));
}

#[test]
fn charts_of_one_page_share_no_names() {
    let names = |svg: &str| -> Vec<String> {
        let parts = svg.split(" id=\"").skip(1);
        parts
            .map(|part| part.split('"').next().unwrap_or_default().to_owned())
            .collect()
    };
    let (one, other) = (names(&bars(&["a"], 2).to_svg()), names(&bars(&["b"], 2).to_svg()));
    assert!(!one.is_empty() && one.iter().all(|name| !other.contains(name)));
    assert_eq!(bars(&["a"], 2).to_svg(), bars(&["a"], 2).to_svg());
}

#[test]
fn however_much_there_is_charts_stay_small_and_say_so() {
    let names = vec!["name"; 20_000];
    for (svg, note) in [
        (lines(&names[..500], 2_000).to_svg(), "and 488 more lines"),
        (bars(&names, 3).to_svg(), "the first 21 of 20,000"),
        (list(&names).to_svg(), "and 19,940 more"),
        (
            graph(20_000, (1..20_000).map(|to| (0, to)).collect()).to_svg(),
            "and 19,990 more",
        ),
    ] {
        assert!(svg.len() < 1_500_000, "{}", svg.len());
        assert!(svg.contains(note), "{note}");
    }
}
