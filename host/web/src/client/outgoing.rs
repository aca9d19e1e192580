//! From what is asked for to what is sent.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::SystemTime;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Method, Uri};
use http_body_util::Full;
use url::{Position, Url};

use super::{BadSettings, Inner};
use crate::safe_url::has_credentials;
use crate::{ClientSettings, Credentials, FetchError, Request, Validators};

/// The common part of all requests.
pub(super) struct Template {
    /// Contains a placeholder for the host, so that the host comes first, as RFC 9110, 7.2, asks.
    /// Each request replaces it.
    fields: HeaderMap,
    authorization: HashMap<String, HeaderValue>,
}

/// A field that can't be sent.
pub(super) struct Unsendable {
    pub(super) name: String,
    pub(super) reason: &'static str,
}

/// The codings that can be undone, the ones that are quick to undo first.
const ACCEPT_ENCODING: HeaderValue = HeaderValue::from_static("gzip, zstd, br, deflate");

/// The media type of the body of a form.
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

/// Fields about the connection and the framing. hyper sets them; a wrong one would desynchronise
/// client and server.
const FRAMING: [HeaderName; 5] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::UPGRADE,
];

/// A request that is ready to be sent over any connection.
pub(super) struct Outgoing<'a> {
    pub(super) url: &'a Url,
    /// `scheme://host:port`, the port only where it is not the usual one.
    pub(super) origin: Cow<'a, str>,
    /// As [`Url`] writes it: percent-encoded.
    pub(super) target: &'a str,
    /// `host:port`.
    pub(super) authority: &'a str,
    pub(super) headers: HeaderMap,
    /// The body of a POST.
    pub(super) form: Option<&'a str>,
}

impl Template {
    pub(super) fn new(settings: &ClientSettings) -> Result<Template, BadSettings> {
        let mut fields = HeaderMap::new();
        fields.insert(header::HOST, HeaderValue::from_static("host"));
        let fixed = [
            (header::USER_AGENT, &settings.user_agent),
            (header::ACCEPT_LANGUAGE, &settings.accept_language),
        ];
        for (name, value) in fixed {
            if !value.is_empty() {
                fields.insert(name.clone(), field_value(name.as_str(), value)?);
            }
        }
        fields.insert(header::ACCEPT, HeaderValue::from_static(Request::ACCEPT));
        fields.insert(header::ACCEPT_ENCODING, ACCEPT_ENCODING);
        replace(&mut fields, &settings.headers)?;
        let mut authorization = HashMap::new();
        for (origin, credentials) in &settings.credentials {
            let bad = || BadSettings::Origin {
                origin: origin.clone(),
            };
            let url = Url::parse(origin).map_err(|_| bad())?;
            if !url.has_host() || has_credentials(&url) || !matches!(url.path(), "" | "/") {
                return Err(bad());
            }
            authorization.insert(origin_of(&url).into_owned(), credentials.basic());
        }
        Ok(Template {
            fields,
            authorization,
        })
    }
}

impl Outgoing<'_> {
    /// The fields go with the request; a second attempt puts them together again.
    pub(super) fn over_http1(&mut self) -> Result<http::Request<Full<Bytes>>, FetchError> {
        let target = PathAndQuery::try_from(self.target).map_err(|_| self.unfit())?;
        Ok(self.with(target.into()))
    }

    /// A proxy wants the whole URL.
    pub(super) fn over_proxy(
        &mut self,
        authorization: Option<HeaderValue>,
    ) -> Result<http::Request<Full<Bytes>>, FetchError> {
        let uri = self.whole_uri()?;
        if let Some(authorization) = authorization {
            self.headers.insert(header::PROXY_AUTHORIZATION, authorization);
        }
        Ok(self.with(uri))
    }

    pub(super) fn over_http2(&mut self) -> Result<http::Request<Full<Bytes>>, FetchError> {
        let uri = self.whole_uri()?;
        // The authority contains the host, and some servers refuse requests with both.
        let fields = self.headers.iter().filter(|(name, _)| *name != header::HOST);
        self.headers = fields
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Ok(self.with(uri))
    }

    fn with(&mut self, uri: Uri) -> http::Request<Full<Bytes>> {
        let body = self.form.map(|form| Bytes::copy_from_slice(form.as_bytes()));
        let mut request = http::Request::new(Full::new(body.unwrap_or_default()));
        if self.form.is_some() {
            *request.method_mut() = Method::POST;
        }
        *request.uri_mut() = uri;
        *request.headers_mut() = std::mem::take(&mut self.headers);
        request
    }

    /// The URL without name and password.
    fn whole_uri(&self) -> Result<Uri, FetchError> {
        let mut parts = http::uri::Parts::default();
        let is_https = self.url.scheme() == "https";
        parts.scheme = Some(if is_https { Scheme::HTTPS } else { Scheme::HTTP });
        parts.authority = Some(Authority::try_from(self.authority).map_err(|_| self.unfit())?);
        parts.path_and_query = Some(PathAndQuery::try_from(self.target).map_err(|_| self.unfit())?);
        Uri::from_parts(parts).map_err(|_| self.unfit())
    }

    fn unfit(&self) -> FetchError {
        FetchError::UnfitUrl {
            url: self.url.clone().into(),
        }
    }
}

