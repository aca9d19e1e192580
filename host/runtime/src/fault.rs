//! Typed faults of calls, and their messages for people.

use std::time::Duration;

use magpie_model::{PluginError, words};

use crate::limits::Limits;

/// Name and version of a plugin, for messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PluginId {
    pub name: String,
    pub version: String,
}

impl std::fmt::Display for PluginId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// A failed call: the plugin, the subject and the fault.
#[derive(Clone, Debug, PartialEq)]
pub struct CallError {
    pub plugin: PluginId,
    /// Subject of the call: the page's URL, or `12 objects`.
    pub subject: String,
    pub fault: Fault,
}

impl std::fmt::Display for CallError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            plugin,
            subject,
            fault,
        } = self;
        match fault {
            Fault::Stopped { failures, calls } => write!(
                f,
                "plugin {plugin} was stopped after failing on {failures} of its last {calls} pages; {subject} was left out"
            ),
            fault => write!(f, "plugin {plugin} {fault} on {subject}"),
        }
    }
}

impl std::error::Error for CallError {}

words! {
    /// The kind of a fault that the host finds. Plugins may answer with codes of their own.
    pub enum FaultKind as "fault of a plugin" {
        /// It exceeded its CPU time.
        CpuLimit = "cpu-limit",
        /// It exceeded its memory.
        MemoryLimit = "memory-limit",
        /// A table of functions grew beyond its limit.
        TableLimit = "table-limit",
        /// Its calls were nested too deeply.
        StackLimit = "stack-limit",
        /// Its result has too many bytes.
        ResultLimit = "result-limit",
        /// Its result has too many records.
        ObjectLimit = "object-limit",
        /// It panicked.
        Panic = "panic",
        /// It executed an instruction that traps.
        Trap = "trap",
        /// It named a node that the page does not have.
        NoSuchNode = "no-such-node",
        /// It used a page outside the call that lent it.
        StalePage = "stale-page",
        /// It tried to wait.
        Slept = "slept",
        /// It ended its process.
        Exited = "exited",
        /// Its result does not fit the contract.
        BadResult = "bad-result",
        /// It does not export the requested interface.
        NoAbility = "no-ability",
        /// It failed on too many pages, so it got no more.
        Stopped = "stopped",
        /// The host could not start it.
        Start = "start",
    }
}

/// Fault of a call. `Display` continues a sentence that begins with the plugin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The plugin answered with an error of the contract.
    #[error("answered: {0}")]
    Answered(Box<PluginError>),
    #[error("used more than its {} of CPU", seconds(*.0))]
    Cpu(Duration),
    #[error("asked for {} of memory, more than its {}", mib(*.asked), mib(*.limit))]
    Memory {
        /// Memory including the request, in bytes.
        asked: u64,
        /// Allowed memory, in bytes.
        limit: u64,
    },
    /// It requested a table larger than the host allows.
    #[error("asked for a table of {0} entries, more than the host allows")]
    Table(usize),
    /// It recursed too deep.
    #[error("recursed too deeply and used up its stack")]
    Stack,
    /// It passed more bytes than allowed.
    #[error("returned more than {} of results", mib(*.0 as u64))]
    ResultBytes(usize),
    #[error("found {found} objects, more than its {limit}")]
    Objects { found: usize, limit: usize },
    /// It panicked, with the text that its language printed.
    #[error("panicked: {}", panic_text(.0))]
    Panic(String),
    /// It trapped; the text is the engine's reason.
    #[error("trapped: {0}")]
    Trap(String),
    /// It used a node id that the page does not have.
    #[error("asked `{function}` about node {node}, but the page has nodes 0 to {last}")]
    NoSuchNode {
        /// Function of the page that it called.
        function: &'static str,
        /// Node id that it passed.
        node: u32,
        last: u32,
    },
    /// It used a page that was not lent to it, or kept one beyond its call.
    #[error("used a page handle outside the call that lent it ({0})")]
    StalePage(String),
    #[error("asked to sleep; a plugin's clock does not advance, so the wait would never end")]
    Slept,
    /// It exited its process.
    #[error("called exit({0}) instead of returning")]
    Exited(i32),
    /// Its result does not fit the contract.
    #[error("returned something the contract does not allow: {0}")]
    BadResult(String),
    /// It does not export the requested interface.
    #[error("can't do that: it exports no `{0}`")]
    NoAbility(&'static str),
    #[error("was stopped after failing on {failures} of its last {calls} pages")]
    Stopped {
        /// Number of failures among the last calls.
        failures: u32,
        /// Number of last calls.
        calls: u32,
    },
    /// The host could not start it.
    #[error("could not be started: {0}")]
    Start(String),
}

