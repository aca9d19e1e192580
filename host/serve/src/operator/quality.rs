//! The quality of the data: coverage of attributes, and doubtful objects.

use axum::extract::State;
use axum::response::Response;
use magpie_query::Query;
use magpie_report::format::thousands;
use magpie_report::views::explain::DoubtView;
use magpie_report::views::sites::FilledView;
use magpie_rows::{CoverageRow, Filled, ObjectDetail, SearchOptions, SearchOrder, SortKey, WeakestLink};
use serde_json::json;

use super::violations;
use crate::answer::List;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Table, Tone};
use crate::frame::Page;
use crate::href::Href;
use crate::{App, Error, html};

/// Loss that is shown before it is proven.
const MIN_LOSS: f64 = 0.1;

const MAX_ROWS: usize = 200;

/// Objects in doubt on one page.
const DOUBTS: usize = 200;

/// Objects with most records that are looked through for sources that disagree.
const MAX_LOOKED_THROUGH: usize = 100;

struct Row {
    vertical: String,
    site: String,
    row: CoverageRow,
}

fn share(filled: Filled) -> Option<f64> {
    (filled.records > 0).then(|| filled.share())
}

fn percent(share: Option<f64>) -> Cell {
    share.map_or_else(Cell::none, |share| Cell::from(format!("{:.0} %", share * 100.0)))
}

/// The loss since the site was learned; the worst first.
fn loss(row: &CoverageRow) -> f64 {
    share(row.learned).unwrap_or(0.0) - share(row.last).unwrap_or(0.0)
}

pub(super) async fn show(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let (mut rows, mut checked, found) = app
        .read_dear(|reader| {
            let (mut rows, mut checked): (Vec<Row>, Vec<_>) = (Vec::new(), Vec::new());
            for vertical in reader.learned_verticals()? {
                let sites = reader.learned_sites(&vertical)?;
                for row in reader.field_coverage(&vertical, None)? {
                    let site = sites.iter().find(|site| site.site == row.site);
                    rows.extend(site.map(|site| Row {
                        vertical: vertical.clone(),
                        site: site.key.clone(),
                        row,
                    }));
                }
                for site in &sites {
                    let (pages, failing) = reader.checked_pages(&vertical, site.site)?;
                    checked.push((vertical.clone(), site.key.clone(), pages, failing));
                }
            }
            let violations = violations::totals(reader)?;
            Ok((rows, checked, violations))
        })
        .await?;
    rows.sort_by(|Row { row: one, .. }, Row { row: other, .. }| {
        let proven = other.fell_at.is_some().cmp(&one.fell_at.is_some());
        proven.then(loss(other).total_cmp(&loss(one)))
    });
    if !asked.format.is_page() {
        let rows = rows.iter().map(|Row { vertical, site, row }| {
            json!({
                "vertical": vertical, "site": site, "attribute": row.attribute, "of_details": row.of_details,
                "learned": FilledView::from(row.learned), "last": FilledView::from(row.last),
                "fell_at": row.fell_at.map(|at| at.to_string()),
            })
        });
        return List::new("coverage", rows).answer(&asked);
    }
    let columns = [
        "Attribute",
        "Site",
        "Vertical",
        "On",
        "#Filled when learned",
        "#Filled now",
        "#Records now",
        "State",
    ];
    let mut table = Table::new("Share of records with a value, the worst first", &columns)
        .or("No site has been learned yet.");
    if rows.len() > MAX_ROWS {
        let more = thousands((rows.len() - MAX_ROWS) as u64);
        table.leaves_out(format!(
            "{more} rows that lost less are left out; the download has all."
        ));
    }
    for Row { vertical, site, row } in rows.iter().take(MAX_ROWS) {
        let query = format!("site:{} -has:{}", crate::act::host(site), row.attribute);
        table.row([
            Cell::link(Href::to(&[vertical]).with("q", &query), row.attribute.clone()),
            Cell::link(Href::to(&["site", site]), site.clone()),
            Cell::from(vertical.clone()),
            Cell::from(if row.of_details {
                "detail pages"
            } else {
                "list pages"
            }),
            percent(share(row.learned)),
            percent(share(row.last)),
            Cell::number(row.last.records),
            match row.fell_at {
                Some(at) => Cell::Many(vec![Cell::state(Tone::Bad, "fell since "), Cell::Time(at)]),
                None if loss(row) > MIN_LOSS => Cell::state(Tone::Quiet, "lower, not proven"),
                None => Cell::state(Tone::Good, "as learned"),
            },
        ]);
    }
    let by_reason = violations::table(&found);
    let columns = [
        "Site",
        "Vertical",
        "#Pages with objects",
        "#Pages with a value that did not fit",
    ];
    let mut of_pages = Table::new("Pages with values that did not fit the schema", &columns)
        .or("No site has been learned yet.");
    // Sites with most such pages first.
    checked.sort_by_key(|(_, _, _, failing)| std::cmp::Reverse(*failing));
    if checked.len() > MAX_ROWS {
        let more = thousands((checked.len() - MAX_ROWS) as u64);
        of_pages.leaves_out(format!("{more} sites with fewer such pages are left out."));
    }
    for (vertical, site, pages, failing) in checked.into_iter().take(MAX_ROWS) {
        of_pages.row([
            Cell::link(Href::to(&["site", &site]), site.clone()),
            Cell::from(vertical),
            Cell::number(pages),
            Cell::number(failing),
        ]);
    }
    html(&Page {
        frame: asked.list_frame("Quality", "/quality"),
        blocks: vec![
            Block::Table(table),
            Block::Table(by_reason),
            Block::Table(of_pages),
            Block::command("magpie sites --json"),
        ],
    })
}

