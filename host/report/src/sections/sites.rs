//! The sites.

use magpie_plot::{BarList, ListRow};

use crate::blocks::{Block, Cell, Table};
use crate::data::Site;
use crate::format::{cut, many, thousands};
use crate::href::Href;

/// Sites in the table.
const MAX_SITES: usize = 250;
/// Sites in the chart.
const MAX_BARS: usize = 25;
/// Minimum number of sites for a chart; fewer are clearer in the table.
const CHART: usize = 3;

/// If `lists_problems`, the page has a section of problems, and their numbers link to it.
pub(super) fn blocks(sites: &[Site], lists_problems: bool) -> Vec<Block> {
    let mut sorted: Vec<&Site> = sites.iter().collect();
    sorted.sort_by(|one, other| other.objects.cmp(&one.objects).then(one.name.cmp(&other.name)));
    let mut blocks = Vec::new();
    if sorted.len() >= CHART {
        let objects = chart(
            &sorted,
            "New objects",
            ["new in this run", "all objects of the site"],
            |site| (site.new_objects, site.objects),
        );
        let pages = chart(
            &sorted,
            "Pages fetched",
            ["fetched in this run", "all pages known"],
            |site| (site.pages_fetched, site.pages_known),
        );
        blocks.extend([objects, pages].map(|chart| Block::chart(|width| chart.to_svg_of_width(width), None)));
    }
    if !sorted.is_empty() {
        blocks.push(Block::Table(table(&sorted, lists_problems)));
    }
    blocks
}

fn chart(sites: &[&Site], title: &str, [part, whole]: [&str; 2], of: fn(&Site) -> (u64, u64)) -> BarList {
    let row = |site: &&Site| {
        let (part, whole) = of(site);
        ListRow {
            name: cut(&site.name),
            value: part as f64,
            whole: Some(whole as f64),
            interval: None,
        }
    };
    BarList {
        title: match sites.len() {
            ..=MAX_BARS => format!("{title} by site"),
            _ => format!("{title}: the {MAX_BARS} sites with most objects"),
        },
        part: part.to_owned(),
        whole: whole.to_owned(),
        rows: sites.iter().take(MAX_BARS).map(row).collect(),
    }
}

fn table(sites: &[&Site], lists_problems: bool) -> Table {
    let columns = [
        "Site",
        "#Objects",
        "#New",
        "#Pages fetched",
        "#Pages known",
        "#Hub pages",
        "#Patterns selected",
        "#Problems",
        "State",
    ];
    let mut table = Table::of("Sites by objects", &columns, sites, (MAX_SITES, "site"), |site| {
        let problems = thousands(site.problems);
        vec![
            Cell::from(cut(&site.name)),
            Cell::number(site.objects),
            Cell::number(site.new_objects),
            Cell::number(site.pages_fetched),
            Cell::number(site.pages_known),
            Cell::number(site.hub_pages),
            Cell::from(format!(
                "{} of {}",
                thousands(site.patterns_selected),
                thousands(site.patterns)
            )),
            match lists_problems && site.problems > 0 {
                true => Cell::link(Href::part("problems"), problems),
                false => Cell::from(problems),
            },
            Cell::from(cut(&site.state)),
        ]
    });
    if let Some(Cell::Text(rest)) = &mut table.rest {
        let others = sites[MAX_SITES..].iter().map(|site| site.objects);
        let objects = others.fold(0, u64::saturating_add);
        rest.push_str(&format!(" with {}", many(objects, "object")));
    }
    table
}
