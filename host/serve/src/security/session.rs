//! The right to act: sessions of browsers and the token of programs.
//!
//! Tokens are kept hashed. Comparing hashes takes the same time for all.

use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, header};
use blake3::Hash;

/// The name of the cookie.
pub(super) const COOKIE: &str = "magpie_session";

/// Bytes of a token.
const TOKEN_BYTES: usize = 32;

/// Sessions at the same time; a new one ends the oldest.
const MAX_SESSIONS: usize = 32;

/// The sessions of a server. They end with it.
#[derive(Default)]
pub(crate) struct Sessions {
    /// The hash of the token that begins a session once.
    entrance: Mutex<Option<Hash>>,
    open: Mutex<Vec<Hash>>,
    /// The hash of the token that a file has.
    token: Option<Hash>,
}

impl Sessions {
    pub(crate) fn new(token: Option<&str>) -> Sessions {
        Sessions {
            token: token.map(|token| blake3::hash(token.as_bytes())),
            ..Sessions::default()
        }
    }

    /// Makes the token that begins a session. The one before is void.
    pub(crate) fn entrance(&self) -> Option<String> {
        let token = random()?;
        let mut entrance = self.entrance.lock().unwrap_or_else(PoisonError::into_inner);
        *entrance = Some(blake3::hash(token.as_bytes()));
        Some(token)
    }

    /// Begins a session and returns its token. Returns `None` if the token given is wrong or was
    /// used.
    pub(super) fn enter(&self, token: &str) -> Option<String> {
        let given = blake3::hash(token.as_bytes());
        let mut entrance = self.entrance.lock().unwrap_or_else(PoisonError::into_inner);
        let is_entrance = entrance.is_some_and(|entrance| entrance == given);
        if !is_entrance && self.token != Some(given) {
            return None;
        }
        let session = random()?;
        if is_entrance {
            *entrance = None;
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MAX_SESSIONS {
            open.remove(0);
        }
        open.push(blake3::hash(session.as_bytes()));
        Some(session)
    }

    /// Returns `true` if a request has the cookie of a session.
    pub(crate) fn knows_cookie(&self, headers: &HeaderMap) -> bool {
        let Some(token) = cookie(headers) else {
            return false;
        };
        let given = blake3::hash(token.as_bytes());
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.contains(&given)
    }

    /// Returns `true` if a request has the token of the token file.
    pub(crate) fn knows_bearer(&self, headers: &HeaderMap) -> bool {
        let field = headers.get(header::AUTHORIZATION);
        let token = field.and_then(|field| field.to_str().ok()?.strip_prefix("Bearer "));
        token.is_some_and(|token| self.token == Some(blake3::hash(token.trim().as_bytes())))
    }
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
