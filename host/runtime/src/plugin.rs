//! A loaded plugin, and calls to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use magpie_model::{Judgement, Merged, Prepared, Verdict};
use magpie_model::{Object, Problem, Query, Severity, VerticalInfo, page_attributes, resolve_options};
use magpie_page::Page;
use magpie_values::Timestamp;
use serde_json::{Map, Value};
use wasmtime::Store;

use crate::breaker::Breaker;
use crate::contract::{Answer, Instance, Linked};
use crate::cpu::{ActiveCall, Meter};
use crate::fault::{CallError, Fault, PluginId, Raised, diagnose};
use crate::inspect::Inspection;
use crate::load_error::LoadError;
use crate::runtime::{Runtime, Slot};
use crate::state::{LogLine, State};

/// Option values as JSON text, by name.
pub(crate) type OptionTexts = BTreeMap<String, String>;

/// A loaded and checked component with its description. Cheap to clone.
#[derive(Clone)]
pub struct Plugin {
    runtime: Runtime,
    inspection: Arc<Inspection>,
    linked: Arc<dyn Linked>,
    info: Arc<VerticalInfo>,
    options: Arc<OptionTexts>,
    breaker: Arc<Breaker>,
}

#[derive(Debug)]
pub struct Call<T> {
    pub outcome: Result<T, CallError>,
    pub usage: Usage,
    pub log: Vec<LogLine>,
    /// Number of log lines over the limit.
    pub dropped_lines: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of the thread, including instantiation and the host's functions.
    pub cpu: Duration,
    /// Peak memory of the instance, in bytes.
    pub peak_bytes: u64,
}

impl Plugin {
    pub(crate) fn new(
        runtime: Runtime,
        inspection: Inspection,
        linked: Box<dyn Linked>,
        info: VerticalInfo,
    ) -> Self {
        Self {
            runtime,
            inspection: Arc::new(inspection),
            linked: Arc::from(linked),
            info: Arc::new(info),
            options: Arc::default(),
            breaker: Arc::default(),
        }
    }

    /// Asks the component for its description unless it is cached, and rejects an invalid one.
    pub(crate) fn with_description(
        mut self,
        keep: impl FnOnce(&str, &VerticalInfo),
    ) -> Result<Self, LoadError> {
        // An empty name marks a description that was not in the cache.
        if self.info.name.is_empty() {
            let call = self.call("itself", Timestamp::default(), |instance, store| {
                instance.describe(store).map(Ok)
            });
            let info = call.outcome.map_err(|error| match error.fault {
                // Types are checked when the first instance is created.
                Fault::Start(reason) => LoadError::Misfit {
                    contract: self.inspection.contract,
                    reason,
                },
                fault => LoadError::Describe(fault),
            })?;
            // Kept even if it is rejected below: the checks run again at each load, so they also
            // see descriptions from the cache.
            keep(&self.inspection.digest, &info);
            self.info = Arc::new(info);
        }
        if self.only_judges() && self.info.attributes.is_empty() {
            // The objects of a validator are the pages that it accepts, so its schema is that of a
            // page.
            Arc::make_mut(&mut self.info).attributes = page_attributes();
        }
        let errors: Vec<String> = {
            let problems = self.problems().into_iter();
            problems
                .filter(|p| p.severity == Severity::Error)
                .map(|p| p.sentence)
                .collect()
        };
        if errors.is_empty() {
            Ok(self)
        } else {
            Err(LoadError::BadDescription(errors))
        }
    }

    /// Returns the plugin with these options; all others have their defaults.
    pub(crate) fn with_options(mut self, settings: &Map<String, Value>) -> Result<Self, LoadError> {
        let sentences = |problems: Vec<_>| {
            let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
            LoadError::BadOption(format!("plugin {}: {}", self.id(), texts.join("; ")))
        };
        let values = resolve_options(&self.info.options, settings).map_err(sentences)?;
        self.options = Arc::new(
            values
                .into_iter()
                .map(|(name, value)| (name, value.to_string()))
                .collect(),
        );
        Ok(self)
    }

    pub fn id(&self) -> PluginId {
        PluginId {
            name: self.info.name.clone(),
            version: self.info.version.clone(),
        }
    }

    /// Description given by the component.
    pub fn info(&self) -> &VerticalInfo {
        &self.info
    }

    /// Options of the plugin, including defaults.
    pub fn options(&self) -> Value {
        let values = self.options.iter().map(|(name, text)| {
            let value = serde_json::from_str(text).unwrap_or(Value::Null);
            (name.clone(), value)
        });
        Value::Object(values.collect())
    }

    pub fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// Returns true if the plugin finds objects.
    pub fn extracts(&self) -> bool {
        self.linked.extracts()
    }

