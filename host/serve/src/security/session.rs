//! Sessions of browsers, and the link that begins one on this machine.
//!
//! Tokens are kept hashed. Comparing hashes takes the same time for all.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, header};
use blake3::Hash;
use magpie_values::Timestamp;

use crate::accounts::Account;

/// The name of the cookie.
const COOKIE: &str = "magpie_session";

/// Bytes of a token.
const TOKEN_BYTES: usize = 32;

/// Sessions at the same time, of all and of one account; a new one ends the oldest.
const MAX_SESSIONS: usize = 1_024;
const MAX_OF_ONE: usize = 16;

/// The age at which a session ends.
const MAX_AGE: Duration = Duration::from_secs(7 * 86_400);

/// The sessions of a server. They end with it.
#[derive(Default)]
pub(crate) struct Sessions {
    /// The hash of the token that begins a session once.
    entrance: Mutex<Option<Hash>>,
    open: Mutex<Vec<Session>>,
}

struct Session {
    token: Hash,
    of: Holder,
    began_at: Instant,
}

/// The owner of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// The person who opened the link.
    Link,
    /// An account, and the time when it was made: another may get its name later.
    Account(String, Timestamp),
}

impl Holder {
    pub(super) fn of(account: &Account) -> Holder {
        Holder::Account(account.name.clone(), account.made_at)
    }
}

impl Sessions {
    /// Makes the token that begins a session. The one before is void.
    pub(crate) fn entrance(&self) -> Option<String> {
        let token = random()?;
        let mut entrance = self.entrance.lock().unwrap_or_else(PoisonError::into_inner);
        *entrance = Some(blake3::hash(token.as_bytes()));
        Some(token)
    }

    /// Begins a session by the link and returns its token. Returns `None` if the token given is
    /// wrong or was used.
    pub(super) fn enter(&self, token: &str) -> Option<String> {
        let given = blake3::hash(token.as_bytes());
        let mut entrance = self.entrance.lock().unwrap_or_else(PoisonError::into_inner);
        if entrance.is_none_or(|entrance| entrance != given) {
            return None;
        }
        let session = self.begin(Holder::Link, Instant::now())?;
        *entrance = None;
        Some(session)
    }

    /// Begins a session and returns its token.
    pub(super) fn begin(&self, of: Holder, now: Instant) -> Option<String> {
        let session = random()?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|session| session.is_open(now));
        let own = open.iter().filter(|session| session.of == of).count();
        if own >= MAX_OF_ONE || open.len() >= MAX_SESSIONS {
            let oldest = open
                .iter()
                .position(|session| own < MAX_OF_ONE || session.of == of);
            oldest.map(|at| open.remove(at));
        }
        open.push(Session {
            token: blake3::hash(session.as_bytes()),
            of,
            began_at: now,
        });
        Some(session)
    }

    /// Returns the holder of the session whose cookie a request has.
    pub(super) fn holder(&self, headers: &HeaderMap, now: Instant) -> Option<Holder> {
        let given = blake3::hash(cookie(headers)?.as_bytes());
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = open.iter().filter(|session| session.is_open(now));
        open.find(|session| session.token == given)
            .map(|session| session.of.clone())
    }

    /// Ends the session whose cookie a request has.
    pub(super) fn end(&self, headers: &HeaderMap) {
        let Some(token) = cookie(headers) else {
            return;
        };
        let given = blake3::hash(token.as_bytes());
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|session| session.token != given);
    }
}

impl Session {
    fn is_open(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.began_at) < MAX_AGE
    }
}

/// The field that gives a browser the token of a session, or takes it away.
///
/// The cookie comes with links from elsewhere, so that an address that was mailed opens. It does
/// not come with forms from elsewhere.
pub(super) fn set_cookie(token: Option<&str>, is_https: bool) -> String {
    let secure = if is_https { "; Secure" } else { "" };
    let age = token.map_or(0, |_| MAX_AGE.as_secs());
    let token = token.unwrap_or_default();
    format!("{COOKIE}={token}; HttpOnly; SameSite=Lax; Path=/; Max-Age={age}{secure}")
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let fields = headers.get_all(header::COOKIE).iter();
    let pairs = fields.filter_map(|field| field.to_str().ok());
    pairs
        .flat_map(|field| field.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

/// A token that can't be guessed. Returns `None` if the system has no randomness.
pub(crate) fn random() -> Option<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(token: &str) -> HeaderMap {
        let cookie = format!("a=b; {COOKIE}={token}; c").parse().unwrap();
        HeaderMap::from_iter([(header::COOKIE, cookie)])
    }

    #[test]
    fn sessions_are_bounded_in_number_and_age() {
        let sessions = Sessions::default();
        let ada = Holder::Account("ada".to_owned(), Timestamp::from_seconds(1));
        let now = Instant::now();
        let link = sessions.begin(Holder::Link, now).unwrap();
        let tokens: Vec<String> = (0..=MAX_OF_ONE)
            .map(|_| sessions.begin(ada.clone(), now).unwrap())
            .collect();
        let holder = |token: &str, now| sessions.holder(&headers(token), now);
        assert_eq!(holder(&tokens[0], now), None, "the oldest has ended");
        assert_eq!(holder(&tokens[1], now), Some(ada));
        assert_eq!(holder(&link, now), Some(Holder::Link), "those of others go on");
        assert_eq!(holder(&tokens[1], now + MAX_AGE), None);
        sessions.end(&headers(&link));
        assert_eq!(holder(&link, now), None);
        for odd in ["", "x", "magpie_session=", &"f".repeat(9_000)] {
            assert_eq!(holder(odd, now), None);
        }
    }
}
