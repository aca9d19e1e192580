//! The audit: a line for each act, and for each login.
//!
//! The lines are in a file of the workspace on this machine. The log of the process has them too,
//! which matters where several machines serve a workspace.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use magpie_http::FormFields;
use serde::{Deserialize, Serialize};

use crate::security::gate::Via;

/// The file within the folder of a workspace, and the one with what is older.
pub(crate) const FILE: &str = "audit.jsonl";
pub(crate) const OLDER: &str = "audit.jsonl.1";

/// The length at which a new file is begun.
const MAX_FILE: u64 = 8 << 20;

/// Bytes and lines at the end of the file that the page shows.
const MAX_SHOWN_BYTES: u64 = 256 << 10;
pub(crate) const MAX_SHOWN: usize = 500;

/// Fields of forms that are written down, and how many characters of each. Others may be secret.
const FIELDS: [&str; 6] = ["site", "name", "value", "pattern", "one", "other"];
const MAX_FIELD: usize = 300;

/// A function that writes a line into the log of the process.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AuditLine {
    pub(crate) at: String,
    /// The account, or the reader whom a proxy names; none for the link of the watch, and for a
    /// login with a name that there is not.
    pub(crate) account: Option<String>,
    pub(crate) via: Via,
    pub(crate) address: IpAddr,
    pub(crate) act: String,
    /// The fields of the form that say it more exactly.
    #[serde(default)]
    pub(crate) about: BTreeMap<String, String>,
    /// The reason why it was not done.
    pub(crate) refused: Option<String>,
}

/// The word for an act of a form that was posted to a path, and the fields that say about what.
pub(crate) fn act_of(path: &str, body: &[u8]) -> (String, BTreeMap<String, String>) {
    let form = FormFields::parse(body).unwrap_or_default();
    let short = |text: &str| text.chars().take(MAX_FIELD).collect::<String>();
    let act = match (path, form.get("act")) {
        ("/-/act", Some(act)) => short(act),
        (path, Some(act)) => format!("{path} {}", short(act)),
        (path, None) => short(path),
    };
    let about = FIELDS.iter().filter_map(|name| {
        let value = form.get(name)?;
        Some(((*name).to_owned(), short(value)))
    });
    (act, about.collect())
}

pub(crate) struct Audit {
    path: PathBuf,
    log: Option<Log>,
    writing: Mutex<()>,
}

impl Audit {
    pub(crate) fn new(folder: &Path, log: Option<Log>) -> Audit {
        Audit {
            path: folder.join(FILE),
            log,
            writing: Mutex::new(()),
        }
    }

    /// Writes a line. Where the file can't be written, the log has the line and the reason.
    pub(crate) fn write(&self, line: &AuditLine) {
        let Ok(text) = serde_json::to_string(line) else {
            return;
        };
        let written = self.append(&format!("{text}\n"));
        if let Some(log) = &self.log {
            log(&format!("audit: {text}"));
            if let Err(error) = written {
                log(&format!("can't write {}: {error}", self.path.display()));
            }
        }
    }

    fn append(&self, line: &str) -> io::Result<()> {
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path)?;
        if file.metadata()?.len() >= MAX_FILE {
            std::fs::rename(&self.path, self.path.with_file_name(OLDER))?;
            file = options.open(&self.path)?;
        }
        file.write_all(line.as_bytes())
    }

    /// Reads the last lines, the newest first.
    pub(crate) fn last(&self) -> io::Result<Vec<AuditLine>> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MAX_SHOWN_BYTES)))?;
        let mut text = Vec::new();
        file.take(MAX_SHOWN_BYTES).read_to_end(&mut text)?;
        let lines = text.rsplit(|byte| *byte == b'\n');
        // The first of them may be half a line.
        let lines = lines.filter_map(|line| serde_json::from_slice(line).ok());
        Ok(lines.take(MAX_SHOWN).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(act: &str) -> AuditLine {
        AuditLine {
            at: "2026-11-27T09:00:00Z".to_owned(),
            account: Some("ada".to_owned()),
            via: Via::Login,
            address: [127, 0, 0, 1].into(),
            act: act.to_owned(),
            about: BTreeMap::new(),
            refused: None,
        }
    }

    #[test]
    fn the_file_is_bounded_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let audit = Audit::new(folder.path(), None);
        assert_eq!(audit.last().unwrap().len(), 0);
        std::fs::write(&audit.path, vec![b'x'; MAX_FILE as usize]).unwrap();
        audit.write(&line("pause"));
        audit.write(&line("resume"));
        let acts: Vec<String> = audit.last().unwrap().into_iter().map(|line| line.act).collect();
        assert_eq!(acts, ["resume", "pause"]);
        assert_eq!(folder.path().join(OLDER).metadata().unwrap().len(), MAX_FILE);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(audit.path.metadata().unwrap().permissions().mode() & 0o077, 0);
        }
    }

    #[test]
    fn only_known_fields_of_forms_are_written_down() {
        let body = format!("act=budget&value={}&password=secret", "9".repeat(1_000));
        let (act, about) = act_of("/-/act", body.as_bytes());
        assert_eq!((act.as_str(), about["value"].len()), ("budget", MAX_FIELD));
        assert_eq!(about.len(), 1);
        let (act, about) = act_of("/feeds", b"act=make&name=phone");
        assert_eq!((act.as_str(), about["name"].as_str()), ("/feeds make", "phone"));
        assert_eq!(act_of("/x", b"%ff").0, "/x");
    }
}
