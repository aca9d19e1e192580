//! Files that are there whole or as they were.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Age from which an unlocked temporary file is removed. A process locks its own at once.
const STALE: Duration = Duration::from_secs(2);

/// Writes a file, which is then there whole or as it was. A link leads to the file that is meant; a
/// pipe or a device is written to and stays one. `failed` makes an error of the system's.
pub fn put_file<T, E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    write: impl FnOnce(File, &Path) -> Result<T, E>,
) -> Result<T, E> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return write(File::options().write(true).open(path).map_err(&failed)?, path);
    }
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let part = part_of(path);
    remove_stale_parts(path);
    let result = File::create(&part).map_err(&failed).and_then(|file| {
        // Held until the file is complete: an unlocked temporary file was left by a process that
        // died. On file systems without locks, temporary files never count as stale.
        let _ = file.try_lock();
        let kept = file.try_clone().map_err(&failed)?;
        let written = write(file, &part)?;
        kept.sync_all()
            .and_then(|()| fs::rename(&part, path))
            .map_err(&failed)?;
        Ok(written)
    });
    if result.is_err() {
        // Half a file is left under a temporary name.
        let _ = fs::remove_file(&part);
    }
    result
}

/// Writes bytes to a file, which is then there whole or as it was.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put_file(path, |error| error, |mut file, _| file.write_all(bytes))
}

/// The name a file has until it is whole.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// Removes what processes that died have left of writing this file. One that has just begun may
/// not have locked its part yet, so what is new stays.
fn remove_stale_parts(path: &Path) {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return;
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_part = |other: &str| {
        let number = other.strip_prefix(&*name).and_then(|rest| rest.strip_prefix('.'));
        let number = number.and_then(|rest| rest.strip_suffix(".part"));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    for entry in entries.flatten() {
        if !is_part(&entry.file_name().to_string_lossy()) {
            continue;
        }
        let age = entry.metadata().and_then(|metadata| metadata.modified());
        let age = age.ok().and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age >= STALE)
            && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn parts_of_killed_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        let part = |name: &str| folder.path().join(name);
        let old = SystemTime::now() - 2 * STALE;
        let held = File::create(part("out.txt.7.part")).unwrap();
        held.try_lock().unwrap();
        held.set_modified(old).unwrap();
        for name in ["out.txt.5.part", "other.txt.5.part", "out.txt.notes.part"] {
            File::create(part(name)).unwrap().set_modified(old).unwrap();
        }
        fs::write(part("out.txt.6.part"), "just begun").unwrap();
        write_file(&path, b"text").unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let stay = [
            "other.txt.5.part",
            "out.txt",
            "out.txt.6.part",
            "out.txt.7.part",
            "out.txt.notes.part",
        ];
        assert_eq!(left, stay);
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_no_part() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_file(&folder.path().join("no/such/folder/out.txt"), b"text").is_err());
        // The path is a folder: the part is written but can't be moved there.
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        assert!(write_file(&taken, b"text").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
