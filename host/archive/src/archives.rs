//! Archives by name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use magpie_values::Timestamp;
use magpie_warc::{
    ArchiveError, ArchiveReader, Location, Record, StoreFault, read_archived, read_record, sync_folder,
};

use crate::address::{Scheme, StoreUrl};
use crate::store::{Listed, Store, is_folder};

/// Time that readers wait for a store. A person may be waiting for them.
const READ_PATIENCE: Duration = Duration::from_secs(20);

/// Bytes that are asked for at once where a whole file is read.
const READ_AHEAD: u64 = 8 * 1024 * 1024;

/// Bytes that are copied at a time into a file.
const COPIED: usize = 1024 * 1024;

/// The archives of a workspace.
#[derive(Clone, Debug)]
pub struct Archives {
    folder: PathBuf,
    patience: Duration,
}

/// A part of a file, which is joined to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    /// The bytes of it that are wanted.
    pub range: Range<u64>,
}

/// The place of an archive.
enum Place {
    File(PathBuf),
    Store(Arc<Store>, StoreUrl),
}

impl Archives {
    /// Returns the archives of a workspace with this folder for archives.
    pub fn new(folder: PathBuf) -> Archives {
        Archives {
            folder,
            patience: READ_PATIENCE,
        }
    }

    /// Changes the time that calls wait for a store that does not answer.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Archives {
        Archives { patience, ..self }
    }

    /// The folder of archives that are files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the name of an archive for errors.
    pub fn path(&self, name: &str) -> PathBuf {
        match StoreUrl::is_url(name) {
            true => PathBuf::from(name),
            false => self.folder.join(name),
        }
    }

    /// Reads one record.
    pub fn record(&self, name: &str, location: Location) -> Result<Record, ArchiveError> {
        match self.place(name)? {
            Place::File(path) => read_archived(&path, location),
            Place::Store(store, url) => {
                let end = location.offset.saturating_add(location.length);
                let bytes = store.range(&url, location.offset..end)?;
                read_record(&*bytes, &self.path(name), location)
            }
        }
    }

    /// Reads all records in a range of an archive. They count their bytes from its beginning.
    pub fn records(
        &self,
        name: &str,
        range: Range<u64>,
    ) -> Result<ArchiveReader<Box<dyn Read + Send>>, ArchiveError> {
        Ok(ArchiveReader::new(self.bytes(name, range)?))
    }

    /// Returns the length of an archive, or `None` if it is missing.
    pub fn length(&self, name: &str) -> Result<Option<u64>, ArchiveError> {
        match self.place(name)? {
            Place::Store(store, url) => store.length(&url),
            Place::File(path) => match fs::metadata(&path) {
                Ok(file) => Ok(Some(file.len())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(ArchiveError::file("can't read", &path, error)),
            },
        }
    }

    /// Stores an archive in a store. When this returns, it is durable. Archives are never replaced.
    pub fn put(&self, url: &StoreUrl, bytes: Vec<u8>) -> Result<(), ArchiveError> {
        Store::of(url, self.patience)?.put_new(url, bytes)
    }

    /// Stores a file in a store, whole or not at all, and replaces one that is there.
    pub fn put_file(&self, url: &StoreUrl, file: &mut File) -> Result<(), ArchiveError> {
        Store::of(url, self.patience)?.upload(url, &mut |buffer| {
            let path = Path::new("a temporary file");
            file.read(buffer)
                .map_err(|error| ArchiveError::file("can't read", path, error))
        })
    }

    /// Joins parts of archives to one: members of gzip may follow each other. When this returns, it
    /// is durable.
    pub fn join(&self, into: &str, parts: &[Part]) -> Result<(), ArchiveError> {
        let mut parts = parts.iter();
        let mut open: Option<(&Part, Box<dyn Read + Send>, u64)> = None;
        let mut read = |buffer: &mut [u8]| loop {
            let Some((part, reader, left)) = &mut open else {
                let Some(next) = parts.next() else { return Ok(0) };
                let bytes = next.range.end - next.range.start;
                open = Some((next, self.bytes(&next.name, next.range.clone())?, bytes));
                continue;
            };
            let failed = |error| ArchiveError::file("can't read", &self.path(&part.name), error);
            let count = reader.read(buffer).map_err(failed)?;
            *left -= count as u64;
            match (count, *left) {
                (0, 0) => open = None,
                // A part that is shorter would move all behind it.
                (0, left) => {
                    return Err(ArchiveError::Cut {
                        file: self.path(&part.name),
                        expected: part.range.end,
                        found: part.range.end - left,
                    });
                }
                (count, _) => return Ok(count),
            }
        };
        match self.place(into)? {
            Place::Store(store, url) => store.upload(&url, &mut read),
            Place::File(path) => write_new(&path, &mut read),
        }
    }

    /// Lists the archives in a store below an address, or those in the folder.
    pub fn list(&self, below: Option<&StoreUrl>) -> Result<Vec<Listed>, ArchiveError> {
        if let Some(url) = below {
            return Store::of(url, self.patience)?.list(url);
        }
        let failed = |error| ArchiveError::file("can't read", &self.folder, error);
        let mut listed = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let metadata = entry.metadata().map_err(failed)?;
            let modified = metadata.modified().ok();
            let age = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            listed.push(Listed {
                name: entry.file_name().to_string_lossy().into_owned(),
                bytes: metadata.len(),
                modified: Timestamp::from_millis(
                    age.map_or(0, |age| i64::try_from(age.as_millis()).unwrap_or(i64::MAX)),
                ),
            });
        }
        Ok(listed)
    }

    /// Removes an archive. One that is missing is removed already.
    pub fn remove(&self, name: &str) -> Result<(), ArchiveError> {
        match self.place(name)? {
            Place::Store(store, url) => store.remove(&url),
            Place::File(path) => match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(ArchiveError::file("can't remove", &path, error))
                }
                _ => Ok(()),
            },
        }
    }

    /// Fails unless archives can be listed at an address. A folder must exist: where a disk is not
    /// mounted, another disk would take the archive.
    pub fn check(&self, url: &StoreUrl) -> Result<(), ArchiveError> {
        match url.scheme == Scheme::File && !is_folder(url) {
            true => Err(url.fault(StoreFault::NoBucket, "")),
            false => Ok(()),
        }
    }

    /// Reads the bytes of a range of an archive one after the other.
    fn bytes(&self, name: &str, range: Range<u64>) -> Result<Box<dyn Read + Send>, ArchiveError> {
        Ok(match self.place(name)? {
            Place::Store(store, url) => Box::new(StoreReader {
                store,
                url,
                at: range.start,
                end: range.end,
                ahead: io::Cursor::default(),
            }),
            Place::File(path) => {
                let failed = |error| ArchiveError::file("can't read", &path, error);
                let mut file = File::open(&path).map_err(failed)?;
                file.seek(SeekFrom::Start(range.start)).map_err(failed)?;
                Box::new(file.take(range.end.saturating_sub(range.start)))
            }
        })
    }

    fn place(&self, name: &str) -> Result<Place, ArchiveError> {
        if !StoreUrl::is_url(name) {
            return Ok(Place::File(self.folder.join(name)));
        }
        let url = StoreUrl::parse(name).map_err(|detail| ArchiveError::Store {
            fault: StoreFault::Address,
            url: name.to_owned(),
            detail,
        })?;
        Ok(Place::Store(Store::of(&url, self.patience)?, url))
    }
}

