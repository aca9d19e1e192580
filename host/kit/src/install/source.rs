//! Sources of components: files, URLs and artefacts in OCI registries.

use std::fmt;
use std::path::{Path, PathBuf};

use url::{Host, Url};

use magpie_runtime::Sha256;

/// Scheme of artefacts in OCI registries.
const OCI: &str = "oci://";

/// Maximum length of a repository's name and of a tag, by the OCI distribution specification.
const MAX_NAME: usize = 255;
const MAX_TAG: usize = 128;

/// Source of a component. Its text is what `verticals.lock` keeps, and parses to the same source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file, by its absolute path.
    File(PathBuf),
    Url(Url),
    Oci(Reference),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSource {
    #[error("`{0}` is not the source of a component: unknown scheme")]
    Scheme(String),
    #[error("invalid URL `{text}`: {reason}")]
    Url { text: String, reason: String },
    /// The URL contains a password, which would end up in the lock file.
    #[error("a source may not contain a user name or password, since `verticals.lock` keeps it")]
    Credentials,
    #[error("invalid OCI reference `{text}`: {reason}")]
    Reference { text: String, reason: &'static str },
    /// The path can't be written to a lock file.
    #[error("the path {0} can't be kept in `verticals.lock`: it is not UTF-8")]
    Path(PathBuf),
}

impl Source {
    /// Parses a source as it is typed. A path is made absolute.
    pub fn parse(text: &str) -> Result<Source, BadSource> {
        if let Some(reference) = text.strip_prefix(OCI) {
            return Reference::parse(reference).map(Source::Oci);
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            return web_url(text).map(Source::Url);
        }
        if text.contains("://") {
            return Err(BadSource::Scheme(magpie_web::masked(text)));
        }
        Source::file(Path::new(text))
    }

    pub fn file(path: &Path) -> Result<Source, BadSource> {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        match absolute.to_str() {
            Some(_) => Ok(Source::File(absolute)),
            None => Err(BadSource::Path(absolute)),
        }
    }

    /// Returns true if the source names a version that may not change, such as the tag `0.1.0`.
    pub(crate) fn is_pinned(&self) -> bool {
        match self {
            Source::File(_) | Source::Url(_) => false,
            Source::Oci(reference) => reference.digest.is_some() || reference.has_version(),
        }
    }
}

fn web_url(text: &str) -> Result<Url, BadSource> {
    let mut url = Url::parse(text).map_err(|error| BadSource::Url {
        text: magpie_web::masked(text),
        reason: error.to_string(),
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(BadSource::Credentials);
    }
    // Servers do not receive a fragment, so URLs that differ only there are one source.
    url.set_fragment(None);
    Ok(url)
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::File(path) => write!(formatter, "{}", path.display()),
            Source::Url(url) => formatter.write_str(url.as_str()),
            Source::Oci(reference) => write!(formatter, "{OCI}{reference}"),
        }
    }
}

/// A reference to an artefact: `HOST[:PORT]/NAME[:TAG][@DIGEST]`, with a tag, a digest or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Address of the registry, with `http` for loopback and `https` for any other.
    registry: Url,
    name: String,
    tag: Option<String>,
    digest: Option<Sha256>,
}

