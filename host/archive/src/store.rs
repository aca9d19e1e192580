//! An object store with calls that wait.
//!
//! Its requests run on a thread of their own, so the caller may be any thread, also one that runs
//! asynchronous tasks.

use std::collections::HashMap;
use std::error::Error as _;
use std::future::Future;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use magpie_values::Timestamp;
use magpie_warc::{ArchiveError, StoreFault};
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    Error, ObjectStore, ObjectStoreExt as _, PutMode, PutPayload, RetryConfig, WriteMultipart,
};
use tokio::runtime::{Builder, Runtime};

use crate::address::{Scheme, StoreUrl};
use crate::cache::{BLOCK, Cache};
use crate::client::{Connector, METADATA};

/// Variables that configure object stores and are no settings, since they have secrets.
const VARIABLES: [&str; 4] = ["AWS_", "AZURE_", "GOOGLE_", AUTHORITIES];

/// Names a file with further certificate authorities.
const AUTHORITIES: &str = "SSL_CERT_FILE";

/// Waits between attempts of a put whose answer is lost; the first is doubled up to the last.
const WAITS: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(10)];

/// Size of a part of a large file. Stores take 10,000 parts, and this makes files of 160 GB.
const PART: usize = 16 * 1024 * 1024;

/// Parts on their way at once: what joining needs of memory.
const PARTS: usize = 4;

/// Attempts of a request, which its patience ends before.
const ATTEMPTS: usize = 1_000;

/// The variables of [`use_variables`].
static CONFIGURED: OnceLock<Vec<(String, String)>> = OnceLock::new();

/// Gives this process the credentials and endpoints of object stores, as variables of the
/// environment. Others are ignored. Only the first call has an effect.
pub fn use_variables(variables: impl IntoIterator<Item = (String, String)>) {
    let is_ours = |(name, _): &(String, String)| VARIABLES.iter().any(|start| name.starts_with(start));
    let _ = CONFIGURED.set(variables.into_iter().filter(is_ours).collect());
}

/// A bucket, or the file system.
#[derive(Debug)]
pub(crate) struct Store {
    store: Arc<dyn ObjectStore>,
    patience: Duration,
    cache: Mutex<Cache>,
}

/// A file in a store.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its address.
    pub name: String,
    pub bytes: u64,
    /// Time of its last change, by the clock of the store.
    pub modified: Timestamp,
}

impl Store {
    /// Returns the store of an address. Stores are opened once, so that all readers of a process
    /// share connections and cache.
    pub(crate) fn of(url: &StoreUrl, patience: Duration) -> Result<Arc<Store>, ArchiveError> {
        type Key = (Scheme, String, Duration);
        static OPENED: Mutex<Option<HashMap<Key, Arc<Store>>>> = Mutex::new(None);
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = opened.get_or_insert_default();
        let key = (url.scheme, url.bucket.clone(), patience);
        if let Some(store) = opened.get(&key) {
            return Ok(Arc::clone(store));
        }
        let store = Arc::new(Store {
            store: connect(url, patience).map_err(|error| {
                let detail = innermost(&error);
                // Half of the credentials is given.
                let fault = match detail.starts_with("Missing ") {
                    true => StoreFault::Refused,
                    false => StoreFault::Address,
                };
                url.fault(fault, detail)
            })?,
            patience,
            cache: Mutex::default(),
        });
        opened.insert(key, Arc::clone(&store));
        Ok(store)
    }

