//! The plot of the README, pages of a weekly round beside a full crawl, and the table and the plot
//! of the page that compares rounds by several methods. All are made from `docs/figures.md`, so
//! they cannot disagree.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use magpie_plot::{BarList, LineChart, ListRow, Point, Series};

/// The end of the names of the figures that are drawn; the name of a site comes before it.
const FIGURE: &str = ": crawled as it is, a round a week later";

/// The share of true objects that learning found, by the name of its figure.
const FOUND: &str = ": crawled as it is, distinct found";

/// The text between the name of a site and the end of a figure's name.
const WAY: &str = ": crawled as it is, ";

/// The methods, by the ends of the names of their figures.
const METHODS: [(&str, &str); 5] = [
    ("a round a week later", "Magpie"),
    ("the published recrawl a week later", "published recrawl"),
    ("a sitemap-only round a week later", "sitemaps only"),
    ("a feed-only round a week later", "feeds only"),
    ("a full crawl a week later", "full crawl"),
];

/// The results by which a method is judged: the names beside its cost.
const JUDGED: [&str; 4] = [
    "added objects found",
    "shallow ones found",
    "deep ones found",
    "changed objects updated",
];

/// The edge of the plot, in percent, at which rounds stand that cost more.
const EDGE: f64 = 100.0;

/// A round of a site by a method, in percent.
struct Round<'a> {
    site: &'a str,
    /// Its place among the methods.
    method: usize,
    cost: f64,
    judged: [Option<f64>; JUDGED.len()],
}

/// Returns the table that compares the rounds of each site by several methods, and the plot.
/// Returns `None` if the page of figures has none that were compared.
pub(crate) fn compared(page: &str) -> Option<(String, String)> {
    let mut rounds: Vec<Round<'_>> = page.lines().filter_map(round).collect();
    let mut sites: Vec<&str> = Vec::new();
    for round in &rounds {
        sites.extend((!sites.contains(&round.site)).then_some(round.site));
    }
    rounds.sort_by_key(|round| (sites.iter().position(|site| *site == round.site), round.method));
    let mut table = "| site | method | requests | new found | shallow | deep | changed seen |\n".to_owned();
    table.push_str("|---|---|--:|--:|--:|--:|--:|\n");
    for round in &rounds {
        let judged = round
            .judged
            .map(|share| share.map_or(String::new(), |share| format!("{share:.0} %")));
        let (site, method) = (round.site, METHODS[round.method].1);
        // Writing to a string can't fail.
        let _ = writeln!(
            table,
            "| {site} | {method} | {:.1} % | {} |",
            round.cost,
            judged.join(" | ")
        );
    }
    let points = |method| {
        let own = rounds.iter().filter(move |round| round.method == method);
        own.filter_map(|round| Some(Point::new(round.cost.min(EDGE), round.judged[0]?)))
            .collect()
    };
    // Full crawls are at the edge or beyond.
    let methods = METHODS.iter().enumerate().take(METHODS.len() - 1);
    let chart = LineChart {
        title: "New objects found by rounds of several methods, by their cost".to_owned(),
        x: "requests, in percent of the HTML pages of the site".to_owned(),
        y: "new objects found, in percent".to_owned(),
        series: methods
            .map(|(method, (_, name))| Series {
                name: (*name).to_owned(),
                points: points(method),
            })
            .collect(),
    };
    (!rounds.is_empty()).then(|| (table, chart.to_svg_of_points() + "\n"))
}

/// Reads a round from a row of the table, if it was judged.
fn round(line: &str) -> Option<Round<'_>> {
    let (name, value) = figure(line)?;
    let (site, what) = name.split_once(WAY)?;
    let method = METHODS.iter().position(|(end, _)| *end == what)?;
    let beside = line.split(" | ").nth(5)?;
    let percent = |share: &str| share.parse::<f64>().ok().map(|share| share * 100.0);
    let judged = JUDGED.map(|what| {
        let mut values = beside.split(", ").filter_map(|value| value.split_once(": "));
        percent(values.find(|(name, _)| *name == what)?.1)
    });
    judged.iter().any(Option::is_some).then_some(Round {
        site,
        method,
        cost: percent(value.split(' ').next()?)?,
        judged,
    })
}

