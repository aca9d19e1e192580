//! Keys of feeds: each opens feeds and calendars to a program that can send no header, and nothing
//! else.
//!
//! The keys of a workspace are in a file beside its database, so that a command can make one while
//! a watch has the database. The file is a log, whose last line about a name counts; a line is
//! written at once, under a lock. It has hashes of keys, not keys.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use axum::extract::Request;
use axum::http::Method;
use blake3::Hash;
use magpie_values::Timestamp;
use serde::{Deserialize, Serialize};
use url::form_urlencoded;

use crate::format::{Format, Named};
use crate::security::random;

/// The file within the folder of a workspace.
const FILE: &str = "feed-keys.jsonl";

/// Keys at the same time.
const MAX_KEYS: usize = 100;

/// The longest file, in bytes: thousands of keys made and revoked.
const MAX_FILE: u64 = 1 << 20;

const MAX_NAME: usize = 60;

/// A key, without what opens the feeds.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedKey {
    pub name: String,
    pub made_at: Timestamp,
    hash: Hash,
}

#[derive(Debug, thiserror::Error)]
pub enum FeedKeyError {
    /// The name can't be that of a key.
    #[error(
        "invalid name `{0}` of a key: expected up to {MAX_NAME} letters, digits, hyphens, dots and underscores"
    )]
    Name(String),
    /// There is a key of this name.
    #[error("there is a key `{0}` already: revoke it first, or choose another name")]
    Taken(String),
    /// There is no key of this name.
    #[error("there is no key `{0}`")]
    Unknown(String),
    /// There are as many keys as there may be.
    #[error("there are {MAX_KEYS} keys already: revoke one first")]
    TooMany,
    /// The file of the keys is too long to be read.
    #[error("the file {} is too long: delete it, and make the keys again", .0.display())]
    TooLong(PathBuf),
    #[error("the system has no random numbers for a key")]
    NoRandomness,
    /// The file can't be read or written.
    #[error("can't use the file {}", file.display())]
    File {
        file: PathBuf,
        #[source]
        source: io::Error,
    },
}

#[derive(Serialize, Deserialize)]
struct Line {
    name: String,
    at: i64,
    /// The hash of the key; none if it was revoked.
    hash: Option<String>,
}

/// Returns the keys of a workspace, the oldest first.
pub fn feed_keys(folder: &Path) -> Result<Vec<FeedKey>, FeedKeyError> {
    let path = folder.join(FILE);
    let failed = |source| FeedKeyError::File {
        file: path.clone(),
        source,
    };
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    file.lock_shared().map_err(failed)?;
    read(&mut file, &path)
}

/// Makes a key and returns it. It can't be read again.
pub fn make_feed_key(folder: &Path, name: &str, now: Timestamp) -> Result<String, FeedKeyError> {
    let is_of_name = |sign: char| sign.is_alphanumeric() || "-._".contains(sign);
    if name.is_empty() || name.chars().count() > MAX_NAME || !name.chars().all(is_of_name) {
        return Err(FeedKeyError::Name(name.chars().take(MAX_NAME).collect()));
    }
    let key = random().ok_or(FeedKeyError::NoRandomness)?;
    change(folder, |keys| {
        if keys.iter().any(|key| key.name == name) {
            return Err(FeedKeyError::Taken(name.to_owned()));
        }
        if keys.len() >= MAX_KEYS {
            return Err(FeedKeyError::TooMany);
        }
        Ok(Line {
            name: name.to_owned(),
            at: now.as_millis(),
            hash: Some(blake3::hash(key.as_bytes()).to_hex().to_string()),
        })
    })?;
    Ok(key)
}

/// Revokes a key. From now on it opens nothing.
pub fn revoke_feed_key(folder: &Path, name: &str, now: Timestamp) -> Result<(), FeedKeyError> {
    change(folder, |keys| match keys.iter().any(|key| key.name == name) {
        true => Ok(Line {
            name: name.to_owned(),
            at: now.as_millis(),
            hash: None,
        }),
        false => Err(FeedKeyError::Unknown(name.to_owned())),
    })
}

/// Adds a line that is made from the keys so far.
fn change(
    folder: &Path,
    line: impl FnOnce(&[FeedKey]) -> Result<Line, FeedKeyError>,
) -> Result<(), FeedKeyError> {
    let path = folder.join(FILE);
    let failed = |source| FeedKeyError::File {
        file: path.clone(),
        source,
    };
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path).map_err(failed)?;
    file.lock().map_err(failed)?;
    let keys = read(&mut file, &path)?;
    let line = serde_json::to_string(&line(&keys)?).map_err(|error| failed(error.into()))?;
    // The break before it ends a line that was cut off by a crash.
    file.write_all(format!("\n{line}\n").as_bytes()).map_err(failed)?;
    file.sync_data().map_err(failed)
}

fn read(file: &mut File, path: &Path) -> Result<Vec<FeedKey>, FeedKeyError> {
    let mut text = Vec::new();
    let read = file.take(MAX_FILE + 1).read_to_end(&mut text);
    read.map_err(|source| FeedKeyError::File {
        file: path.to_owned(),
        source,
    })?;
    if text.len() as u64 > MAX_FILE {
        return Err(FeedKeyError::TooLong(path.to_owned()));
    }
    let mut keys: Vec<FeedKey> = Vec::new();
    // A line that can't be read was not written to its end.
    for line in text.split(|byte| *byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            continue;
        };
        keys.retain(|key| key.name != line.name);
        let hash = line.hash.and_then(|hash| Hash::from_hex(hash).ok());
        keys.extend(hash.map(|hash| FeedKey {
            name: line.name,
            made_at: Timestamp::from_millis(line.at),
            hash,
        }));
    }
    Ok(keys)
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
        let file = path.join(FILE);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains(&kitchen) && !text.contains(&phone), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0);
        }
        assert!(matches!(
            make_feed_key(path, "phone", now),
            Err(FeedKeyError::Taken(_))
        ));
        // A line cut off by a crash is no key, and does not damage the next one.
        std::fs::write(&file, format!("{text}{{\"name\":\"torn\",\"at\":1,\"ha")).unwrap();
        revoke_feed_key(path, "kitchen", now).unwrap();
        assert!(matches!(
            revoke_feed_key(path, "kitchen", now),
            Err(FeedKeyError::Unknown(_))
        ));
        assert_eq!(names(path), ["phone"]);
        for bad in ["", "a b", "a/b", "<script>", &"a".repeat(61)] {
            assert!(
                matches!(make_feed_key(path, bad, now), Err(FeedKeyError::Name(_))),
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
