//! Workspaces on a server, as folders of this process.
//!
//! Settings, navigations, readings and components are files that people edit. A workspace on a
//! server keeps them in rows. While a process works in it, it has copies in a folder of its own, so
//! everything that reads or writes files of a workspace works there too. [`Checkout::sync`] copies
//! changes in both directions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use magpie_postgres::{Address, Layout, Server, ServerOptions};
use magpie_rows::StoreError;
use xxhash_rust::xxh3::xxh3_64;

use crate::copy::STATEMENT_LIMIT;
use crate::reading::READINGS;
use crate::session::VERTICALS;
use crate::settings::FILE;
use crate::site::NAVIGATIONS;
use crate::write_file;

/// Variable with the password of the server, as other programs of PostgreSQL have it.
const PASSWORD: &str = "PGPASSWORD";

/// Interval of the exchange with the server while a command runs.
const INTERVAL: Duration = Duration::from_secs(5);

/// Locked as long as the process that uses a folder lives.
const LOCK: &str = "lock";

/// Files and folders that are synchronized. All others belong to this machine.
const SYNCHRONIZED: [&str; 8] = [
    FILE,
    "accounts.jsonl",
    "feed-keys.jsonl",
    "watch.json",
    "verticals.lock",
    VERTICALS,
    NAVIGATIONS,
    READINGS,
];

/// The folders of this process that stand for workspaces on servers.
static CHECKOUTS: LazyLock<Mutex<HashMap<PathBuf, Arc<Checkout>>>> = LazyLock::new(Mutex::default);

/// A workspace on a server, and the folder with copies of its files.
pub(crate) struct Checkout {
    pub(crate) server: Arc<Server>,
    /// For reads with a limited time, which have connections of their own.
    limited: Mutex<Option<(Duration, Arc<Server>)>>,
    address: Address,
    folder: PathBuf,
    files: Mutex<BTreeMap<String, Known>>,
    _lock: File,
    thread: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

/// A file as it was when this folder and the server had the same.
#[derive(Clone, Copy, PartialEq)]
struct Known {
    version: i64,
    digest: u64,
    /// Length and time of the last change, so that it is not read to see that it is the same.
    stat: Option<(u64, SystemTime)>,
}

/// Returns true if a workspace is named by the address of a server.
pub fn is_on_server(workspace: &Path) -> bool {
    let scheme = workspace.to_str().and_then(|text| text.split_once("://"));
    scheme.is_some_and(|(scheme, _)| matches!(scheme, "postgres" | "postgresql"))
}

/// Connects to the workspace at the address of a server, and returns a folder with copies of its
/// files, below `folders`. Opening that folder opens the workspace on the server.
pub fn check_out(address: &str, folders: &Path) -> Result<PathBuf, StoreError> {
    let address = parse(address)?;
    let is_same = |checkout: &&Arc<Checkout>| checkout.address.to_string() == address.to_string();
    if let Some(known) = checkouts().values().find(is_same) {
        return Ok(known.folder.clone());
    }
    let server = Server::open(address.clone(), ServerOptions::default())?;
    begin(server, address, folders)
}

/// Makes a workspace on a server, and returns a folder as [`check_out`] does.
pub fn create_on_server(address: &str, folders: &Path) -> Result<PathBuf, StoreError> {
    let address = parse(address)?;
    let server = Server::create(address.clone(), ServerOptions::default(), Layout::default())?;
    begin(server, address, folders)
}

/// Connects to a server for the copy of the workspace with a number, and returns a folder as
/// [`check_out`] does.
pub fn check_out_for_copy(address: &str, workspace: &str, folders: &Path) -> Result<PathBuf, StoreError> {
    let address = parse(address)?;
    let options = ServerOptions {
        statement_limit: STATEMENT_LIMIT,
        ..ServerOptions::default()
    };
    let server = Server::open_for_copy(address.clone(), options, Layout::default(), workspace)?;
    begin(server, address, folders)
}

/// Writes the changed files of a folder to its server, and reads files that others have changed.
/// Other folders need nothing.
pub fn sync(folder: &Path) -> Result<(), StoreError> {
    checkout(folder).map_or(Ok(()), |checkout| checkout.sync())
}

/// Writes all changes to the servers, and removes the folders. Call it when the process ends.
pub fn check_in_all() -> Result<(), StoreError> {
    let all: Vec<Arc<Checkout>> = checkouts().drain().map(|(_, checkout)| checkout).collect();
    let mut outcome = Ok(());
    for checkout in all {
        checkout.stop();
        let synced = checkout.sync();
        if synced.is_ok() {
            // Another process removes what stays, once it finds that the lock is free.
            let _ = fs::remove_dir_all(&checkout.folder);
        }
        outcome = outcome.and(synced);
    }
    outcome
}

/// Returns the name of a workspace for people: its folder, or the address of its server.
pub fn workspace_name(folder: &Path) -> String {
    match checkout(folder) {
        Some(checkout) => checkout.address.to_string(),
        None => folder.display().to_string(),
    }
}

/// Returns true if a folder is the working copy of a workspace on a server. It is removed when the
/// process ends.
pub fn is_checkout(folder: &Path) -> bool {
    checkout(folder).is_some()
}

/// Returns the workspace on a server whose working copy is in a folder.
pub(crate) fn checkout(folder: &Path) -> Option<Arc<Checkout>> {
    checkouts().get(folder).cloned()
}

fn checkouts() -> MutexGuard<'static, HashMap<PathBuf, Arc<Checkout>>> {
    CHECKOUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn parse(address: &str) -> Result<Address, StoreError> {
    Address::parse(address, std::env::var(PASSWORD).ok().as_deref())
}

/// Returns the name of this process for other workers and for people. Processes in containers may
/// have the same host and number, so a part of it is random.
pub(crate) fn worker_name() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = Some(host.trim())
            .filter(|host| !host.is_empty())
            .unwrap_or("host");
        let random = RandomState::new().hash_one(std::process::id()) & 0xffff;
        format!("{host}:{}-{random:04x}", std::process::id())
    });
    &NAME
}

