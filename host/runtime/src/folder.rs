//! A watched folder of drop-in verticals. New files are loaded and changed files replace their
//! plugin. If a new file fails, the old plugin stays in use and the change gives the reason.
//!
//! The folder is polled, because notifications do not work on network disks and in containers. A
//! poll costs one `stat` per file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use magpie_model::short_digest;
use serde_json::{Map, Value};

use crate::fault::PluginId;
use crate::plugin::Plugin;
use crate::runtime::Runtime;

/// Interval between polls of a watched folder. A changed file is loaded once two polls in a row
/// find it unchanged, so that a copy in progress is not mistaken for a broken plugin.
pub const POLL_INTERVAL: Duration = Duration::from_millis(500);

pub struct Folder {
    runtime: Runtime,
    path: PathBuf,
    options: BTreeMap<String, Map<String, Value>>,
    files: Mutex<BTreeMap<PathBuf, Entry>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Added(PathBuf, PluginId),
    /// A plugin was replaced by a newer file of the same name.
    Replaced {
        file: PathBuf,
        /// Plugin that was in use before.
        old: LoadedPlugin,
        /// Plugin that is in use now.
        new: LoadedPlugin,
    },
    /// The file was removed, and its plugin with it.
    Removed(PathBuf, PluginId),
    Refused {
        file: PathBuf,
        /// Reason, and what to do.
        reason: String,
        /// Plugin that remains in use for this file.
        kept: Option<PluginId>,
    },
    Unreadable(String),
}

/// A plugin and the content of its file: two files of one version may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedPlugin {
    pub id: PluginId,
    /// Digest of its file.
    pub digest: String,
}

impl From<&Plugin> for LoadedPlugin {
    fn from(plugin: &Plugin) -> LoadedPlugin {
        LoadedPlugin {
            id: plugin.id(),
            digest: plugin.inspection().digest.clone(),
        }
    }
}

impl fmt::Display for LoadedPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.id, short_digest(&self.digest))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

struct Entry {
    seen: Stamp,
    /// Version of the file that was loaded or refused last.
    decided: Option<Stamp>,
    plugin: Option<Plugin>,
}

impl Folder {
    /// Creates a folder; call [`Folder::poll_now`] to load its files.
    pub fn new(runtime: Runtime, path: impl Into<PathBuf>) -> Self {
        Self {
            runtime,
            path: path.into(),
            options: BTreeMap::new(),
            files: Mutex::default(),
        }
    }

    /// Sets the user's options of verticals, by name.
    pub fn with_options(mut self, options: BTreeMap<String, Map<String, Value>>) -> Self {
        self.options = options;
        self
    }

