//! The rules for one robot, and their verdict on a path.

use std::fmt;
use std::time::Duration;

use super::pattern::normalise;
use super::{Group, Rule};

/// The rules of one host for one robot. Keep one per host.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Sorted by length, the longest first, and `allow` before `disallow`, so that the first match
    /// decides.
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

/// A rule as written in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleLine<'r> {
    /// The number of the line, counted from 1.
    pub line: u32,
    pub allow: bool,
    pub pattern: &'r str,
}

/// The decision on a path, with the rule that made it. Displays as a plain sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict<'r> {
    /// True if the path may be fetched.
    pub allowed: bool,
    /// The rule that decided; none when no rule is about the path.
    pub rule: Option<RuleLine<'r>>,
}

/// This path is always allowed: RFC 9309, section 2.2.2.
const ROBOTS_PATH: &str = "/robots.txt";

impl Rules {
    pub(super) fn new(groups: &[&Group]) -> Rules {
        let mut rules: Vec<Rule> = groups
            .iter()
            .flat_map(|group| group.rules.iter().cloned())
            .collect();
        rules.sort_by_key(|rule| (std::cmp::Reverse(rule.pattern.length()), !rule.allow));
        Rules {
            rules,
            crawl_delay: groups.iter().filter_map(|group| group.crawl_delay).max(),
        }
    }

    /// Returns true if a path with its query may be fetched.
    pub fn allows(&self, path_and_query: &str) -> bool {
        self.judge(path_and_query).allowed
    }

    /// Returns the decision on a path with its query: the longest matching rule decides, `allow` if
    /// two are equally long.
    pub fn judge(&self, path_and_query: &str) -> Verdict<'_> {
        let path = path_and_query.split('?').next().unwrap_or_default();
        if path == ROBOTS_PATH || self.rules.is_empty() {
            return Verdict {
                allowed: true,
                rule: None,
            };
        }
        let request = if path_and_query.starts_with('/') {
            path_and_query
        } else {
            "/"
        };
        let request = normalise(request.as_bytes());
        let found = self.rules.iter().find(|rule| rule.pattern.matches(&request));
        Verdict {
            allowed: found.is_none_or(|rule| rule.allow),
            rule: found.map(|rule| RuleLine {
                line: rule.line,
                allow: rule.allow,
                pattern: rule.pattern.written(),
            }),
        }
    }

    /// The pause between two requests that the host asks for. An extension that many files use.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

impl fmt::Display for RuleLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.allow { "Allow" } else { "Disallow" };
        write!(f, "line {} ({word}: {})", self.line, self.pattern)
    }
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.allowed, &self.rule) {
            (true, Some(rule)) => write!(f, "robots.txt allows it in {rule}"),
            (false, Some(rule)) => write!(f, "robots.txt forbids it in {rule}"),
            (true, None) => f.write_str("no rule of robots.txt matches it"),
            (false, None) => f.write_str("robots.txt can't be fetched at present, so nothing may be fetched"),
        }
    }
}
