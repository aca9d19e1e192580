//! The components, what they cost and what they did.

use axum::extract::State;
use axum::response::Response;
use magpie_model::{Attribute, short_digest};
use magpie_report::format::thousands;
use magpie_report::views::status::ComponentView;

use crate::answer::List;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Table};
use crate::frame::Page;
use crate::href::Href;
use crate::{App, Error, html};

pub(super) async fn show(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let (components, rows) = app
        .read(|reader| Ok((reader.component_totals()?, reader.warehouse_verticals()?)))
        .await?;
    if !asked.format.is_page() {
        let rows = components.iter().map(ComponentView::from);
        return List::new("verticals", rows).answer(&asked);
    }
    let columns = [
        "Vertical",
        "Version",
        "Component",
        "#Pages",
        "#With objects",
        "#Records",
        "#Violations",
        "Failures",
    ];
    let mut table =
        Table::new("Components and their results", &columns).or("No component has seen a page yet.");
    for totals in &components {
        let problems = totals.problems.iter();
        let problems: Vec<_> = problems
            .map(|(code, pages)| format!("{} {code}", thousands(*pages)))
            .collect();
        let component = &totals.component;
        table.row([
            Cell::link(Href::to(&[&component.vertical]), component.vertical.clone()),
            Cell::from(component.version.clone()),
            Cell::Code(short_digest(&component.digest).to_owned()),
            Cell::number(totals.pages),
            Cell::number(totals.hits),
            Cell::number(totals.records),
            Cell::number(totals.violations),
            match problems.is_empty() {
                true => Cell::from("none"),
                false => Cell::from(problems.join(", ")),
            },
        ]);
    }
    let mut blocks = vec![Block::Table(table)];
    for row in rows {
        let attributes: Vec<Attribute> = serde_json::from_str(&row.matching.schema).unwrap_or_default();
        let caption = format!("Attributes of {}", row.vertical);
        let mut table = Table::new(caption, &["Attribute", "Kind", "Label", "Facts"]);
        for attribute in attributes {
            let facts = [
                (attribute.required, "required"),
                (attribute.repeated, "repeated"),
                (attribute.identifies, "identifies"),
                (attribute.expires, "expires"),
            ];
            let facts: Vec<&str> = facts
                .iter()
                .filter(|(is, _)| *is)
                .map(|(_, word)| *word)
                .collect();
            table.row([
                Cell::Code(attribute.name),
                Cell::from(attribute.kind.to_string()),
                Cell::from(attribute.label),
                Cell::from(facts.join(", ")),
            ]);
        }
        blocks.push(Block::Table(table));
    }
    let settings = &app.settings().settings.verticals;
    blocks.push(Block::Facts(vec![
        Cell::from(format!("{:.1} s", settings.cpu.as_secs_f64())).figure("CPU time of a page at most"),
        Cell::from(magpie_report::format::bytes(settings.memory.0)).figure("Memory of a page at most"),
        Cell::number(settings.objects).figure("Records of a page at most"),
    ]));
    blocks.push(Block::command("magpie status"));
    html(&Page {
        frame: asked.list_frame("Verticals", "/verticals"),
        blocks,
    })
}