/// Draws the plot of the README from the page of figures. Returns `None` if it has no figure of a
/// round.
pub(crate) fn rounds(page: &str) -> Result<Option<String>> {
    let rows = rows(page)?;
    let chart = BarList {
        title: "Pages fetched by a round a week later, in percent of the site".to_owned(),
        part: "fetched by the round".to_owned(),
        whole: "fetched by a full crawl".to_owned(),
        rows,
    };
    Ok((!chart.rows.is_empty()).then(|| chart.to_svg() + "\n"))
}

/// Reads the figures of the sites on which objects were found, the cheapest round first.
fn rows(page: &str) -> Result<Vec<ListRow>> {
    let figures: Vec<(&str, &str)> = page.lines().filter_map(figure).collect();
    let has_objects = |site: &str| {
        let found = figures
            .iter()
            .find(|(name, _)| name.strip_suffix(FOUND) == Some(site));
        found.is_some_and(|(_, value)| !value.starts_with("0 "))
    };
    let mut rows = Vec::new();
    for (name, value) in &figures {
        let Some(site) = name.strip_suffix(FIGURE).filter(|site| has_objects(site)) else {
            continue;
        };
        let share = value.split(' ').next().unwrap_or_default();
        let share: f64 = share
            .parse()
            .with_context(|| format!("invalid share `{value}` of {site}"))?;
        rows.push(ListRow {
            name: site.to_owned(),
            value: (share * 1_000.0).round() / 10.0,
            whole: Some(100.0),
            interval: None,
        });
    }
    rows.sort_by(|one, other| one.value.total_cmp(&other.value));
    Ok(rows)
}

/// Reads the name of a figure and its value from a row of the table.
fn figure(line: &str) -> Option<(&str, &str)> {
    let mut cells = line.strip_prefix("| ")?.split(" | ");
    Some((cells.next()?, cells.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_by_several_methods_are_a_table() {
        let row = |name: &str, share: &str, beside: &str| {
            format!("| books: crawled {name} | {share} of a full crawl's pages |  |  |  | {beside} |  |\n")
        };
        let page = [
            row(
                "as it is, a full crawl a week later",
                "1.02",
                "added objects found: 1, requests: 259",
            ),
            row(
                "as it is, a round a week later",
                "0.0354",
                "added objects found: 0.667, deep ones found: 0",
            ),
            row("as it is, a feed-only round a week later", "0.005", "requests: 1"),
            row(
                "stripped, a round a week later",
                "0.0354",
                "added objects found: 1",
            ),
        ];
        let (table, plot) = compared(&page.concat()).unwrap();
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| books | Magpie | 3.5 % | 67 % |  | 0 % |  |",
                "| books | full crawl | 102.0 % | 100 % |  |  |  |",
            ]
        );
        assert!(!plot.contains("polyline"));
        assert!(compared(&page[3]).is_none());
    }

    #[test]
    fn rounds_of_sites_with_objects_are_drawn() {
        let page = "| figure | value |\n\
            | shops: crawled as it is, a round a week later | 0.111 of a full crawl's pages |  | ≤ 0.100 | no | requests: 21.0 |  |\n\
            | shops: crawled as it is, distinct found | 0.950 of the objects within reach |  | ≥ 0.9 | yes | found: 116 |  |\n\
            | books: crawled as it is, a round a week later | 0.03540 of a full crawl's pages |  | ≤ 0.100 | yes | requests: 9.00 |  |\n\
            | books: crawled as it is, distinct found | 0.950 of the objects within reach |  | ≥ 0.9 | yes | found: 31.0 |  |\n\
            | papers: crawled as it is, a round a week later | 0.06730 of a full crawl's pages |  | ≤ 0.100 | yes | requests: 66.0 |  |\n\
            | papers: crawled as it is, distinct found | 0 of the objects within reach |  | ≥ 0.9 | no | found: 0 |  |\n";
        let rows = rows(page).unwrap();
        let drawn: Vec<(&str, f64)> = rows.iter().map(|row| (row.name.as_str(), row.value)).collect();
        assert_eq!(drawn, [("books", 3.5), ("shops", 11.1)]);
    }
}
