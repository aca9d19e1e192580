//! The sites.

use magpie_plot::{BarList, ListRow};

use super::{NARROW, WIDE};
use crate::data::Site;
use crate::figures::{count, counted, cut};
use crate::page::figure;
use crate::table::{Align, Cell, Table, first};

/// Sites in the table.
const MAX_SITES: usize = 250;
/// Sites in the chart.
const MAX_BARS: usize = 25;
/// Minimum number of sites for a chart; fewer are clearer in the table.
const CHART: usize = 3;

/// If `lists_problems`, the page has a section of problems, and their numbers link to it.
pub(crate) fn html(sites: &[Site], lists_problems: bool) -> String {
    let mut sorted: Vec<&Site> = sites.iter().collect();
    sorted.sort_by(|one, other| other.objects.cmp(&one.objects).then(one.name.cmp(&other.name)));
    let (kept, _) = first(&sorted, MAX_SITES);
    let table = table(kept, &sorted[kept.len()..], lists_problems).to_html();
    if sorted.len() < CHART {
        return table;
    }
    let (shown, _) = first(&sorted, MAX_BARS);
    let objects = objects_chart(shown, sorted.len());
    let pages = pages_chart(shown, sorted.len());
    let drawn = |chart: &BarList| figure(&chart.to_svg_of_width(WIDE), &chart.to_svg_of_width(NARROW), "");
    drawn(&objects) + &drawn(&pages) + &table
}

fn objects_chart(sites: &[&Site], all: usize) -> BarList {
    let row = |site: &&Site| ListRow {
        name: cut(&site.name),
        value: site.new_objects as f64,
        whole: Some(site.objects as f64),
        interval: None,
    };
    BarList {
        title: titled("New objects", sites.len(), all),
        part: "new in this run".to_owned(),
        whole: "all objects of the site".to_owned(),
        rows: sites.iter().map(row).collect(),
    }
}

fn pages_chart(sites: &[&Site], all: usize) -> BarList {
    let row = |site: &&Site| ListRow {
        name: cut(&site.name),
        value: site.pages_fetched as f64,
        whole: Some(site.pages_known as f64),
        interval: None,
    };
    BarList {
        title: titled("Pages fetched", sites.len(), all),
        part: "fetched in this run".to_owned(),
        whole: "all pages known".to_owned(),
        rows: sites.iter().map(row).collect(),
    }
}

fn titled(what: &str, shown: usize, all: usize) -> String {
    if shown == all {
        format!("{what} by site")
    } else {
        format!("{what}: the {shown} sites with most objects")
    }
}

fn table(sites: &[&Site], rest: &[&Site], lists_problems: bool) -> Table {
    let columns = [
        ("Site", Align::Left),
        ("Objects", Align::Right),
        ("New", Align::Right),
        ("Pages fetched", Align::Right),
        ("Pages known", Align::Right),
        ("Hub pages", Align::Right),
        ("Patterns selected", Align::Right),
        ("Problems", Align::Right),
        ("State", Align::Left),
    ];
    let mut table = Table::new("Sites by objects", &columns);
    for site in sites {
        let patterns = format!("{} of {}", count(site.patterns_selected), count(site.patterns));
        let cells = [
            Cell::name(&site.name),
            Cell::count(site.objects),
            Cell::count(site.new_objects),
            Cell::count(site.pages_fetched),
            Cell::count(site.pages_known),
            Cell::count(site.hub_pages),
            Cell::figure(&patterns),
            match lists_problems && site.problems > 0 {
                true => Cell::count(site.problems).linked("problems"),
                false => Cell::count(site.problems),
            },
            Cell::text(&site.state),
        ];
        table.row(&cells, false);
    }
    if !rest.is_empty() {
        let objects = rest
            .iter()
            .fold(0, |sum: u64, site| sum.saturating_add(site.objects));
        let sites = counted(rest.len() as u64, "more site");
        table.rest(&format!("{sites} with {}", counted(objects, "object")));
    }
    table
}
