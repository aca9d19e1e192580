//! Serves sites under their own names: a proxy that knows no others, on a thread of its own.
//!
//! A proxy needs no port 80 and no entry in a table of names, and handles http and https alike. For
//! https it opens a tunnel, at whose end it is the site itself, with a certificate that
//! `fetch.certificates` trusts.

use std::collections::{HashMap, HashSet};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use url::Url;

use crate::site::mirror::{Answer, Shown};

/// The longest head of a request.
const HEAD: usize = 64 * 1024;

/// Number of requests, and their cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traffic {
    /// Requests of all kinds: pages, redirects, robots.txt, sitemaps, and what is not there.
    pub(super) requests: u64,
    pub(super) unchanged: u64,
    pub(super) missing: u64,
    /// Those of them for addresses that had been asked for before.
    pub(super) missing_again: u64,
    /// Requests for pictures, films, archives and documents, by the endings of their paths.
    pub(super) media: u64,
    pub(super) bytes: u64,
}

/// Endings of paths of files that are no pages.
const MEDIA: [&str; 24] = [
    "7z", "avi", "doc", "docx", "eps", "gif", "gz", "ico", "jpeg", "jpg", "mov", "mp3", "mp4", "ogg", "pdf",
    "png", "ppt", "pptx", "svg", "wav", "webm", "webp", "xlsx", "zip",
];

/// A running server. Its thread ends with the program.
pub(super) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    tls: HashMap<String, TlsAcceptor>,
}

#[derive(Default)]
struct State {
    sites: HashMap<String, Arc<Shown>>,
    traffic: Traffic,
    /// The addresses that were asked for and are not there.
    missing: HashSet<String>,
}

impl Server {
    /// Starts it for sites with these names. Who vouches for them is written to a file.
    pub(super) fn start(hosts: &[String], authority: &Path) -> Result<Server> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            tls: certified(hosts, authority)?,
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()?;
        let listen = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let listener = runtime.block_on(listen).context("can't listen on a port")?;
        let address = listener.local_addr()?;
        let served = Arc::clone(&shared);
        std::thread::spawn(move || runtime.block_on(accept(listener, served)));
        Ok(Server { address, shared })
    }

    pub(super) fn proxy(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Serves a site from now on in the given state, and resets the counts.
    pub(super) fn show(&self, site: Shown) {
        let mut state = self.shared.state();
        state.sites.insert(site.host().to_owned(), Arc::new(site));
        state.traffic = Traffic::default();
        state.missing.clear();
    }

    /// Traffic since the last call or since a site was shown.
    pub(super) fn take_traffic(&self) -> Traffic {
        std::mem::take(&mut self.shared.state().traffic)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn certified(hosts: &[String], authority: &Path) -> Result<HashMap<String, TlsAcceptor>> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    std::fs::write(authority, issuer.pem()).context("can't write a certificate")?;
    let acceptors = hosts.iter().map(|host| {
        let key = KeyPair::generate()?;
        let certificate = CertificateParams::new(vec![host.clone()])?.signed_by(&key, &issuer)?;
        let secret = PrivateKeyDer::try_from(key.serialize_der()).map_err(anyhow::Error::msg)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], secret)?;
        Ok((host.clone(), TlsAcceptor::from(Arc::new(config))))
    });
    acceptors.collect()
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            // Who hangs up is not interested in the reason.
            let _ = converse(stream, &shared).await;
        });
    }
}

/// Answers the requests of a connection to the proxy.
async fn converse(mut stream: TcpStream, shared: &Shared) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut read = Vec::new();
    let Some(head) = next_head(&mut stream, &mut read).await? else {
        return Ok(());
    };
    let Some(tunnel) = head
        .target
        .strip_suffix(":443")
        .filter(|_| head.method == "CONNECT")
    else {
        return answer_all(stream, read, Some(head), None, shared).await;
    };
    let Some(tls) = shared.tls.get(tunnel) else {
        let refusal = b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        return Ok(stream.write_all(refusal).await?);
    };
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    let origin = format!("https://{tunnel}");
    let stream = tls.accept(stream).await?;
    answer_all(stream, Vec::new(), None, Some(&origin), shared).await
}

