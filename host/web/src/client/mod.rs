//! Fetching: one request, one response.

mod fetch;
mod outgoing;
mod plan;
mod receive;
mod watch;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use magpie_http::HttpLimits;

pub(crate) use receive::Failure;
pub(crate) use watch::{Timer, Watch};

use crate::connect::{BadAuthorities, Connector};
use crate::pool::Pool;
use crate::{ClientSettings, Cookie, CookieJar, Exchange, FetchError, Request};
use outgoing::{Template, Unsendable};

/// Fetches pages. Clones share connections, cookies and known addresses. A client belongs to one
/// tokio runtime, with time and I/O enabled.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    template: Template,
    connector: Connector,
    pool: Arc<Pool>,
    cookies: Option<Mutex<CookieJar>>,
    decode_limits: HttpLimits,
    settings: ClientSettings,
}

#[derive(Debug, thiserror::Error)]
pub enum BadSettings {
    /// The user agent, the languages or a field has characters that no header may have.
    #[error("the header field {name:?} can't be sent: {reason}")]
    Field {
        /// Its name. The value may be secret.
        name: String,
        reason: String,
    },
    /// Credentials are set for something that is no origin.
    #[error(
        "invalid origin {origin:?} for credentials: expected one such as https://example.org or http://127.0.0.1:8080"
    )]
    Origin { origin: String },
    /// A file with certificate authorities.
    #[error(transparent)]
    Authorities(#[from] BadAuthorities),
}

impl Client {
    /// Returns a client with the settings.
    pub fn new(settings: ClientSettings) -> Result<Client, BadSettings> {
        let limits = &settings.limits;
        let decode_limits = HttpLimits {
            head_bytes: limits.head_bytes,
            head_fields: limits.head_fields,
            body_bytes: limits.decoded_bytes,
            ratio: limits.ratio,
        };
        Ok(Client {
            inner: Arc::new(Inner {
                template: Template::new(&settings)?,
                connector: Connector::new(&settings)?,
                pool: Arc::new(Pool::new(settings.connections.clone())),
                cookies: settings.cookies.clone().map(CookieJar::new).map(Mutex::new),
                decode_limits,
                settings,
            }),
        })
    }

    /// Makes one request. A redirect is a normal response: the caller judges its target and
    /// requests it.
    ///
    /// A response whose body breaks off or is too large is an exchange too, with the reason in
    /// [`Exchange::truncated`]. Dropping the future closes the connection.
    pub async fn fetch(&self, request: &Request) -> Result<Exchange, FetchError> {
        self.inner.fetch(request).await
    }

    pub fn settings(&self) -> &ClientSettings {
        &self.inner.settings
    }

    /// Every cookie that holds, as rows to keep over a restart.
    pub fn cookies(&self) -> Vec<Cookie> {
        self.inner
            .jar()
            .map(|jar| jar.export(SystemTime::now().into()))
            .unwrap_or_default()
    }

    /// Takes cookies that were kept.
    pub fn import_cookies(&self, cookies: impl IntoIterator<Item = Cookie>) {
        if let Some(mut jar) = self.inner.jar() {
            jar.import(cookies, SystemTime::now().into());
        }
    }
}

impl Inner {
    fn jar(&self) -> Option<MutexGuard<'_, CookieJar>> {
        let jar = self.cookies.as_ref()?;
        Some(jar.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Client").finish_non_exhaustive()
    }
}

impl From<Unsendable> for FetchError {
    fn from(unsendable: Unsendable) -> FetchError {
        FetchError::BadField {
            name: unsendable.name,
        }
    }
}

impl From<Unsendable> for BadSettings {
    fn from(unsendable: Unsendable) -> BadSettings {
        BadSettings::Field {
            name: unsendable.name,
            reason: unsendable.reason.to_owned(),
        }
    }
}
