//! The checks of a request before it is routed.

use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::gate::{Gate, Via, Visitor};
use super::login::{LOGIN, LOGOUT, line};
use super::proxy::one;
use crate::accounts::{Accounts, Role};
use crate::connections::Connection;
use crate::error::Sentence;
use crate::feeds::keys;
use crate::format::{Format, Named};
use crate::href::Href;
use crate::{App, Error, audit};

/// The longest URL.
const MAX_URL: usize = 8 * 1_024;

/// The longest path that a login leads back to.
const MAX_NEXT: usize = 2_000;

/// The longest body of a form.
pub(crate) const MAX_BODY: usize = 64 * 1_024;

/// Media types that forms and programs send.
const MEDIA_TYPES: [&str; 4] = [
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "text/plain",
    "application/json",
];

/// Paths that answer a POST and change nothing of the workspace. What is posted to any other path
/// is an act.
const NO_ACTS: [&str; 3] = [LOGIN, LOGOUT, "/mcp"];

/// Paths that only programs ask for.
const OF_PROGRAMS: [&str; 4] = ["/metrics", "/mcp", "/-/ready", "/-/live"];

/// Checks a request, and attaches its sender to it as a [`Visitor`].
pub(crate) async fn check(State(app): State<App>, request: Request, next: Next) -> Response {
    match checked(&app, request, next).await {
        Ok(response) => response,
        Err(refusal) => refusal,
    }
}

async fn checked(app: &App, mut request: Request, next: Next) -> Result<Response, Response> {
    let path = request.uri().path().to_owned();
    check_head(app.gate(), &request)?;
    let accounts = app.gate().accounts.now();
    let Ok(accounts) = accounts else {
        if path == "/-/healthy" || path.starts_with("/-/assets/") {
            return Ok(next.run(request).await);
        }
        let sentence = "the accounts of this server can't be read: `magpie accounts` says why";
        return Err(Error::Unavailable(sentence.to_owned()).into_response());
    };
    let mut visitor = admit(app.gate(), &request, &accounts)?;
    if visitor.role.is_none() {
        let has_key = match keys::presented(&request) {
            Some(key) => keys::is_known(app.folder(), key).await,
            None => false,
        };
        match has_key {
            true => visitor.role = Some(Role::Reader),
            false if is_open(&path) => {}
            false => return Err(turned_away(&request, &visitor)),
        }
    }
    let is_shared = visitor.address.is_loopback() || app.gate().proxies().contains(&visitor.address);
    let most = if is_shared {
        usize::MAX
    } else {
        app.limits().of_one
    };
    let asking = app.clients().enter(visitor.address, most);
    let asking = asking.ok_or_else(|| Error::Crowded.into_response())?;
    let is_post = *request.method() == Method::POST;
    let is_act = is_post && !NO_ACTS.contains(&path.as_str());
    let allowed = if is_act { may_act(app, &visitor) } else { Ok(()) };
    // A stranger has done nothing that is worth a line.
    let is_noted = is_act && (visitor.name.is_some() || visitor.is_operator());
    let mut body = Bytes::new();
    if is_post && (allowed.is_ok() || is_noted) {
        let (head, sent) = request.into_parts();
        let sent = tokio::time::timeout(app.limits().patience, to_bytes(sent, MAX_BODY)).await;
        body = sent
            .map_err(|_| Error::TooSlow.into_response())?
            .map_err(|_| Error::TooLarge.into_response())?;
        request = Request::from_parts(head, Body::from(body.clone()));
    }
    request.extensions_mut().insert(visitor.clone());
    let connection = request.extensions().get::<Arc<Connection>>();
    let connection = connection.map(Connection::answer);
    let answering = async move {
        let _until_it_is_answered = (asking, connection);
        match allowed {
            Ok(()) => next.run(request).await,
            Err(error) => error.into_response(),
        }
    };
    if !is_noted {
        return Ok(answering.await);
    }
    // The act and its line come to their end even if the client has gone away meanwhile.
    let app = app.clone();
    let noting = tokio::spawn(async move {
        let response = answering.await;
        let mut line = line(&app, &visitor, "");
        (line.act, line.about) = audit::act_of(&path, &body);
        let (status, sentence) = (response.status(), response.extensions().get::<Sentence>());
        let is_done = status.is_success() || status.is_redirection();
        line.refused = (!is_done).then(|| sentence.map_or_else(|| status.to_string(), |own| own.0.clone()));
        app.gate().audit.write(&line);
        response
    });
    Ok(noting.await.unwrap_or_else(|_| Error::Defect.into_response()))
}

