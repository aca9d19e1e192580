//! Acts on a workspace, and the interface of the process that performs them.

use magpie_engine::settings::{Resolved, host_of_site};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Fetch nothing from a site, or from any, for now.
    Pause {
        /// The site; `None` for all.
        site: Option<String>,
    },
    /// Fetch from a site, or from all, again.
    Resume {
        /// The site; `None` for all.
        site: Option<String>,
    },
    /// Fetch the pages of a site that rounds visit, at once.
    Visit { site: String },
    /// Learn sites, to collect from them as well.
    Add {
        /// Their first pages.
        sites: Vec<String>,
    },
    /// Collect from a site no more.
    Drop { site: String },
    /// Fetch no URL that matches a regular expression.
    Exclude {
        /// The site; `None` for all.
        site: Option<String>,
        /// The expression.
        pattern: String,
    },
    Budget {
        /// The budget, as in `5000/day`.
        budget: String,
    },
    /// Keep two records apart.
    Split {
        one: i64,
        /// The other.
        other: i64,
    },
}

impl Act {
    /// The site that the act is about, if it is about a known one.
    pub(crate) fn site(&self) -> Option<&str> {
        match self {
            Act::Pause { site } | Act::Resume { site } | Act::Exclude { site, .. } => site.as_deref(),
            Act::Visit { site } | Act::Drop { site } => Some(site),
            Act::Add { .. } | Act::Budget { .. } | Act::Split { .. } => None,
        }
    }

    pub fn command(&self) -> String {
        match self {
            Act::Pause { site: None } => "magpie sites --pause".to_owned(),
            Act::Pause { site: Some(site) } => format!("magpie sites {} --pause", typed(site)),
            Act::Resume { site: None } => "magpie sites --resume".to_owned(),
            Act::Resume { site: Some(site) } => format!("magpie sites {} --resume", typed(site)),
            Act::Visit { site } => format!("magpie watch --once --site {}", typed(site)),
            Act::Add { sites } => {
                let sites: Vec<String> = sites.iter().map(|site| typed(site)).collect();
                format!("magpie learn {}", sites.join(" "))
            }
            Act::Drop { site } => format!("magpie sites {} --drop", typed(site)),
            Act::Exclude { site: None, pattern } => {
                format!("magpie config scope.exclude --add {}", typed(pattern))
            }
            Act::Exclude {
                site: Some(site),
                pattern,
            } => format!(
                "magpie config scope.exclude --add {} --site {}",
                typed(pattern),
                typed(host_of_site(site))
            ),
            Act::Budget { budget } => format!("magpie config watch.budget --write {}", typed(budget)),
            Act::Split { one, other } => format!("magpie objects split r{one} r{other}"),
        }
    }
}

pub(crate) fn host(site: &str) -> &str {
    site.split_once("://").map_or(site, |(_, host)| host)
}

/// A word as a person types it in a shell.
pub(crate) fn typed(word: &str) -> String {
    magpie_report::format::typed(std::path::Path::new(word))
}

/// When an act takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is done, and holds from the next cycle on.
    Done,
    /// It is done when the cycle under way has ended.
    Queued,
}

/// Acts on a workspace. A watch implements it.
pub trait Actions: Send + Sync {
    /// Acts, or returns a sentence why not. It may block for a moment.
    fn act(&self, act: Act) -> Result<Effect, String>;

    /// The settings in force from the next cycle on, or a sentence why they can't be read.
    fn settings(&self) -> Result<Resolved, String>;
}
