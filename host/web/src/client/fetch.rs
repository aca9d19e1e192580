//! One exchange over one connection.

use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use bytes::Bytes;
use http::Version;
use http::header;
use http_body_util::Full;
use tokio::time::Instant;

use super::Inner;
use super::outgoing::Outgoing;
use super::plan::Plan;
use super::receive::Failure;
use super::watch::{Slow, Watch, later};
use crate::connect::http1::Http1;
use crate::connect::http2::Http2;
use crate::connect::{Excess, Flow, HeadTap};
use crate::heads::{Heads, text};
use crate::pool::{AnyConnection, Kept};
use crate::safe_url::without_credentials;
use crate::{Exchange, FetchError, Protocol, Request, Timings, Truncation};

struct Fetch<'a> {
    inner: &'a Arc<Inner>,
    request: &'a Request,
    outgoing: Outgoing<'a>,
    started_at: SystemTime,
    until: Instant,
    timings: Timings,
}

/// A connection that was idle turned out to be closed; the server saw nothing of the request.
struct Stale;

type Attempt = Result<Result<Exchange, FetchError>, Stale>;

impl Inner {
    pub(super) async fn fetch(self: &Arc<Inner>, request: &Request) -> Result<Exchange, FetchError> {
        let started_at = SystemTime::now();
        let outgoing = self.outgoing(request, started_at)?;
        let now = Instant::now();
        let until = later(now, self.settings.timeouts.whole);
        let mut fetch = Fetch {
            inner: self,
            request,
            outgoing,
            started_at,
            until,
            timings: Timings::default(),
        };
        // A server that closes an idle connection may have read the request before. A page is asked
        // for once more then. A form may have had an effect and must not be sent twice (RFC 9110,
        // 9.2.2), so each gets a connection that was never idle.
        if request.form.is_none()
            && let Some(connection) = self.pool.take(&fetch.outgoing.origin, now)
            && let Ok(outcome) = fetch.over(connection, true, now).await
        {
            return outcome;
        }
        let connection = fetch.connect().await?;
        // The first attempt took the fields with it.
        if fetch.outgoing.headers.is_empty() {
            fetch.outgoing = self.outgoing(request, started_at)?;
        }
        // A connection that was never idle is not stale.
        fetch
            .over(connection, false, Instant::now())
            .await
            .unwrap_or(Err(FetchError::Closed))
    }
}

