//! `magpie reading`: how the pages of sites are read, and corrections of it.

use std::collections::HashSet;

use magpie_engine::reading::{Difference, ReadingError, Samples, SiteReader};
use magpie_engine::site::named_key;
use magpie_reading::Reading;
use magpie_report::sentences::reading as sentences;
use magpie_report::views::reading::{ReadingDifference, ReadingView};
use magpie_rows::{ReadStore, SiteId};
use magpie_runtime::Plugin;
use magpie_terminal::format::{self, many};
use magpie_terminal::workspace::{Opened, open_session, open_verticals};
use magpie_terminal::{Failure, Printer, Table};

use crate::args::ReadingArgs;
use crate::console::Console;
use crate::forms;
use crate::objects::cluster::told;

pub(crate) fn run(arguments: &ReadingArgs, printer: &mut Printer) -> Result<(), Failure> {
    let changes = arguments.learn || arguments.undo || arguments.apply || !arguments.teach.is_empty();
    match changes && !arguments.diff {
        true => change(arguments, printer),
        false => show(arguments, printer),
    }
}

/// Returns the sites of a workspace that a name means, all for no name.
pub(crate) fn sites_named(
    reader: &dyn ReadStore,
    name: Option<&str>,
) -> Result<Vec<(SiteId, String)>, Failure> {
    let all = forms::sites(reader)?;
    let keys: Vec<String> = all.iter().map(|site| site.key.clone()).collect();
    let named: HashSet<&String> = named_key(&keys, name).into_iter().collect();
    if let (true, Some(name)) = (named.is_empty(), name) {
        return Err(Failure::input(format!("no site `{name}` in this workspace"))
            .hint("`magpie sites` lists those that were learned"));
    }
    let wanted = all.iter().filter(|site| named.contains(&site.key));
    Ok(wanted.map(|site| (site.id, site.key.clone())).collect())
}

/// Shows readings, or what another one would change.
fn show(arguments: &ReadingArgs, printer: &mut Printer) -> Result<(), Failure> {
    let opened = Opened::by(&arguments.settings.any)?;
    let reader = &*opened.reader;
    let sites = sites_named(reader, arguments.site.as_deref())?;
    let verticals = open_verticals(&opened.folder, &opened.settings)?;
    let plugins = verticals.map(|verticals| verticals.plugins()).unwrap_or_default();
    let is_wanted = |plugin: &&Plugin| {
        let wanted = arguments.vertical.as_ref();
        plugin.extracts() && wanted.is_none_or(|name| *name == plugin.info().name)
    };
    let min_confidence = opened.settings.settings.verticals.min_confidence;
    let mut any = false;
    for plugin in plugins.iter().filter(is_wanted) {
        let info = plugin.info();
        let pages = SiteReader::new(reader, &opened.folder, info.clone(), min_confidence);
        for (site, key) in &sites {
            if arguments.diff {
                any = true;
                let difference = candidate(&pages, arguments, (*site, key))?;
                show_difference(&difference, (&info.name, key), arguments.json, printer)?;
                continue;
            }
            let Some(reading) = pages.present(key)? else {
                continue;
            };
            any = true;
            if arguments.site.is_none() && !arguments.json {
                printer.line(&in_short(&info.name, key, &reading))?;
                continue;
            }
            let samples = pages.samples(*site, &reading)?;
            let file = pages.file(key);
            if arguments.json {
                printer.json(&ReadingView::new(&info.name, key, &file, &reading, &samples))?;
                continue;
            }
            printer.heading(&format!("{key}, {}", info.name))?;
            printer.line(&format!("  {}", file.display()))?;
            describe(&reading, &samples, printer)?;
        }
    }
    if any {
        return Ok(());
    }
    Err(Failure::input("nothing was learned of reading this site").hint(
        "`magpie learn URL` learns a site; `magpie reading SITE --learn` learns from pages that are archived already",
    ))
}

