//! Robots exclusion by RFC 9309: the content of a robots.txt, and the meaning of its absence.

mod outcome;
mod parse;
mod pattern;
mod rules;

use std::time::Duration;

pub use outcome::{RobotsFetch, RobotsOutcome, RobotsReason, robots_outcome};
pub use rules::{RuleLine, Rules, Verdict};

use pattern::Pattern;

/// Bytes of a robots.txt that are read. RFC 9309 (section 2.5) asks for at least 500 KiB.
pub const ROBOTS_BYTES: usize = 500 * 1024;

/// A robots.txt, read.
#[derive(Clone, Debug, Default)]
pub struct Robots {
    groups: Vec<Group>,
    sitemaps: Vec<String>,
    problems: Vec<RobotsProblem>,
}

#[derive(Clone, Debug, Default)]
struct Group {
    /// Product tokens in lower case; `*` for all.
    agents: Vec<String>,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

#[derive(Clone, Debug)]
struct Rule {
    allow: bool,
    pattern: Pattern,
    line: u32,
}

/// Something in a robots.txt that was left out. The rest of the file counts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RobotsProblem {
    /// More bytes than are read.
    #[error("the file has {0} bytes; only the first {ROBOTS_BYTES} were read")]
    TooLong(usize),
    /// More rules, groups or sitemaps than are kept.
    #[error("line {0}: too many rules; the rest was ignored")]
    TooMany(u32),
    /// Rules before the first `user-agent`.
    #[error("line {0}: a rule without a user-agent was ignored")]
    RuleWithoutAgent(u32),
    /// A page instead of a robots.txt.
    #[error("the file looks like a web page, not like a robots.txt")]
    LooksLikeHtml,
}

impl Robots {
    /// Reads a robots.txt. Never fails: lines that make no sense are left out.
    pub fn parse(bytes: &[u8]) -> Robots {
        parse::parse(bytes)
    }

    /// Returns the rules for a robot, by its product token (`magpie`, without version): those of
    /// all groups that name it, or else those of all groups for `*`.
    pub fn rules(&self, product_token: &str) -> Rules {
        let token = product_token.to_ascii_lowercase();
        let named: Vec<&Group> = self.groups_for(&token).collect();
        // RFC 9309, 2.2.1: the groups for `*` count only for robots that no group names.
        let groups = if named.is_empty() {
            self.groups_for("*").collect()
        } else {
            named
        };
        Rules::new(&groups)
    }

    fn groups_for<'a>(&'a self, token: &'a str) -> impl Iterator<Item = &'a Group> {
        self.groups
            .iter()
            .filter(move |group| group.agents.iter().any(|agent| agent == token))
    }

    /// The sitemaps, as they are written, each once. They are for all robots.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// The parts that were ignored.
    pub fn problems(&self) -> &[RobotsProblem] {
        &self.problems
    }
}
