//! `magpie config`.

use std::path::Path;

use magpie_engine::settings::{Origin, Resolved, Shown, shipped_file};
use magpie_engine::{can_fetch, option_value};
use magpie_rows::StoreError;
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, settings};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::ConfigArgs;

pub(crate) fn run(arguments: &ConfigArgs, printer: &mut Printer) -> Result<(), Failure> {
    if arguments.shipped {
        for line in shipped_file().lines() {
            printer.line(line)?;
        }
        return Ok(());
    }
    if arguments.write.is_some() || arguments.add.is_some() {
        return write(arguments, printer);
    }
    let workspace = settings::workspace(&arguments.settings.place)?;
    if let Some(folder) = workspace.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(StoreError::NotThere { path: folder.clone() }.into());
    }
    let resolved = settings::resolve(&arguments.settings, workspace.as_deref())?;
    let shown = chosen(resolved.list(), arguments)?;
    let options = options(&resolved, arguments);
    if arguments.json {
        shown
            .iter()
            .try_for_each(|shown| printer.json(&SettingLine::from(shown)))?;
        options.iter().try_for_each(|option| printer.json(option))?;
    } else if let [only] = shown.as_slice() {
        in_full(only, printer)?;
    } else {
        as_table(&shown, &options, printer)?;
    }
    // After all is shown, so that it can be seen where it comes from.
    can_fetch(&resolved.settings)?;
    resolved
        .sites()
        .try_for_each(|(_, settings)| can_fetch(settings))?;
    Ok(())
}

/// Writes a setting into the file of the workspace.
fn write(arguments: &ConfigArgs, printer: &mut Printer) -> Result<(), Failure> {
    let folder = settings::required_workspace(&arguments.settings.place)?;
    let key = arguments.name.as_deref().unwrap_or_default();
    let site = arguments.site.as_deref();
    match (&arguments.write, &arguments.add) {
        (Some(text), _) => settings::write(&folder, site, key, Some(item(text)))?,
        (None, Some(text)) => add(&folder, site, key, text)?,
        (None, None) => {}
    }
    // A server may refuse it.
    magpie_engine::sync(&folder)?;
    printer.tell(&format!("wrote {key}; a watch that runs takes it over"));
    Ok(())
}

/// Adds a text to the list of a setting.
pub(crate) fn add(folder: &Path, site: Option<&str>, key: &str, text: &str) -> Result<(), Failure> {
    let resolved = settings::resolve(&settings::SettingArgs::default(), Some(folder))?;
    let all = resolved.list();
    let of = |wanted: Option<&str>| {
        all.iter()
            .find(|shown| shown.definition.key() == key && shown.site.as_deref() == wanted)
    };
    let shown = of(site).or_else(|| of(None));
    let shown = shown.ok_or_else(|| {
        Failure::usage(format!("there is no setting `{key}`")).hint("`magpie config` lists all settings")
    })?;
    let Ok(toml_edit::Value::Array(mut list)) = shown.value.parse::<toml_edit::Value>() else {
        return Err(
            Failure::usage(format!("`{key}` is not a list")).hint("`--write VALUE` replaces its value")
        );
    };
    list.push(text);
    settings::write(folder, site, key, Some(toml_edit::value(list)))
}

/// A value as it is typed: TOML, or a text without its quotation marks.
fn item(text: &str) -> toml_edit::Item {
    let value = text.parse::<toml_edit::Value>();
    toml_edit::value(value.unwrap_or_else(|_| toml_edit::Value::from(text)))
}

/// A setting with its value.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SettingLine {
    /// Name of the setting.
    key: String,
    /// Site that the value holds for, null for all.
    site: Option<String>,
    /// Value in force.
    value: String,
    /// Source of the value.
    from: String,
    /// Default value.
    default: String,
    /// Meaning of the setting.
    about: String,
    /// Environment variable that sets it.
    variable: String,
}

/// An option that was set for a vertical.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OptionLine {
    /// Name of the option.
    key: String,
    /// Name of the vertical.
    vertical: String,
    /// Value in force.
    value: String,
    /// Source of the value.
    from: String,
}

fn options(resolved: &Resolved, arguments: &ConfigArgs) -> Vec<OptionLine> {
    let all = resolved.options().iter().flat_map(|(vertical, options)| {
        options.iter().map(move |(option, (raw, place))| OptionLine {
            key: format!("vertical.{vertical}.{option}"),
            vertical: vertical.clone(),
            value: option_value(raw).to_string(),
            from: place.to_string(),
        })
    });
    let asked = |option: &OptionLine| {
        let name = arguments.name.as_deref();
        name.is_none_or(|name| name == "vertical" || option.key == name)
    };
    all.filter(asked).collect()
}

/// Returns the requested settings: all, a group, one, or those that were set.
fn chosen(all: Vec<Shown>, arguments: &ConfigArgs) -> Result<Vec<Shown>, Failure> {
    let asked = |shown: &Shown| {
        let name = arguments.name.as_deref();
        name.is_none_or(|name| {
            shown.definition.key() == name || shown.definition.group == name || shown.definition.name == name
        })
    };
    let changed = |shown: &Shown| !arguments.changed || shown.place.origin != Origin::Default;
    let some: Vec<_> = all.into_iter().filter(asked).collect();
    match (&arguments.name, some.is_empty()) {
        (Some(name), true) if !name.starts_with("vertical") || name.starts_with("verticals") => {
            Err(Failure::usage(format!("there is no setting or group `{name}`"))
                .hint("`magpie config` lists all settings"))
        }
        _ => Ok(some.into_iter().filter(changed).collect()),
    }
}

impl From<&Shown> for SettingLine {
    fn from(shown: &Shown) -> SettingLine {
        SettingLine {
            key: shown.definition.key(),
            site: shown.site.clone(),
            value: shown.value.clone(),
            from: shown.place.to_string(),
            default: shown.definition.default.clone(),
            about: about(shown),
            variable: shown.definition.variable(),
        }
    }
}

fn in_full(shown: &Shown, printer: &mut Printer) -> Result<(), Failure> {
    printer.line(&format!(
        "{} = {}",
        printer.paint(Tone::Strong, &name(shown)),
        shown.value
    ))?;
    printer.line(&format!("  {}", about(shown)))?;
    let mut table = Table::indented(2);
    table.row(("from", shown.place.to_string()));
    table.row(("default", shown.definition.default.clone()));
    if shown.site.is_none() {
        table.row(("variable", shown.definition.variable()));
    }
    printer.table(&table)
}

fn as_table(all: &[Shown], options: &[OptionLine], printer: &mut Printer) -> Result<(), Failure> {
    let mut table = Table::default().cut(1);
    for shown in all {
        let (value, place) = match shown.place.origin {
            Origin::Default => (
                Cell::toned(Tone::Quiet, &shown.value),
                Cell::toned(Tone::Quiet, shown.place.to_string()),
            ),
            _ => (Cell::from(&shown.value), Cell::from(shown.place.to_string())),
        };
        table.row((name(shown), value, place));
    }
    for option in options {
        table.row((option.key.clone(), option.value.clone(), option.from.clone()));
    }
    printer.table(&table)?;
    if all.is_empty() && options.is_empty() {
        printer.tell("all settings have their defaults");
    }
    Ok(())
}

fn name(shown: &Shown) -> String {
    match &shown.site {
        Some(site) => format!("site.{site:?}.{}", shown.definition.key()),
        None => shown.definition.key(),
    }
}

fn about(shown: &Shown) -> String {
    let lines = shown.definition.about.iter().map(|line| line.trim());
    lines.collect::<Vec<_>>().join(" ")
}