/// Compares the readings that the arguments mean.
fn candidate(
    pages: &SiteReader<'_>,
    arguments: &ReadingArgs,
    (site, key): (SiteId, &String),
) -> Result<Difference, Failure> {
    let present = pages.present(key)?;
    let Some(new) = new_reading(pages, arguments, (site, key))? else {
        let before = pages.previous(key)?;
        let present = present.ok_or_else(|| not_learned(key))?;
        return Ok(pages.compare(site, before.as_ref(), &present)?);
    };
    Ok(pages.compare(site, present.as_ref(), &new)?)
}

/// Returns the reading that the arguments ask for in place of the present one.
fn new_reading(
    pages: &SiteReader<'_>,
    arguments: &ReadingArgs,
    (site, key): (SiteId, &String),
) -> Result<Option<Reading>, Failure> {
    if arguments.undo {
        let before = pages.previous(key)?;
        let none = || Failure::input(format!("there is no reading of {key} before the present one"));
        return before.map(Some).ok_or_else(none);
    }
    if let [page, values @ ..] = arguments.teach.as_slice() {
        let mut taught = pages.present(key)?.unwrap_or_else(|| pages.empty(key));
        for value in values {
            let (attribute, value) = value.split_once('=').ok_or_else(|| {
                Failure::usage(format!(
                    "`{value}` is not ATTRIBUTE=VALUE, as in name=\"The Show\""
                ))
            })?;
            if !taught.teach(page, attribute, value) {
                let message = format!("`{value}` is no value of `{attribute}`");
                return Err(Failure::usage(message)
                    .hint("`magpie plugin inspect` lists the attributes and their kinds"));
            }
        }
        return Ok(Some(pages.learn(site, key, Some(&taught))?));
    }
    if arguments.learn {
        let present = match pages.present(key) {
            // An invalid file is replaced, and kept beside the new one.
            Err(ReadingError::Invalid { .. }) => None,
            other => other?,
        };
        return Ok(Some(pages.learn(site, key, present.as_ref())?));
    }
    Ok(None)
}

fn not_learned(key: &str) -> Failure {
    Failure::input(format!("nothing was learned of reading {key}")).hint(format!(
        "`magpie reading {key} --learn` learns from its archived pages"
    ))
}

/// Puts another reading in force.
fn change(arguments: &ReadingArgs, printer: &mut Printer) -> Result<(), Failure> {
    let session = open_session(&arguments.settings, arguments.vertical.as_deref(), |settings| {
        settings
    })?;
    let (store, pages) = (session.store(), session.site_reader()?);
    let sites = sites_named(store, arguments.site.as_deref())?;
    for (site, key) in &sites {
        let new = match new_reading(&pages, arguments, (*site, key))? {
            Some(new) => {
                if let Some(edited) = pages.keep(key, &new)? {
                    printer.warn(&format!("the edited file is now {}", edited.display()));
                }
                new
            }
            None => pages.present(key)?.ok_or_else(|| not_learned(key))?,
        };
        let read = pages.read_again(store, *site, &new)?;
        match arguments.json {
            true => {
                let samples = pages.samples(*site, &new)?;
                let file = pages.file(key);
                printer.json(&ReadingView::new(session.vertical(), key, &file, &new, &samples))?;
            }
            false => printer.line(&format!("{key}: {}", sentences::read(&read)))?,
        }
    }
    let mut console = Console::new(&session, arguments.json, printer)?;
    let report = session.cluster(&mut console)?.unwrap_or_default();
    console.check()?;
    match arguments.json {
        true => Ok(()),
        false => printer.line(&told(&report)),
    }
}

fn in_short(vertical: &str, key: &str, reading: &Reading) -> String {
    let classes = reading.classes().count();
    let mut text = format!(
        "{key}, {vertical}: learned from {}, {} of pages, {}",
        many(reading.pages() as u64, "page"),
        many(classes as u64, "kind"),
        many(reading.places().count() as u64, "place"),
    );
    if !reading.corrections().is_empty() {
        text.push_str(&format!(
            ", {}",
            many(reading.corrections().len() as u64, "correction")
        ));
    }
    text
}