fn begin(server: Arc<Server>, address: Address, folders: &Path) -> Result<PathBuf, StoreError> {
    let failed = |error| StoreError::file("can't make a folder in", folders, error);
    fs::create_dir_all(folders).map_err(failed)?;
    remove_stale(folders);
    let (folder, lock) = own_folder(folders).map_err(failed)?;
    let checkout = Arc::new(Checkout {
        server,
        limited: Mutex::default(),
        address,
        folder: folder.clone(),
        files: Mutex::default(),
        _lock: lock,
        thread: Mutex::default(),
    });
    checkout.sync()?;
    checkout.start();
    checkouts().insert(folder.clone(), checkout);
    Ok(folder)
}

/// Makes a folder that only this process uses.
fn own_folder(folders: &Path) -> io::Result<(PathBuf, File)> {
    let mut number = 0_u32;
    loop {
        let folder = folders.join(format!("{}-{number}", std::process::id()));
        match fs::create_dir(&folder) {
            Ok(()) => {
                let lock = File::create(folder.join(LOCK))?;
                lock.lock()?;
                // Settings may have passwords.
                #[cfg(unix)]
                fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
                return Ok((folder, lock));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Removes the folders of processes that were killed.
fn remove_stale(folders: &Path) {
    for entry in fs::read_dir(folders).into_iter().flatten().flatten() {
        let lock = File::open(entry.path().join(LOCK));
        // One without a lock is being made now.
        let is_stale = lock.is_ok_and(|lock| !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
        if is_stale {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

impl Checkout {
    /// The server, with a limit of the time for each statement.
    pub(crate) fn limited(&self, limit: Duration) -> Result<Arc<Server>, StoreError> {
        let mut limited = self.limited.lock().unwrap_or_else(PoisonError::into_inner);
        match &*limited {
            Some((known, server)) if *known == limit => Ok(Arc::clone(server)),
            _ => {
                let options = ServerOptions {
                    statement_limit: limit,
                    patience: limit,
                    ..ServerOptions::default()
                };
                let server = Server::open(self.address.clone(), options)?;
                *limited = Some((limit, Arc::clone(&server)));
                Ok(server)
            }
        }
    }

    /// Exchanges changes from time to time, so that a long command sees those of others.
    fn start(self: &Arc<Self>) {
        let (stop, stopped) = channel();
        let weak = Arc::downgrade(self);
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let Some(checkout) = Weak::upgrade(&weak) else {
                    return;
                };
                // The exchange at the end of the command reports what stays wrong.
                let _ = checkout.sync();
            }
        });
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some((stop, thread));
    }

    fn stop(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((stop, thread)) = thread {
            drop(stop);
            // A panic there was printed when it happened.
            let _ = thread.join();
        }
    }

    /// Copies changes in both directions. A file that both sides have changed is an error, and
    /// stays as it is on both.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        let mut known = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let there: BTreeMap<String, i64> = self.server.files()?.into_iter().collect();
        let here = workspace_files(&self.folder)?;
        let paths: BTreeSet<String> = known.keys().chain(there.keys()).chain(&here).cloned().collect();
        for path in paths {
            self.exchange(&mut known, &path, there.get(&path).copied())?;
        }
        Ok(())
    }

    /// Synchronizes a file. `there` is its version on the server, if it is there.
    fn exchange(
        &self,
        known: &mut BTreeMap<String, Known>,
        path: &str,
        there: Option<i64>,
    ) -> Result<(), StoreError> {
        let before = known.get(path).copied();
        let file = self.folder.join(path);
        let failed = |error| StoreError::file("can't read", &file, error);
        let stat = stat(&file).map_err(failed)?;
        let content = match stat.is_some() && stat == before.and_then(|before| before.stat) {
            true => None,
            false => read(&file).map_err(failed)?,
        };
        let digest = match (&content, stat) {
            (Some(content), _) => Some(xxh3_64(content)),
            (None, Some(_)) => before.map(|before| before.digest),
            (None, None) => None,
        };
        let is_changed_here = digest != before.map(|before| before.digest);
        let is_changed_there = there != before.map(|before| before.version);
        match (is_changed_here, is_changed_there) {
            (false, false) => {
                // It may have been written again as it was.
                if let (Some(kept), true) = (known.get_mut(path), stat.is_some()) {
                    kept.stat = stat;
                }
                Ok(())
            }
            (false, true) => self.pull(known, path),
            (true, false) => self.push(known, path, content.as_deref(), before),
            (true, true) => {
                let theirs = self.server.file(path)?.and_then(|file| file.content);
                match theirs.as_deref().map(xxh3_64) == digest {
                    true => self.pull(known, path),
                    false => Err(self.changed_twice(path)?),
                }
            }
        }
    }

    fn pull(&self, known: &mut BTreeMap<String, Known>, path: &str) -> Result<(), StoreError> {
        if !is_workspace_file(path) {
            return Ok(());
        }
        let file = self.folder.join(path);
        let failed = |error| StoreError::file("can't write", &file, error);
        let there = self.server.file(path)?;
        let Some((content, version)) = there.and_then(|file| Some((file.content?, file.version))) else {
            known.remove(path);
            return remove(&file).map_err(failed);
        };
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        write_file(&file, &content).map_err(failed)?;
        let kept = Known {
            version,
            digest: xxh3_64(&content),
            stat: stat(&file).map_err(failed)?,
        };
        known.insert(path.to_owned(), kept);
        Ok(())
    }

    fn push(
        &self,
        known: &mut BTreeMap<String, Known>,
        path: &str,
        content: Option<&[u8]>,
        before: Option<Known>,
    ) -> Result<(), StoreError> {
        self.server.check_writable()?;
        let version = before.map_or(0, |before| before.version);
        let Some(version) = self.server.put_file(path, version, content, worker_name())? else {
            return Err(self.changed_twice(path)?);
        };
        match content {
            None => drop(known.remove(path)),
            Some(content) => {
                let kept = Known {
                    version,
                    digest: xxh3_64(content),
                    // It may have changed since it was read.
                    stat: None,
                };
                known.insert(path.to_owned(), kept);
            }
        }
        Ok(())
    }

    fn changed_twice(&self, path: &str) -> Result<StoreError, StoreError> {
        let other = self.server.file(path)?.map(|file| file.changed_by);
        Ok(StoreError::ChangedTwice {
            file: path.to_owned(),
            workspace: self.address.to_string(),
            other: other.unwrap_or_default(),
        })
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Returns the files of a workspace that people edit, by their paths in its folder.
pub fn workspace_files(folder: &Path) -> Result<BTreeSet<String>, StoreError> {
    let mut found = BTreeSet::new();
    for name in SYNCHRONIZED {
        let failed = |error| StoreError::file("can't read", &folder.join(name), error);
        list(folder, name, &mut found).map_err(failed)?;
    }
    Ok(found)
}

/// Returns true if a path is one of a file that people edit. No other is written by name: it could
/// lead out of the folder.
pub fn is_workspace_file(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.next().is_some_and(|first| SYNCHRONIZED.contains(&first))
        && parts.all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains('\\'))
}

/// Lists the files at a path and below it.
fn list(folder: &Path, path: &str, found: &mut BTreeSet<String>) -> io::Result<()> {
    let at = folder.join(path);
    let metadata = match fs::symlink_metadata(&at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    if metadata.is_file() && !path.ends_with(".part") {
        found.insert(path.to_owned());
    }
    if metadata.is_dir() {
        for entry in fs::read_dir(at)? {
            // Hidden files are locks and the beginnings of files.
            if let Ok(name) = entry?.file_name().into_string()
                && !name.starts_with('.')
            {
                list(folder, &format!("{path}/{name}"), found)?;
            }
        }
    }
    Ok(())
}

fn stat(file: &Path) -> io::Result<Option<(u64, SystemTime)>> {
    match file.metadata() {
        Ok(metadata) => Ok(Some((metadata.len(), metadata.modified()?))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn read(file: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(file) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
