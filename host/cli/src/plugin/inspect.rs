//! `magpie plugin inspect`.

use magpie_model::Attribute;
use magpie_runtime::Plugin;
use magpie_terminal::format::shortened;
use magpie_terminal::{Failure, Printer, Table, Tone, format};

use crate::plugin::args::InspectArgs;
use crate::plugin::lines::InspectLine;
use crate::setup;

pub(crate) fn run(arguments: &InspectArgs, printer: &mut Printer) -> Result<(), Failure> {
    let runtime = setup::usual_runtime()?;
    let plugin = setup::load(&runtime, &arguments.plugin, &[], printer)?;
    if arguments.json {
        let file = plugin.inspection().clone();
        let description = plugin.info().clone();
        printer.json(&InspectLine { file, description })?;
    } else {
        identity(&plugin, printer)?;
        schema(&plugin, printer)?;
        options(&plugin, printer)?;
        routing(&plugin, printer)?;
    }
    Ok(())
}

fn identity(plugin: &Plugin, printer: &mut Printer) -> Result<(), Failure> {
    let (info, file) = (plugin.info(), plugin.inspection());
    printer.line(&format!(
        "{}  {}",
        printer.paint(Tone::Strong, &plugin.id().to_string()),
        info.summary
    ))?;
    let mut table = Table::indented(2);
    table.row(("contract", file.contract.to_string()));
    table.row(("exports", file.exports.join(", ")));
    table.row(("imports", imports(&file.imports, printer.verbose)));
    table.row(("size", format::bytes(file.bytes as u64)));
    table.row(("digest", file.digest.clone()));
    for (name, value) in &file.metadata {
        table.row((name.clone(), shortened(value, printer.room(20))));
    }
    printer.table(&table)
}

/// Formats the imports of a component. Tools of some languages import dozens of WASI interfaces,
/// which the host closes.
fn imports(all: &[String], in_full: bool) -> String {
    let (wasi, own): (Vec<&String>, Vec<&String>) = all.iter().partition(|name| name.starts_with("wasi:"));
    let mut names: Vec<String> = own.into_iter().cloned().collect();
    if in_full {
        names.extend(wasi.into_iter().cloned());
    } else if !wasi.is_empty() {
        names.push(format!(
            "{} of WASI, closed",
            format::count(wasi.len(), "interface")
        ));
    }
    names.join(", ")
}

fn schema(plugin: &Plugin, printer: &mut Printer) -> Result<(), Failure> {
    let info = plugin.info();
    if info.attributes.is_empty() {
        return Ok(());
    }
    printer.section(&format!("One {} has", info.object_type))?;
    let mut table = Table::indented(2);
    for attribute in &info.attributes {
        table.row((
            attribute.name.clone(),
            attribute.kind.to_string(),
            roles(attribute),
        ));
    }
    printer.table(&table)
}

fn roles(attribute: &Attribute) -> String {
    let roles = [
        (attribute.required, "required"),
        (attribute.repeated, "repeated"),
        (attribute.identifies, "identifies"),
        (attribute.query, "in queries"),
        (attribute.expires, "expires"),
    ];
    let mut words: Vec<String> = roles
        .iter()
        .filter(|(is, _)| *is)
        .map(|(_, word)| (*word).to_owned())
        .collect();
    if (attribute.weight - 1.0).abs() > f64::EPSILON {
        words.push(format!("weight {}", attribute.weight));
    }
    words.extend(
        attribute
            .schema_org
            .iter()
            .map(|property| format!("schema.org {property}")),
    );
    words.join(", ")
}

fn options(plugin: &Plugin, printer: &mut Printer) -> Result<(), Failure> {
    let options = &plugin.info().options;
    if options.is_empty() {
        return Ok(());
    }
    printer.section("Options")?;
    let mut table = Table::indented(2).cut(2);
    for option in options {
        let choices = if option.choices.is_empty() {
            String::new()
        } else {
            format!(" ({})", option.choices.join(", "))
        };
        table.row((
            option.name.clone(),
            format!("default {}", option.default),
            format!("{}{choices}", option.summary),
        ));
    }
    printer.table(&table)
}

fn routing(plugin: &Plugin, printer: &mut Printer) -> Result<(), Failure> {
    let routing = &plugin.info().routing;
    let words = |list: &[String], none: &str| {
        if list.is_empty() {
            none.to_owned()
        } else {
            list.join(", ")
        }
    };
    printer.section("Pages it is shown")?;
    let mut table = Table::indented(2);
    table.row(("media types", words(&routing.content_types, "HTML")));
    table.row(("schema types", words(&routing.schema_types, "none named")));
    table.row(("addresses with", words(&routing.path_hints, "none named")));
    let others = if routing.only_hinted {
        "left out"
    } else {
        "shown too"
    };
    table.row(("other pages", others.to_owned()));
    printer.table(&table)
}
