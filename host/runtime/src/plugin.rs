//! A loaded plugin, and calls to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use magpie_model::{Merged, Prepared, Verdict};
use magpie_model::{Object, Query, Severity, VerticalInfo, resolve_options};
use magpie_page::Page;
use magpie_values::Timestamp;
use serde_json::{Map, Value};
use wasmtime::Store;

use crate::breaker::Breaker;
use crate::contract::{Answer, Instance, Linked};
use crate::cpu::{Meter, Ticking};
use crate::fault::{CallError, Fault, PluginId, Raised, diagnose};
use crate::inspect::Inspection;
use crate::load_error::LoadError;
use crate::runtime::{Place, Runtime};
use crate::state::{LogLine, State};

/// Option values as JSON text, by name.
pub(crate) type OptionTexts = BTreeMap<String, String>;

/// A component that was loaded, checked and asked who it is. Cheap to clone.
#[derive(Clone)]
pub struct Plugin {
    runtime: Runtime,
    inspection: Arc<Inspection>,
    linked: Arc<dyn Linked>,
    info: Arc<VerticalInfo>,
    options: Arc<OptionTexts>,
    breaker: Arc<Breaker>,
}

/// What a call came to.
#[derive(Debug)]
pub struct Call<T> {
    /// The result, or what went wrong.
    pub outcome: Result<T, CallError>,
    /// What the call cost.
    pub usage: Usage,
    /// What the plugin logged.
    pub log: Vec<LogLine>,
    /// Lines that were over the limit.
    pub dropped_lines: u64,
}

