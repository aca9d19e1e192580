//! The contestant that renders with Magpie: pages in turn, several at the same time, their requests
//! answered by Magpie's client through the lab's proxy.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use magpie_render::{Answers, AskedOfClient, BrowserChoice, RenderSettings, Renderer};
use magpie_web::{Client, ClientSettings};
use tokio::sync::Mutex;
use url::Url;

use crate::figure::print_lines;

/// Renders the URLs of a file, and prints a line for each.
pub(super) fn run(urls: &Path, proxy: &str, chromium: &Path, at_once: usize) -> Result<()> {
    let text = std::fs::read_to_string(urls).context("can't read the URLs")?;
    let urls: Vec<Url> = text.lines().map(str::parse).collect::<Result<_, _>>()?;
    let client = Client::new(ClientSettings {
        proxy: Some(proxy.parse()?),
        ..ClientSettings::default()
    })?;
    let renderer = Arc::new(Renderer::new(RenderSettings {
        browser: BrowserChoice::Program(chromium.to_owned()),
        browsers: at_once,
        ..RenderSettings::default()
    }));
    let answers: Arc<dyn Answers> = Arc::new(AskedOfClient(client));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let left = Arc::new(Mutex::new(urls.into_iter()));
        let workers = (0..at_once.max(1)).map(|_| {
            let (left, renderer, answers) = (Arc::clone(&left), Arc::clone(&renderer), Arc::clone(&answers));
            async move {
                loop {
                    let next = left.lock().await.next();
                    let Some(url) = next else { break };
                    match renderer.render(&url, Arc::clone(&answers)).await.document {
                        Ok(document) => print_lines([format!("rendered {url} {}", document.html.len())]),
                        Err(error) => print_lines([format!("failed {url}: {error}")]),
                    }
                }
            }
        });
        let mut tasks = tokio::task::JoinSet::new();
        workers.for_each(|worker| drop(tasks.spawn(worker)));
        while tasks.join_next().await.is_some() {}
    });
    Ok(())
}
