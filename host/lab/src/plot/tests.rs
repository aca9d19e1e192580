use super::axis::Axis;
use super::*;

#[test]
fn axes_have_round_steps_that_hold_all_values() {
    let axis = Axis::of([0.31, 0.93].into_iter());
    assert_eq!((axis.low, axis.high), (0.0, 1.0));
    let axis = Axis::of([1_000.0, 1_040.0].into_iter());
    assert_eq!((axis.low, axis.high), (1_000.0, 1_040.0));
    assert_eq!(Axis::of(std::iter::empty()).place(0.5), 0.5);
}

#[test]
fn one_value_or_none_draws_without_trouble() {
    let series = Series {
        name: "one".into(),
        points: vec![Point::new(3.0, 3.0)],
    };
    let chart = LineChart {
        title: "t".into(),
        series: vec![series, Series::default()],
        ..LineChart::default()
    };
    for svg in [
        chart.to_svg(),
        LineChart::default().to_svg(),
        BarChart::default().to_svg(),
    ] {
        assert!(svg.ends_with("</svg>") && !svg.contains("NaN") && !svg.contains("inf"));
    }
}

#[test]
fn lines_and_bars_differ_by_more_than_colour() {
    let series = |name: &str| Series {
        name: name.into(),
        points: vec![Point::new(0.0, 1.0), Point::new(1.0, 2.0)],
    };
    let chart = LineChart {
        series: vec![series("a"), series("b <&>")],
        ..LineChart::default()
    };
    let svg = chart.to_svg();
    assert!(svg.contains("stroke-dasharray=\"\"") && svg.contains("stroke-dasharray=\"8 4\""));
    assert!(svg.contains("<circle") && svg.contains("b &lt;&amp;&gt;"));
    let bars = vec![
        Bar {
            value: 1.0,
            interval: Some((0.5, 1.5)),
        },
        Bar {
            value: 2.0,
            interval: None,
        },
    ];
    let chart = BarChart {
        groups: vec![("g".into(), bars)],
        ..BarChart::default()
    };
    assert!(chart.to_svg().contains("url(#fill0)") && chart.to_svg().contains("url(#fill1)"));
}
