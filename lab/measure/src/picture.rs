//! The plot of the README: pages of a weekly round beside a full crawl, drawn from
//! `docs/figures.md`, so that text and picture cannot disagree.

use anyhow::{Context, Result};
use magpie_plot::{BarList, ListRow};

/// The end of the names of the figures that are drawn; the name of a site comes before it.
const FIGURE: &str = ": crawled as it is, a round a week later";

/// The share of true objects that learning found, by the name of its figure.
const FOUND: &str = ": crawled as it is, distinct found";

/// Draws the plot from the page of figures. Returns `None` if it has no figure of a round.
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
