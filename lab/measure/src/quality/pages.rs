//! Pages of the sets, and a plugin's reading of them: the compiled component, in its own instance
//! for each page, as in `magpie plugin run`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use magpie_kit::run::{in_order, run_parsed};
use magpie_model::Record;
use magpie_page::{Page, PageSource};
use magpie_runtime::{Plugin, Runtime, RuntimeSettings};
use magpie_values::Timestamp;
use url::Url;

use super::strip::strip;
use crate::components::Folder;
use crate::figure::tell;

/// When pages are read as of whose fetching nothing is known: 2024-01-01.
pub(crate) const SOME_DAY: Timestamp = Timestamp::from_seconds(1_704_067_200);

#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) url: Url,
    pub(crate) fetched_at: Timestamp,
    /// Bytes at the file's start that are no part of the page.
    pub(crate) skip: usize,
}

impl Document {
    pub(crate) fn new(folder: &Path, file: &str, url: &str) -> Result<Self> {
        Ok(Self {
            name: file.to_owned(),
            path: folder.join(file),
            url: Url::parse(url).with_context(|| format!("{file} has no good URL: {url}"))?,
            fetched_at: SOME_DAY,
            skip: 0,
        })
    }

    pub(crate) fn page(&self) -> Result<Arc<Page>> {
        let mut body =
            std::fs::read(&self.path).with_context(|| format!("can't read {}", self.path.display()))?;
        body.drain(..self.skip.min(body.len()));
        let kind = match self.path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => "application/json",
            Some("xml") => "application/xml",
            Some("pdf") => "application/pdf",
            Some("ics") => "text/calendar",
            _ => "text/html",
        };
        Ok(Arc::new(Page::new(self.source(kind, body))))
    }

    /// The page without structured data.
    pub(crate) fn stripped(&self, page: &Page) -> Result<Arc<Page>> {
        let body = strip(page.text()).into_bytes();
        let page = Page::new(self.source("text/html; charset=utf-8", body));
        let left: Vec<&str> = page.structured_data().iter().map(|item| item.syntax).collect();
        anyhow::ensure!(
            left.is_empty(),
            "{} still has structured data: {left:?}",
            self.name
        );
        Ok(Arc::new(page))
    }

    fn source(&self, content_type: &str, body: Vec<u8>) -> PageSource {
        PageSource {
            url: self.url.clone(),
            status: 200,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            fetched_at: self.fetched_at,
            body: body.into(),
        }
    }
}

/// Loads plugins and lets them read.
pub(crate) struct Readers {
    runtime: Runtime,
    threads: usize,
}

impl Readers {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            runtime: Runtime::new(&RuntimeSettings::default())?,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        })
    }

    pub(crate) fn plugin(&self, name: &str) -> Result<Plugin> {
        let path = Folder::vertical(name)?;
        self.runtime
            .load(&path)
            .with_context(|| format!("{name} can't be loaded"))
    }

    /// Does work on all cores, in the order of the items.
    pub(crate) fn each<I: Sync, T: Send>(
        &self,
        items: &[I],
        work: impl Fn(&I) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let mut done = Vec::with_capacity(items.len());
        in_order(items.iter(), self.threads, work, |result| done.push(result));
        done.into_iter().collect()
    }
}

/// The objects a plugin finds on a page. A page that makes it fail has none, and is reported.
pub(crate) fn records(plugin: &Plugin, page: &Arc<Page>) -> Vec<Record> {
    let run = run_parsed(plugin, page);
    if let Some(failure) = run.error {
        tell(&format!("{}: {}", run.url, failure.message));
    }
    run.records
}

/// The object a page is about: the one the plugin is most sure of, and of equals the first.
pub(crate) fn main_object(records: &[Record]) -> Option<&Record> {
    let surer = |best: &&Record, one: &&Record| one.confidence > best.confidence;
    records
        .iter()
        .reduce(|best, one| if surer(&best, &one) { one } else { best })
}