    /// Stores bytes under a name that is free. Returns when they are durable. If the name is taken
    /// by the same bytes, an earlier attempt has stored them and its answer was lost.
    pub(crate) fn put_new(&self, url: &StoreUrl, bytes: Vec<u8>) -> Result<(), ArchiveError> {
        let (store, path, patience) = (Arc::clone(&self.store), path_of(url), self.patience);
        let bytes = Bytes::from(bytes);
        // The disk of this machine answers at once, and a full one stays full.
        let patience = match url.scheme {
            Scheme::File => Duration::ZERO,
            _ => patience,
        };
        let put = wait(async move {
            let began = Instant::now();
            let [mut pause, longest] = WAITS;
            loop {
                let payload = PutPayload::from(bytes.clone());
                let error = match store.put_opts(&path, payload, PutMode::Create.into()).await {
                    Ok(_) => return Ok(true),
                    Err(Error::AlreadyExists { .. }) => match read_all(&*store, &path).await {
                        Ok(there) => return Ok(there == bytes),
                        // Two attempts at once were both refused. The next one decides.
                        Err(error) => error,
                    },
                    Err(error) => error,
                };
                let is_temporary = matches!(error, Error::Generic { .. } | Error::NotFound { .. })
                    && fault_of(&error) == StoreFault::Unavailable;
                if !is_temporary || began.elapsed() > patience {
                    return Err(error);
                }
                tokio::time::sleep(pause).await;
                pause = longest.min(2 * pause);
            }
        });
        match put {
            Ok(true) => Ok(()),
            Ok(false) => Err(url.fault(StoreFault::Occupied, "")),
            Err(error) => Err(failure(url, 0, error)),
        }
    }

    /// Reads a range of a file, which must have the bytes up to `end`; those behind may be missing.
    pub(crate) fn fetch(&self, url: &StoreUrl, range: Range<u64>, end: u64) -> Result<Bytes, ArchiveError> {
        let (store, path) = (Arc::clone(&self.store), path_of(url));
        let read = wait(async move { store.get_range(&path, range).await });
        read.map_err(|error| match self.length(url) {
            Ok(Some(found)) if found < end => cut(url, end, found),
            _ => failure(url, end, error),
        })
    }

    /// Reads a range of a file, which must have it. What was read before may be kept.
    pub(crate) fn range(&self, url: &StoreUrl, range: Range<u64>) -> Result<Vec<u8>, ArchiveError> {
        let first = range.start / BLOCK;
        let wanted = first..range.end.div_ceil(BLOCK);
        let mut blocks: Vec<Option<Bytes>> = {
            let cache = self.cache();
            wanted.map(|block| cache.get(&url.path, block)).collect()
        };
        let is_missing = |block: &Option<Bytes>| block.is_none();
        if let Some(from) = blocks.iter().position(is_missing)
            && let Some(to) = blocks.iter().rposition(is_missing)
        {
            let missing = (first + from as u64) * BLOCK..(first + to as u64 + 1) * BLOCK;
            let read = self.fetch(url, missing, range.end)?;
            let mut cache = self.cache();
            for (at, bytes) in (from..).zip(read.chunks(BLOCK as usize)) {
                // A copy, or a part of a large answer would keep all of it.
                let bytes = Bytes::copy_from_slice(bytes);
                cache.insert(&url.path, first + at as u64, bytes.clone());
                blocks[at] = Some(bytes);
            }
        }
        let mut copied = Vec::new();
        for (block, bytes) in (first..).zip(blocks) {
            let (begin, bytes) = (block * BLOCK, bytes.unwrap_or_default());
            // Fits: a place in a block.
            let place = |at: u64| at.saturating_sub(begin).min(BLOCK) as usize;
            let part = bytes.get(place(range.start)..place(range.end));
            copied.extend_from_slice(part.ok_or_else(|| cut(url, range.end, begin + bytes.len() as u64))?);
        }
        Ok(copied)
    }

    /// Returns the length of a file, or `None` if it is missing.
    pub(crate) fn length(&self, url: &StoreUrl) -> Result<Option<u64>, ArchiveError> {
        let (store, path) = (Arc::clone(&self.store), path_of(url));
        match wait(async move { store.head(&path).await }) {
            Ok(meta) => Ok(Some(meta.size)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failure(url, 0, error)),
        }
    }

    /// Lists the files below an address.
    pub(crate) fn list(&self, url: &StoreUrl) -> Result<Vec<Listed>, ArchiveError> {
        let (store, path) = (Arc::clone(&self.store), path_of(url));
        let listed = wait(async move { store.list(Some(&path)).try_collect::<Vec<_>>().await });
        let listed = listed.map_err(|error| match error {
            // A prefix without files is an empty list, so it is the bucket that is missing.
            Error::NotFound { .. } => url.fault(StoreFault::NoBucket, ""),
            error => failure(url, 0, error),
        })?;
        let listed = listed.into_iter().map(|meta| Listed {
            name: StoreUrl {
                path: meta.location.to_string(),
                ..url.clone()
            }
            .to_string(),
            bytes: meta.size,
            modified: Timestamp::from_millis(meta.last_modified.timestamp_millis()),
        });
        Ok(listed.collect())
    }