/// A request, as far as it matters.
struct Head {
    method: String,
    target: String,
    if_none_match: Option<String>,
    closes: bool,
}

/// The next request; none when there are no more. What was read beyond it stays in the buffer.
async fn next_head(stream: &mut (impl AsyncRead + Unpin), read: &mut Vec<u8>) -> Result<Option<Head>> {
    loop {
        if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&read[..end]).into_owned();
            read.drain(..end + 4);
            return Ok(Some(parsed(&text)));
        }
        if read.len() > HEAD || stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
    }
}

fn parsed(text: &str) -> Head {
    let mut lines = text.lines();
    let mut words = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let fields: HashMap<String, &str> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
        .collect();
    Head {
        method: words.next().unwrap_or_default(),
        target: words.next().unwrap_or_default(),
        if_none_match: fields.get("if-none-match").map(|value| (*value).to_owned()),
        closes: fields
            .get("connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close")),
    }
}

async fn answer_all(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    mut read: Vec<u8>,
    mut first: Option<Head>,
    origin: Option<&str>,
    shared: &Shared,
) -> Result<()> {
    loop {
        let head = match first.take() {
            Some(head) => head,
            None => match next_head(&mut stream, &mut read).await? {
                Some(head) => head,
                None => return Ok(()),
            },
        };
        let answer = shared.answer(&head, origin);
        stream.write_all(&answer).await?;
        stream.flush().await?;
        if head.closes {
            return Ok(());
        }
    }
}

impl Shared {
    /// The answer to a request, counted.
    fn answer(&self, head: &Head, origin: Option<&str>) -> Vec<u8> {
        let address = match origin {
            Some(origin) => format!("{origin}{}", head.target),
            None => head.target.clone(),
        };
        let mut state = self.state();
        let State {
            sites,
            traffic,
            missing,
        } = &mut *state;
        let answer = Url::parse(&address).ok().and_then(|url| {
            let site = sites.get(url.host_str()?)?;
            Some((site.answer(&url), is_media(&url)))
        });
        let Some((answer, is_media)) = answer else {
            return written("502 Bad Gateway", &[], b"");
        };
        traffic.requests += 1;
        traffic.media += u64::from(is_media);
        let (status, fields, body): (_, Vec<(&str, String)>, &[u8]) = match &answer {
            Answer::Page { etag, .. } if head.if_none_match.as_ref() == Some(etag) => {
                traffic.unchanged += 1;
                ("304 Not Modified", vec![("etag", etag.clone())], b"")
            }
            Answer::Page { body, kind, etag } => (
                "200 OK",
                vec![("content-type", (*kind).to_owned()), ("etag", etag.clone())],
                body,
            ),
            Answer::Moved(to) => ("301 Moved Permanently", vec![("location", to.clone())], b""),
            Answer::Nothing => {
                traffic.missing += 1;
                traffic.missing_again += u64::from(!missing.insert(address));
                (
                    "404 Not Found",
                    vec![("content-type", "text/html".to_owned())],
                    b"<title>Not found</title><p>There is no such page.",
                )
            }
        };
        let body = if head.method == "HEAD" { b"" } else { body };
        traffic.bytes += body.len() as u64;
        written(status, &fields, body)
    }
}

fn is_media(url: &Url) -> bool {
    let ending = url
        .path()
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| MEDIA.contains(&ending.as_str()))
}

fn written(status: &str, fields: &[(&str, String)], body: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in fields {
        answer.push_str(&format!("{name}: {value}\r\n"));
    }
    answer.push_str("\r\n");
    let mut answer = answer.into_bytes();
    answer.extend_from_slice(body);
    answer
}
