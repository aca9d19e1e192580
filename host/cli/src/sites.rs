//! `magpie sites`: what a vertical is collected from, and how it does.

use std::process::ExitCode;

use magpie_engine::collect::navigation_file;
use magpie_store::{LearnedSite, Reader, RoundRow};
use serde_json::json;

use crate::args::SitesArgs;
use crate::explain::moment;
use crate::failure::{Failure, Kind};
use crate::printer::{Printer, Tone};
use crate::table::{Cell, Table};
use crate::{settings, show};

pub(crate) fn run(arguments: &SitesArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.settings)?;
    let reader = Reader::open(&folder)?;
    let verticals = verticals(&reader, arguments.vertical.as_deref())?;
    let mut any = false;
    for vertical in &verticals {
        let rounds = reader.rounds(vertical, None)?;
        let sites = reader.learned_sites(vertical)?;
        let wanted = sites
            .iter()
            .filter(|site| is_named(site, arguments.site.as_deref()));
        let wanted: Vec<&LearnedSite> = wanted.collect();
        any |= !wanted.is_empty();
        if arguments.json {
            for site in wanted {
                let own: Vec<_> = of_site(&rounds, site).map(round_json).collect();
                printer.json(&json!({
                    "vertical": vertical, "site": site.key, "entry": site.entry,
                    "learned_at": moment(site.learned_at), "pages": site.pages, "yielding": site.yielding,
                    "objects": site.objects, "hubs": site.hubs, "rounds": own,
                }))?;
            }
            continue;
        }
        if verticals.len() > 1 {
            printer.line(&printer.paint(Tone::Strong, vertical))?;
        }
        let is_lost =
            |site: &LearnedSite| site.hubs > 0 && !navigation_file(&folder, vertical, &site.key).exists();
        table(&wanted, &rounds, &is_lost, printer)?;
    }
    if !any {
        return Err(
            Failure::new(Kind::Input, "there is no such site among those that were learned")
                .hint("`magpie sites` without a name lists them"),
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// The verticals that something was learned for: the named one, or all.
pub(crate) fn verticals(reader: &Reader, named: Option<&str>) -> Result<Vec<String>, Failure> {
    let learned = reader.learned_verticals()?;
    match named {
        Some(named) if learned.iter().any(|name| name == named) => Ok(vec![named.to_owned()]),
        None if !learned.is_empty() => Ok(learned),
        _ => {
            let what = named.map_or_else(|| "any vertical".to_owned(), |name| format!("`{name}`"));
            Err(
                Failure::new(Kind::Input, format!("nothing was learned for {what} yet"))
                    .hint("learn first, as in `magpie learn --seeds FILE`"),
            )
        }
    }
}

/// Whether a site is meant: by its key, or its host.
pub(crate) fn is_named(site: &LearnedSite, named: Option<&str>) -> bool {
    let host = site
        .key
        .split_once("://")
        .map_or(site.key.as_str(), |(_, host)| host);
    named.is_none_or(|named| named == site.key || named == host)
}

fn of_site<'a>(rounds: &'a [RoundRow], site: &LearnedSite) -> impl Iterator<Item = &'a RoundRow> {
    let id = site.site;
    rounds.iter().filter(move |round| round.site == id)
}

fn table(
    sites: &[&LearnedSite],
    rounds: &[RoundRow],
    is_lost: &dyn Fn(&LearnedSite) -> bool,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut table = Table::indented(0).right(&[1, 2, 3, 4, 5, 6]);
    table.row(
        [
            "site",
            "pages",
            "objects",
            "hubs",
            "rounds",
            "last pages",
            "last new",
            "",
        ]
        .map(|head| Cell::toned(Tone::Quiet, head)),
    );
    for site in sites {
        let own: Vec<&RoundRow> = of_site(rounds, site).collect();
        let last = own.last();
        let number = |of: fn(&RoundRow) -> u64| {
            last.map_or_else(|| "–".to_owned(), |round| show::thousands(of(round)))
        };
        let state = match last.map(|round| round.state.as_str()) {
            _ if is_lost(site) => Cell::toned(
                Tone::Bad,
                "left out: its navigation is gone; `magpie learn --from navigate` makes it anew",
            ),
            Some("done") => Cell::from(""),
            Some(state) => Cell::toned(Tone::Bad, state),
            None if site.hubs == 0 => {
                Cell::toned(Tone::Quiet, "not chosen: others have its objects for less")
            }
            None => Cell::from(""),
        };
        table.row([
            Cell::from(site.key.clone()),
            Cell::from(show::thousands(site.pages)),
            Cell::from(show::thousands(site.objects)),
            Cell::from(show::thousands(site.hubs)),
            Cell::from(own.len().to_string()),
            Cell::from(number(|round| round.pages)),
            Cell::from(number(|round| round.new_objects)),
            state,
        ]);
    }
    printer.table(&table)
}

fn round_json(round: &RoundRow) -> serde_json::Value {
    json!({
        "run": round.run.0, "method": round.method, "pages": round.pages, "unchanged": round.unchanged,
        "hubs": round.hubs, "failures": round.failures, "bytes": round.bytes, "objects": round.objects,
        "new_objects": round.new_objects, "state": round.state,
    })
}