    /// Returns true if the plugin compares objects.
    pub fn clusters(&self) -> bool {
        self.linked.clusters()
    }

    /// Returns true if the plugin makes queries.
    pub fn queries_itself(&self) -> bool {
        self.linked.queries()
    }

    /// Returns true if the plugin judges pages.
    pub fn judges(&self) -> bool {
        self.linked.judges()
    }

    /// Returns true if the plugin judges pages, and neither finds nor compares objects. Its objects
    /// are the pages that it accepts.
    pub fn only_judges(&self) -> bool {
        self.judges() && !self.extracts() && !self.clusters()
    }

    /// Returns true if both do the same for one vertical, so that only one of them can be used.
    pub fn is_rival_of(&self, other: &Plugin) -> bool {
        let does_same = (self.extracts() && other.extracts())
            || (self.clusters() && other.clusters())
            || (self.judges() && other.judges());
        self.info.name == other.info.name && does_same
    }

    pub fn problems(&self) -> Vec<Problem> {
        self.info.problems(self.extracts() || self.clusters())
    }

    pub fn breaker(&self) -> &Breaker {
        &self.breaker
    }

    /// Extracts the objects of a page in a fresh instance.
    pub fn extract(&self, page: &Arc<Page>) -> Call<Vec<Object>> {
        if !self.extracts() {
            return self.failed(page.url().as_str(), Fault::NoAbility("extraction"));
        }
        let limit = self.runtime.limits().objects;
        self.on_page(page, |instance, store| extract_with(instance, store, page, limit))
    }

    /// Judges a page in a fresh instance.
    pub fn judge(&self, page: &Arc<Page>) -> Call<Judgement> {
        if !self.judges() {
            return self.failed(page.url().as_str(), Fault::NoAbility("validation"));
        }
        self.on_page(page, |instance, store| {
            store.data_mut().lend(Arc::clone(page));
            let answer = instance.judge(store);
            // A component that kept its handle finds no page in a later call, and traps there
            // instead of reading the next page.
            store.data_mut().take_back();
            answer
        })
    }

    pub(crate) fn prepare(&self, objects: &[Object]) -> Call<Vec<Prepared>> {
        self.clustering(&format!("{} objects", objects.len()), |instance, store| {
            expect_count(
                instance.prepare(store, objects)?,
                objects.len(),
                "prepared objects",
            )
        })
    }

    pub(crate) fn compare(&self, one: &[u8], many: &[&[u8]]) -> Call<Vec<Verdict>> {
        self.clustering(&format!("one object and {}", many.len()), |instance, store| {
            expect_count(instance.compare(store, one, many)?, many.len(), "verdicts")
        })
    }

    /// Merges a cluster: its label, and the source of each value.
    pub fn merge(&self, objects: &[Object]) -> Call<Merged> {
        self.clustering(&format!("a cluster of {}", objects.len()), |instance, store| {
            instance.merge(store, objects)
        })
    }

    /// Returns search engine queries for an object.
    pub fn queries(&self, object: &Object) -> Call<Vec<Query>> {
        if !self.queries_itself() {
            return self.failed("an object", Fault::NoAbility("querying"));
        }
        self.call("an object", Timestamp::default(), |instance, store| {
            instance.queries(store, object)
        })
    }

    /// Opens an instance that serves several calls, to measure the cost of a fresh instance. The
    /// crawl never uses it: a fresh instance per page keeps pages from affecting each other.
    pub fn open(&self) -> Result<Session, CallError> {
        self.start(Timestamp::default())
            .map_err(|fault| self.error("the start of a session", fault))
    }

    /// Calls the plugin on a page, unless its circuit breaker has stopped it.
    fn on_page<T>(
        &self,
        page: &Arc<Page>,
        work: impl FnOnce(&mut dyn Instance, &mut Store<State>) -> Answer<T>,
    ) -> Call<T> {
        let subject = page.url().as_str();
        // Checked before the page is parsed for the plugin: a plugin that was stopped costs
        // nothing.
        if let Err(stopped) = self.breaker.check() {
            return self.failed(subject, stopped);
        }
        // The host's own work on the page must not count towards the plugin's CPU time.
        page.document();
        page.structured_data();
        let call = self.call(subject, page.fetched_at(), work);
        self.breaker.note(
            call.outcome
                .as_ref()
                .is_err_and(|error| error.fault.counts_as_failure()),
        );
        call
    }

    fn clustering<T>(
        &self,
        subject: &str,
        work: impl FnOnce(&mut dyn Instance, &mut Store<State>) -> Answer<T>,
    ) -> Call<T> {
        if !self.clusters() {
            return self.failed(subject, Fault::NoAbility("clustering"));
        }
        self.call(subject, Timestamp::default(), work)
    }

