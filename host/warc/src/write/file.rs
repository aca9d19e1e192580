//! One WARC file that grows, on a disk or in memory.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::message::{archived_head, is_compressed};
use super::pack::{Packer, store};
use super::record::{RecordHead, block_digest, digest_text, record_id};
use super::terms::{ArchiveSettings, Kept, Location, Original, PayloadDigest, Target};
use crate::{ArchiveError, Exchange};
use magpie_values::Timestamp;

/// Appends records to one WARC file. Data reaches the file with [`sync`](ArchiveWriter::sync) at
/// the latest.
pub struct ArchiveWriter {
    path: PathBuf,
    name: String,
    /// None for an archive in memory.
    file: Option<File>,
    settings: ArchiveSettings,
    packer: Packer,
    seed: u64,
    /// Length of the file.
    written: u64,
    /// Data after it.
    buffer: Vec<u8>,
    /// The record that is being put together.
    record: Vec<u8>,
}

/// Number of bytes to gather before writing: fewer calls, and the file system can allocate them
/// contiguously.
const BUFFER: usize = 1024 * 1024;

impl ArchiveWriter {
    /// Creates a file in a folder; its name must be free. `seed` makes the record ids unique to the
    /// workspace.
    pub fn create(
        folder: &Path,
        name: &str,
        settings: &ArchiveSettings,
        seed: u64,
    ) -> Result<Self, ArchiveError> {
        let path = folder.join(name);
        let file = private().create_new(true).open(&path);
        let file = file.map_err(|error| ArchiveError::file("can't begin", &path, error))?;
        // The name must be durable before the store records a position in this file.
        sync_folder(folder)?;
        Ok(ArchiveWriter::over(path, name, Some(file), settings, seed, 0))
    }

    /// Resumes a file after a number of bytes. Data after them is removed: a record that was being
    /// written when the program ended, or unknown records.
    pub fn resume(
        folder: &Path,
        name: &str,
        bytes: u64,
        settings: &ArchiveSettings,
        seed: u64,
    ) -> Result<Self, ArchiveError> {
        let path = folder.join(name);
        // A file of which nothing is recorded need not be there.
        if bytes > 0 || path.exists() {
            cut(&path, bytes)?;
        }
        let file = private().create(true).truncate(false).open(&path);
        let mut file = file.map_err(|error| ArchiveError::file("can't open", &path, error))?;
        file.seek(SeekFrom::Start(bytes))
            .map_err(|error| ArchiveError::file("can't open", &path, error))?;
        Ok(ArchiveWriter::over(path, name, Some(file), settings, seed, bytes))
    }

    /// Begins an archive in memory, which [`into_bytes`](Self::into_bytes) returns.
    pub fn in_memory(name: &str, settings: &ArchiveSettings, seed: u64) -> Self {
        ArchiveWriter::over(PathBuf::from(name), name, None, settings, seed, 0)
    }

    /// Returns an archive in memory.
    pub fn into_bytes(self) -> Vec<u8> {
        self.buffer
    }

    fn over(
        path: PathBuf,
        name: &str,
        file: Option<File>,
        settings: &ArchiveSettings,
        seed: u64,
        written: u64,
    ) -> Self {
        ArchiveWriter {
            path,
            name: name.to_owned(),
            file,
            settings: settings.clone(),
            packer: Packer::new(settings.compression),
            seed,
            written,
            buffer: Vec::new(),
            record: Vec::new(),
        }
    }

