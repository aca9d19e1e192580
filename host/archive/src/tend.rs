//! Joining archives in an object store, and finding those that nobody knows.

use std::collections::HashSet;

use magpie_rows::{Compacted, Orphan, RunId, StoreError};
use magpie_values::Timestamp;
use magpie_warc::ArchiveError;

use crate::address::StoreUrl;
use crate::archives::{Archives, Part};
use crate::store::Listed;

/// An archive that the database knows.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub name: String,
    pub bytes: u64,
    pub run: Option<RunId>,
    pub started_at: Timestamp,
}

/// Puts the first bytes of an archive into a store, under another name. One that is there already
/// is left as it is if it has that length.
pub fn carry(archives: &Archives, name: &str, bytes: u64, to: &StoreUrl) -> Result<(), ArchiveError> {
    let copy = to.to_string();
    match archives.length(&copy)? {
        Some(found) if found == bytes => return Ok(()),
        // Archives are never replaced.
        Some(found) => {
            return Err(ArchiveError::Cut {
                file: archives.path(&copy),
                expected: bytes,
                found,
            });
        }
        None => {}
    }
    let part = Part {
        name: name.to_owned(),
        range: 0..bytes,
    };
    archives.join(&copy, &[part])
}

/// Joins small archives to large ones, and moves those outside of a store's folder into it. `name`
/// returns the place of a joined archive, and `lead` makes rows lead to it, in which the archives
/// lie one behind the other. A joined archive is whole before that, and its parts are removed after
/// it; a kill in between leaves archives without rows.
pub fn compact(
    archives: &Archives,
    below: &StoreUrl,
    file_bytes: u64,
    all: impl Iterator<Item = Result<Recorded, StoreError>>,
    mut name: impl FnMut(Option<RunId>) -> Result<StoreUrl, StoreError>,
    mut lead: impl FnMut(&[Recorded], Option<RunId>, &StoreUrl) -> Result<(), StoreError>,
) -> Result<Compacted, StoreError> {
    let own = format!("{below}/");
    let is_ours = |archive: &Recorded| archive.name.starts_with(&own);
    let mut compacted = Compacted::default();
    let mut join = |group: Vec<Recorded>| {
        let is_worth_it = match group.as_slice() {
            [] => false,
            // Outside of the store, one is worth to be moved into it.
            [one] => !is_ours(one),
            _ => true,
        };
        if !is_worth_it {
            return Ok(());
        }
        let run = group[0].run;
        let run = run.filter(|_| group.iter().all(|archive| archive.run == run));
        let url = name(run)?;
        let bytes = join(archives, &group, &url)?;
        lead(&group, run, &url)?;
        for part in &group {
            archives.remove(&part.name)?;
        }
        compacted.joined += group.len() as u64;
        compacted.into += 1;
        compacted.bytes += bytes;
        Ok::<(), StoreError>(())
    };
    let mut group: Vec<Recorded> = Vec::new();
    for archive in all {
        let archive = archive?;
        let is_small = archive.bytes < file_bytes / 2 || !is_ours(&archive);
        if archive.bytes == 0 || !is_small {
            continue;
        }
        // Another process may be about to write rows of the bytes that no row has.
        let found = archives.length(&archive.name)?;
        if found.is_some_and(|found| found > archive.bytes) {
            continue;
        }
        let bytes: u64 = group.iter().map(|archive| archive.bytes).sum();
        if bytes + archive.bytes > file_bytes {
            join(std::mem::take(&mut group))?;
        }
        group.push(archive);
    }
    join(group)?;
    Ok(compacted)
}

/// Joins archives to one, and returns its length.
fn join(archives: &Archives, group: &[Recorded], url: &StoreUrl) -> Result<u64, StoreError> {
    let part = |archive: &Recorded| Part {
        name: archive.name.clone(),
        range: 0..archive.bytes,
    };
    let parts: Vec<Part> = group.iter().map(part).collect();
    archives.join(&url.to_string(), &parts)?;
    let bytes: u64 = group.iter().map(|archive| archive.bytes).sum();
    match archives.length(&url.to_string())? {
        Some(found) if found == bytes => Ok(bytes),
        found => Err(StoreError::ArchiveCut {
            file: archives.path(&url.to_string()),
            expected: bytes,
            found: found.unwrap_or(0),
        }),
    }
}

/// Returns the archives that the database does not know. Removes those that were last changed
/// before a time.
pub fn orphans(
    archives: &Archives,
    listed: Vec<Listed>,
    known: &HashSet<String>,
    remove_before: Option<Timestamp>,
) -> Result<Vec<Orphan>, StoreError> {
    let unknown = listed
        .into_iter()
        .filter(|archive| !known.contains(&archive.name));
    let orphans = unknown.map(|archive| {
        let is_removed = remove_before.is_some_and(|before| archive.modified < before);
        if is_removed {
            archives.remove(&archive.name)?;
        }
        Ok(Orphan {
            name: archive.name,
            bytes: archive.bytes,
            modified: archive.modified,
            is_removed,
        })
    });
    orphans.collect()
}
