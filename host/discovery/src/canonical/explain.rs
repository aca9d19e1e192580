//! The full list of changes from what a person typed or a page wrote, for those who ask.

use url::Url;

use super::{Canonical, Canonicaliser, Change, MAX_URL_LEN, Unusable};

impl Canonicaliser {
    /// Returns the canonical form of a URL as written, relative to `base`, with all changes,
    /// including those of parsing. Slower than [`Canonicaliser::canonicalise`]; for seeds and
    /// explanations.
    pub fn canonicalise_text(&self, written: &str, base: Option<&Url>) -> Result<Canonical, Unusable> {
        // Before parsing, whose result may be three times as long.
        if written.len() > MAX_URL_LEN {
            return Err(Unusable::TooLong(written.len()));
        }
        let url = match base {
            Some(base) => base.join(written)?,
            None => Url::parse(written)?,
        };
        let mut canonical = self.canonicalise(&url)?;
        parsing_changes(written, &url, &mut canonical.changes);
        Ok(canonical)
    }
}

/// Adds the changes by the URL standard's parser, part by part.
fn parsing_changes(written: &str, url: &Url, changes: &mut Vec<Change>) {
    let is_blank = |c: char| c <= ' ';
    let trimmed: String = written
        .trim_matches(is_blank)
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect();
    if trimmed.len() < written.len() {
        changes.push(Change::WhiteSpace);
    }
    let before_fragment = trimmed.split('#').next().unwrap_or_default();
    let (address, query) = match before_fragment.split_once('?') {
        Some((address, query)) => (address, query),
        None => (before_fragment, ""),
    };
    if address.contains('\\') {
        changes.push(Change::Backslashes);
    }
    let address = address.replace('\\', "/");
    let mut path = address.as_str();
    if let Some((scheme, rest)) = address.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) {
        if scheme.bytes().any(|byte| byte.is_ascii_uppercase()) {
            changes.push(Change::SchemeCase);
        }
        path = rest;
    }
    if let Some(rest) = path.strip_prefix("//") {
        let (authority, after) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        host_changes(authority, url, changes);
        path = after;
    }
    if path.split('/').any(is_dot_segment) {
        changes.push(Change::DotSegments);
    }
    let must_escape =
        |byte: u8| byte <= b' ' || byte >= 0x7f || matches!(byte, b'"' | b'<' | b'>' | b'`' | b'{' | b'}');
    let is_escaped =
        path.bytes().any(must_escape) || query.bytes().any(|byte| must_escape(byte) || byte == b'\'');
    // Canonicalisation may have listed it already.
    if is_escaped && !changes.contains(&Change::Escaped) {
        changes.push(Change::Escaped);
    }
}

fn host_changes(authority: &str, url: &Url, changes: &mut Vec<Change>) {
    let server = authority.rsplit_once('@').map_or(authority, |(_, server)| server);
    let (host, port) = match server.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (server, None),
    };
    if port.is_some() && url.port().is_none() {
        changes.push(Change::DefaultPort);
    }
    let lower = host.to_ascii_lowercase();
    if lower != host {
        changes.push(Change::HostCase);
    }
    if url.host_str().is_some_and(|parsed| parsed != lower) {
        changes.push(Change::HostForm);
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// `.` and `..`, also percent-encoded.
fn is_dot_segment(segment: &str) -> bool {
    // The longest spelling is `%2e%2e`.
    if segment.is_empty() || segment.len() > "%2e%2e".len() {
        return false;
    }
    matches!(
        segment.to_ascii_lowercase().replace("%2e", ".").as_str(),
        "." | ".."
    )
}
