//! Histories of prices: one line a site.

use std::collections::BTreeMap;
use std::time::Duration;

use magpie_model::{Attribute, Kind};
use magpie_plot::{LineChart, Point, Series};
use magpie_query::interval;
use magpie_rows::ReadStore;
use magpie_rows::{MemberRow, ObjectRow};
use magpie_values::Timestamp;
use url::Url;

use crate::Error;
use crate::blocks::{Block, Cell, Table};
use crate::href::Href;

/// The time over which the lowest price is looked for.
const LOWEST_OF: Duration = Duration::from_secs(30 * 86_400);

/// Sites with a line of their own.
const MAX_LINES: usize = 6;

/// A price that a site named for some time.
struct Price {
    site: String,
    value: String,
    amount: f64,
    from: Timestamp,
    to: Timestamp,
    is_current: bool,
}

fn prices(attribute: &str, members: &[MemberRow]) -> Vec<Price> {
    let mut prices: Vec<Price> = members
        .iter()
        .filter_map(|member| {
            let value = member.record.get(attribute)?;
            let site = Url::parse(&member.url).ok()?.host_str()?.to_owned();
            Some(Price {
                site,
                amount: interval(&Kind::Money, value)?.low,
                value: value.to_owned(),
                from: member.first_seen,
                to: member.last_seen,
                is_current: member.current,
            })
        })
        .collect();
    prices.sort_by_key(|price| price.from);
    prices
}

/// The price chart of an object, with its table. Returns nothing if no price is known.
pub(super) fn history(attribute: &Attribute, members: &[MemberRow], now: Timestamp) -> Vec<Block> {
    let prices = prices(&attribute.name, members);
    let Some(first) = prices.iter().map(|price| price.from).min() else {
        return Vec::new();
    };
    let mut by_site: BTreeMap<&str, Vec<&Price>> = BTreeMap::new();
    for price in &prices {
        by_site.entry(&price.site).or_default().push(price);
    }
    let day = |at: Timestamp| at.days_since(first);
    let series = by_site.iter().take(MAX_LINES).map(|(site, prices)| Series {
        name: (*site).to_owned(),
        points: prices
            .iter()
            .flat_map(|price| {
                let end = if price.is_current {
                    now.max(price.to)
                } else {
                    price.to
                };
                [
                    Point::new(day(price.from), price.amount),
                    Point::new(day(end), price.amount),
                ]
            })
            .collect(),
    });
    let chart = LineChart {
        title: format!("{} by site", attribute.label),
        x: format!("days since {}", first.to_string().get(..10).unwrap_or_default()),
        y: attribute.label.to_lowercase(),
        series: series.collect(),
    };
    let mut table = Table::new(
        format!("{} by site and time", attribute.label),
        &["Site", "#Price", "From", "Until"],
    );
    for price in &prices {
        table.row([
            Cell::from(price.site.clone()),
            Cell::from(price.value.clone()),
            Cell::Time(price.from),
            match price.is_current {
                true => Cell::from("now"),
                false => Cell::Time(price.to),
            },
        ]);
    }
    let mut blocks = vec![Block::heading(format!("{} over time", attribute.label))];
    let mut amounts: Vec<u64> = prices.iter().map(|price| price.amount.to_bits()).collect();
    amounts.sort_unstable();
    amounts.dedup();
    if let ([_], [one, ..]) = (amounts.as_slice(), prices.as_slice()) {
        // A level line shows nothing that a sentence does not.
        blocks.push(Block::Text(vec![
            Cell::Strong(one.value.clone()),
            Cell::from(format!(
                " at {} since ",
                by_site.keys().copied().collect::<Vec<_>>().join(", ")
            )),
            Cell::Time(first),
            Cell::from(". No other price was seen."),
        ]));
        return blocks;
    }
    if let Some(lowest) = lowest(&prices, now) {
        blocks.push(Block::text(format!(
            "Lowest of the last 30 days: {} at {}.",
            lowest.value, lowest.site
        )));
    }
    blocks.push(Block::chart(|width| chart.to_svg_of_width(width), Some(table)));
    blocks
}

/// The lowest price of the last days.
fn lowest(prices: &[Price], now: Timestamp) -> Option<&Price> {
    let recent = prices
        .iter()
        .filter(|price| price.is_current || price.to >= now - LOWEST_OF);
    recent.min_by(|one, other| one.amount.total_cmp(&other.amount))
}

/// A table of hits with their prices now, and the lowest.
pub(super) fn of_hits(
    reader: &dyn ReadStore,
    attribute: &Attribute,
    hits: &[ObjectRow],
    now: Timestamp,
) -> Result<Table, Error> {
    let columns = [
        "Object",
        "#Now",
        "#Lowest of 30 days",
        "Lowest at",
        "#Sites",
        "#Prices seen",
    ];
    let mut table = Table::new(
        format!("{} of the objects that have one", attribute.label),
        &columns,
    )
    .or("No object that matches has one.");
    for hit in hits {
        let members = reader.members_of(hit.id)?;
        let prices = prices(&attribute.name, &members);
        let mut sites: Vec<&str> = prices.iter().map(|price| price.site.as_str()).collect();
        sites.sort_unstable();
        sites.dedup();
        let lowest = lowest(&prices, now);
        table.row([
            Cell::link(Href::to(&["object", &hit.id.0.to_string()]), hit.label.clone()),
            hit.record
                .get(&attribute.name)
                .map_or_else(Cell::none, Cell::from),
            lowest.map_or_else(Cell::none, |price| Cell::from(price.value.clone())),
            lowest.map_or_else(Cell::none, |price| Cell::from(price.site.clone())),
            Cell::number(sites.len() as u64),
            Cell::number(prices.len() as u64),
        ]);
    }
    Ok(table)
}
