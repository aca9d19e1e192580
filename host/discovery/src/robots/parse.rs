//! Lines of a robots.txt.

use std::borrow::Cow;
use std::time::Duration;

use super::pattern::Pattern;
use super::{Group, ROBOTS_BYTES, Robots, RobotsProblem, Rule};

/// Rules of a file. Half a megabyte of the shortest ones is forty thousand.
const MAX_RULES: usize = 50_000;

/// Sitemaps of a file. Large shops name some hundred.
const MAX_SITEMAPS: usize = 1_000;

/// Maximum number of bytes per line to read. Real lines are shorter. Google reads as much.
const MAX_LINE_LEN: usize = 16 * 1024;

/// Maximum delay in seconds. A robot that waits a day between two pages may as well stay away.
const MAX_DELAY: f64 = 86_400.0;

/// The key of a line. Common misspellings are accepted, as Google does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

const KEYS: [(&str, Key); 14] = [
    ("user-agent", Key::UserAgent),
    ("useragent", Key::UserAgent),
    ("user agent", Key::UserAgent),
    ("allow", Key::Allow),
    ("disallow", Key::Disallow),
    ("dissallow", Key::Disallow),
    ("dissalow", Key::Disallow),
    ("disalow", Key::Disallow),
    ("diasllow", Key::Disallow),
    ("disallaw", Key::Disallow),
    ("crawl-delay", Key::CrawlDelay),
    ("crawldelay", Key::CrawlDelay),
    ("sitemap", Key::Sitemap),
    ("site-map", Key::Sitemap),
];

pub(super) fn parse(bytes: &[u8]) -> Robots {
    let mut reader = RobotsReader::default();
    if bytes.len() > ROBOTS_BYTES {
        reader.robots.problems.push(RobotsProblem::TooLong(bytes.len()));
    }
    let bytes = &bytes[..bytes.len().min(ROBOTS_BYTES)];
    let text = to_utf8(bytes);
    let start = text.trim_ascii_start();
    if start.starts_with(b"<") {
        reader.robots.problems.push(RobotsProblem::LooksLikeHtml);
    }
    // A line that the limit cut would be read as another rule than it is.
    let is_cut = reader
        .robots
        .problems
        .iter()
        .any(|problem| matches!(problem, RobotsProblem::TooLong(_)));
    let mut lines = lines(&text).enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        if is_cut && lines.peek().is_none() {
            break;
        }
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        reader.line(line, number);
    }
    reader.finish()
}

/// Decodes UTF-16 with a byte order mark, which some editors write; everything else is read byte by
/// byte.
fn to_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let Some((encoding, length)) = encoding_rs::Encoding::for_bom(bytes) else {
        return Cow::Borrowed(bytes);
    };
    if encoding == encoding_rs::UTF_8 {
        return Cow::Borrowed(&bytes[length..]);
    }
    Cow::Owned(
        encoding
            .decode_without_bom_handling(&bytes[length..])
            .0
            .into_owned()
            .into_bytes(),
    )
}

/// Lines end with CR, LF or both.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = memchr::memchr2(b'\r', b'\n', text) else {
            rest = None;
            return Some(text);
        };
        let is_pair = text[end] == b'\r' && text.get(end + 1) == Some(&b'\n');
        rest = Some(&text[end + 1 + usize::from(is_pair)..]);
        Some(&text[..end])
    })
}

#[derive(Debug, Default)]
struct RobotsReader {
    robots: Robots,
    group: Group,
    /// True if the last effective line named a robot, so that the next name joins the group.
    names_agents: bool,
    rules: usize,
}

impl RobotsReader {
    fn line(&mut self, line: &[u8], number: u32) {
        let line = &line[..line.len().min(MAX_LINE_LEN)];
        let line = memchr::memchr(b'#', line)
            .map_or(line, |comment| &line[..comment])
            .trim_ascii();
        let Some((key, value)) = split(line) else { return };
        match key {
            Key::UserAgent => self.agent(value, number),
            Key::Allow | Key::Disallow => self.rule(key == Key::Allow, value, number),
            Key::CrawlDelay => self.delay(value),
            Key::Sitemap => self.sitemap(value, number),
        }
    }

