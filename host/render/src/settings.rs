//! Settings of a renderer.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderSettings {
    pub browser: BrowserChoice,
    /// Browsers at the same time, each with one page; at least one.
    pub browsers: usize,
    pub limits: RenderLimits,
    /// Limits of hovering and clicking; `None` to do neither.
    pub probe: Option<ProbeLimits>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BrowserChoice {
    /// Chromium, found on the path.
    #[default]
    Found,
    /// A program: a file, or a name on the path.
    Program(PathBuf),
    /// A browser that runs, by the URL of its DevTools endpoint on this machine.
    Endpoint(Url),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderLimits {
    /// Time after which a page is taken as it is.
    pub time: Duration,
    /// Time without requests and changes after which a page is at rest.
    pub rest: Duration,
    /// Memory of the processes of the page, in bytes.
    pub memory: u64,
    /// Requests that are answered.
    pub requests: u32,
    /// Bytes of answers, and of the document.
    pub bytes: u64,
    /// Pages that scripts and redirects lead to, one after another.
    pub navigations: u32,
}

/// Limits of hovering and clicking on elements of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeLimits {
    pub clicks: u32,
    /// States of the page. Two states differ in the structure of their elements.
    pub states: u32,
    /// Clicks that lead to a state, one after another.
    pub depth: u32,
    pub time: Duration,
}

impl RenderLimits {
    /// At a second between requests, enough for the scripts of most pages.
    pub const TIME: Duration = Duration::from_secs(60);
    /// Long enough for the gap between an answer and the requests and changes that follow from it.
    const REST: Duration = Duration::from_millis(300);
    /// A tab that takes more would be a nuisance to a reader, too.
    pub const MEMORY: u64 = 1 << 30;
    /// More than the scripts and data of any page that people would wait for.
    pub const REQUESTS: u32 = 200;
    /// The same in bytes, inflated.
    pub const BYTES: u64 = 32 << 20;
    /// As many as redirects of a plain fetch.
    const NAVIGATIONS: u32 = 10;
}

impl Default for RenderLimits {
    fn default() -> RenderLimits {
        RenderLimits {
            time: RenderLimits::TIME,
            rest: RenderLimits::REST,
            memory: RenderLimits::MEMORY,
            requests: RenderLimits::REQUESTS,
            bytes: RenderLimits::BYTES,
            navigations: RenderLimits::NAVIGATIONS,
        }
    }
}

impl Default for ProbeLimits {
    fn default() -> ProbeLimits {
        ProbeLimits {
            clicks: 50,
            states: 20,
            depth: 3,
            time: Duration::from_secs(20),
        }
    }
}
