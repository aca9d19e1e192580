//! One process writes to a workspace at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use magpie_rows::StoreError;

/// The lock of the workspace. The system releases it when the process ends in any way, so a
/// leftover file does not lock anything.
#[derive(Debug)]
pub(crate) struct WorkspaceLock(File);

pub(crate) const LOCK: &str = "magpie.lock";

impl WorkspaceLock {
    pub(crate) fn take(workspace: &Path) -> Result<WorkspaceLock, StoreError> {
        let path = workspace.join(LOCK);
        let failed = |error| StoreError::file("can't lock", &path, error);
        // The text in it is the holder's, so nothing is cut before the lock is ours.
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let mut file = file.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked {
                    path: workspace.to_owned(),
                    holder: holder(&mut file),
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // For the message to others. The lock is that of the file and not this text, which stays
        // after a crash.
        let text = format!("{}\n", std::process::id());
        let written = file
            .set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(text.as_bytes()));
        written.map_err(failed)?;
        Ok(WorkspaceLock(file))
    }
}

impl Drop for WorkspaceLock {
    fn drop(&mut self) {
        // Closing the file gives the lock back even where this fails.
        let _ = self.0.unlock();
    }
}

/// Returns who writes to a workspace, as `process 1234`. Returns `None` if no process does.
pub fn workspace_holder(workspace: &Path) -> Option<String> {
    let mut file = OpenOptions::new().read(true).open(workspace.join(LOCK)).ok()?;
    // A shared lock is free at once for the next who writes, and refused while one does.
    match file.try_lock_shared() {
        Ok(()) => {
            let _given_back_when_closed = file.unlock();
            None
        }
        Err(TryLockError::WouldBlock) => Some(holder(&mut file)),
        Err(TryLockError::Error(_)) => None,
    }
}

fn holder(file: &mut File) -> String {
    /// A process number has no more digits.
    const LONGEST: u64 = 20;
    let mut text = String::new();
    let read = file.take(LONGEST).read_to_string(&mut text);
    match text.trim().parse::<u32>() {
        Ok(process) if read.is_ok() => format!("process {process}"),
        _ => "another process".to_owned(),
    }
}