impl Fault {
    /// Returns a stable code for programs: that of the kind, or the plugin's own.
    pub fn code(&self) -> &str {
        let kind = match self {
            Self::Answered(error) => return &error.code,
            Self::Cpu(_) => FaultKind::CpuLimit,
            Self::Memory { .. } => FaultKind::MemoryLimit,
            Self::Table(_) => FaultKind::TableLimit,
            Self::Stack => FaultKind::StackLimit,
            Self::ResultBytes(_) => FaultKind::ResultLimit,
            Self::Objects { .. } => FaultKind::ObjectLimit,
            Self::Panic(_) => FaultKind::Panic,
            Self::Trap(_) => FaultKind::Trap,
            Self::NoSuchNode { .. } => FaultKind::NoSuchNode,
            Self::StalePage(_) => FaultKind::StalePage,
            Self::Slept => FaultKind::Slept,
            Self::Exited(_) => FaultKind::Exited,
            Self::BadResult(_) => FaultKind::BadResult,
            Self::NoAbility(_) => FaultKind::NoAbility,
            Self::Stopped { .. } => FaultKind::Stopped,
            Self::Start(_) => FaultKind::Start,
        };
        kind.as_str()
    }

    /// Advice for the operator of the plugin, or for its author.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Answered(error) if error.retryable => "try the page again later",
            Self::Answered(_) => {
                "the plugin's author can reproduce it with `magpie plugin run COMPONENT PAGE`"
            }
            Self::Cpu(_) => {
                "look for an endless loop, or for work that is quadratic in the size of the page; \
                 `magpie plugin bench` shows where time goes, `--cpu-ms` raises the limit, and `verticals.cpu` \
                 where pages are crawled"
            }
            Self::Memory { .. } | Self::Table(_) => {
                "look for copies of the whole page or lists that only grow; `--memory-mib` raises the limit, and \
                 `verticals.memory` where pages are crawled"
            }
            Self::Stack => "replace recursion over the page's tree by a loop; pages may nest to any depth",
            Self::ResultBytes(_) | Self::Objects { .. } => {
                "return one record for each object on the page, without page texts; `--objects` and \
                 `--result-mib` raise the limits, and `verticals.objects` and `verticals.result_bytes` where pages are crawled"
            }
            Self::Panic(_) | Self::Trap(_) => {
                "`magpie plugin record` the page as a fixture and let `magpie plugin test` reproduce it"
            }
            Self::NoSuchNode { .. } => "use node ids only with the page from which they come",
            Self::StalePage(_) => "do not keep the page beyond the call; copy what you need of it",
            Self::Slept => "remove the sleep or timeout; a plugin has nothing to wait for",
            Self::Exited(_) => "return an error of the contract instead of ending the process",
            Self::BadResult(_) => "the comments in `wit/` define the valid values of each field",
            Self::NoAbility(_) => {
                "build it for the world `vertical`, or leave that part to the host's defaults"
            }
            Self::Stopped { .. } => "repair or remove the plugin; its first failures show the cause",
            Self::Start(_) => "`magpie plugin check COMPONENT` says more",
        }
    }

    /// Truncates the plugin's own text, which is printed and stored with every page.
    pub(crate) fn shortened(mut self) -> Fault {
        match &mut self {
            Self::Answered(error) => {
                shorten(&mut error.code);
                shorten(&mut error.message);
                error.attribute.iter_mut().for_each(shorten);
            }
            Self::Panic(words) | Self::Trap(words) | Self::StalePage(words) | Self::BadResult(words) => {
                shorten(words);
            }
            _ => {}
        }
        self
    }

    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Panic(words) => Some(panic_text(words)),
            _ => None,
        }
    }

    /// Returns true if the fault counts towards stopping the plugin. Calls refused because the
    /// plugin is stopped, or exports no such interface, do not count.
    pub(crate) fn counts_as_failure(&self) -> bool {
        !matches!(self, Self::Stopped { .. } | Self::NoAbility(_))
    }
}

/// A fault raised by the host's side of a call, to be found again as the cause of the trap.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Raised(pub(crate) Fault);

