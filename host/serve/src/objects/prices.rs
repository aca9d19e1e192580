//! Histories of prices: one line a site.
//!
//! Several pages of a site may state a price of one object: its own page, and lists that are older
//! or take the price of a neighbour. So one page of each site is believed.

use std::collections::BTreeMap;
use std::time::Duration;

use magpie_model::{Attribute, Kind};
use magpie_plot::{LineChart, Point, Series};
use magpie_query::interval;
use magpie_rows::ReadStore;
use magpie_rows::{MemberRow, ObjectRow};
use magpie_values::Timestamp;
use magpie_values::money::Currency;
use url::Url;

use crate::Error;
use crate::api::VerticalSchema as Vertical;
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

/// Returns the prices of an object in the currency of its price, the oldest first: of each site
/// those of one page, one at a time.
fn prices(
    vertical: &Vertical,
    attribute: &Attribute,
    object: &ObjectRow,
    members: &[MemberRow],
) -> Vec<Price> {
    let origins: BTreeMap<String, i64> = serde_json::from_str(&object.origins).unwrap_or_default();
    let origin = origins.get(&attribute.name);
    let origin = members.iter().find(|member| Some(&member.id) == origin);
    let addresses: Vec<&Attribute> = vertical
        .attributes
        .iter()
        .filter(|attribute| attribute.kind == Kind::Url)
        .collect();
    // A record on a list has the address of the object's page. A record without an address may be
    // on that page.
    let is_own = |member: &MemberRow| {
        let mut named = addresses
            .iter()
            .flat_map(|attribute| member.record.all(&attribute.name))
            .peekable();
        named.peek().is_none() || named.any(|address| address == member.url)
    };
    let currency = |value: &str| -> Option<Currency> { interval(&Kind::Money, value)?.currency };
    let wanted = object.record.get(&attribute.name).and_then(currency);
    let mut by_site: BTreeMap<String, Vec<(&MemberRow, &str, f64)>> = BTreeMap::new();
    for member in members {
        let Some(value) = member.record.get(&attribute.name) else {
            continue;
        };
        let site = Url::parse(&member.url).ok();
        let site = site.as_ref().and_then(Url::host_str);
        let Some((site, price)) = site.zip(interval(&Kind::Money, value)) else {
            continue;
        };
        if wanted.is_none() || price.currency.is_none() || price.currency == wanted {
            let of_site = by_site.entry(site.to_owned()).or_default();
            of_site.push((member, value, price.low));
        }
    }
    let mut prices = Vec::new();
    for (site, mut stated) in by_site {
        let rank = |member: &MemberRow| {
            let is_origin = origin.is_some_and(|origin| origin.url == member.url);
            (is_origin, is_own(member), member.current, member.last_seen)
        };
        let best = stated.iter().max_by_key(|(member, ..)| rank(member));
        let Some(page) = best.map(|(member, ..)| member.url.as_str()) else {
            continue;
        };
        stated.retain(|(member, ..)| member.url == page);
        // Of two at the same time the one counts that was seen longer.
        stated.sort_by_key(|(member, ..)| (member.first_seen, member.current, member.last_seen));
        for (at, (member, value, amount)) in stated.iter().enumerate() {
            let next = stated.get(at + 1).map(|(member, ..)| member.first_seen);
            if next == Some(member.first_seen) {
                continue;
            }
            prices.push(Price {
                site: site.clone(),
                amount: *amount,
                value: (*value).to_owned(),
                from: member.first_seen,
                to: next.map_or(member.last_seen, |next| next.min(member.last_seen)),
                is_current: member.current && next.is_none(),
            });
        }
    }
    prices.sort_by_key(|price| price.from);
    prices
}

