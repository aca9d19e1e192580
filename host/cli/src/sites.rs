//! `magpie sites`: the sites of a vertical, and the state of each.

use magpie_engine::open_reader;
use std::path::Path;

use magpie_engine::settings::host_of_site;
use magpie_engine::site::{SiteFigures, named, named_key};
use magpie_rows::{ReadStore, RoundRow};
use magpie_terminal::format::many;
use magpie_terminal::settings::{RunSettingArgs, SettingArgs};
use magpie_terminal::workspace::{Opened, open_session};
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, format, settings};

use crate::args::SitesArgs;
use crate::console::Console;
use crate::render;
use magpie_engine::learn::{SiteUndone, drop_site as drop_from, sites_begun, undo_site};
use magpie_report::views::sites::{
    BegunSiteLine, DroppedSiteLine, PausedSiteLine, SiteHealth, SiteLine, SiteState, UndoneSiteLine,
};

pub(crate) fn run(arguments: &SitesArgs, printer: &mut Printer) -> Result<(), Failure> {
    if arguments.drop || arguments.undo {
        return change_site(arguments, printer);
    }
    if arguments.pause || arguments.resume {
        return pause_site(arguments, printer);
    }
    let opened = Opened::by(&(&arguments.workspace).into())?;
    let reader = &*opened.reader;
    let verticals = verticals(reader, arguments.vertical.as_deref())?;
    let mut any = false;
    for vertical in &verticals {
        let sites = reader.learned_sites(vertical)?;
        let wanted = named(&sites, arguments.site.as_deref());
        let begun = sites_begun(reader, vertical, &opened.settings)?;
        let begun: Vec<String> = begun.into_iter().map(|(key, _)| key).collect();
        let begun = named_key(&begun, arguments.site.as_deref());
        any |= !wanted.is_empty() || !begun.is_empty();
        let view = opened.view(vertical);
        let mut figures = view.site_figures()?;
        figures.retain(|figures| wanted.iter().any(|site| site.site == figures.site));
        let health = SiteHealth::read(&view, |site| wanted.iter().any(|wanted| wanted.site == site.site))?;
        if arguments.json {
            let coverage = reader.field_coverage(vertical, None)?;
            for health in &health {
                let figures = figures.iter().find(|figures| figures.site == health.site.site);
                printer.json(&SiteLine::new(health, figures, &coverage))?;
            }
            for key in begun {
                printer.json(&BegunSiteLine::new(vertical, key))?;
            }
            continue;
        }
        if verticals.len() > 1 {
            printer.heading(vertical)?;
        }
        if sites.is_empty() && begun.is_empty() {
            continue;
        }
        table((&health, &begun), &figures, printer)?;
        render::warn_of_junk(&figures, printer);
    }
    if !any {
        return Err(match arguments.site.as_deref() {
            Some(site) => unknown_site(site),
            None => Failure::input("no site has been learned")
                .hint("`magpie learn` continues the run that was begun"),
        });
    }
    Ok(())
}

/// Pauses or resumes the watch of a site or of all.
fn pause_site(arguments: &SitesArgs, printer: &mut Printer) -> Result<(), Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    let host = match arguments.site.as_deref() {
        None => None,
        Some(site) => {
            let reader = open_reader(&folder)?;
            let mut sites = Vec::new();
            for vertical in verticals(&*reader, arguments.vertical.as_deref())? {
                sites.extend(reader.learned_sites(&vertical)?);
            }
            let key = named(&sites, Some(site)).first().map(|site| site.key.clone());
            Some(key.ok_or_else(|| unknown_site(site))?)
        }
    };
    let told = pause(&folder, host.as_deref(), arguments.pause)?;
    match arguments.json {
        true => printer.json(&PausedSiteLine {
            site: host,
            paused: arguments.pause,
        })?,
        false => printer.line(&told)?,
    }
    Ok(())
}

/// Pauses or resumes the watch of a site or of all, and returns a sentence about it.
pub(crate) fn pause(folder: &Path, site: Option<&str>, is_paused: bool) -> Result<String, Failure> {
    const KEY: &str = "watch.pause";
    let host = site.map(host_of_site);
    let resolved = || settings::resolve(&SettingArgs::default(), Some(folder));
    let value = is_paused.then(|| toml_edit::value(true));
    settings::write(folder, host, KEY, value)?;
    match (host, is_paused) {
        // Exceptions to an earlier pause end.
        (None, true) => {
            let resolved = resolved()?;
            let going_on = resolved.sites().filter(|(_, settings)| !settings.watch.pause);
            for (site, _) in going_on {
                settings::write(folder, Some(site), KEY, None)?;
            }
        }
        // Without a value a site follows the setting of all; with one it is an exception.
        (Some(host), false) if resolved()?.for_host(host).watch.pause => {
            settings::write(folder, Some(host), KEY, Some(toml_edit::value(false)))?;
        }
        _ => {}
    }
    let whom = site.unwrap_or("all sites");
    Ok(match is_paused {
        true => format!("paused {whom}: a watch fetches nothing there until it is resumed"),
        false => format!("resumed {whom}"),
    })
}