/// Determines the fault of a trapped call from wasmtime's error and the plugin's last output.
pub(crate) fn diagnose(error: &wasmtime::Error, limits: &Limits, last_output: Option<String>) -> Fault {
    if let Some(Raised(fault)) = error.downcast_ref::<Raised>() {
        return fault.clone();
    }
    if let Some(exit) = error.downcast_ref::<wasmtime_wasi::I32Exit>() {
        // A guest that printed something before it exited has printed the reason, as runtimes do
        // for an uncaught error.
        return last_output.map_or(Fault::Exited(exit.0), Fault::Panic);
    }
    let text = format!("{error:#}");
    // wasmtime has no types for this error and the next, only their texts.
    if text.contains("fuel allocated for hostcalls") {
        return Fault::ResultBytes(limits.result_bytes);
    }
    if text.contains("borrow handles still remain") || text.contains("unknown handle index") {
        return Fault::StalePage(first_line(&error.root_cause().to_string()));
    }
    match error.downcast_ref::<wasmtime::Trap>() {
        Some(wasmtime::Trap::StackOverflow) => Fault::Stack,
        // Languages keep part of their stack in linear memory. If that part overflows first, the
        // engine reports an invalid address.
        Some(wasmtime::Trap::MemoryOutOfBounds) if is_recursion(error) => Fault::Stack,
        Some(trap) => match last_output {
            Some(words) => Fault::Panic(words),
            None => Fault::Trap(format!("{trap}{}", frames(error))),
        },
        None => Fault::BadResult(first_line(&error.root_cause().to_string())),
    }
}

/// Returns true if the innermost frames are a few functions that call each other.
fn is_recursion(error: &wasmtime::Error) -> bool {
    const FRAMES: usize = 15;
    const FUNCTIONS: usize = 5;
    let Some(backtrace) = error.downcast_ref::<wasmtime::WasmBacktrace>() else {
        return false;
    };
    let functions: std::collections::HashSet<u32> = backtrace
        .frames()
        .iter()
        .map(wasmtime::FrameInfo::func_index)
        .collect();
    backtrace.frames().len() >= FRAMES && functions.len() <= FUNCTIONS
}

/// Names of the guest's innermost functions, for its author.
fn frames(error: &wasmtime::Error) -> String {
    const SHOWN: usize = 3;
    let Some(backtrace) = error.downcast_ref::<wasmtime::WasmBacktrace>() else {
        return String::new();
    };
    let names: Vec<String> = backtrace
        .frames()
        .iter()
        .filter_map(wasmtime::FrameInfo::func_name)
        .take(SHOWN)
        .map(demangled)
        .collect();
    if names.is_empty() {
        String::new()
    } else {
        format!(", in {}", names.join(", called by "))
    }
}

/// Demangles a Rust name and removes the hash at its end.
fn demangled(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}

/// Maximum number of bytes to keep of a plugin's own text.
const MAX_TEXT: usize = 4 * 1024;

fn shorten(words: &mut String) {
    if words.len() > MAX_TEXT {
        let end = words.floor_char_boundary(MAX_TEXT);
        let more = words.len() - end;
        words.truncate(end);
        words.push_str(&format!("… ({more} bytes more)"));
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// Removes Rust's "thread … panicked at", since the message around it has the same words.
fn panic_text(words: &str) -> &str {
    words.split_once("panicked at ").map_or(words, |(_, text)| text)
}

pub(crate) fn mib(bytes: u64) -> String {
    if bytes.is_multiple_of(1 << 20) {
        format!("{} MiB", bytes >> 20)
    } else {
        format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
    }
}

fn seconds(time: Duration) -> String {
    if time.subsec_millis() == 0 {
        format!("{} s", time.as_secs())
    } else {
        format!("{} ms", time.as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, MAX_TEXT};
    use magpie_model::PluginError;

    #[test]
    fn megabytes_of_plugin_text_are_truncated() {
        let words = || "é".repeat(3 << 20);
        let answered = PluginError {
            code: "page".to_owned(),
            message: words(),
            attribute: None,
            retryable: false,
        };
        for fault in [Fault::Panic(words()), Fault::Answered(Box::new(answered))] {
            let text = fault.shortened().to_string();
            assert!(text.len() < MAX_TEXT + 100, "{} bytes", text.len());
            assert!(
                text.contains("… (6287360 bytes more)"),
                "{}",
                &text[MAX_TEXT - 10..]
            );
        }
        let short = Fault::Panic("no".to_owned());
        assert_eq!(short.clone().shortened(), short);
    }
}
