//! The checks of a request before it is routed.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{Gate, Visitor};
use crate::feeds::keys;
use crate::{App, Error};

/// The longest URL.
const MAX_URL: usize = 8 * 1_024;

/// The longest body of a form.
pub(crate) const MAX_BODY: usize = 64 * 1_024;

/// Media types that forms and programs send.
const MEDIA_TYPES: [&str; 4] = [
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "text/plain",
    "application/json",
];

/// Checks a request, and attaches its rights to it as a [`Visitor`].
pub(crate) async fn check(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let mut visitor = match admit(app.gate(), &request) {
        Ok(visitor) => visitor,
        Err(refusal) => return refusal,
    };
    if visitor == Visitor::Stranger {
        let has_key = match keys::presented(&request) {
            Some(key) => keys::is_known(app.folder(), key).await,
            None => false,
        };
        match has_key {
            true => visitor = Visitor::Reader,
            false => {
                let sentence = "say who you are: enter by the link `/-/enter?token=…` with the token of \
                    `serve.token_file`, or send it as `Authorization: Bearer`; feeds and calendars open with \
                    `?key=` and a key of the page /feeds";
                return Error::Unauthorized(sentence.to_owned()).into_response();
            }
        }
    }
    request.extensions_mut().insert(visitor);
    next.run(request).await
}

#[expect(
    clippy::result_large_err,
    reason = "the error is the answer, which is sent at once"
)]
fn admit(gate: &Gate, request: &Request) -> Result<Visitor, Response> {
    let headers = request.headers();
    let length = request
        .uri()
        .path_and_query()
        .map_or(0, |path| path.as_str().len());
    if length > MAX_URL {
        return Err(StatusCode::URI_TOO_LONG.into_response());
    }
    let host = one(headers, header::HOST).unwrap_or_default();
    let target = request.uri().authority().map(|authority| authority.as_str());
    if !gate.names.contain(host) || target.is_some_and(|target| !gate.names.contain(target)) {
        return Err(StatusCode::MISDIRECTED_REQUEST.into_response());
    }
    let is_vouched = gate.proxy.as_ref().is_some_and(|proxy| proxy.vouches(request));
    match *request.method() {
        Method::GET | Method::HEAD => {}
        Method::POST => check_post(gate, headers, host, is_vouched)?,
        _ => return Err(StatusCode::METHOD_NOT_ALLOWED.into_response()),
    }
    if is_vouched || gate.sessions.knows_cookie(headers) || gate.sessions.knows_bearer(headers) {
        return Ok(Visitor::Actor);
    }
    let path = request.uri().path();
    let is_open = path == "/-/enter" || path == "/-/healthy" || path.starts_with("/-/assets/");
    Ok(match gate.is_closed && !is_open {
        true => Visitor::Stranger,
        false => Visitor::Reader,
    })
}

/// Refuses a POST that a page of another site may have made the reader's browser send.
#[expect(
    clippy::result_large_err,
    reason = "the error is the answer, which is sent at once"
)]
fn check_post(gate: &Gate, headers: &HeaderMap, host: &str, is_vouched: bool) -> Result<(), Response> {
    let is_own = match (one(headers, "sec-fetch-site"), one(headers, header::ORIGIN)) {
        (Some(site), _) => site == "same-origin" || site == "none",
        (None, Some(origin)) => {
            let origin = origin
                .strip_prefix("http://")
                .or_else(|| origin.strip_prefix("https://"));
            origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
        }
        // A browser sends one of them with each POST. A cookie and a proxy's word come along with
        // requests that the reader did not mean; a token does not.
        (None, None) => {
            let comes_along = headers.contains_key(header::COOKIE) || is_vouched;
            !comes_along || gate.sessions.knows_bearer(headers)
        }
    };
    if !is_own {
        let sentence = "this request comes from another site";
        return Err(Error::Forbidden(sentence.to_owned()).into_response());
    }
    let media_type = one(headers, header::CONTENT_TYPE).unwrap_or_default();
    let media_type = media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match MEDIA_TYPES.contains(&media_type.as_str()) {
        true => Ok(()),
        false => Err(StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response()),
    }
}

/// The value of a header field. One that comes twice or is not text is empty, which no check lets
/// pass.
pub(super) fn one(headers: &HeaderMap, name: impl header::AsHeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    Some(match values.next() {
        Some(_) => "",
        None => value.to_str().unwrap_or_default(),
    })
}