/// Drops a site, or returns it to what was learned of it before.
fn change_site(arguments: &SitesArgs, printer: &mut Printer) -> Result<(), Failure> {
    let set = RunSettingArgs {
        any: (&arguments.workspace).into(),
        ..RunSettingArgs::default()
    };
    let session = open_session(&set, arguments.vertical.as_deref(), |settings| settings)?;
    let reader = session.store();
    let learned = reader.learned_sites(session.vertical())?;
    let mut known: Vec<String> = learned.into_iter().map(|site| site.key).collect();
    let begun = sites_begun(reader, session.vertical(), session.settings())?;
    known.extend(begun.into_iter().map(|(key, _)| key));
    let [key] = named_key(&known, arguments.site.as_deref())[..] else {
        return Err(unknown_site(arguments.site.as_deref().unwrap_or_default()));
    };
    let mut console = Console::new(&session, arguments.json, printer)?;
    if arguments.undo {
        let undone = undo_site(&session, key, &mut console)?;
        console.check()?;
        let Some(SiteUndone { patterns, .. }) = undone else {
            return Err(Failure::input(format!(
                "there is no navigation of {key} before the present one"
            )));
        };
        return match arguments.json {
            true => printer.json(&UndoneSiteLine {
                vertical: session.vertical().to_owned(),
                site: key.clone(),
                patterns,
                undone: true,
            }),
            false => printer.line(&format!(
                "{key}: returned to the navigation before, with {} selected",
                many(patterns as u64, "pattern")
            )),
        };
    }
    drop_from(&session, key, &mut console)?;
    console.check()?;
    match arguments.json {
        true => printer.json(&DroppedSiteLine {
            vertical: session.vertical().to_owned(),
            site: key.clone(),
            dropped: true,
        })?,
        false => printer.line(&format!(
            "dropped {key}: it is no longer fetched; its pages and objects are kept"
        ))?,
    }
    Ok(())
}

fn unknown_site(site: &str) -> Failure {
    Failure::input(format!("there is no site `{site}`")).hint("`magpie sites` lists the sites")
}

/// Returns the learned verticals: the named one, or all.
pub(crate) fn verticals(reader: &dyn ReadStore, named: Option<&str>) -> Result<Vec<String>, Failure> {
    let learned = reader.learned_verticals()?;
    match named {
        Some(named) if learned.iter().any(|name| name == named) => Ok(vec![named.to_owned()]),
        None if !learned.is_empty() => Ok(learned),
        _ => {
            let what = named.map_or_else(|| "any vertical".to_owned(), |name| format!("`{name}`"));
            Err(Failure::input(format!("nothing has been learned for {what}"))
                .hint("learn first, as in `magpie learn URL`"))
        }
    }
}

fn table(
    (sites, begun): (&[SiteHealth], &[&String]),
    figures: &[SiteFigures],
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut table = Table::indented(0).right(&[1, 2, 3, 4, 5, 6, 7, 8]).head([
        "site",
        "pages",
        "unfetched",
        "objects",
        "expected",
        "hubs",
        "rounds",
        "last pages",
        "last new",
        "",
    ]);
    for health in sites {
        let site = &health.site;
        let last = health.rounds.last();
        let number = |of: fn(&RoundRow) -> u64| {
            last.map_or_else(|| "–".to_owned(), |round| format::thousands(of(round)))
        };
        let tone = match &health.state {
            SiteState::InvalidNavigation
            | SiteState::Failed(_)
            | SiteState::FewerValues(_)
            | SiteState::Dry(_) => Tone::Bad,
            SiteState::Repaired(_) => Tone::Odd,
            SiteState::NotChosen | SiteState::Fine => Tone::Quiet,
        };
        let state = Cell::toned(tone, health.state.sentence());
        let coverage = figures.iter().find(|figures| figures.site == site.site);
        let coverage = coverage.map(|figures| &figures.coverage);
        let unfetched = coverage.map_or_else(String::new, |coverage| {
            format::thousands(coverage.unfetched_pages)
        });
        let expected = coverage.and_then(|coverage| coverage.estimate).map_or_else(
            || "unknown".to_owned(),
            |estimate| format::thousands(estimate.value.round() as u64),
        );
        table.row((
            site.key.clone(),
            format::thousands(site.pages),
            unfetched,
            format::thousands(health.objects),
            expected,
            format::thousands(site.hubs),
            health.rounds.len().to_string(),
            number(|round| round.pages),
            number(|round| round.new_objects),
            state,
        ));
    }
    for key in begun {
        let mut row = vec![Cell::from(*key)];
        row.extend((0..8).map(|_| Cell::from("–")));
        row.push(Cell::toned(
            Tone::Odd,
            "named but not learned; `magpie sites SITE --drop` removes it",
        ));
        table.row(row);
    }
    printer.table(&table)
}