pub(super) async fn doubts(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let shared = app.clone();
    let (doubts, disagreeing) = app
        .read_dear(move |reader| {
            let (mut doubts, mut disagreeing): (Vec<(String, WeakestLink)>, Vec<ObjectDetail>) =
                (Vec::new(), Vec::new());
            for row in reader.warehouse_verticals()? {
                let weakest = reader.weakest_links(&row.vertical)?.into_iter();
                doubts.extend(weakest.map(|link| (row.vertical.clone(), link)));
                let options = SearchOptions {
                    order: SearchOrder {
                        by: SortKey::Records,
                        is_reversed: false,
                    },
                    limit: MAX_LOOKED_THROUGH,
                    ..SearchOptions::default()
                };
                let page = reader.search(&row.vertical, &Query::all(shared.now()), &options)?;
                for hit in page.hits.iter().filter(|hit| hit.members > 1) {
                    let detail = reader.object_detail(hit.id)?;
                    disagreeing.extend(detail.filter(|detail| {
                        detail
                            .values
                            .iter()
                            .any(|value| value.sources.iter().any(|source| !source.agrees))
                    }));
                }
            }
            doubts.sort_by(|(_, one), (_, other)| one.link.probability.total_cmp(&other.link.probability));
            Ok((doubts, disagreeing))
        })
        .await?;
    if !asked.format.is_page() {
        let rows = doubts
            .iter()
            .map(|(vertical, weakest)| DoubtView::new(vertical, weakest));
        return List::new("doubts", rows).answer(&asked);
    }
    let columns = ["Object", "Vertical", "#Probability", "Why", "Are they one?"];
    let mut table = Table::new(
        "All objects by the weakest link that holds them together",
        &columns,
    )
    .or("No object is held together by a link.");
    let start = asked.number("start", 1, doubts.len().max(1)) - 1;
    for (vertical, weakest) in doubts.iter().skip(start).take(DOUBTS) {
        let WeakestLink {
            object, label, link, ..
        } = weakest;
        table.row([
            Cell::link(Href::to(&["object", &object.0.to_string()]), label.clone()),
            Cell::from(vertical.clone()),
            Cell::from(format!("{:.0} %", link.probability * 100.0)),
            Cell::from(link.reasons.join("; ")),
            Cell::link(
                crate::control::split_href(*object, link.one, link.other),
                format!("compare r{} with r{}", link.one, link.other),
            ),
        ]);
    }
    let next = start + DOUBTS;
    if next < doubts.len() {
        let href = asked.but(&[("start", Some(&(next + 1).to_string()))]);
        let more = thousands((doubts.len() - next) as u64);
        table.leaves_out(Cell::link(href, format!("the next of {more} more objects")));
    }
    let mut values = Table::new(
        "Values on which sources disagree",
        &["Object", "Attribute", "Chosen", "Others say"],
    )
    .or("The sources of the objects with most records agree.");
    for detail in &disagreeing {
        for value in &detail.values {
            let mut others: Vec<String> = value
                .sources
                .iter()
                .filter(|source| !source.agrees)
                .map(|source| source.values.join(", "))
                .collect();
            others.sort();
            others.dedup();
            if others.is_empty() {
                continue;
            }
            values.row([
                Cell::link(
                    Href::to(&["object", &detail.object.id.0.to_string()]),
                    detail.object.label.clone(),
                ),
                Cell::Code(value.attribute.clone()),
                Cell::from(value.values.join(", ")),
                Cell::from(others.join(" · ")),
            ]);
        }
    }
    html(&Page {
        frame: asked.list_frame("Doubts", "/doubts"),
        blocks: vec![
            Block::Table(table),
            Block::Table(values),
            Block::Command {
                about: "To say that two records are not one object".to_owned(),
                line: "magpie objects split r12 r34".to_owned(),
            },
        ],
    })
}