/// Refuses an act of a visitor who may only read, and any if the server only reads.
pub(crate) fn may_act(app: &App, visitor: &Visitor) -> Result<(), Error> {
    magpie_engine::check_writable(app.folder()).map_err(|error| Error::Conflict(error.to_string()))?;
    let sentence = match (app.actions().is_some(), visitor.is_operator()) {
        (true, true) => return Ok(()),
        (false, _) => "this server only reads: `magpie watch --serve` acts as well",
        (true, false) if visitor.name.is_some() => {
            "your account may only read: acting needs one with the role `operator`"
        }
        (true, false) if visitor.can_log_in => {
            "acting needs an account with the role `operator`: log in to it"
        }
        (true, false) if app.gate().is_reached => {
            "acting needs an account: `magpie accounts --add NAME --role operator` adds one"
        }
        (true, false) => "acting needs a session: open the link that the watch printed when it started",
    };
    Err(Error::Forbidden(sentence.to_owned()))
}

/// Returns `true` for paths that are open to strangers.
fn is_open(path: &str) -> bool {
    matches!(path, LOGIN | LOGOUT | "/-/enter" | "/-/healthy") || path.starts_with("/-/assets/")
}

/// Returns the answer to a request without a login: a redirect to the login page for a browser, and
/// an error for a program.
fn turned_away(request: &Request, visitor: &Visitor) -> Response {
    let path = request.uri().path();
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_page = Named::parse(last).format == Format::Html
        && !path.starts_with("/api/")
        && !OF_PROGRAMS.contains(&path);
    if visitor.can_log_in && is_page && request.method() != Method::POST {
        let next = request.uri().path_and_query().map(|next| next.as_str());
        let next = next.filter(|next| next.len() <= MAX_NEXT).unwrap_or("/");
        return Redirect::to(&Href::to(&["-", "login"]).with("next", next).address).into_response();
    }
    let sentence = "say who you are: log in at /-/login, or send the key of an account as `Authorization: Bearer`; \
        feeds and calendars open with `?key=` and a key of the page /feeds";
    Error::Unauthorized(sentence.to_owned()).into_response()
}

#[expect(
    clippy::result_large_err,
    reason = "the error is the answer, which is sent at once"
)]
fn check_head(gate: &Gate, request: &Request) -> Result<(), Response> {
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
    match *request.method() {
        Method::GET | Method::HEAD | Method::POST => Ok(()),
        _ => Err(StatusCode::METHOD_NOT_ALLOWED.into_response()),
    }
}

#[expect(
    clippy::result_large_err,
    reason = "the error is the answer, which is sent at once"
)]
fn admit(gate: &Gate, request: &Request, accounts: &Accounts) -> Result<Visitor, Response> {
    let visitor = gate.visitor(request, accounts);
    if *request.method() == Method::POST {
        check_post(request.headers(), visitor.via)?;
    }
    Ok(visitor)
}

/// Refuses a POST that a page of another site may have made the reader's browser send.
#[expect(
    clippy::result_large_err,
    reason = "the error is the answer, which is sent at once"
)]
fn check_post(headers: &HeaderMap, via: Via) -> Result<(), Response> {
    let host = one(headers, header::HOST).unwrap_or_default();
    let is_own = match (one(headers, "sec-fetch-site"), one(headers, header::ORIGIN)) {
        (Some(site), _) => site == "same-origin" || site == "none",
        (None, Some(origin)) => {
            let origin = origin
                .strip_prefix("http://")
                .or_else(|| origin.strip_prefix("https://"));
            origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
        }
        // A browser sends one of them with each POST. A cookie and a proxy's word come along with
        // requests that the reader did not mean; a key does not.
        (None, None) => {
            let comes_along = headers.contains_key(header::COOKIE) || via == Via::Proxy;
            !comes_along || via == Via::Key
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
