//! The page to log in, and the end of a session.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};

use super::gate::{Via, Visitor};
use super::session::{Holder, set_cookie};
use crate::accounts::verify;
use crate::asked::{Asked, Posted};
use crate::audit::AuditLine;
use crate::blocks::{Block, Cell, Form, FormField, Tone};
use crate::frame::{Frame, Page};
use crate::href::Href;
use crate::{App, Error, html};

/// The path of the page.
pub(crate) const LOGIN: &str = "/-/login";
pub(crate) const LOGOUT: &str = "/-/logout";

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route(LOGIN, get(ask).post(log_in))
        .route(LOGOUT, post(log_out))
}

/// Returns a page of this server to go on to, and nothing that a browser would take for another.
fn onward(next: Option<&str>) -> &str {
    let is_own = |next: &&str| {
        next.starts_with('/')
            && !next.starts_with("//")
            && !next.contains('\\')
            && next.bytes().all(|byte| byte.is_ascii_graphic())
    };
    next.filter(is_own).unwrap_or("/")
}

fn page(next: &str, problem: Option<&str>) -> Result<Response, Error> {
    let mut blocks = Vec::new();
    if let Some(problem) = problem {
        blocks.push(Block::Verdict {
            tone: Tone::Bad,
            cells: vec![Cell::from(problem.to_owned())],
        });
    }
    blocks.push(Block::Form(Form {
        action: Href::to(&["-", "login"]),
        is_post: true,
        fields: vec![
            FormField::Hidden {
                name: "next",
                value: next.to_owned(),
            },
            FormField::Login,
        ],
        button: "Log in".to_owned(),
    }));
    html(&Page {
        frame: Frame {
            is_bare: true,
            ..Frame::new("Log in", "")
        },
        blocks,
    })
}

async fn ask(Extension(visitor): Extension<Visitor>, asked: Asked) -> Result<Response, Error> {
    if !visitor.can_log_in {
        let sentence =
            "this workspace has no accounts: `magpie accounts --add NAME --role operator` adds one";
        return Err(Error::NotFound(sentence.to_owned()));
    }
    page(onward(asked.get("next")), None)
}

async fn log_in(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Posted(fields): Posted,
) -> Result<Response, Error> {
    let gate = app.gate();
    let next = onward(fields.get("next")).to_owned();
    let (Some(name), Some(password)) = (fields.get("name"), fields.get("password")) else {
        let mut answer = page(&next, Some("Both the name and the password are needed."))?;
        *answer.status_mut() = StatusCode::BAD_REQUEST;
        return Ok(answer);
    };
    let attempt = gate.throttle.begin(name, visitor.address, Instant::now());
    attempt.map_err(|wait| Error::TooMany(wait.as_secs() + 1))?;
    let accounts = gate.accounts.now()?;
    let (hash, password) = (accounts.hash_of(name), password.to_owned());
    let verifying = Arc::clone(&gate.verifying).acquire_owned().await;
    let is_right = tokio::task::spawn_blocking(move || {
        let _verifying = verifying;
        verify(&password, &hash)
    });
    let is_right = is_right.await.map_err(|_| Error::Defect)?;
    let account = accounts.named(name);
    let session = match account.filter(|_| is_right) {
        Some(account) => gate.sessions.begin(Holder::of(account), Instant::now()),
        None => None,
    };
    let line = AuditLine {
        // Others than the names of accounts may be passwords in the wrong field.
        account: account.map(|account| account.name.clone()),
        via: Via::Login,
        refused: session
            .is_none()
            .then(|| "the password is wrong, or there is no such account".to_owned()),
        ..line(&app, &visitor, "log in")
    };
    gate.audit.write(&line);
    let Some(session) = session else {
        let mut answer = page(&next, Some("The name or the password is wrong."))?;
        *answer.status_mut() = StatusCode::UNAUTHORIZED;
        return Ok(answer);
    };
    gate.throttle.succeed(name, visitor.address);
    let cookie = set_cookie(Some(&session), visitor.is_https);
    Ok((
        StatusCode::SEE_OTHER,
        [(header::SET_COOKIE, cookie), (header::LOCATION, next)],
    )
        .into_response())
}

async fn log_out(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
) -> Response {
    app.gate().sessions.end(&headers);
    if visitor.via == Via::Login {
        app.gate().audit.write(&line(&app, &visitor, "log out"));
    }
    let next = if app.gate().is_closed() { LOGIN } else { "/" };
    let head = [
        (header::SET_COOKIE, set_cookie(None, visitor.is_https)),
        (header::LOCATION, next.to_owned()),
    ];
    (StatusCode::SEE_OTHER, head).into_response()
}

/// A line of the audit about a visitor.
pub(super) fn line(app: &App, visitor: &Visitor, act: &str) -> AuditLine {
    AuditLine {
        at: app.now().to_string(),
        account: visitor.name.clone(),
        via: visitor.via,
        address: visitor.address,
        act: act.to_owned(),
        about: BTreeMap::new(),
        refused: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_pages_of_this_server_alone() {
        for own in ["/", "/events?q=a%20b", "/site/https%3A%2F%2Fa.example"] {
            assert_eq!(onward(Some(own)), own);
        }
        for other in [
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "https://evil.example/",
            "javascript:alert(1)",
            "/a\r\nSet-Cookie: b",
            "evil.example",
            "/é",
        ] {
            assert_eq!(onward(Some(other)), "/", "{other}");
        }
        assert_eq!(onward(None), "/");
    }
}