impl Inner {
    /// Puts a request together, except for what depends on the kind of connection.
    pub(super) fn outgoing<'a>(
        &self,
        request: &'a Request,
        now: SystemTime,
    ) -> Result<Outgoing<'a>, FetchError> {
        let url = &request.url;
        let unfit = || FetchError::UnfitUrl {
            url: url.clone().into(),
        };
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(unfit());
        }
        let origin = origin_of(url);
        let authority = &url[Position::BeforeHost..Position::AfterPort];
        let mut headers = self.template.fields.clone();
        headers.insert(
            header::HOST,
            HeaderValue::from_str(authority).map_err(|_| unfit())?,
        );
        if let Some(accept) = &request.accept {
            headers.insert(header::ACCEPT, field_value("accept", accept)?);
        }
        if let Some(validators) = &request.validators {
            add_conditions(&mut headers, validators);
        }
        if let Some(authorization) = self.authorization(request, &origin) {
            headers.insert(header::AUTHORIZATION, authorization);
        }
        if let Some(cookies) = self.jar().and_then(|jar| jar.field(url, now.into()))
            && let Ok(cookies) = HeaderValue::try_from(cookies)
        {
            headers.insert(header::COOKIE, cookies);
        }
        if request.form.is_some() {
            headers.insert(header::CONTENT_TYPE, FORM);
        }
        replace(&mut headers, &request.headers)?;
        Ok(Outgoing {
            url,
            origin,
            target: &url[Position::BeforePath..Position::AfterQuery],
            authority,
            headers,
            form: request.form.as_deref(),
        })
    }

    /// Credentials of the request take precedence over those in its URL, and those over the
    /// settings.
    fn authorization(&self, request: &Request, origin: &str) -> Option<HeaderValue> {
        if let Some(credentials) = &request.credentials {
            return Some(credentials.basic());
        }
        if let Some(credentials) = Credentials::from_url(&request.url) {
            return Some(credentials.basic());
        }
        self.template.authorization.get(origin).cloned()
    }
}

/// `scheme://host:port`, without a copy where the URL has it in one piece.
fn origin_of(url: &Url) -> Cow<'_, str> {
    if has_credentials(url) {
        let before = &url[..Position::BeforeUsername];
        Cow::Owned(format!(
            "{before}{}",
            &url[Position::BeforeHost..Position::BeforePath]
        ))
    } else {
        Cow::Borrowed(&url[..Position::BeforePath])
    }
}

/// Adds validators that are valid header values. Without them the page is fetched whole.
fn add_conditions(headers: &mut HeaderMap, validators: &Validators) {
    let conditions = [
        (header::IF_NONE_MATCH, &validators.etag),
        (header::IF_MODIFIED_SINCE, &validators.last_modified),
    ];
    for (name, value) in conditions {
        if let Some(Ok(value)) = value.as_deref().map(HeaderValue::from_str) {
            headers.insert(name, value);
        }
    }
}

/// Puts fields in the place of those with the same names.
fn replace(headers: &mut HeaderMap, fields: &[(String, String)]) -> Result<(), Unsendable> {
    let mut names: Vec<HeaderName> = Vec::new();
    for (name, value) in fields {
        let bad = |reason| Unsendable {
            name: name.clone(),
            reason,
        };
        let parsed = HeaderName::try_from(name)
            .map_err(|_| bad("its name has characters that are not allowed there"))?;
        if FRAMING.contains(&parsed) {
            return Err(bad("it belongs to the connection"));
        }
        let value = field_value(name, value)?;
        if names.contains(&parsed) {
            headers.append(parsed, value);
        } else {
            headers.insert(parsed.clone(), value);
            names.push(parsed);
        }
    }
    Ok(())
}

fn field_value(name: &str, value: &str) -> Result<HeaderValue, Unsendable> {
    HeaderValue::from_str(value)
        .or_else(|_| HeaderValue::from_bytes(value.as_bytes()))
        .map_err(|_| Unsendable {
            name: name.to_owned(),
            reason: "its value has characters that are not allowed there",
        })
}