    pub(crate) fn remove(&self, url: &StoreUrl) -> Result<(), ArchiveError> {
        let (store, path) = (Arc::clone(&self.store), path_of(url));
        match wait(async move { store.delete(&path).await }) {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failure(url, 0, error)),
        }
    }

    /// Stores what a reader gives, in parts. The file is there whole or not at all; one of the same
    /// name is replaced.
    pub(crate) fn upload(
        &self,
        url: &StoreUrl,
        read: &mut dyn FnMut(&mut [u8]) -> Result<usize, ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let failed = |error| failure(url, 0, error);
        let (store, path) = (Arc::clone(&self.store), path_of(url));
        let upload = wait(async move { store.put_multipart(&path).await }).map_err(failed)?;
        let mut upload = wait(async move { WriteMultipart::new_with_chunk_size(upload, PART) });
        let mut buffer = vec![0; PART / 4];
        loop {
            let count = match read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) => {
                    // Parts that stay are removed by the rules of the bucket.
                    let _ = wait(upload.abort());
                    return Err(error);
                }
            };
            let bytes = Bytes::copy_from_slice(&buffer[..count]);
            let (back, taken) = wait(async move {
                let room = upload.wait_for_capacity(PARTS).await;
                upload.put(bytes);
                (upload, room)
            });
            upload = back;
            taken.map_err(failed)?;
        }
        wait(upload.finish()).map(drop).map_err(failed)
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a future on the thread of object stores, and waits for it.
fn wait<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("magpie-store").enable_all();
        builder
            .build()
            .expect("the system gives a thread to a process that needs one")
    });
    let (sender, answer) = std::sync::mpsc::sync_channel(1);
    runtime.spawn(async move {
        let _ = sender.send(future.await);
    });
    answer
        .recv()
        .expect("the runtime lives as long as the process, and no future panics")
}

async fn read_all(store: &dyn ObjectStore, path: &Path) -> object_store::Result<Bytes> {
    store.get(path).await?.bytes().await
}

/// Returns `true` if the folder of an address is there.
pub(crate) fn is_folder(url: &StoreUrl) -> bool {
    let path = LocalFileSystem::new().path_to_filesystem(&path_of(url));
    path.is_ok_and(|path| path.is_dir())
}

fn path_of(url: &StoreUrl) -> Path {
    // Parsed before, and written as it is: the other conversion would encode characters.
    Path::parse(&url.path).unwrap_or_else(|_| Path::from(url.path.as_str()))
}

/// Opens the bucket of an address.
fn connect(url: &StoreUrl, patience: Duration) -> object_store::Result<Arc<dyn ObjectStore>> {
    let authorities = variables().find(|(name, value)| name == AUTHORITIES && !value.is_empty());
    let connector = Connector {
        authorities: authorities.map(|(_, file)| PathBuf::from(file)),
    };
    let retry = RetryConfig {
        max_retries: ATTEMPTS,
        retry_timeout: patience,
        ..RetryConfig::default()
    };
    match url.scheme {
        Scheme::File => Ok(Arc::new(LocalFileSystem::new().with_fsync(true))),
        Scheme::S3 => {
            let builder = AmazonS3Builder::new()
                .with_bucket_name(&url.bucket)
                .with_http_connector(connector)
                .with_retry(retry);
            let builder = configured().fold(builder, |builder, (key, value)| builder.with_config(key, value));
            Ok(Arc::new(builder.build()?))
        }
        #[cfg(feature = "gcs")]
        Scheme::Gcs => {
            let builder = object_store::gcp::GoogleCloudStorageBuilder::new()
                .with_bucket_name(&url.bucket)
                .with_http_connector(connector)
                .with_retry(retry);
            let builder = configured().fold(builder, |builder, (key, value)| builder.with_config(key, value));
            Ok(Arc::new(builder.build()?))
        }
        #[cfg(feature = "azure")]
        Scheme::Azure => {
            let builder = object_store::azure::MicrosoftAzureBuilder::new()
                .with_container_name(&url.bucket)
                .with_http_connector(connector)
                .with_retry(retry);
            let builder = configured().fold(builder, |builder, (key, value)| builder.with_config(key, value));
            Ok(Arc::new(builder.build()?))
        }
    }
}