fn describe(reading: &Reading, samples: &Samples, printer: &mut Printer) -> Result<(), Failure> {
    let facts = reading.facts();
    let list = |texts: &[String]| texts.join(", ");
    let rows = [
        (
            "year",
            facts.year.map(|year| year.to_string()).unwrap_or_default(),
        ),
        ("currency", facts.currency.clone().unwrap_or_default()),
        ("languages", list(&facts.languages)),
        ("other hosts", list(&facts.aliases)),
    ];
    let mut table = Table::indented(2);
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        table.row((*name, value.as_str()));
    }
    for (attribute, value) in &facts.constants {
        table.row((format!("{attribute} of all objects"), value.as_str()));
    }
    printer.table(&table)?;
    for (name, kind, pages) in reading.classes() {
        printer.section(&format!("{name}: {kind}, {}", many(pages as u64, "page")))?;
        let mut table =
            Table::indented(2)
                .right(&[2, 3])
                .cut(4)
                .head(["attribute", "place", "pages", "agree", "values"]);
        for place in reading.places().filter(|place| place.class == name) {
            let key = (place.attribute.to_owned(), place.find.to_owned());
            let values = samples.values.get(&key).map(|values| values.join(" · "));
            table.row((
                place.attribute,
                place.find,
                format::thousands(place.support as u64),
                format!("{:.0} %", 100.0 * place.agreement),
                values.unwrap_or_default(),
            ));
        }
        if reading.places().any(|place| place.class == name) {
            printer.table(&table)?;
        }
    }
    if !samples.disagreements.is_empty() {
        printer.section("Pages where the vertical found something else")?;
        let mut table = Table::indented(2)
            .cut(3)
            .head(["attribute", "at its place", "found", "page"]);
        for one in &samples.disagreements {
            let of = &one.disagreement;
            table.row((
                of.attribute.as_str(),
                of.read.as_str(),
                of.found.join("; "),
                one.page.as_str(),
            ));
        }
        printer.table(&table)?;
    }
    if !reading.corrections().is_empty() {
        printer.section("Corrections")?;
        let mut table = Table::indented(2).cut(2);
        for one in reading.corrections() {
            table.row((one.attribute.as_str(), one.value.as_str(), one.page.as_str()));
        }
        printer.table(&table)?;
    }
    Ok(())
}

fn show_difference(
    difference: &Difference,
    (vertical, key): (&str, &str),
    as_json: bool,
    printer: &mut Printer,
) -> Result<(), Failure> {
    if as_json {
        return printer.json(&ReadingDifference::new(vertical, key, difference));
    }
    printer.line(&format!(
        "{key}, {vertical}: {}: {} added, {} lost, {} changed",
        many(difference.pages, "page"),
        many(difference.added.0, "object"),
        format::thousands(difference.lost.0),
        many(difference.changed.0, "value"),
    ))?;
    for (title, (count, objects)) in [("Added", &difference.added), ("Lost", &difference.lost)] {
        if *count == 0 {
            continue;
        }
        printer.section(title)?;
        let mut table = Table::indented(2).cut(1);
        objects
            .iter()
            .for_each(|one| table.row((one.object.as_str(), one.page.as_str())));
        printer.table(&table)?;
        more(*count, objects.len(), printer)?;
    }
    let (count, values) = &difference.changed;
    if *count > 0 {
        printer.section("Changed")?;
        let mut table = Table::indented(2)
            .cut(3)
            .head(["attribute", "before", "after", "object"]);
        for one in values {
            table.row((
                one.attribute.as_str(),
                one.before.as_str(),
                one.after.as_str(),
                one.on.object.as_str(),
            ));
        }
        printer.table(&table)?;
        more(*count, values.len(), printer)?;
    }
    Ok(())
}

fn more(count: u64, shown: usize, printer: &mut Printer) -> Result<(), Failure> {
    match count.saturating_sub(shown as u64) {
        0 => Ok(()),
        rest => printer.line(&format!("  and {} more", format::thousands(rest))),
    }
}
