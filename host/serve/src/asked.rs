//! A request for a page, as handlers read it.

use std::convert::Infallible;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use magpie_http::FormFields;
use url::form_urlencoded;

use crate::frame::{Frame, Rights};
use crate::href::Href;
use crate::security::gate::{Via, Visitor};
use crate::{App, Error, Format, Named};

/// The parts of a request that decide about a page.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) format: Format,
    /// The path without the ending that names the form.
    pub(crate) path: String,
    query: Vec<(String, String)>,
    pub(crate) rights: Rights,
    visitor: Option<Visitor>,
}

impl FromRequestParts<App> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Asked, Infallible> {
        let path = parts.uri.path();
        let (before, last) = path.rsplit_once('/').unwrap_or(("", path));
        let named = Named::parse(last);
        let query = parts.uri.query().unwrap_or_default().as_bytes();
        let visitor = parts.extensions.get::<Visitor>().cloned();
        let is_operator = visitor.as_ref().is_some_and(Visitor::is_operator);
        let has_link = !visitor.as_ref().is_some_and(|visitor| visitor.can_log_in);
        Ok(Asked {
            format: named.format,
            path: format!("{before}/{}", named.name),
            query: form_urlencoded::parse(query).into_owned().collect(),
            rights: match (app.actions().is_some(), is_operator) {
                (false, _) => Rights::OnlyReads,
                (true, true) => Rights::MayAct,
                (true, false) if has_link => Rights::NeedsSession,
                (true, false) => Rights::NeedsOperator,
            },
            visitor,
        })
    }
}

/// The fields of a form that was posted.
pub(crate) struct Posted(pub(crate) FormFields);

impl<S: Send + Sync> FromRequest<S> for Posted {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Posted, Response> {
        // The body is bounded by a layer of the router.
        let body = Bytes::from_request(request, state)
            .await
            .map_err(IntoResponse::into_response)?;
        let fields = FormFields::parse(&body);
        fields
            .map(Posted)
            .map_err(|problem| Error::BadRequest(problem.to_string()).into_response())
    }
}

impl Asked {
    /// The value of the query of this name, unless it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(own, _)| own == name);
        found
            .map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty())
    }

    /// The number of this name within bounds, or the usual one.
    pub(crate) fn number(&self, name: &str, usual: usize, most: usize) -> usize {
        let number = self.get(name).and_then(|text| text.parse().ok());
        number.unwrap_or(usual).clamp(1, most)
    }

    /// Returns `true` if the reader may act.
    pub(crate) fn can_act(&self) -> bool {
        self.rights == Rights::MayAct
    }

    /// Returns `true` for operators, also where the server only reads.
    pub(crate) fn is_operator(&self) -> bool {
        self.visitor.as_ref().is_some_and(Visitor::is_operator)
    }

    /// A frame whose reader may act or not.
    pub(crate) fn frame(&self, title: impl Into<String>, place: &'static str) -> Frame {
        let visitor = self.visitor.as_ref();
        let account = visitor.and_then(|visitor| visitor.name.clone());
        Frame {
            rights: self.rights,
            can_log_in: account.is_none() && visitor.is_some_and(|visitor| visitor.can_log_in),
            account,
            has_session: visitor.is_some_and(|visitor| visitor.via == Via::Login),
            is_operator: self.is_operator(),
            ..Frame::new(title, place)
        }
    }

    /// A frame that names the same list as data.
    pub(crate) fn list_frame(&self, title: impl Into<String>, place: &'static str) -> Frame {
        let query: Vec<(&str, &str)> = self
            .query
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        self.frame(title, place).with_list(&self.path, &query)
    }

    /// This address with other values of these names. Those without a value are left out.
    pub(crate) fn but(&self, changes: &[(&str, Option<&str>)]) -> Href {
        let mut href = Href {
            address: self.path.clone(),
            is_outside: false,
        };
        for (name, value) in &self.query {
            if !value.is_empty() && !changes.iter().any(|(changed, _)| changed == name) {
                href = href.with(name, value);
            }
        }
        for (name, value) in changes {
            if let Some(value) = value {
                href = href.with(name, value);
            }
        }
        href
    }
}