impl Reference {
    pub fn parse(text: &str) -> Result<Reference, BadSource> {
        let bad = |reason| BadSource::Reference {
            text: format!("{OCI}{}", magpie_web::masked(text)),
            reason,
        };
        let (authority, rest) = text.split_once('/').ok_or_else(|| bad("it has no name"))?;
        // The digest is split off first, because it contains a colon like the tag.
        let (rest, digest) = match rest.split_once('@') {
            Some((rest, digest)) => (rest, Some(digest)),
            None => (rest, None),
        };
        let (name, tag) = match rest.split_once(':') {
            Some((name, tag)) => (name, Some(tag)),
            None => (rest, None),
        };
        if authority.contains('@') {
            return Err(BadSource::Credentials);
        }
        let registry = registry(authority).ok_or_else(|| bad("its host is not valid"))?;
        if !is_name(name) {
            return Err(bad(
                "a name consists of lowercase letters, digits and single `.`, `_` or `-`, in parts separated by `/`",
            ));
        }
        if tag.is_some_and(|tag| !is_tag(tag)) {
            return Err(bad(
                "a version has up to 128 letters, digits, `_`, `.` and `-`, and does not begin with `.` or `-`",
            ));
        }
        let digest = match digest {
            Some(digest) => Some(
                Sha256::parse(digest)
                    .ok_or_else(|| bad("expected a digest: `sha256:` and 64 lowercase hexadecimal digits"))?,
            ),
            None => None,
        };
        if tag.is_none() && digest.is_none() {
            return Err(bad("it names no version"));
        }
        Ok(Reference {
            registry,
            name: name.to_owned(),
            tag: tag.map(str::to_owned),
            digest,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Digest that the manifest must have.
    pub fn digest(&self) -> Option<Sha256> {
        self.digest
    }

    /// Returns true if the registry is on this machine, where plain HTTP is used.
    pub(crate) fn is_loopback(&self) -> bool {
        is_loopback(&self.registry)
    }

    pub(crate) fn manifest_url(&self) -> Url {
        let of_tag = || self.tag.clone().unwrap_or_default();
        // A digest names one content for ever, and a registry can move a tag.
        let version = self.digest.map_or_else(of_tag, |digest| digest.to_string());
        self.url(&format!("manifests/{version}"))
    }

    pub(crate) fn blob_url(&self, digest: Sha256) -> Url {
        self.url(&format!("blobs/{digest}"))
    }

    fn url(&self, below: &str) -> Url {
        let mut url = self.registry.clone();
        // Names, tags and digests have no characters that a path would change.
        url.set_path(&format!("/v2/{}/{below}", self.name));
        url
    }

    /// Returns true if the tag is a whole version such as `0.1.0`, and not `latest` or `0.1`.
    fn has_version(&self) -> bool {
        let tag = self.tag.as_deref().unwrap_or_default();
        let tag = tag.strip_prefix('v').unwrap_or(tag);
        let release = tag.split(['-', '_']).next().unwrap_or_default();
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        release.split('.').count() == 3 && release.split('.').all(is_number)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authority = &self.registry[url::Position::BeforeHost..url::Position::AfterPort];
        write!(formatter, "{authority}/{}", self.name)?;
        if let Some(tag) = &self.tag {
            write!(formatter, ":{tag}")?;
        }
        self.digest
            .map_or(Ok(()), |digest| write!(formatter, "@{digest}"))
    }
}

/// Returns true if the host of a URL is this machine by its name or address.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn registry(authority: &str) -> Option<Url> {
    // From other characters, the parser below would make a path, a query or a password.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    if authority.is_empty() || !authority.bytes().all(is_plain) {
        return None;
    }
    let secure = Url::parse(&format!("https://{authority}/")).ok()?;
    if is_loopback(&secure) {
        Url::parse(&format!("http://{authority}/")).ok()
    } else {
        Some(secure)
    }
}

fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let ends = |byte: Option<u8>| byte.is_some_and(is_word);
        let has_gap = ["..", "._", "_.", ".-", "-.", "_-", "-_", "___"]
            .iter()
            .any(|gap| part.contains(gap));
        ends(part.bytes().next())
            && ends(part.bytes().last())
            && !has_gap
            && part.bytes().all(|byte| is_word(byte) || b"._-".contains(&byte))
    };
    name.len() <= MAX_NAME && name.split('/').all(is_part)
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.bytes().next().is_some_and(is_word)
        && tag.len() <= MAX_TAG
        && tag.bytes().all(|byte| is_word(byte) || b".-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn sources_are_parsed_and_written() {
        let https = Source::parse("https://example.org/a.wasm#x").unwrap();
        assert_eq!(https.to_string(), "https://example.org/a.wasm");
        assert!(matches!(Source::parse("a.wasm").unwrap(), Source::File(path) if path.is_absolute()));
        for text in [
            "oci://ghcr.io/magpie/events:0.1.0".to_owned(),
            "oci://localhost:5000/a_b/c-d/e.f:latest".to_owned(),
            format!("oci://ghcr.io/events@{DIGEST}"),
            format!("oci://ghcr.io/events:0.1.0@{DIGEST}"),
            "oci://[::1]:5000/events:1".to_owned(),
        ] {
            assert_eq!(Source::parse(&text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for (text, sentence) in [
            ("ftp://example.org/a.wasm", "unknown scheme"),
            ("https://", "invalid URL"),
            ("https://ann:secret@example.org/a.wasm", "user name or password"),
            ("oci://ann:secret@example.org/events:1", "user name or password"),
            ("oci://ghcr.io", "it has no name"),
            ("oci://ghcr.io/events", "it names no version"),
            ("oci:///events:1", "its host"),
            ("oci://gh cr.io/events:1", "its host"),
            ("oci://ghcr.io/../events:1", "a name consists"),
            ("oci://ghcr.io/Events:1", "a name consists"),
            ("oci://ghcr.io/a//b:1", "a name consists"),
            ("oci://ghcr.io/a?b:1", "a name consists"),
            ("oci://ghcr.io/events:", "a version has"),
            ("oci://ghcr.io/events:../1", "a version has"),
            ("oci://ghcr.io/events:.1", "a version has"),
            ("oci://ghcr.io/events@sha256:1", "expected a digest"),
        ] {
            let error = Source::parse(text).unwrap_err().to_string();
            assert!(error.contains(sentence), "{text}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn plain_http_is_for_loopback_only() {
        let scheme = |host: &str| {
            let reference = Reference::parse(&format!("{host}/events:1")).unwrap();
            reference.manifest_url().to_string()
        };
        assert_eq!(
            scheme("localhost:5000"),
            "http://localhost:5000/v2/events/manifests/1"
        );
        for host in ["127.0.0.1", "127.9.9.9:80", "[::1]:5000"] {
            assert!(scheme(host).starts_with("http://"), "{host}");
        }
        for host in ["ghcr.io", "localhost.example.org", "10.0.0.1:5000", "[::2]:5000"] {
            assert!(scheme(host).starts_with("https://"), "{host}");
        }
    }

    #[test]
    fn a_version_is_pinned_and_a_moving_tag_is_not() {
        for (reference, pinned) in [
            ("h/a:0.1.0", true),
            ("h/a:v1.2.3-rc.1", true),
            ("h/a:latest", false),
            ("h/a:0.1", false),
            ("h/a:0.1.x", false),
        ] {
            let source = Source::parse(&format!("oci://{reference}")).unwrap();
            assert_eq!(source.is_pinned(), pinned, "{reference}");
        }
        assert!(Source::parse(&format!("oci://h/a@{DIGEST}")).unwrap().is_pinned());
        assert!(
            !Source::parse("https://example.org/0.1.0.wasm")
                .unwrap()
                .is_pinned()
        );
    }
}
