//! Keys of feeds: each opens feeds and calendars to a program that can send no header, and nothing
//! else.
//!
//! The file has hashes of keys, not keys.

use std::path::Path;

use axum::extract::Request;
use axum::http::Method;
use blake3::Hash;
use magpie_values::Timestamp;
use serde::{Deserialize, Serialize};
use url::form_urlencoded;

use crate::format::{Format, Named};
use crate::ledger::{self, LedgerError};
use crate::security::random;

/// A key, without what opens the feeds.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedKey {
    pub name: String,
    pub made_at: Timestamp,
    hash: Hash,
}

#[derive(Serialize, Deserialize)]
struct Line {
    name: String,
    at: i64,
    /// The hash of the key; none if it was revoked.
    hash: Option<String>,
}

impl Line {
    fn hash(&self) -> Option<Hash> {
        Hash::from_hex(self.hash.as_deref()?).ok()
    }
}

impl ledger::Line for Line {
    const FILE: &'static str = "feed-keys.jsonl";
    const WHAT: &'static str = "key";

    fn name(&self) -> &str {
        &self.name
    }

    fn is_end(&self) -> bool {
        self.hash.is_none()
    }

    fn is_sound(&self) -> bool {
        self.hash.is_none() || self.hash().is_some()
    }
}

/// Returns the keys of a workspace, the oldest first.
pub fn feed_keys(folder: &Path) -> Result<Vec<FeedKey>, LedgerError> {
    let lines = ledger::read::<Line>(folder)?.into_iter();
    let key = |line: Line| {
        Some(FeedKey {
            hash: line.hash()?,
            made_at: Timestamp::from_millis(line.at),
            name: line.name,
        })
    };
    Ok(lines.filter_map(key).collect())
}

/// Makes a key and returns it. It can't be read again.
pub fn make_feed_key(folder: &Path, name: &str, now: Timestamp) -> Result<String, LedgerError> {
    let key = random().ok_or(LedgerError::NoRandomness)?;
    let line = Line {
        name: name.to_owned(),
        at: now.as_millis(),
        hash: Some(blake3::hash(key.as_bytes()).to_hex().to_string()),
    };
    ledger::add(folder, &line)?;
    Ok(key)
}

/// Revokes a key. From now on it opens nothing.
pub fn revoke_feed_key(folder: &Path, name: &str, now: Timestamp) -> Result<(), LedgerError> {
    let line = Line {
        name: name.to_owned(),
        at: now.as_millis(),
        hash: None,
    };
    ledger::end(folder, &line)
}

/// Returns the key that a request for a feed presents. Other requests have none, so that a key
/// opens nothing else.
pub(crate) fn presented(request: &Request) -> Option<String> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) || !is_path_of_feed(request.uri().path()) {
        return None;
    }
    let query = request.uri().query()?.as_bytes();
    let mut keys = form_urlencoded::parse(query).filter(|(name, _)| name == "key");
    keys.next().map(|(_, key)| key.into_owned())
}

/// Returns `true` for the paths of feeds: `/events.atom`, `/object/17.ics`.
fn is_path_of_feed(path: &str) -> bool {
    let format = |name: &str| Named::parse(name).format;
    let Some(path) = path.strip_prefix('/') else {
        return false;
    };
    match path.split_once('/') {
        None => format(path).is_feed(),
        Some(("object", name)) => !name.contains('/') && format(name) == Format::Ics,
        Some(_) => false,
    }
}

/// Returns `true` if a key is one of the workspace's. Comparing hashes takes the same time for all.
pub(crate) async fn is_known(folder: &Path, key: String) -> bool {
    let folder = folder.to_owned();
    let found = tokio::task::spawn_blocking(move || {
        let given = blake3::hash(key.as_bytes());
        let keys = feed_keys(&folder).unwrap_or_default();
        keys.iter().fold(false, |found, key| found | (key.hash == given))
    });
    found.await.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Line as _;

    fn names(folder: &Path) -> Vec<String> {
        let keys = feed_keys(folder).unwrap();
        keys.into_iter().map(|key| key.name).collect()
    }

    #[test]
    fn keys_are_made_and_revoked_and_kept_as_hashes() {
        let folder = tempfile::tempdir().unwrap();
        let (path, now) = (folder.path(), Timestamp::from_seconds(1_800_000_000));
        assert_eq!(names(path), Vec::<String>::new());
        let kitchen = make_feed_key(path, "kitchen", now).unwrap();
        let phone = make_feed_key(path, "phone", now).unwrap();
        assert_ne!(kitchen, phone);
        assert_eq!(names(path), ["kitchen", "phone"]);
        let file = path.join(Line::FILE);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains(&kitchen) && !text.contains(&phone), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0);
        }
        assert!(matches!(
            make_feed_key(path, "phone", now),
            Err(LedgerError::Taken { .. })
        ));
        // A line cut off by a crash is no key, and does not damage the next one.
        std::fs::write(&file, format!("{text}{{\"name\":\"torn\",\"at\":1,\"ha")).unwrap();
        revoke_feed_key(path, "kitchen", now).unwrap();
        assert!(matches!(
            revoke_feed_key(path, "kitchen", now),
            Err(LedgerError::Unknown { .. })
        ));
        assert_eq!(names(path), ["phone"]);
        for bad in ["", "a b", "a/b", "<script>", &"a".repeat(61)] {
            assert!(
                matches!(make_feed_key(path, bad, now), Err(LedgerError::Name(_))),
                "{bad}"
            );
        }
    }

    #[test]
    fn only_feeds_have_keys() {
        for path in [
            "/events.atom",
            "/events.rss",
            "/events.feed.json",
            "/events.ics",
            "/object/17.ics",
        ] {
            assert!(is_path_of_feed(path), "{path}");
        }
        for path in [
            "/",
            "/events",
            "/events.json",
            "/sites.csv",
            "/object/17",
            "/object/17.json",
            "/object/17.atom",
            "/object/17/value/a.ics",
            "/site/example.org.ics",
            "/page/1.ics",
            "/api/v1/objects.ics",
            "//events.atom",
            "/metrics",
            "events.atom",
        ] {
            assert!(!is_path_of_feed(path), "{path}");
        }
    }
}
