//! `magpie-lab serve`.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use magpie_lab::{WeekHandle, serve};
use serde_json::json;

use crate::web;
use magpie_terminal::{Failure, Kind, Printer, Table, Tone, format};

use crate::args::ServeArgs;

/// Maximum number of sites that are listed.
const MAX_LISTED: usize = 20;

pub(crate) fn run(arguments: &ServeArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let web = web(&arguments.web)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Failure::new(Kind::Input, format!("can't start the runtime: {error}")))?;
    runtime.block_on(async {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
        let week = WeekHandle::new(arguments.web.week);
        let server = serve(Arc::clone(&web), week, wanted).await.map_err(|error| {
            Failure::new(Kind::Input, format!("can't serve at {wanted}: {error}"))
                .hint("`--port 0` takes a free port")
        })?;
        print_summary(&web, server.address(), arguments, printer)?;
        printer.flush()?;
        // Runs until the user stops it.
        tokio::signal::ctrl_c().await?;
        let requests = server.requests();
        server.shutdown().await;
        printer.tell(&format!("answered {}", format::many(requests, "request")));
        Ok(ExitCode::SUCCESS)
    })
}

fn print_summary(
    web: &magpie_lab::Web,
    address: SocketAddr,
    arguments: &ServeArgs,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let sites: Vec<_> = web.sites().collect();
    let search = format!("http://{}", web.search_host());
    if arguments.json {
        return printer.json(&json!({
            "address": address.to_string(),
            "proxy": format!("http://{address}"),
            "week": arguments.web.week,
            "search": search,
            "sites": sites,
        }));
    }
    printer.line(&format!(
        "{} at {address}, week {}: {}",
        printer.paint(Tone::Good, "serving"),
        arguments.web.week,
        format::count(sites.len(), "site"),
    ))?;
    let mut table = Table::indented(2);
    for site in sites.iter().take(MAX_LISTED) {
        let shown_by = match (&site.scripts, site.is_deep) {
            (_, true) => "behind a search form".to_owned(),
            (Some(scripts), _) => format!("by scripts: {}", scripts.style.name()),
            (None, false) => String::new(),
        };
        table.row([
            site.home.clone(),
            site.language.to_owned(),
            format!("markup: {}", site.markup),
            shown_by,
        ]);
    }
    printer.table(&table)?;
    if sites.len() > MAX_LISTED {
        printer.line(&format!(
            "  and {} more",
            format::count(sites.len() - MAX_LISTED, "site")
        ))?;
    }
    printer.line(&format!(
        "  search engine, in the format of SearXNG: search.url = \"{search}\""
    ))?;
    let first = sites.first().map_or("", |site| site.home.as_str());
    printer.hint(&format!(
        "the host names do not resolve; use the server as a proxy, as in\n  \
         magpie crawl {first} --proxy http://{address} --delay 0s --workspace lab"
    ));
    printer.tell("press Ctrl-C to stop");
    Ok(())
}