/// What a call cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of the thread, instantiation and the host's part included.
    pub cpu: Duration,
    /// The most memory the instance had.
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

    /// Asks the component who it is unless that is known, and refuses a description without sense.
    pub(crate) fn described(mut self, keep: impl FnOnce(&str, &VerticalInfo)) -> Result<Self, LoadError> {
        if self.info.name.is_empty() {
            let call = self.call("itself", Timestamp::default(), |instance, store| {
                instance.describe(store).map(Ok)
            });
            let info = call.outcome.map_err(|error| match error.fault {
                // Types are compared when the first instance is made.
                Fault::Start(reason) => LoadError::Misfit {
                    contract: self.inspection.contract,
                    reason,
                },
                fault => LoadError::Describe(fault),
            })?;
            keep(&self.inspection.digest, &info);
            self.info = Arc::new(info);
        }
        let errors: Vec<String> = {
            let problems = self.info.problems().into_iter();
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

    /// The same plugin with options set; the others have their defaults.
    pub fn with_options(mut self, settings: &Map<String, Value>) -> Result<Self, LoadError> {
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

    /// Its name and version.
    pub fn id(&self) -> PluginId {
        PluginId {
            name: self.info.name.clone(),
            version: self.info.version.clone(),
        }
    }

    /// What it says of itself.
    pub fn info(&self) -> &VerticalInfo {
        &self.info
    }

    /// The options it runs with, those that nobody set included.
    pub fn options(&self) -> Value {
        let values = self.options.iter().map(|(name, text)| {
            let value = serde_json::from_str(text).unwrap_or(Value::Null);
            (name.clone(), value)
        });
        Value::Object(values.collect())
    }

    /// What its file says of itself.
    pub fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// Whether it finds objects.
    pub fn extracts(&self) -> bool {
        self.linked.extracts()
    }

    /// Whether it says when objects are the same.
    pub fn clusters(&self) -> bool {
        self.linked.clusters()
    }

    /// Whether it makes queries.
    pub fn queries_itself(&self) -> bool {
        self.linked.queries()
    }

    /// Watches the plugin over a run.
    pub fn breaker(&self) -> &Breaker {
        &self.breaker
    }

    /// The objects on a page, in an instance of its own.
    pub fn extract(&self, page: &Arc<Page>) -> Call<Vec<Object>> {
        let subject = page.url().as_str();
        if !self.extracts() {
            return self.failed(subject, Fault::NoAbility("extraction"));
        }
        if let Err(stopped) = self.breaker.check() {
            return self.failed(subject, stopped);
        }
        // The host's own work on the page must not be charged to the plugin.
        page.document();
        page.structured_data();
        let limit = self.runtime.limits().objects;
        let call = self.call(subject, page.fetched_at(), |instance, store| {
            extract_with(instance, store, page, limit)
        });
        self.breaker.note(
            call.outcome
                .as_ref()
                .is_err_and(|error| error.fault.counts_as_failure()),
        );
        call
    }

    /// Features and keys of objects.
    pub fn prepare(&self, objects: &[Object]) -> Call<Vec<Prepared>> {
        self.clustering(&format!("{} objects", objects.len()), |instance, store| {
            expect_count(
                instance.prepare(store, objects)?,
                objects.len(),
                "prepared objects",
            )
        })
    }

    /// How alike one object and others are.
    pub fn compare(&self, one: &[u8], many: &[&[u8]]) -> Call<Vec<Verdict>> {
        self.clustering(&format!("one object and {}", many.len()), |instance, store| {
            expect_count(instance.compare(store, one, many)?, many.len(), "verdicts")
        })
    }

    /// What a cluster is called and where its values come from.
    pub fn merge(&self, objects: &[Object]) -> Call<Merged> {
        self.clustering(&format!("a cluster of {}", objects.len()), |instance, store| {
            instance.merge(store, objects)
        })
    }

    /// Queries that find an object on the web.
    pub fn queries(&self, object: &Object) -> Call<Vec<Query>> {
        if !self.queries_itself() {
            return self.failed("an object", Fault::NoAbility("querying"));
        }
        self.call("an object", Timestamp::default(), |instance, store| {
            instance.queries(store, object)
        })
    }

    /// An instance that serves several calls. The crawl never uses it: a fresh instance per page
    /// keeps pages from touching each other. It is there to measure what that costs.
    pub fn open(&self) -> Result<Session, CallError> {
        self.start(Timestamp::default())
            .map_err(|fault| self.error("the start of a session", fault))
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
        let meter = Meter::start(self.runtime.limits().cpu);
        let mut session = match self.start(fetched_at) {
            Ok(session) => session,
            Err(fault) => return self.failed(subject, fault),
        };
        let outcome = session.run(work).map_err(|fault| self.error(subject, fault));
        let (log, dropped_lines) = session.store.data_mut().take_log();
        let peak_bytes = session.store.data().peak();
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
        let place = runtime.take_place();
        let ticking = runtime.ticker.call();
        let mut store = runtime.store(Arc::clone(&self.options), fetched_at);
        match self.linked.open(&mut store) {
            Ok(instance) => Ok(Session {
                instance,
                store,
                plugin: self.clone(),
                _ticking: ticking,
                _place: place,
            }),
            Err(error) => {
                let words = store.data().last_words();
                Err(match diagnose(&error, &runtime.limits, words) {
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
    _ticking: Ticking,
    _place: Place,
}

impl Session {
    /// The objects on a page. After an error the session is of no more use.
    pub fn extract(&mut self, page: &Arc<Page>) -> Result<Vec<Object>, CallError> {
        let limit = self.plugin.runtime.limits().objects;
        self.store.data_mut().restart_meter();
        let found = self.run(|instance, store| extract_with(instance, store, page, limit));
        self.store.data_mut().take_log();
        found.map_err(|fault| self.plugin.error(page.url().as_str(), fault))
    }

    /// A call that passes next to nothing, to measure what a call alone costs.
    pub fn compare_nothing(&mut self) -> Result<usize, CallError> {
        let found = self.run(|instance, store| instance.compare(store, &[], &[]));
        found
            .map(|verdicts| verdicts.len())
            .map_err(|fault| self.plugin.error("nothing", fault))
    }

    fn run<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Instance, &mut Store<State>) -> Answer<T>,
    ) -> Result<T, Fault> {
        match work(self.instance.as_mut(), &mut self.store) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(Fault::Answered(Box::new(error)).shortened()),
            Err(error) => {
                let words = self.store.data().last_words();
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

/// A plugin must answer for each thing it was asked about.
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
