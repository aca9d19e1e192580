//! HTTP messages: header fields, and responses as an archive keeps them or a socket gives them,
//! with head and body apart and codings undone; of requests, the `Host` field and bodies of forms.
//!
//! Archives often keep a body that was already decoded below a head that still names the coding. So
//! a coding that does not show in the body is taken as undone, with a problem noted, and a body
//! that breaks off gives what was read.

mod chunked;
mod coding;
mod form;
mod head;
mod headers;
mod host_names;

pub use coding::{Decoded, decode_content};
pub use form::{FormFields, FormProblem, MAX_FORM_FIELDS};
pub use head::HttpHead;
pub use headers::{Headers, text, without_line_end};
pub use host_names::{HostNames, split_host};

/// Limits on the size of a response.
#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    pub head_bytes: usize,
    /// The fields of the head. Fields beyond are dropped.
    pub head_fields: usize,
    /// The bytes of the body after its codings were undone.
    pub body_bytes: usize,
    /// Maximum ratio of a body to its compressed form.
    pub ratio: usize,
}

impl Default for HttpLimits {
    /// Servers refuse heads beyond 8 to 64 KiB, clients beyond 256 KiB. Pages have under 10 MB.
    /// HTML inflates to 3 to 20 times, a page of nothing but table cells to 100; gzip reaches 1,000
    /// only with one byte repeated.
    fn default() -> Self {
        HttpLimits {
            head_bytes: 256 * 1024,
            head_fields: 500,
            body_bytes: 32 * 1024 * 1024,
            ratio: 300,
        }
    }
}

#[derive(Debug)]
pub struct HttpResponse {
    pub status: u16,
    /// The fields of the head, as sent: they may name codings that were undone.
    pub headers: Headers,
    /// The body without its transfer and content codings.
    pub body: Vec<u8>,
    /// Problem with the response, if something could be read despite it.
    pub problem: Option<HttpProblem>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpProblem {
    /// It does not begin with a status line.
    #[error("not an HTTP response: it does not begin with a status line")]
    NoStatusLine,
    /// The head does not end within the limit.
    #[error("the head of the response does not end within {limit} bytes")]
    HeadTooLong { limit: usize },
    /// There are more fields than the limit; the others were dropped.
    #[error("the head of the response has more than {limit} fields")]
    TooManyFields { limit: usize },
    /// The chunks of the transfer coding are broken; what came before is kept.
    #[error("the chunked transfer coding is invalid")]
    BrokenChunks,
    /// The head names chunks, the body has none; it is kept as it is.
    #[error("the head names chunked transfer coding, which the body does not have")]
    NotChunked,
    /// The content coding is broken; what came before is kept.
    #[error("the {coding} data is corrupt")]
    BrokenCoding { coding: &'static str },
    /// The head names a coding, the body does not have it; it is kept as it is.
    #[error("the head names the content coding {coding}, which the body does not have")]
    NotCoded { coding: &'static str },
    /// An unknown content coding; the body is kept as it is.
    #[error("unknown content coding {coding:?}")]
    UnknownCoding {
        /// As the head names it.
        coding: String,
    },
    /// More content codings on top of each other than anybody needs.
    #[error("the body has more than {limit} nested content codings")]
    TooManyCodings { limit: usize },
    /// The body is larger than the limit; it was cut there.
    #[error("the body has more than {limit} bytes")]
    BodyTooLarge { limit: usize },
    /// The body inflates more than pages do; it was cut.
    #[error("the body inflates to more than {limit} times its compressed size")]
    Bomb { limit: usize },
}

impl HttpProblem {
    /// Returns true if the body differs from what the site sent: cut at a limit, or in a coding
    /// that could not be undone.
    pub fn spoils_body(&self) -> bool {
        match self {
            HttpProblem::NoStatusLine
            | HttpProblem::HeadTooLong { .. }
            | HttpProblem::UnknownCoding { .. }
            | HttpProblem::TooManyCodings { .. }
            | HttpProblem::BodyTooLarge { .. }
            | HttpProblem::Bomb { .. } => true,
            HttpProblem::TooManyFields { .. }
            | HttpProblem::BrokenChunks
            | HttpProblem::NotChunked
            | HttpProblem::BrokenCoding { .. }
            | HttpProblem::NotCoded { .. } => false,
        }
    }
}

impl HttpResponse {
    /// Parses a response. An unreadable head is an error. Of a bad body, the readable part is
    /// returned and the problem noted.
    pub fn parse(message: &[u8], limits: &HttpLimits) -> Result<HttpResponse, HttpProblem> {
        let head = HttpHead::parse(message, limits)?;
        let body = &message[head.length..];
        let mut problem = head.problem;
        let unchunked = if names_chunked(&head.headers) {
            let (body, chunk_problem) = chunked::decode(body, limits.body_bytes);
            problem = problem.or(chunk_problem);
            body
        } else {
            body.to_vec()
        };
        let decoded = decode_content(unchunked, &head.headers, limits);
        // Of several problems, the one that spoils the body is reported.
        if decoded.problem.as_ref().is_some_and(HttpProblem::spoils_body) || problem.is_none() {
            problem = decoded.problem;
        }
        Ok(HttpResponse {
            status: head.status,
            headers: head.headers,
            body: decoded.body,
            problem,
        })
    }
}

fn names_chunked(headers: &Headers) -> bool {
    headers.all("Transfer-Encoding").any(|value| {
        value
            .rsplit(',')
            .next()
            .is_some_and(|last| last.trim().eq_ignore_ascii_case("chunked"))
    })
}

#[cfg(test)]
mod tests;
