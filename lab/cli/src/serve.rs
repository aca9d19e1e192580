//! `magpie-lab serve`.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, Result};
use magpie_lab::{Web, WeekHandle, serve};
use serde_json::json;

use crate::args::ServeArgs;
use crate::output::{Output, count, notice};

/// Maximum number of sites that are listed.
const MAX_LISTED: usize = 20;

pub(crate) fn run(arguments: &ServeArgs, output: &mut Output) -> Result<()> {
    let web = arguments.web.web();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
        let week = WeekHandle::new(arguments.web.week);
        let server = serve(Arc::clone(&web), week, wanted).await;
        let server =
            server.with_context(|| format!("can't serve at {wanted}; `--port 0` takes a free port"))?;
        print_summary(&web, server.address(), arguments, output)?;
        output.flush()?;
        // Runs until the user stops it.
        tokio::signal::ctrl_c().await?;
        let requests = server.requests();
        server.shutdown().await;
        notice(&format!("answered {requests} requests"));
        Ok(())
    })
}

fn print_summary(web: &Web, address: SocketAddr, arguments: &ServeArgs, output: &mut Output) -> Result<()> {
    let sites: Vec<_> = web.sites().collect();
    let search = format!("http://{}", web.search_host());
    let week = arguments.web.week;
    if arguments.json {
        return output.json(&json!({
            "address": address.to_string(),
            "proxy": format!("http://{address}"),
            "week": week,
            "search": search,
            "sites": sites,
        }));
    }
    output.line(&format!(
        "serving at {address}, week {week}: {}",
        count(sites.len(), "site")
    ))?;
    let rows = sites.iter().take(MAX_LISTED).map(|site| {
        let shown_by = match (&site.scripts, site.is_deep) {
            (_, true) => "behind a search form".to_owned(),
            (Some(scripts), _) => format!("by scripts: {}", scripts.style.name()),
            (None, false) => String::new(),
        };
        let markup = format!("markup: {}", site.markup);
        [site.home.clone(), site.language.to_owned(), markup, shown_by]
    });
    output.table(&rows.collect::<Vec<_>>())?;
    if sites.len() > MAX_LISTED {
        output.line(&format!("  and {} more", count(sites.len() - MAX_LISTED, "site")))?;
    }
    output.line(&format!(
        "  search engine, in the format of SearXNG: search.url = \"{search}\""
    ))?;
    let first = sites.first().map_or("", |site| site.home.as_str());
    notice(&format!(
        "the host names do not resolve; use the server as a proxy, as in\n  \
         magpie crawl {first} --proxy http://{address} --delay 0s --workspace lab\n\
         press Ctrl-C to stop"
    ));
    Ok(())
}
