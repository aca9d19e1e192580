//! Files that people edit: settings, navigations, readings and components.

use magpie_rows::StoreError;

use crate::failure::server_error;
use crate::server::{Server, call};
use crate::statements::workers::{FILE, FILES, PUT_FILE};
use crate::value::{Value, read};

/// Maximum size of a file. A row is read into memory as a whole.
const MAX_BYTES: usize = 64 << 20;

/// A version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersion {
    pub version: i64,
    /// `None` if it was deleted.
    pub content: Option<Vec<u8>>,
    /// The worker or the command that wrote it.
    pub changed_by: String,
}

impl Server {
    /// Returns the paths of all files, with their versions.
    pub fn files(&self) -> Result<Vec<(String, i64)>, StoreError> {
        let found = self.patiently(&call(&FILES, []))?;
        read(&found.rows, |cells| Ok((cells.get()?, cells.get()?)))
    }

    /// Returns the last version of a file, also of one that was deleted.
    pub fn file(&self, path: &str) -> Result<Option<FileVersion>, StoreError> {
        let found = self.patiently(&call(&FILE, [path.into()]))?;
        let mut found = read(&found.rows, |cells| {
            Ok(FileVersion {
                content: cells.get()?,
                version: cells.get()?,
                changed_by: cells.get()?,
            })
        })?;
        Ok(found.pop())
    }

    /// Writes or deletes a file, if `known` is still its last version: 0 for one that is not there.
    /// Returns the new version, or `None` if another process has changed it.
    pub fn put_file(
        &self,
        path: &str,
        known: i64,
        content: Option<&[u8]>,
        changed_by: &str,
    ) -> Result<Option<i64>, StoreError> {
        if content.is_some_and(|content| content.len() > MAX_BYTES) {
            return Err(server_error(format!(
                "{path} is larger than {} MB, the most that a workspace in PostgreSQL keeps of a file: make it smaller",
                MAX_BYTES >> 20
            )));
        }
        let values = [
            path.into(),
            known.into(),
            Value::Bytes(content),
            changed_by.into(),
        ];
        let written = self.patiently(&call(&PUT_FILE, values))?;
        let versions = read(&written.rows, |cells| cells.get())?;
        if let Some(version) = versions.first() {
            return Ok(Some(*version));
        }
        // An earlier attempt may have been done, and its answer lost.
        let there = self
            .file(path)?
            .filter(|there| there.content.as_deref() == content && there.changed_by == changed_by);
        Ok(there.map(|there| there.version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::tests::each_release;

    #[test]
    fn a_file_is_changed_by_those_who_know_its_last_version() {
        each_release(|server, _| {
            let put = |known, content: Option<&str>, by| {
                let content = content.map(str::as_bytes);
                server
                    .put_file("navigation/shops/a.toml", known, content, by)
                    .expect("an answer")
            };
            assert_eq!(put(0, Some("one"), "ann"), Some(1));
            // The same again is the repetition of a write whose answer was lost.
            assert_eq!(put(0, Some("one"), "ann"), Some(1));
            assert_eq!(put(0, Some("two"), "ben"), None);
            assert_eq!(put(1, Some("two\0"), "ben"), Some(2));
            assert_eq!(put(1, None, "ann"), None);
            assert_eq!(
                server.files().expect("files"),
                [("navigation/shops/a.toml".to_owned(), 2)]
            );
            assert_eq!(put(2, None, "ann"), Some(3));
            assert_eq!(server.files().expect("files"), []);
            let deleted = server
                .file("navigation/shops/a.toml")
                .expect("an answer")
                .expect("a row");
            assert_eq!((deleted.version, deleted.content), (3, None));
            assert_eq!(put(3, Some("new"), "ann"), Some(4));
            let large = vec![0; MAX_BYTES + 1];
            let refused = server.put_file("verticals/big.wasm", 0, Some(&large), "ann");
            assert!(
                refused
                    .expect_err("it is too large")
                    .to_string()
                    .contains("64 MB")
            );
        });
    }
}
