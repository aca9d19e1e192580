//! Workspaces as they are opened: folders, and folders that stand for workspaces on servers.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use magpie_postgres::{LeaseTimes, Server};
use magpie_rows::{ReadStore, Store, StoreError};
use magpie_sqlite::{
    ArchiveSettings, BatchLimits, OnDamage, Reader, StoreOptions, Workspace, WorkspaceOptions, create_private,
};

use crate::checkout::{Checkout, checkout, worker_name};
use crate::session::VERTICALS;
use crate::settings::{DamageRule, FILE, Resolved, shipped_file};

/// The version of the program: processes of one workspace on a server have the same.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Opens the workspace in a folder for writing.
pub fn open_workspace(folder: &Path, resolved: &Resolved) -> Result<Arc<dyn Store>, StoreError> {
    if let Some(checkout) = checkout(folder) {
        return Ok(drive(&checkout, resolved)?);
    }
    Ok(Arc::new(Workspace::open(folder, &workspace_options(resolved))?))
}

/// Opens a workspace to check its archive, also one that has lost pages.
pub fn open_for_check(folder: &Path, resolved: &Resolved) -> Result<Arc<dyn Store>, StoreError> {
    if let Some(checkout) = checkout(folder) {
        return Ok(drive(&checkout, resolved)?);
    }
    Ok(Arc::new(open_for_copy(folder, resolved)?))
}

/// Opens the workspace in a folder to copy it, also one that has lost pages.
pub(crate) fn open_for_copy(folder: &Path, resolved: &Resolved) -> Result<Workspace, StoreError> {
    let options = WorkspaceOptions {
        damage: OnDamage::Keep,
        ..workspace_options(resolved)
    };
    Workspace::open(folder, &options)
}

fn workspace_options(resolved: &Resolved) -> WorkspaceOptions {
    let settings = &resolved.settings;
    let batch = BatchLimits {
        age: settings.crawl.commit,
        ..BatchLimits::default()
    };
    let store = place_of_archives(resolved);
    WorkspaceOptions {
        archive: ArchiveSettings {
            file_bytes: settings.archive.file_bytes.0,
            ..ArchiveSettings::default()
        },
        batch: match store {
            None => batch,
            Some(_) => batch.for_segments(),
        },
        store,
        damage: match settings.archive.on_missing_archive {
            DamageRule::Refuse => OnDamage::Refuse,
            DamageRule::Requeue => OnDamage::Requeue,
        },
        ..WorkspaceOptions::default()
    }
}

pub(crate) fn place_of_archives(resolved: &Resolved) -> Option<StoreOptions> {
    let archive = &resolved.settings.archive;
    // Settings with another address are refused when they are read.
    let url = archive.store_url().ok().flatten()?;
    Some(StoreOptions {
        url,
        patience: archive.patience,
    })
}

/// Makes a workspace with a folder for verticals and a file of settings. Settings that are there
/// stay.
pub fn create_workspace(folder: &Path) -> Result<(), StoreError> {
    let checkout = checkout(folder);
    if checkout.is_none() {
        // It is closed at once, since a session opens it with the options of its settings.
        Workspace::create(folder, &WorkspaceOptions::default())?.close()?;
    }
    let failed = |error| StoreError::file("can't make a workspace in", folder, error);
    std::fs::create_dir_all(folder.join(VERTICALS)).map_err(failed)?;
    let settings = folder.join(FILE);
    if !settings.exists() {
        let written = create_private(&settings);
        written
            .and_then(|mut file| file.write_all(shipped_file().as_bytes()))
            .map_err(failed)?;
    }
    checkout.map_or(Ok(()), |checkout| checkout.sync())
}

/// Opens a workspace for reading.
pub fn open_reader(folder: &Path) -> Result<Box<dyn ReadStore + Send>, StoreError> {
    if let Some(checkout) = checkout(folder) {
        return Ok(Box::new(on_server(&checkout.server, None)?));
    }
    Ok(Box::new(Reader::open(folder)?))
}

/// Opens a workspace for reading. A call that takes longer than the limit fails. In a folder it
/// also fails as soon as the caller sets `given_up`; a server ends each statement at the limit.
pub fn open_limited_reader(
    folder: &Path,
    limit: Duration,
    given_up: Arc<AtomicBool>,
) -> Result<Box<dyn ReadStore + Send>, StoreError> {
    if let Some(checkout) = checkout(folder) {
        return Ok(Box::new(on_server(&checkout.limited(limit)?, None)?));
    }
    Ok(Box::new(Reader::open(folder)?.with_time_limit(limit, given_up)?))
}

/// Fails if a workspace can't be written to, because its server is a replica.
pub fn check_writable(folder: &Path) -> Result<(), StoreError> {
    checkout(folder).map_or(Ok(()), |checkout| checkout.server.check_writable())
}

/// Returns who writes to a workspace, as `process 1234`. Returns `None` if no process does.
pub fn workspace_holder(folder: &Path) -> Option<String> {
    match checkout(folder) {
        Some(checkout) => checkout.server.driver().ok().flatten(),
        None => magpie_sqlite::workspace_holder(folder),
    }
}

/// Opens a workspace on a server as its driver.
fn drive(checkout: &Checkout, resolved: &Resolved) -> Result<Arc<magpie_postgres::Store>, StoreError> {
    let store = Arc::new(on_server(&checkout.server, Some(resolved))?);
    store.drive(VERSION)?;
    Ok(store)
}

/// Opens a workspace on a server. It has no buckets yet.
pub(crate) fn on_server(
    server: &Arc<Server>,
    resolved: Option<&Resolved>,
) -> Result<magpie_postgres::Store, StoreError> {
    if resolved.is_some() {
        server.check_writable()?;
    }
    // Readers find archives by their addresses, and write nothing.
    let options = resolved.map_or_else(Default::default, |resolved| {
        let batch = magpie_postgres::BatchLimits {
            age: resolved.settings.crawl.commit,
            ..Default::default()
        };
        let store = place_of_archives(resolved);
        let lease = resolved.settings.workers.lease;
        magpie_postgres::StoreOptions {
            times: LeaseTimes {
                length: lease,
                reserve: lease / 6,
                quiet: lease / 6,
            },
            batch: match store {
                None => batch,
                Some(_) => batch.for_segments(),
            },
            store,
            archive: ArchiveSettings {
                file_bytes: resolved.settings.archive.file_bytes.0,
                ..ArchiveSettings::default()
            },
        }
    });
    magpie_postgres::Store::open(Arc::clone(server), worker_name(), options)
}
