//! Runs a plugin over pages: parse once, route, extract in a fresh instance, check against the
//! schema; and judge, if the plugin does.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use magpie_model::json::RecordView;
use magpie_model::{Judgement, ObjectViolation, Record, ViolationView};
use magpie_page::{Page, PageSource};
use magpie_runtime::{CallError, Examination, Fault, LogLine, Plugin};
use schemars::JsonSchema;
use serde::Serialize;

use crate::inputs::InputProblem;

#[derive(Debug)]
pub struct PageRun {
    /// The page's URL; the input's name if it could not be read and its URL is unknown.
    pub url: String,
    pub records: Vec<Record>,
    /// The judgement of the page, by a plugin that judges.
    pub judgement: Option<Judgement>,
    /// Values that the host dropped or corrected.
    pub violations: Vec<ObjectViolation>,
    /// Reason why there is no result.
    pub error: Option<Failure>,
    /// Reason why the page was not passed to the plugin.
    pub left_out: Option<String>,
    /// Problems of the page itself.
    pub page_problems: Vec<String>,
    /// CPU time of the plugin's call.
    pub cpu: Duration,
    /// The most memory its instance had.
    pub peak_bytes: u64,
    pub log: Vec<LogLine>,
    /// Log lines that were over the limit.
    pub dropped_lines: u64,
    /// The page, for showing where values came from.
    pub page: Option<Arc<Page>>,
}

/// Reason why a page has no result. The codes are `input` (the page could not be read), `internal`
/// (a defect of Magpie), the codes of the contract ([`objects.wit`](../wit/objects.wit)), and
/// `cpu-limit`, `memory-limit`, `table-limit`, `stack-limit`, `result-limit`, `object-limit`,
/// `panic`, `trap`, `no-such-node`, `stale-page`, `slept`, `exited`, `bad-result`, `no-ability`,
/// `stopped`, `start`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Failure {
    /// Stable code.
    pub code: String,
    /// Sentence that names the plugin and the page.
    pub message: String,
    /// The same without the page, for output that has just named it.
    #[serde(skip)]
    pub short: String,
    /// Message of the plugin, with which that sentence ends.
    #[serde(skip)]
    pub words: Option<String>,
    /// Remedy; empty if there is none, or if the message contains it.
    pub hint: String,
}

impl From<&CallError> for Failure {
    fn from(error: &CallError) -> Self {
        let CallError {
            plugin,
            subject,
            fault,
        } = error;
        let message = match fault.words() {
            // The page first, and then what may be long.
            Some(words) => format!("plugin {plugin} panicked on {subject}: {words}"),
            None => error.to_string(),
        };
        Self {
            code: fault.code().to_owned(),
            message,
            short: format!("plugin {plugin} {fault}"),
            words: fault.words().map(str::to_owned),
            hint: hint(fault).to_owned(),
        }
    }
}

/// Returns the remedy for a fault, for an author who has the page and the plugin at hand.
fn hint(fault: &Fault) -> &str {
    match fault {
        // The plugin's own message is the whole explanation.
        Fault::Answered(error) if !error.retryable => "",
        Fault::Cpu(_) => {
            "look for an endless loop, or for work that is quadratic in the size of the page; \
             `--cpu-ms` raises the limit"
        }
        fault => fault.hint(),
    }
}

impl From<&InputProblem> for Failure {
    fn from(problem: &InputProblem) -> Self {
        Self {
            code: UNREADABLE.to_owned(),
            message: problem.to_string(),
            short: problem.to_string(),
            words: None,
            hint: problem.hint.to_owned(),
        }
    }
}

/// The code of a page that could not be read.
pub const UNREADABLE: &str = "input";

impl PageRun {
    fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            records: Vec::new(),
            judgement: None,
            violations: Vec::new(),
            error: None,
            left_out: None,
            page_problems: Vec::new(),
            cpu: Duration::ZERO,
            peak_bytes: 0,
            log: Vec::new(),
            dropped_lines: 0,
            page: None,
        }
    }

    /// The run of a page that is a fixture already: what to do about a panic is not to make it one.
    #[must_use]
    pub fn of_fixture(mut self) -> Self {
        if let Some(failure) = self.error.as_mut().filter(|failure| failure.words.is_some()) {
            failure.hint.clear();
        }
        self
    }

    /// A page that could not even be read.
    pub fn unreadable(problem: &InputProblem) -> Self {
        Self {
            error: Some(problem.into()),
            ..Self::new(problem.url.as_ref().unwrap_or(&problem.name))
        }
    }

    pub fn view(&self) -> PageRunView {
        PageRunView {
            url: self.url.clone(),
            objects: self.objects(),
            judgement: self.judgement.clone(),
            error: self.error.clone(),
            left_out: self.left_out.clone(),
            page_problems: self.page_problems.clone(),
            call: CallView::from(self),
        }
    }

    pub fn objects(&self) -> Vec<RecordView> {
        self.records.iter().map(Record::view).collect()
    }
}