impl Fetch<'_> {
    async fn connect(&mut self) -> Result<AnyConnection, FetchError> {
        let inner = self.inner;
        let connected = inner
            .connector
            .connect(self.outgoing.url, self.until, &mut self.timings)
            .await?;
        let (remote, forwards) = (connected.remote, connected.forwards);
        let limits = &inner.settings.limits;
        if !connected.http2 {
            let connection = Http1::start(connected.wire, limits)
                .await
                .map_err(|error| FetchError::Broken { cause: error.into() })?;
            return Ok(AnyConnection::Http1(Kept {
                connection: Box::new(connection),
                remote,
                forwards,
            }));
        }
        let connection = Http2::start(connected.wire, limits)
            .await
            .map_err(|error| FetchError::Http2 { cause: error.into() })?;
        let kept = Kept {
            connection,
            remote,
            forwards,
        };
        inner
            .pool
            .share_http2(&self.outgoing.origin, &kept, Instant::now());
        Ok(AnyConnection::Http2(kept))
    }

    async fn over(&mut self, connection: AnyConnection, reused: bool, began: Instant) -> Attempt {
        match connection {
            AnyConnection::Http1(kept) => self.over_http1(kept, reused, began).await,
            AnyConnection::Http2(kept) => self.over_http2(kept, reused, began).await,
        }
    }

    async fn over_http1(&mut self, mut kept: Kept<Box<Http1>>, reused: bool, began: Instant) -> Attempt {
        if reused && !kept.connection.is_ready().await {
            return Err(Stale);
        }
        let request = match self.http1_request(kept.forwards) {
            Ok(request) => request,
            Err(error) => return Ok(Err(error)),
        };
        let timeouts = &self.inner.settings.timeouts;
        let mut timer = kept.connection.timer.take();
        let mut watch = Watch::start(timeouts, &mut timer, self.until, began);
        let response = match kept.connection.head(request, &mut watch).await {
            Ok(response) => response,
            Err(failure) => {
                let tap = &kept.connection.tap;
                // A byte of an answer shows that the server has seen the request, and a time limit
                // counts for the whole fetch.
                let is_stale = reused && !tap.has_answer() && matches!(failure, Failure::Hyper(_));
                return if is_stale {
                    Err(Stale)
                } else {
                    Ok(Err(self.head_error(failure, tap)))
                };
            }
        };
        let headed = Instant::now();
        self.timings.first_byte = headed - began;
        watch.body(headed);
        let (parts, body) = response.into_parts();
        let plan = Plan::new(&self.inner.settings.limits, self.request, &parts, &body);
        let connection = &mut kept.connection;
        let (raw_body, truncated) = plan
            .run(body, &mut watch, |context| connection.drive(context), |_| ())
            .await;
        let ended = watch.ended(truncated.as_ref());
        self.timings.body = ended - headed;
        let (sent, received) = kept.connection.tap.take();
        let remote = kept.remote;
        // A body that was not read to its end would be taken for the next response.
        if plan.may_keep(truncated.as_ref()) && kept.connection.is_open() {
            kept.connection.timer = timer;
            self.inner.pool.keep_http1(&self.outgoing.origin, kept, ended);
        }
        let heads = Heads::Seen {
            request: sent,
            response: received,
        };
        Ok(Ok(
            self.exchange(parts, heads, raw_body, truncated, remote, reused)
        ))
    }

    async fn over_http2(&mut self, mut kept: Kept<Http2>, reused: bool, began: Instant) -> Attempt {
        let request = match self.outgoing.over_http2() {
            Ok(request) => request,
            Err(error) => return Ok(Err(error)),
        };
        let sent = Arc::new(request.headers().clone());
        let timeouts = &self.inner.settings.timeouts;
        let mut timer = None;
        let mut watch = Watch::start(timeouts, &mut timer, self.until, began);
        let flow = Arc::clone(&kept.connection.flow);
        // The head is content, too. Its size is not known before it has come.
        flow.expect(self.inner.settings.limits.head_bytes);
        let response = match kept.connection.head(request, &mut watch).await {
            Ok(response) => response,
            // The server may have been closing the connection. A second try costs one request.
            Err(Failure::Hyper(_)) if reused && !flow.is_flooded() => return Err(Stale),
            Err(failure) => return Ok(Err(http2_error(failure, &flow))),
        };
        let headed = Instant::now();
        self.timings.first_byte = headed - began;
        watch.body(headed);
        let (parts, body) = response.into_parts();
        let plan = Plan::new(&self.inner.settings.limits, self.request, &parts, &body);
        let (raw_body, mut truncated) = plan
            .run(
                body,
                &mut watch,
                |_| (),
                |length| flow.expect(length + Flow::PER_FRAME),
            )
            .await;
        if truncated.is_some() {
            // The server may still send what the stream had room for.
            flow.expect(Http2::STREAM_WINDOW as usize);
            if flow.is_flooded() {
                truncated = Some(Truncation::Flood { limit: Flow::SLACK });
            }
        }
        let ended = watch.ended(truncated.as_ref());
        self.timings.body = ended - headed;
        let heads = Heads::Framed {
            target: self.outgoing.target.to_owned(),
            host: self.outgoing.authority.to_owned(),
            request: sent,
            form: self.request.form.clone(),
        };
        Ok(Ok(self.exchange(
            parts,
            heads,
            raw_body,
            truncated,
            kept.remote,
            reused,
        )))
    }

    fn http1_request(&mut self, forwards: bool) -> Result<http::Request<Full<Bytes>>, FetchError> {
        if !forwards {
            return self.outgoing.over_http1();
        }
        let proxy = self.inner.connector.proxy_for(self.outgoing.url);
        self.outgoing
            .over_proxy(proxy.and_then(|proxy| proxy.authorization()))
    }

    fn head_error(&self, failure: Failure, tap: &HeadTap) -> FetchError {
        let limits = &self.inner.settings.limits;
        match (tap.excess(), failure) {
            (Some(Excess::Bytes), _) => FetchError::HeadTooLarge {
                limit: limits.head_bytes,
            },
            (Some(Excess::Fields), _) => FetchError::TooManyFields {
                limit: limits.head_fields,
            },
            (Some(Excess::Interim), _) => FetchError::TooManyInterim {
                limit: limits.interim_responses,
            },
            (None, Failure::Slow(slow)) => timeout(slow),
            (None, Failure::Hyper(error)) if error.is_parse() => FetchError::NotHttp { cause: error.into() },
            (None, Failure::Hyper(error)) if error.is_incomplete_message() && !tap.has_answer() => {
                FetchError::Closed
            }
            (None, Failure::Hyper(error)) => FetchError::Broken { cause: error.into() },
        }
    }

    fn exchange(
        &self,
        parts: http::response::Parts,
        heads: Heads,
        raw_body: Bytes,
        truncated: Option<Truncation>,
        remote: std::net::SocketAddr,
        reused: bool,
    ) -> Exchange {
        self.keep_cookies(&parts.headers);
        Exchange {
            url: without_credentials(self.outgoing.url.clone()),
            started_at: self.started_at,
            remote,
            reused,
            protocol: match parts.version {
                Version::HTTP_2 => Protocol::Http2,
                Version::HTTP_10 => Protocol::Http10,
                _ => Protocol::Http11,
            },
            status: parts.status.as_u16(),
            raw_body,
            truncated,
            timings: self.timings,
            headers: parts.headers,
            heads,
            decode_limits: self.inner.decode_limits,
            decoded: OnceLock::new(),
        }
    }

    fn keep_cookies(&self, headers: &http::HeaderMap) {
        if !headers.contains_key(header::SET_COOKIE) {
            return;
        }
        if let Some(mut jar) = self.inner.jar() {
            for field in headers.get_all(header::SET_COOKIE) {
                jar.set(self.outgoing.url, &text(field.as_bytes()), self.started_at.into());
            }
        }
    }
}

fn timeout(slow: Slow) -> FetchError {
    match slow {
        Slow::Phase { phase, limit } => FetchError::Timeout { phase, limit },
        // Only bodies have a rate, which are cut and no error.
        Slow::Rate { .. } => FetchError::Closed,
    }
}

fn http2_error(failure: Failure, flow: &Flow) -> FetchError {
    match failure {
        _ if flow.is_flooded() => FetchError::Flood { limit: Flow::SLACK },
        Failure::Slow(slow) => timeout(slow),
        Failure::Hyper(error) => FetchError::Http2 { cause: error.into() },
    }
}