    fn call<T>(
        &self,
        subject: &str,
        fetched_at: Timestamp,
        work: impl FnOnce(&mut dyn Instance, &mut Store<State>) -> Answer<T>,
    ) -> Call<T> {
        // Counts from before the instantiation, but only the CPU time of this thread: waiting for a
        // slot is free.
        let meter = Meter::start(self.runtime.limits().cpu);
        let mut session = match self.start(fetched_at) {
            Ok(session) => session,
            Err(fault) => return self.failed(subject, fault),
        };
        let outcome = session.run(work).map_err(|fault| self.error(subject, fault));
        let (log, dropped_lines) = session.store.data_mut().take_log();
        let peak_bytes = session.store.data().peak();
        // Dropped before the time is read, so that the usage includes the end of the instance.
        drop(session);
        Call {
            outcome,
            usage: Usage {
                cpu: meter.used(),
                peak_bytes,
            },
            log,
            dropped_lines,
        }
    }

    fn start(&self, fetched_at: Timestamp) -> Result<Session, Fault> {
        let runtime = &self.runtime.inner;
        // The slot comes first. A call that waits for one is not active, and must not keep the
        // ticker awake.
        let slot = runtime.take_slot();
        let active_call = runtime.ticker.call();
        let mut store = runtime.store(Arc::clone(&self.options), fetched_at);
        match self.linked.open(&mut store) {
            Ok(instance) => Ok(Session {
                instance,
                store,
                plugin: self.clone(),
                _active_call: active_call,
                _slot: slot,
            }),
            Err(error) => {
                let words = store.data().last_output();
                Err(match diagnose(&error, &runtime.limits, words) {
                    // `diagnose` takes an error without a trap for a bad result. Here no function
                    // was called yet, so it is one of the instantiation.
                    Fault::BadResult(reason) => Fault::Start(reason),
                    fault => fault,
                })
            }
        }
    }

    fn failed<T>(&self, subject: &str, fault: Fault) -> Call<T> {
        Call {
            outcome: Err(self.error(subject, fault)),
            usage: Usage::default(),
            log: Vec::new(),
            dropped_lines: 0,
        }
    }

    fn error(&self, subject: &str, fault: Fault) -> CallError {
        CallError {
            plugin: self.id(),
            subject: subject.to_owned(),
            fault,
        }
    }
}

/// An instance that serves several calls.
pub struct Session {
    instance: Box<dyn Instance>,
    store: Store<State>,
    plugin: Plugin,
    _active_call: ActiveCall,
    _slot: Slot,
}

impl Session {
    /// Extracts the objects of a page. After an error the session must not be used.
    pub fn extract(&mut self, page: &Arc<Page>) -> Result<Vec<Object>, CallError> {
        let limit = self.plugin.runtime.limits().objects;
        // The budget is that of one call. The meter of the store has run since the session was
        // opened.
        self.store.data_mut().restart_meter();
        let found = self.run(|instance, store| extract_with(instance, store, page, limit));
        self.store.data_mut().take_log();
        found.map_err(|fault| self.plugin.error(page.url().as_str(), fault))
    }

    fn run<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Instance, &mut Store<State>) -> Answer<T>,
    ) -> Result<T, Fault> {
        match work(self.instance.as_mut(), &mut self.store) {
            Ok(Ok(value)) => Ok(value),
            // The text of the plugin is printed and stored with each page, so its length must not
            // be the plugin's choice.
            Ok(Err(error)) => Err(Fault::Answered(Box::new(error)).shortened()),
            Err(error) => {
                let words = self.store.data().last_output();
                Err(diagnose(&error, self.plugin.runtime.limits(), words).shortened())
            }
        }
    }
}

fn extract_with(
    instance: &mut dyn Instance,
    store: &mut Store<State>,
    page: &Arc<Page>,
    limit: usize,
) -> Answer<Vec<Object>> {
    store.data_mut().lend(Arc::clone(page));
    let answer = instance.extract(store);
    store.data_mut().take_back();
    if let Ok(Ok(objects)) = &answer
        && objects.len() > limit
    {
        return Err(Raised(Fault::Objects {
            found: objects.len(),
            limit,
        })
        .into());
    }
    answer
}

/// Checks that a plugin answered for each item.
fn expect_count<T>(
    answer: Result<Vec<T>, magpie_model::PluginError>,
    wanted: usize,
    what: &str,
) -> Answer<Vec<T>> {
    match answer {
        Ok(all) if all.len() != wanted => {
            Err(Raised(Fault::BadResult(format!("{} {what} for {wanted}", all.len()))).into())
        }
        answer => Ok(answer),
    }
}