    fn agent(&mut self, value: &[u8], number: u32) {
        // Several names in a row share a group. The first name after a rule begins another.
        if !self.names_agents {
            self.close_group();
            self.names_agents = true;
        }
        if self.group.agents.len() + self.robots.groups.len() >= MAX_RULES {
            return self.too_many(number);
        }
        self.group.agents.extend(product_token(value));
    }

    fn rule(&mut self, allow: bool, value: &[u8], number: u32) {
        if self.group.agents.is_empty() && !self.names_agents {
            // A file of nothing else is reported once.
            let known = |problem: &RobotsProblem| matches!(problem, RobotsProblem::RuleWithoutAgent(_));
            if !self.robots.problems.iter().any(known) {
                self.robots.problems.push(RobotsProblem::RuleWithoutAgent(number));
            }
            return;
        }
        self.names_agents = false;
        // An empty rule forbids nothing and allows nothing.
        if value.is_empty() {
            return;
        }
        if self.rules >= MAX_RULES {
            return self.too_many(number);
        }
        self.rules += 1;
        self.group.rules.push(Rule {
            allow,
            pattern: Pattern::new(value),
            line: number,
        });
    }

    /// Not in RFC 9309, so it does not end a list of names either.
    fn delay(&mut self, value: &[u8]) {
        let text = std::str::from_utf8(value).unwrap_or_default();
        let seconds: Option<f64> = text
            .split_ascii_whitespace()
            .next()
            .and_then(|text| text.parse().ok());
        let delay = seconds
            .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
            .map(|seconds| Duration::from_secs_f64(seconds.min(MAX_DELAY)));
        if !self.group.agents.is_empty() {
            self.group.crawl_delay = self.group.crawl_delay.max(delay);
        }
    }

    fn sitemap(&mut self, value: &[u8], number: u32) {
        if self.robots.sitemaps.len() >= MAX_SITEMAPS {
            return self.too_many(number);
        }
        let url = String::from_utf8_lossy(value).into_owned();
        if !url.is_empty() && !self.robots.sitemaps.contains(&url) {
            self.robots.sitemaps.push(url);
        }
    }

    fn too_many(&mut self, number: u32) {
        let known = |problem: &RobotsProblem| matches!(problem, RobotsProblem::TooMany(_));
        if !self.robots.problems.iter().any(known) {
            self.robots.problems.push(RobotsProblem::TooMany(number));
        }
    }

    fn close_group(&mut self) {
        let group = std::mem::take(&mut self.group);
        if !group.agents.is_empty() {
            self.robots.groups.push(group);
        }
    }

    fn finish(mut self) -> Robots {
        self.close_group();
        self.robots
    }
}

/// Splits a line into key and value, at a colon, or at white space if the colon is missing.
fn split(line: &[u8]) -> Option<(Key, &[u8])> {
    if let Some(colon) = memchr::memchr(b':', line)
        && let Some(key) = key_of(line[..colon].trim_ascii())
    {
        return Some((key, line[colon + 1..].trim_ascii()));
    }
    let end = line.iter().position(u8::is_ascii_whitespace)?;
    let value = line[end..].trim_ascii();
    // Two words exactly, or it is a sentence.
    let is_one_word = !value.is_empty() && !value.iter().any(u8::is_ascii_whitespace);
    is_one_word
        .then(|| key_of(&line[..end]))
        .flatten()
        .map(|key| (key, value))
}

fn key_of(name: &[u8]) -> Option<Key> {
    let found = KEYS
        .iter()
        .find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()));
    found.map(|(_, key)| *key)
}

/// Returns the product token of a user-agent line in lower case: the part before a version or
/// anything else. `*` counts only alone or before white space.
fn product_token(value: &[u8]) -> Option<String> {
    if value.first() == Some(&b'*') && value.get(1).is_none_or(u8::is_ascii_whitespace) {
        return Some("*".to_owned());
    }
    let is_part = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    let length = value
        .iter()
        .position(|byte| !is_part(byte))
        .unwrap_or(value.len());
    let token = String::from_utf8_lossy(&value[..length]).to_ascii_lowercase();
    (!token.is_empty()).then_some(token)
}