    /// Length of the file, including data that is not written yet.
    pub fn bytes(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Returns true if the next record should go to another file.
    pub fn is_full(&self) -> bool {
        self.bytes() >= self.settings.file_bytes
    }

    /// Appends the response of an exchange, followed by its request. Returns the location of the
    /// response. The digest is that of the body, which the caller has already looked up.
    pub fn append(
        &mut self,
        target: Target<'_>,
        exchange: &Exchange,
        digest: &PayloadDigest,
        kept: Kept<'_>,
    ) -> Result<Location, ArchiveError> {
        // Every file begins with its `warcinfo`. It is written with the first record, so that a
        // file without records stays empty.
        if self.bytes() == 0 {
            self.append_info(target.date);
        }
        let offset = self.bytes();
        let id = record_id(self.seed, &self.name, offset, "response");
        self.append_response(target, exchange, digest, kept, &id);
        let location = Location {
            offset,
            length: self.bytes() - offset,
        };
        if !exchange.request.is_empty() {
            self.append_request(target, exchange, &id);
        }
        self.write_when(BUFFER)?;
        Ok(location)
    }

    /// Appends a document that was made from a response in this file. Returns its location.
    ///
    /// The standard names the response by `WARC-Refers-To`, and allows no `WARC-Concurrent-To` in
    /// such a record (WARC 1.1, 5.9 and 6.7).
    pub fn append_conversion(
        &mut self,
        target: Target<'_>,
        response: Location,
        media_type: &str,
        document: &[u8],
    ) -> Result<Location, ArchiveError> {
        let offset = self.bytes();
        let id = record_id(self.seed, &self.name, offset, "conversion");
        let source = record_id(self.seed, &self.name, response.offset, "response");
        let digest = block_digest(&[document]);
        let mut head = RecordHead::new("conversion", &id, target.date);
        head.field("WARC-Target-URI", target.url);
        head.field("WARC-Refers-To", format_args!("<{source}>"));
        head.field("Content-Type", media_type);
        head.field("WARC-Block-Digest", &digest);
        head.field("WARC-Payload-Digest", &digest);
        self.finish(head, &[document], false);
        let location = Location {
            offset,
            length: self.bytes() - offset,
        };
        self.write_when(BUFFER)?;
        Ok(location)
    }

    /// Waits until everything appended is on the disk, and says how long the file is.
    pub fn sync(&mut self) -> Result<u64, ArchiveError> {
        self.write_when(0)?;
        if let Some(file) = &self.file {
            file.sync_data()
                .map_err(|error| ArchiveError::file("can't write", &self.path, error))?;
        }
        Ok(self.bytes())
    }

    /// Removes what lies behind the first `bytes`, written or not.
    pub fn roll_back(&mut self, bytes: u64) -> Result<(), ArchiveError> {
        // Callers go back to the end of a `sync`, which left the buffer empty.
        self.buffer.clear();
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let rolled = file
            .set_len(bytes)
            .and_then(|()| file.seek(SeekFrom::Start(bytes)));
        rolled.map_err(|error| ArchiveError::file("can't shorten", &self.path, error))?;
        self.written = bytes;
        Ok(())
    }

    fn append_info(&mut self, date: Timestamp) {
        let id = record_id(self.seed, &self.name, 0, "warcinfo");
        let mut head = RecordHead::new("warcinfo", &id, date);
        head.field("WARC-Filename", &self.name);
        head.field("Content-Type", "application/warc-fields");
        let mut fields = format!(
            "software: {}\r\nformat: WARC File Format 1.1\r\n\
             conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n",
            one_line(&self.settings.software)
        );
        for (name, value) in &self.settings.description {
            fields.push_str(&format!("{}: {}\r\n", one_line(name), one_line(value)));
        }
        head.field("WARC-Block-Digest", block_digest(&[fields.as_bytes()]));
        self.finish(head, &[fields.as_bytes()], false);
    }

    fn append_response(
        &mut self,
        target: Target<'_>,
        exchange: &Exchange,
        digest: &PayloadDigest,
        kept: Kept<'_>,
        id: &str,
    ) {
        let http = archived_head(&exchange.response_head);
        let (kind, body): (_, &[u8]) = match kept {
            Kept::Whole => ("response", &exchange.body),
            Kept::SameBody(_) | Kept::NotModified(_) => ("revisit", &[]),
        };
        let mut head = RecordHead::new(kind, id, target.date);
        head.field("WARC-Target-URI", target.url);
        if let Some(remote) = exchange.remote {
            head.field("WARC-IP-Address", remote);
        }
        match kept {
            Kept::Whole => head.field("WARC-Payload-Digest", digest_text(&digest.0)),
            Kept::SameBody(original) => refer(&mut head, SAME_BODY, &original, Some(digest)),
            Kept::NotModified(original) => {
                refer(&mut head, NOT_MODIFIED, &original, original.digest.as_ref());
            }
        }
        if let Some(truncated) = exchange.truncated {
            head.field("WARC-Truncated", truncated.word());
        }
        head.field("Content-Type", "application/http; msgtype=response");
        // A revisit has a small block, so its digest costs nothing.
        if self.settings.block_digests || kind == "revisit" {
            head.field("WARC-Block-Digest", block_digest(&[&http, body]));
        }
        let packed = !body.is_empty() && is_compressed(&exchange.response_head);
        self.finish(head, &[&http, body], packed);
    }

    fn append_request(&mut self, target: Target<'_>, exchange: &Exchange, response: &str) {
        let id = record_id(self.seed, &self.name, self.bytes(), "request");
        let mut head = RecordHead::new("request", &id, target.date);
        head.field("WARC-Target-URI", target.url);
        head.field("WARC-Concurrent-To", format_args!("<{response}>"));
        if let Some(remote) = exchange.remote {
            head.field("WARC-IP-Address", remote);
        }
        head.field("Content-Type", "application/http; msgtype=request");
        head.field("WARC-Block-Digest", block_digest(&[&exchange.request]));
        self.finish(head, &[&exchange.request], false);
    }

    fn finish(&mut self, head: RecordHead, block: &[&[u8]], packed: bool) {
        let mut record = std::mem::take(&mut self.record);
        head.finish(block, &mut record);
        if packed {
            store(&record, &mut self.buffer);
        } else {
            self.packer.pack(&record, &mut self.buffer);
        }
        // One huge page must not keep its memory for ever.
        record.clear();
        record.shrink_to(BUFFER);
        self.record = record;
    }

    fn write_when(&mut self, above: usize) -> Result<(), ArchiveError> {
        let Some(file) = self.file.as_mut().filter(|_| self.buffer.len() > above) else {
            return Ok(());
        };
        file.write_all(&self.buffer)
            .map_err(|error| ArchiveError::file("can't write", &self.path, error))?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        self.buffer.shrink_to(2 * BUFFER);
        Ok(())
    }
}

const SAME_BODY: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

fn refer(head: &mut RecordHead, profile: &str, original: &Original<'_>, digest: Option<&PayloadDigest>) {
    head.field("WARC-Profile", profile);
    head.field("WARC-Refers-To-Target-URI", original.url);
    head.field("WARC-Refers-To-Date", original.date.display_millis());
    if let Some(digest) = digest {
        head.field("WARC-Payload-Digest", digest_text(&digest.0));
    }
}

fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ")
}

/// Returns options for writing a file that its owner alone may read: archives may have pages that a
/// site shows to its accounts alone.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Cuts a file to a length. A file that is shorter is an error that says so.
pub fn cut(path: &Path, bytes: u64) -> Result<u64, ArchiveError> {
    let file = OpenOptions::new().write(true).open(path);
    let file = file.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => ArchiveError::Missing {
            file: path.to_owned(),
            expected: bytes,
        },
        _ => ArchiveError::file("can't open", path, error),
    })?;
    let failed = |error| ArchiveError::file("can't shorten", path, error);
    let found = file.metadata().map_err(failed)?.len();
    if found < bytes {
        return Err(ArchiveError::Cut {
            file: path.to_owned(),
            expected: bytes,
            found,
        });
    }
    if found > bytes {
        file.set_len(bytes)
            .and_then(|()| file.sync_all())
            .map_err(failed)?;
    }
    Ok(found - bytes)
}

/// Makes a new file's name durable.
pub fn sync_folder(folder: &Path) -> Result<(), ArchiveError> {
    // Windows can't open folders, and its file systems keep names without being asked.
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| ArchiveError::file("can't write", folder, error))?;
    }
    Ok(())
}
