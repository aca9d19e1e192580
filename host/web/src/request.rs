//! Requests.

use std::fmt;
use std::sync::Arc;

use url::Url;

use crate::{Credentials, MediaTypes, SafeUrl};

/// One request: a GET, or a form that is sent by POST.
#[derive(Clone)]
pub struct Request {
    /// Requested URL. Its fragment is not sent; its user name and password are sent as basic
    /// authentication.
    pub url: Url,
    /// The body of a form, in the encoding of forms unless a field `content-type` names another.
    /// With a body the request is a POST, otherwise a GET.
    pub form: Option<String>,
    pub validators: Option<Validators>,
    /// The value of `Accept`; that of [`Request::ACCEPT`] when `None`.
    pub accept: Option<String>,
    /// Content that is worth its download. The body of any other is not read.
    pub media_types: Option<Arc<MediaTypes>>,
    /// Basic authentication for this request, in place of that of the URL or the settings.
    pub credentials: Option<Credentials>,
    /// Fields for this request. They replace those that the client would send.
    pub headers: Vec<(String, String)>,
    /// Fewer bytes of body than the settings allow.
    pub body_bytes: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// Its `ETag`, with the quotes.
    pub etag: Option<String>,
    /// Its `Last-Modified`, as it was written.
    pub last_modified: Option<String>,
}

impl Request {
    /// Value of `Accept` that browsers send for pages, without images.
    pub const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

    /// A request without anything special.
    pub fn new(url: Url) -> Request {
        Request {
            url,
            form: None,
            validators: None,
            accept: None,
            media_types: None,
            credentials: None,
            headers: Vec::new(),
            body_bytes: None,
        }
    }
}

impl fmt::Debug for Request {
    /// Without the values of the fields, which may be tokens.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("Request")
            .field("url", &SafeUrl::new(self.url.clone()))
            .field("form", &self.form)
            .field("validators", &self.validators)
            .field("accept", &self.accept)
            .field("media_types", &self.media_types)
            .field("credentials", &self.credentials)
            .field("headers", &names)
            .field("body_bytes", &self.body_bytes)
            .finish()
    }
}
