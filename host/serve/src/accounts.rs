//! Accounts: people who log in with a password, and programs that send a key.
//!
//! The file of a workspace has salted hashes of passwords and digests of keys, neither of which
//! open anything.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use magpie_model::json::Time;
use magpie_values::Timestamp;
use ring::digest::{SHA256, digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ledger::{self, LedgerError};
use crate::security::random;

/// Lengths of a password, in bytes.
pub(crate) const PASSWORD: RangeInclusive<usize> = 8..=1_024;

/// A hash that no password is known for. Verifying it takes as long as for an account.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGlzIGhlcmUu$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A right of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Read everything that is shown.
    Reader,
    /// Act as well.
    Operator,
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Role::Reader => "reader",
            Role::Operator => "operator",
        })
    }
}

/// An account, without what opens it.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    pub name: String,
    pub role: Role,
    pub made_at: Timestamp,
    secret: Secret,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Secret {
    /// The hash of the password of a person.
    Password(String),
    /// The digest of the key of a program.
    Key(String),
}

/// An account of a person, or the key of a program. Neither the password nor the key is kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Account")]
pub struct AccountLine {
    /// Name of the account.
    account: String,
    /// Role of the account.
    role: Role,
    /// True for a program, which sends a key.
    is_key: bool,
    /// Time when it was made.
    made_at: Time,
}