fn variables() -> impl Iterator<Item = &'static (String, String)> {
    CONFIGURED.get().into_iter().flatten()
}

/// Returns the variables that are keys of a store.
fn configured<K: FromStr>() -> impl Iterator<Item = (K, &'static str)> {
    variables().filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, value.as_str())))
}

fn cut(url: &StoreUrl, expected: u64, found: u64) -> ArchiveError {
    ArchiveError::Cut {
        file: PathBuf::from(url.to_string()),
        expected,
        found,
    }
}

/// Converts an error of a file that should have a number of bytes.
fn failure(url: &StoreUrl, expected: u64, error: Error) -> ArchiveError {
    let file = PathBuf::from(url.to_string());
    let fault = fault_of(&error);
    match error {
        Error::NotFound { .. } if fault != StoreFault::NoBucket => ArchiveError::Missing { file, expected },
        error if url.scheme == Scheme::File => ArchiveError::file("can't use", &file, io_error(&error)),
        error => url.fault(fault, detail(&error)),
    }
}

fn fault_of(error: &Error) -> StoreFault {
    let text = innermost(error);
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match (
        status(&text).and_then(|status| status.get(..3)?.parse().ok()),
        error,
    ) {
        // Both a file and its bucket may be what is missing, and the answer says which.
        _ if has(&["NoSuchBucket", "ContainerNotFound"]) => StoreFault::NoBucket,
        _ if has_no_credentials(error) || has(&["ExpiredToken", "InvalidToken"]) => StoreFault::Refused,
        (Some(401 | 403), _) | (_, Error::PermissionDenied { .. } | Error::Unauthenticated { .. }) => {
            StoreFault::Refused
        }
        (Some(404 | 408 | 409 | 412 | 429 | 500..), _) => StoreFault::Unavailable,
        (Some(300..500), _)
        | (_, Error::InvalidPath { .. } | Error::NotSupported { .. } | Error::NotImplemented { .. }) => {
            StoreFault::Address
        }
        _ if has(&["redirect without LOCATION"]) => StoreFault::Address,
        _ => StoreFault::Unavailable,
    }
}

/// Returns `true` if the credentials of the machine were asked for, which only machines of a cloud
/// have.
fn has_no_credentials(error: &Error) -> bool {
    error.to_string().contains(&format!("http://{METADATA}"))
}

/// Returns the error of the system below an error of the store.
fn io_error(error: &Error) -> io::Error {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            return match error.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code),
                None => io::Error::new(error.kind(), error.to_string()),
            };
        }
        source = cause.source();
    }
    io::Error::other(error.to_string())
}

/// The last cause of an error, in words.
fn innermost(error: &Error) -> String {
    let mut last: &dyn std::error::Error = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

/// Says in a line what the store answered. The whole answer may name keys, so only its code and
/// status are shown.
fn detail(error: &Error) -> String {
    const LONGEST: usize = 200;
    let text = innermost(error);
    let code = text
        .split_once("<Code>")
        .and_then(|(_, rest)| rest.split_once("</Code>"));
    let shown = match (code, status(&text)) {
        _ if has_no_credentials(error) => "there are none".to_owned(),
        (Some((code, _)), Some(status)) => format!("{status} ({code})"),
        (None, Some(status)) => status.to_owned(),
        (_, None) => text.lines().next().unwrap_or_default().to_owned(),
    };
    shown[..shown.floor_char_boundary(LONGEST)].to_owned()
}

/// Returns the status of an answer in the text of an error, as in `503 Service Unavailable`.
fn status(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("status code: ")?;
    Some(rest.split([':', '<']).next().unwrap_or_default().trim())
}