/// Writes a file that must not be there yet. When this returns, it is durable.
fn write_new(
    path: &Path,
    read: &mut dyn FnMut(&mut [u8]) -> Result<usize, ArchiveError>,
) -> Result<(), ArchiveError> {
    let failed = |error| ArchiveError::file("can't write", path, error);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(failed)?;
    let mut buffer = vec![0; COPIED];
    loop {
        match read(&mut buffer)? {
            0 => break,
            count => file.write_all(&buffer[..count]).map_err(failed)?,
        }
    }
    file.sync_all().map_err(failed)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Reads a range of a file of a store.
struct StoreReader {
    store: Arc<Store>,
    url: StoreUrl,
    at: u64,
    end: u64,
    ahead: io::Cursor<Bytes>,
}

impl Read for StoreReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.ahead.read(buffer)?;
        if count > 0 || self.at == self.end {
            return Ok(count);
        }
        let until = self.end.min(self.at + READ_AHEAD);
        // Not from the cache: a check reads what is there, and other readers want other blocks.
        let bytes = self
            .store
            .fetch(&self.url, self.at..until, until)
            .map_err(io::Error::other)?;
        self.at += bytes.len() as u64;
        self.ahead = io::Cursor::new(bytes);
        self.ahead.read(buffer)
    }
}
