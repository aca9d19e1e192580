//! The HTTP client of object stores.
//!
//! `object_store` would bring `reqwest` and a second implementation of TLS. This one has the TLS of
//! `web`, keeps connections, and bounds the time and the bytes of each answer.

use std::collections::HashMap;
use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{HOST, HeaderValue};
use http::{Response, Uri};
use http_body_util::{BodyExt as _, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use magpie_web::TlsSettings;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpService,
};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

/// Beginning of the addresses at which machines of a cloud get credentials, where none are given.
pub(crate) const METADATA: &str = "169.254.";

/// Time for a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// Time for a request and its answer: a segment of 16 MiB takes this at 2 Mbit/s.
const ANSWER: Duration = Duration::from_secs(60);

/// Maximum size of an answer. The largest are parts of segments and lists of a thousand names.
const MAX_ANSWER: usize = 64 * 1024 * 1024;

/// Idle connections to one server.
const IDLE: usize = 4;

type Sender = SendRequest<HttpRequestBody>;

/// Makes clients with the authorities of `web`, and those of a file.
#[derive(Debug)]
pub(crate) struct Connector {
    pub(crate) authorities: Option<PathBuf>,
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let settings = TlsSettings {
            ca_files: self.authorities.iter().cloned().collect(),
            ..TlsSettings::default()
        };
        let config = settings
            .client()
            .map_err(|error| object_store::Error::NotSupported {
                source: Box::new(error),
            })?;
        Ok(HttpClient::new(Client {
            tls: Arc::new(config).into(),
            idle: Mutex::default(),
        }))
    }
}

struct Client {
    tls: TlsConnector,
    /// Connections that may be used again, by scheme, host and port.
    idle: Mutex<HashMap<String, Vec<Sender>>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Client")
    }
}

#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let origin = origin(request.uri());
        let mut sender = match self.idle(&origin).await {
            Some(sender) => sender,
            None => {
                // Outside of a cloud, asking again gives no credentials.
                let kind = match request
                    .uri()
                    .host()
                    .is_some_and(|host| host.starts_with(METADATA))
                {
                    true => HttpErrorKind::Unknown,
                    false => HttpErrorKind::Connect,
                };
                timeout(CONNECT, self.connect(request.uri()))
                    .await
                    .map_err(|_| failed(kind, late()))?
                    .map_err(|error| failed(kind, error))?
            }
        };
        let answer = timeout(ANSWER, exchange(&mut sender, request)).await;
        // Also a request that was sent in part may have been carried out.
        let answer = answer
            .map_err(|_| failed(HttpErrorKind::Timeout, late()))?
            .map_err(|error| failed(HttpErrorKind::Interrupted, error))?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = idle.entry(origin).or_default();
        if idle.len() < IDLE {
            idle.push(sender);
        }
        Ok(answer.map(Into::into))
    }
}

impl Client {
    /// Returns a connection that is still open.
    async fn idle(&self, origin: &str) -> Option<Sender> {
        loop {
            let mut sender = {
                let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
                idle.get_mut(origin)?.pop()?
            };
            if sender.ready().await.is_ok() {
                return Some(sender);
            }
        }
    }

    async fn connect(&self, uri: &Uri) -> Result<Sender, Box<dyn Error + Send + Sync>> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let is_tls = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let stream = TcpStream::connect((host.as_str(), port)).await?;
        stream.set_nodelay(true)?;
        // The task of a connection ends with it, and the sender reports why.
        if is_tls {
            let stream = self.tls.connect(ServerName::try_from(host)?, stream).await?;
            let (sender, connection) = handshake(TokioIo::new(stream)).await?;
            tokio::spawn(connection);
            Ok(sender)
        } else {
            let (sender, connection) = handshake(TokioIo::new(stream)).await?;
            tokio::spawn(connection);
            Ok(sender)
        }
    }
}

async fn exchange(
    sender: &mut Sender,
    mut request: HttpRequest,
) -> Result<Response<Bytes>, Box<dyn Error + Send + Sync>> {
    let authority = request
        .uri()
        .authority()
        .map_or("", |authority| authority.as_str());
    let host = HeaderValue::from_str(authority)?;
    request.headers_mut().entry(HOST).or_insert(host);
    let target = request
        .uri()
        .path_and_query()
        .map_or("/", |target| target.as_str());
    *request.uri_mut() = target.parse()?;
    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = Limited::new(body, MAX_ANSWER).collect().await?;
    Ok(Response::from_parts(head, body.to_bytes()))
}

fn failed(kind: HttpErrorKind, error: Box<dyn Error + Send + Sync>) -> HttpError {
    HttpError::new_boxed(kind, error)
}

fn late() -> Box<dyn Error + Send + Sync> {
    Box::new(io::Error::from(io::ErrorKind::TimedOut))
}

fn origin(uri: &Uri) -> String {
    let scheme = uri.scheme_str().unwrap_or_default();
    format!(
        "{scheme}://{}",
        uri.authority().map_or("", |authority| authority.as_str())
    )
}
