//! Chosen patterns, and the quality of the choice.

use magpie_plot::{Bound, Chosen, CurveChart, written};

use crate::blocks::{Block, Cell, Table};
use crate::data::{CurvePoint, Selection};
use crate::format::{around, cut, many, share, share_interval, thousands};

/// Points of the curve that its table shows.
const MAX_POINTS: usize = 40;

pub(super) fn blocks(selection: &Selection) -> Vec<Block> {
    let mut blocks = vec![Block::text(words(selection))];
    if selection.curve.len() > 1 && selection.coverable > 0.0 {
        let chart = chart(selection);
        blocks.push(Block::chart(
            |width| chart.to_svg_of_width(width),
            Some(table(&selection.curve, selection)),
        ));
    }
    blocks
}

/// The selection in sentences.
fn words(selection: &Selection) -> String {
    let mut text = format!(
        "{} of {} were chosen",
        thousands(selection.chosen_patterns),
        many(selection.all_patterns, "pattern")
    );
    if !selection.strategy.is_empty() {
        text.push_str(&format!(" by “{}”", cut(&selection.strategy)));
    }
    if !selection.goal.is_empty() {
        text.push_str(&format!(", the goal being {}", cut(&selection.goal)));
    }
    let covered = part(selection, selection.covered);
    text.push_str(&format!(
        ". They cover {} of the {} current objects found on pages that links lead to, {}",
        rounded(selection.covered),
        rounded(selection.coverable),
        share(covered)
    ));
    if let Some((low, high)) = selection.interval {
        let interval = (part(selection, low), part(selection, high));
        text.push_str(&format!(" (95% interval {})", share_interval(covered, interval)));
    }
    text.push_str(". ");
    if let Some(bound) = selection.upper_bound {
        let bound = share(part(selection, bound));
        text.push_str(&format!("No selection at this cost covers more than {bound}. "));
    }
    if let Some(gap) = selection.gap {
        text.push_str(&match selection.upper_bound {
            Some(_) => format!("The gap to that is {}.", share(gap)),
            None => format!(
                "No selection of these patterns reaches the goal at a cost that is lower by more than {}.",
                share(gap / (1.0 + gap))
            ),
        });
    }
    text
}

fn chart(selection: &Selection) -> CurveChart {
    let percent = |objects: f64| part(selection, objects) * 100.0;
    let name = format!(
        "chosen: cost {}, {}",
        rounded(selection.cost),
        share(part(selection, selection.covered))
    );
    let lower = selection.lower_bound.map(|at| Bound::X {
        at,
        name: format!("lower bound: cost {}", rounded(at)),
    });
    let upper = selection.upper_bound.map(|at| Bound::Y {
        at: percent(at),
        name: format!("upper bound: {}", share(part(selection, at))),
    });
    CurveChart {
        title: format!("Coverage against cost: {}", cut(&selection.strategy)),
        x: "cost of pages, hubs and sites".to_owned(),
        y: "objects covered, in percent".to_owned(),
        points: selection
            .curve
            .iter()
            .map(|point| (point.cost, percent(point.covered)))
            .collect(),
        is_stepped: true,
        chosen: Some(Chosen {
            x: selection.cost,
            y: percent(selection.covered),
            interval: selection
                .interval
                .map(|interval| around(selection.covered, interval))
                .map(|(low, high)| (percent(low), percent(high))),
            name,
        }),
        bound: lower.or(upper),
    }
}

/// The curve as a table, thinned evenly.
fn table(curve: &[CurvePoint], selection: &Selection) -> Table {
    let columns = ["#Patterns", "#Cost", "#Objects covered", "#Share"];
    let mut table = Table::new("Coverage as more patterns are selected", &columns);
    let count = curve.len().min(MAX_POINTS);
    for place in 0..count {
        let point = &curve[place * (curve.len() - 1) / (count - 1).max(1)];
        table.row([
            Cell::number(point.patterns),
            Cell::from(rounded(point.cost)),
            Cell::from(rounded(point.covered)),
            Cell::from(share(part(selection, point.covered))),
        ]);
    }
    if curve.len() > count {
        table.leaves_out(format!(
            "and {} between these",
            many((curve.len() - count) as u64, "point")
        ));
    }
    table
}

/// Objects as a share of those that could be covered.
fn part(selection: &Selection, objects: f64) -> f64 {
    if selection.coverable > 0.0 {
        (objects / selection.coverable).clamp(0.0, 1.0)
    } else {
        f64::NAN
    }
}

/// Pages or objects: whole ones, since fractions of them are estimates.
fn rounded(value: f64) -> String {
    written(value.round())
}