impl From<&Account> for AccountLine {
    fn from(account: &Account) -> AccountLine {
        AccountLine {
            account: account.name.clone(),
            role: account.role,
            is_key: account.is_key(),
            made_at: account.made_at.into(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    name: String,
    at: i64,
    /// None if the account was removed.
    opens: Option<Opens>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Opens {
    role: Role,
    with: Secret,
}

impl ledger::Line for Line {
    const FILE: &'static str = "accounts.jsonl";
    const WHAT: &'static str = "account";

    fn name(&self) -> &str {
        &self.name
    }

    fn is_end(&self) -> bool {
        self.opens.is_none()
    }

    fn is_sound(&self) -> bool {
        self.opens.as_ref().is_none_or(|opens| match &opens.with {
            Secret::Password(hash) => PasswordHash::new(hash).is_ok(),
            Secret::Key(digest) => digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()),
        })
    }
}

impl Account {
    pub fn is_key(&self) -> bool {
        matches!(self.secret, Secret::Key(_))
    }
}

/// Returns the accounts of a workspace, the oldest first.
pub fn accounts(folder: &Path) -> Result<Vec<Account>, LedgerError> {
    let lines = ledger::read::<Line>(folder)?.into_iter();
    let account = |line: Line| {
        let opens = line.opens?;
        Some(Account {
            name: line.name,
            role: opens.role,
            made_at: Timestamp::from_millis(line.at),
            secret: opens.with,
        })
    };
    Ok(lines.filter_map(account).collect())
}

/// Adds the account of a person.
pub fn add_account(
    folder: &Path,
    name: &str,
    role: Role,
    password: &str,
    now: Timestamp,
) -> Result<(), LedgerError> {
    ledger::check_name(name)?;
    let password = password.trim().as_bytes();
    if !PASSWORD.contains(&password.len()) {
        return Err(LedgerError::Password);
    }
    let hash = Argon2::default().hash_password(password);
    let hash = hash.map_err(|_| LedgerError::NoRandomness)?.to_string();
    add(folder, name, role, Secret::Password(hash), now)
}

/// Makes the key of a program and returns it. It can't be read again.
pub fn make_account_key(
    folder: &Path,
    name: &str,
    role: Role,
    now: Timestamp,
) -> Result<String, LedgerError> {
    let key = random().ok_or(LedgerError::NoRandomness)?;
    add(folder, name, role, Secret::Key(digest_of(&key)), now)?;
    Ok(key)
}

/// Removes an account. Its sessions end, and its key opens nothing.
pub fn remove_account(folder: &Path, name: &str, now: Timestamp) -> Result<(), LedgerError> {
    let line = Line {
        name: name.to_owned(),
        at: now.as_millis(),
        opens: None,
    };
    ledger::end(folder, &line)
}

fn add(folder: &Path, name: &str, role: Role, with: Secret, now: Timestamp) -> Result<(), LedgerError> {
    let line = Line {
        name: name.to_owned(),
        at: now.as_millis(),
        opens: Some(Opens { role, with }),
    };
    ledger::add(folder, &line)
}

fn digest_of(key: &str) -> String {
    let bytes = digest(&SHA256, key.as_bytes());
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The accounts at a moment.
#[derive(Debug)]
pub(crate) struct Accounts(Vec<Account>);

impl Accounts {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Account> {
        self.0.iter()
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Account> {
        self.0.iter().find(|account| account.name == name)
    }

    /// The program that has this key. Digests are compared, of which a guess says nothing.
    pub(crate) fn with_key(&self, key: &str) -> Option<&Account> {
        let given = Secret::Key(digest_of(key));
        self.0.iter().find(|account| account.secret == given)
    }

    /// Returns the hash that a password for this name is verified with. It is one that no password
    /// fits where there is no such person, so that the time is the same.
    pub(crate) fn hash_of(&self, name: &str) -> String {
        match self.named(name).map(|account| &account.secret) {
            Some(Secret::Password(hash)) => hash.clone(),
            Some(Secret::Key(_)) | None => NOBODY.to_owned(),
        }
    }
}

/// Returns `true` if a password is the one that was hashed. It takes long.
pub(crate) fn verify(password: &str, hash: &str) -> bool {
    let hash = PasswordHash::new(hash);
    hash.is_ok_and(|hash| {
        Argon2::default()
            .verify_password(password.as_bytes(), &hash)
            .is_ok()
    })
}

/// The accounts of a workspace, which are read again when their file has changed.
pub(crate) struct AccountsFile {
    folder: PathBuf,
    read: Mutex<Option<(Stat, Arc<Accounts>)>>,
    /// There were accounts, or a file that can't be read, since the server started.
    is_used: AtomicBool,
}

/// The length and the time of the last change; `None` if there is no file.
type Stat = Option<(u64, Option<SystemTime>)>;

impl AccountsFile {
    pub(crate) fn new(folder: &Path) -> AccountsFile {
        AccountsFile {
            folder: folder.to_owned(),
            read: Mutex::default(),
            is_used: AtomicBool::new(false),
        }
    }

    pub(crate) fn now(&self) -> Result<Arc<Accounts>, LedgerError> {
        let metadata = self.folder.join(<Line as ledger::Line>::FILE).metadata().ok();
        let stat = metadata.map(|file| (file.len(), file.modified().ok()));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, accounts)) = &*read
            && *known == stat
        {
            return Ok(Arc::clone(accounts));
        }
        let accounts = accounts(&self.folder);
        if accounts.as_ref().map_or(true, |accounts| !accounts.is_empty()) {
            self.is_used.store(true, Ordering::Relaxed);
        }
        let accounts = Arc::new(Accounts(accounts?));
        *read = Some((stat, Arc::clone(&accounts)));
        Ok(accounts)
    }

    /// Returns `true` if there were accounts since the server started. A page that was closed does
    /// not open because their file is gone.
    pub(crate) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use argon2::Params;

    use super::*;
    use crate::ledger::Line as _;

    const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

    #[test]
    fn passwords_and_keys_are_kept_hashed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        add_account(path, "ada", Role::Operator, " correct horse \n", NOW).unwrap();
        let key = make_account_key(path, "exporter", Role::Reader, NOW).unwrap();
        let text = std::fs::read_to_string(path.join(Line::FILE)).unwrap();
        assert!(
            !text.contains("correct") && !text.contains(&key) && text.contains("$argon2id$"),
            "{text}"
        );
        let known = AccountsFile::new(path);
        let accounts = known.now().unwrap();
        assert!(verify("correct horse", &accounts.hash_of("ada")));
        assert!(!verify("correct horse", &accounts.hash_of("exporter")));
        assert!(!verify("", &accounts.hash_of("eve")));
        assert_eq!(accounts.with_key(&key).unwrap().name, "exporter");
        assert!(accounts.with_key("correct horse").is_none());
        for short in ["", "1234567", "       8"] {
            let refused = add_account(path, "eve", Role::Reader, short, NOW);
            assert!(matches!(refused, Err(LedgerError::Password)), "{short}");
        }
        let taken = make_account_key(path, "ada", Role::Reader, NOW);
        assert!(matches!(taken, Err(LedgerError::Taken { .. })));
        remove_account(path, "ada", NOW).unwrap();
        remove_account(path, "exporter", NOW).unwrap();
        assert!(known.now().unwrap().is_empty() && known.is_used());
    }

    #[test]
    fn the_hash_of_nobody_takes_as_long_as_others() {
        let nobody = PasswordHash::new(NOBODY).unwrap();
        let other = Argon2::default().hash_password(b"correct horse").unwrap();
        let parameters = |hash: &PasswordHash| Params::try_from(hash).unwrap();
        assert_eq!(parameters(&nobody), parameters(&other));
        assert_eq!(nobody.algorithm, other.algorithm);
    }

    #[test]
    fn a_damaged_file_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        make_account_key(path, "a", Role::Reader, NOW).unwrap();
        let file = path.join(Line::FILE);
        let sound = std::fs::read_to_string(&file).unwrap();
        let sound = sound.trim();
        for bad in [
            "garbage".to_owned(),
            sound.replace("reader", "admin"),
            sound.replace("\"key\":\"", "\"key\":\"x"),
            sound.replace("\"key\":\"", "\"password\":\""),
            sound.replace("\"at\"", "\"x\":1,\"at\""),
            sound[..sound.len() / 2].to_owned(),
        ] {
            std::fs::write(&file, format!("{sound}\n{bad}\n{sound}\n")).unwrap();
            let damaged = accounts(path).unwrap_err().to_string();
            assert!(damaged.starts_with("line 2 of /"), "{bad}: {damaged}");
        }
        std::fs::write(&file, format!("{sound}\n{}", &sound[..40])).unwrap();
        assert_eq!(accounts(path).unwrap().len(), 1, "a line cut off by a crash");
        make_account_key(path, "b", Role::Reader, NOW).unwrap();
        assert_eq!(accounts(path).unwrap().len(), 2);
    }
}