/// The price chart of an object, with its table. Returns nothing if no price is known.
pub(super) fn history(
    vertical: &Vertical,
    attribute: &Attribute,
    object: &ObjectRow,
    members: &[MemberRow],
    now: Timestamp,
) -> Vec<Block> {
    let prices = prices(vertical, attribute, object, members);
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
    (vertical, attribute): (&Vertical, &Attribute),
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
        let prices = prices(vertical, attribute, hit, &members);
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

#[cfg(test)]
mod tests {
    use magpie_model::{Record, RecordValue};
    use magpie_rows::{ObjectId, PageId};

    use super::*;

    fn record(values: &[(&str, &str)]) -> Record {
        let value = |(attribute, value): &(&str, &str)| RecordValue {
            attribute: (*attribute).to_owned(),
            value: (*value).to_owned(),
            raw: None,
            node: None,
            repeated: false,
        };
        Record {
            values: values.iter().map(value).collect(),
            ..Record::default()
        }
    }

    const PAGE: &str = "https://shop.example/lamp";
    const LIST: &str = "https://shop.example/lamps";

    /// A record of a page that names the address of the object, seen from a day until another.
    fn member(
        id: i64,
        (page, address): (&str, &str),
        price: &str,
        days: (i64, i64),
        current: bool,
    ) -> MemberRow {
        MemberRow {
            id,
            object: ObjectId(1),
            url: page.to_owned(),
            page: PageId(id),
            record: record(&[("cost", price), ("link", address)]),
            sources: magpie_rows::Sources::new(),
            first_seen: Timestamp::from_seconds(days.0 * 86_400),
            last_seen: Timestamp::from_seconds(days.1 * 86_400),
            current,
        }
    }

    /// Returns the prices as value, first and last day.
    fn shown(members: &[MemberRow], origins: &str) -> Vec<(String, i64, i64)> {
        let attributes = vec![
            Attribute::new("cost", Kind::Money),
            Attribute::new("link", Kind::Url),
        ];
        let vertical = Vertical {
            name: "things".to_owned(),
            attributes,
        };
        let object = ObjectRow {
            id: ObjectId(1),
            vertical: vertical.name.clone(),
            label: "Lamp".to_owned(),
            record: record(&[("cost", "20.00 EUR")]),
            origins: origins.to_owned(),
            members: members.len() as u64,
            current: 1,
            first_seen: Timestamp::default(),
            last_seen: Timestamp::default(),
            expires_at: None,
            state: None,
            changed_at: Timestamp::default(),
        };
        let days = |at: Timestamp| at.as_seconds() / 86_400;
        prices(&vertical, &vertical.attributes[0], &object, members)
            .into_iter()
            .map(|price| (price.value, days(price.from), days(price.to)))
            .collect()
    }

    #[test]
    fn the_page_of_an_object_says_its_price_and_lists_do_not() {
        let members = [
            member(1, (LIST, PAGE), "5.00 EUR", (0, 60), true),
            member(2, (PAGE, PAGE), "25.00 EUR", (0, 30), false),
            member(3, (PAGE, PAGE), "20.00 EUR", (30, 60), true),
            member(4, ("https://other.example/lamp", ""), "19.00 USD", (0, 60), true),
        ];
        let own = [("25.00 EUR".to_owned(), 0, 30), ("20.00 EUR".to_owned(), 30, 60)];
        assert_eq!(shown(&members, "{}"), own);
        // The page that the value of the object is from comes first, whatever it is.
        assert_eq!(shown(&members, "{\"cost\":1}"), [("5.00 EUR".to_owned(), 0, 60)]);
    }

    #[test]
    fn records_of_a_page_that_overlap_follow_one_another() {
        let members = [
            member(1, (PAGE, PAGE), "25.00 EUR", (0, 60), true),
            member(2, (PAGE, PAGE), "20.00 EUR", (10, 60), true),
            member(3, (PAGE, PAGE), "22.00 EUR", (10, 20), false),
        ];
        let expected = [("25.00 EUR".to_owned(), 0, 10), ("20.00 EUR".to_owned(), 10, 60)];
        assert_eq!(shown(&members, "{}"), expected);
    }
}