    /// Plugins in use, sorted by file name. A caller that holds one can keep using it after it was
    /// replaced.
    pub fn plugins(&self) -> Vec<Plugin> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.values().filter_map(|entry| entry.plugin.clone()).collect()
    }

    /// Polls once and loads every new or changed file immediately.
    pub fn poll_now(&self) -> Vec<Change> {
        self.poll_with(false)
    }

    /// Polls once. A file that changed since the last poll is loaded at the next one.
    pub fn look(&self) -> Vec<Change> {
        self.poll_with(true)
    }

    /// Polls in a thread until the watch is dropped.
    pub fn watch(
        self: &Arc<Self>,
        every: Duration,
        mut report: impl FnMut(Change) + Send + 'static,
    ) -> std::io::Result<Watch> {
        let stop = Arc::new(AtomicBool::new(false));
        let (folder, stopped) = (Arc::clone(self), Arc::clone(&stop));
        let thread = std::thread::Builder::new()
            .name("magpie-folder".to_owned())
            .spawn(move || {
                while !stopped.load(Ordering::Relaxed) {
                    folder.look().into_iter().for_each(&mut report);
                    std::thread::park_timeout(every);
                }
            })?;
        Ok(Watch {
            stop,
            thread: Some(thread),
        })
    }

    fn poll_with(&self, debounce: bool) -> Vec<Change> {
        let found = match component_files(&self.path) {
            Ok(found) => found,
            Err(error) => {
                return vec![Change::Unreadable(format!(
                    "can't read {}: {error}",
                    self.path.display()
                ))];
            }
        };
        let mut changes = self.forget_missing(&found);
        for (file, stamp) in found {
            if self.is_due(&file, stamp, debounce) {
                changes.push(self.take(file, stamp));
            }
        }
        changes
    }

    fn forget_missing(&self, found: &BTreeMap<PathBuf, Stamp>) -> Vec<Change> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let gone: Vec<PathBuf> = files
            .keys()
            .filter(|file| !found.contains_key(*file))
            .cloned()
            .collect();
        let removed = |file: PathBuf| {
            let plugin = files.remove(&file).and_then(|entry| entry.plugin)?;
            Some(Change::Removed(file, plugin.id()))
        };
        gone.into_iter().filter_map(removed).collect()
    }

    fn is_due(&self, file: &Path, stamp: Stamp, debounce: bool) -> bool {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let known = files.contains_key(file);
        let entry = files.entry(file.to_owned()).or_insert(Entry {
            seen: stamp,
            decided: None,
            plugin: None,
        });
        // A file that is being copied changes between polls, and would be taken for a broken
        // plugin.
        let settled = known && entry.seen == stamp;
        entry.seen = stamp;
        entry.decided != Some(stamp) && (settled || !debounce)
    }

    /// Loads a file in place of the plugin that it had.
    fn take(&self, file: PathBuf, stamp: Stamp) -> Change {
        // Compiling takes a while, so the lock is not held meanwhile.
        let loaded = self.load(&file);
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = files.entry(file.clone()).or_insert(Entry {
            seen: stamp,
            decided: None,
            plugin: None,
        });
        // The stamp of the poll, not that of now: a file that changed while it was compiled is due
        // again. A refused file is not tried again before it changes.
        entry.decided = Some(stamp);
        match loaded {
            Err(reason) => Change::Refused {
                file,
                reason,
                kept: entry.plugin.as_ref().map(Plugin::id),
            },
            Ok(plugin) => {
                let new = LoadedPlugin::from(&plugin);
                match entry.plugin.replace(plugin) {
                    Some(old) => Change::Replaced {
                        file,
                        old: LoadedPlugin::from(&old),
                        new,
                    },
                    None => Change::Added(file, new.id),
                }
            }
        }
    }

    fn load(&self, file: &Path) -> Result<Plugin, String> {
        let plugin = self
            .runtime
            .load(file)
            .map_err(|error| format!("{error}; {}", error.hint()))?;
        if let Some(other) = self.rival_of(&plugin, file) {
            return Err(format!(
                "the vertical `{}` is already loaded from {}; remove one of the two files",
                plugin.info().name,
                other.display()
            ));
        }
        match self.options.get(&plugin.info().name) {
            Some(options) => plugin
                .with_options(options)
                .map_err(|error| format!("{error}; {}", error.hint())),
            None => Ok(plugin),
        }
    }

    /// Returns another file whose component has the same function for the same vertical. The
    /// extractor, the clusterer and the validator of one vertical may be by different authors.
    fn rival_of(&self, plugin: &Plugin, not: &Path) -> Option<PathBuf> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let is_rival = |other: &Plugin| other.is_rival_of(plugin);
        let mut others = files.iter().filter(|(file, _)| *file != not);
        others
            .find(|(_, entry)| entry.plugin.as_ref().is_some_and(is_rival))
            .map(|(file, _)| file.clone())
    }
}

/// Guard of a watch; stops it when dropped.
pub struct Watch {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The watcher's panic has already been printed, and no caller is left to handle it.
            let _ = thread.join();
        }
    }
}

fn component_files(folder: &Path) -> std::io::Result<BTreeMap<PathBuf, Stamp>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "wasm")
            && let Ok(metadata) = std::fs::metadata(&path)
            && metadata.is_file()
        {
            files.insert(
                path,
                Stamp {
                    modified: metadata.modified().ok(),
                    bytes: metadata.len(),
                },
            );
        }
    }
    Ok(files)
}
