//! Data of one instance while it runs: the lent page, its limits, its log.

use std::sync::Arc;

use magpie_page::{Page, Selector};
use magpie_values::Timestamp;
use wasmtime::ResourceLimiter;
use wasmtime_wasi::{WasiCtxView, WasiView};

use crate::cpu::Meter;
use crate::fault::{Fault, Raised};
use crate::limits::{LOG_LINE_BYTES, Limits, TABLE_ELEMENTS};
use crate::plugin::OptionTexts;
use crate::wasi::Wasi;

/// Severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Details for the author.
    Debug,
    /// Progress of the plugin.
    Info,
    /// Something looks wrong.
    Warn,
    /// An error.
    Error,
}

/// One log line of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct LogLine {
    /// Severity of the line.
    pub level: Level,
    /// Text of the line.
    pub message: String,
}

pub(crate) struct State {
    page: Option<Arc<Page>>,
    fetched_at: Timestamp,
    pub(crate) options: Arc<OptionTexts>,
    limits: Limits,
    meter: Meter,
    memory: u64,
    peak: u64,
    log: Vec<LogLine>,
    dropped: u64,
    wasi: Option<Box<Wasi>>,
    /// Selectors parsed in this call: plugins use the same few repeatedly.
    selectors: Vec<(String, Arc<Selector>)>,
}

impl State {
    pub(crate) fn new(limits: Limits, options: Arc<OptionTexts>, fetched_at: Timestamp) -> Self {
        Self {
            page: None,
            fetched_at,
            options,
            limits,
            meter: Meter::start(limits.cpu),
            memory: 0,
            peak: 0,
            log: Vec::new(),
            dropped: 0,
            wasi: None,
            selectors: Vec::new(),
        }
    }

    pub(crate) fn lend(&mut self, page: Arc<Page>) {
        self.page = Some(page);
    }

    pub(crate) fn take_back(&mut self) {
        self.page = None;
    }

    /// Returns the lent page, if there is one.
    pub(crate) fn page(&self) -> wasmtime::Result<Arc<Page>> {
        let stale = || Raised(Fault::StalePage("no page is lent in this call".to_owned())).into();
        self.page.clone().ok_or_else(stale)
    }

    pub(crate) fn restart_meter(&mut self) {
        self.meter = Meter::start(self.limits.cpu);
    }

    pub(crate) fn meter(&self) -> Meter {
        self.meter
    }

    pub(crate) fn over_budget(&self) -> wasmtime::Error {
        Raised(Fault::Cpu(self.limits.cpu)).into()
    }

    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    pub(crate) fn log(&mut self, level: Level, message: &str) {
        if self.log.len() >= self.limits.log_lines {
            self.dropped += 1;
            return;
        }
        let end = message.floor_char_boundary(LOG_LINE_BYTES);
        self.log.push(LogLine {
            level,
            message: message[..end].to_owned(),
        });
    }

    /// Takes the log of the call, including stdout and stderr, and the number of lines over the
    /// limit.
    pub(crate) fn take_log(&mut self) -> (Vec<LogLine>, u64) {
        if let Some(wasi) = self.wasi.take() {
            for line in wasi.output().lines().filter(|line| !line.trim().is_empty()) {
                self.log(Level::Info, line);
            }
        }
        (std::mem::take(&mut self.log), std::mem::take(&mut self.dropped))
    }

    /// Returns the last output before a trap: the text of a panic, from the log (the SDK's hook) or
    /// from stderr (other toolchains).
    pub(crate) fn last_output(&self) -> Option<String> {
        let output = self.wasi.as_ref().map(|wasi| wasi.output());
        let written = output.as_deref().map(str::trim).filter(|text| !text.is_empty());
        if let Some(text) = written {
            // Earlier output is that of the plugin itself. The line of the panic is followed by its
            // message.
            let start = text
                .find("panicked at")
                .map_or(0, |at| text[..at].rfind('\n').map_or(0, |nl| nl + 1));
            return Some(text[start..].lines().take(6).collect::<Vec<_>>().join(" "));
        }
        let last = self.log.iter().rev().find(|line| line.level == Level::Error)?;
        last.message
            .contains("panicked at")
            .then(|| last.message.lines().collect::<Vec<_>>().join(" "))
    }

    pub(crate) fn selector(&mut self, css: &str) -> Result<Arc<Selector>, magpie_page::InvalidSelector> {
        /// More selectors than any real plugin contains. A plugin that generates selectors pays for
        /// parsing them.
        const KEPT: usize = 64;
        if let Some((_, selector)) = self.selectors.iter().find(|(text, _)| text == css) {
            return Ok(Arc::clone(selector));
        }
        let selector = Arc::new(Selector::parse(css)?);
        if self.selectors.len() < KEPT {
            self.selectors.push((css.to_owned(), Arc::clone(&selector)));
        }
        Ok(selector)
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let fetched_at = self.fetched_at;
        self.wasi
            .get_or_insert_with(|| Box::new(Wasi::closed(fetched_at)))
            .view()
    }
}

impl ResourceLimiter for State {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        // Added up over all memories of the instance: a component may have several modules, each
        // with a memory.
        let asked = self.memory + (desired.saturating_sub(current)) as u64;
        if asked > self.limits.memory_bytes {
            // An error, where `false` would be the usual refusal: the guest would turn that into a
            // panic of its allocator, and the author would not learn the limit.
            return Err(Raised(Fault::Memory {
                asked,
                limit: self.limits.memory_bytes,
            })
            .into());
        }
        self.memory = asked;
        self.peak = self.peak.max(asked);
        Ok(true)
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        if desired > TABLE_ELEMENTS {
            Err(Raised(Fault::Table(desired)).into())
        } else {
            Ok(true)
        }
    }
}