/// The result of a plugin on a page, in the order of the inputs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PageRun")]
pub struct PageRunView {
    /// URL of the page; if the page could not be read, the URL of the list, else the name of the
    /// input.
    url: String,
    /// Records.
    objects: Vec<RecordView>,
    /// Judgement of a plugin that judges pages, or null.
    judgement: Option<Judgement>,
    /// Reason why there is no result, or null.
    error: Option<Failure>,
    /// Reason why the page was not shown to the plugin, or null.
    left_out: Option<String>,
    /// Problems of the page.
    page_problems: Vec<String>,
    /// The call.
    #[serde(flatten)]
    call: CallView,
}

/// A call of a plugin: its cost, and the remarks on its result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct CallView {
    /// CPU time of the call.
    cpu_ms: f64,
    /// Peak memory of the call.
    peak_bytes: u64,
    /// Sentence for each value that was dropped or corrected.
    violations: Vec<String>,
    /// The same for programs, in the same order.
    violation_details: Vec<ViolationView>,
    /// Log lines of the plugin.
    log: Vec<LogLine>,
    /// Number of log lines that were over the limit.
    dropped_log_lines: u64,
}

impl From<&PageRun> for CallView {
    fn from(run: &PageRun) -> CallView {
        CallView {
            cpu_ms: milliseconds(run.cpu),
            peak_bytes: run.peak_bytes,
            violations: run.violations.iter().map(ObjectViolation::sentence).collect(),
            violation_details: run.violations.iter().map(ObjectViolation::view).collect(),
            log: run.log.clone(),
            dropped_log_lines: run.dropped_lines,
        }
    }
}

/// Milliseconds with three digits, as all our JSON has them.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

pub fn run_page(plugin: &Plugin, source: PageSource) -> PageRun {
    let url = source.url.to_string();
    // The host's own parsers read untrusted bytes here. If one of them panics, the page is reported
    // as failed, and the run continues.
    let run = catch_unwind(AssertUnwindSafe(|| {
        run_parsed(plugin, &Arc::new(Page::new(source)))
    }));
    run.unwrap_or_else(|_| {
        let failure = Failure {
            code: "internal".to_owned(),
            message: format!("Magpie itself failed on {url}"),
            short: "Magpie itself failed".to_owned(),
            words: None,
            hint: "this is a defect of Magpie: please report it with the page".to_owned(),
        };
        PageRun {
            error: Some(failure),
            ..PageRun::new(url)
        }
    })
}

/// Runs a plugin on a page that is already parsed.
pub fn run_parsed(plugin: &Plugin, page: &Arc<Page>) -> PageRun {
    let mut examination = match plugin.extracts() || !plugin.judges() {
        true => plugin.examine(page),
        false => plugin.validate(page),
    };
    // `add` takes over the error of the second call, which would hide that of the first.
    if plugin.extracts() && plugin.judges() && examination.error.is_none() {
        add(&mut examination, plugin.validate(page));
    }
    let Examination {
        left_out,
        records,
        judgement,
        violations,
        error,
        usage,
        log,
        dropped_lines,
    } = examination;
    // Routing left the page out without parsing all of it, so its problems are not known.
    let page_problems = match &left_out {
        Some(_) => Vec::new(),
        None => page.problems().iter().map(ToString::to_string).collect(),
    };
    PageRun {
        records,
        judgement,
        violations,
        error: error.as_ref().map(Failure::from),
        left_out,
        page_problems,
        cpu: usage.cpu,
        peak_bytes: usage.peak_bytes,
        log,
        dropped_lines,
        page: Some(Arc::clone(page)),
        ..PageRun::new(page.url().as_str())
    }
}

/// Adds the judgement of a page to what was found on it.
fn add(examination: &mut Examination, judged: Examination) {
    examination.judgement = judged.judgement;
    examination.error = judged.error;
    examination.usage.cpu += judged.usage.cpu;
    // The calls run one after the other, so only the larger of their peaks was ever in use.
    examination.usage.peak_bytes = examination.usage.peak_bytes.max(judged.usage.peak_bytes);
    examination.log.extend(judged.log);
    examination.dropped_lines += judged.dropped_lines;
}

/// Processes each item on all cores and passes on the results in the order of the items, one at a
/// time.
pub fn in_order<I, T: Send>(
    items: I,
    threads: usize,
    work: impl Fn(I::Item) -> T + Sync,
    mut take: impl FnMut(T),
) where
    I: Iterator + Send,
    I::Item: Send,
{
    let items = Mutex::new(items.enumerate());
    let threads = threads.max(1);
    std::thread::scope(|scope| {
        // The results hold whole pages. The channel is bounded so that they do not pile up while
        // `take` is slow.
        let (sender, results) = sync_channel(threads * 2);
        for _ in 0..threads {
            let (sender, items, work) = (sender.clone(), &items, &work);
            scope.spawn(move || {
                loop {
                    // The lock ends with this statement, so that the work runs in parallel.
                    let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((index, item)) = next else { return };
                    // The receiver ends early only if `take` panics.
                    if sender.send((index, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        // The loop below ends when all senders are gone, and this one sends nothing.
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (index, result) in results {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&due) {
                take(result);
                due += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let mut seen = Vec::new();
        let slow_first = |n: u64| {
            std::thread::sleep(Duration::from_micros(200 * (10 - n % 10)));
            n
        };
        in_order(0..100, 4, slow_first, |n| seen.push(n));
        assert_eq!(seen, (0..100).collect::<Vec<_>>());
    }
}
