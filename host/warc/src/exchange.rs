//! A request and its answer, as they are archived.

use std::net::IpAddr;

use bytes::Bytes;

/// A request and its response, for the archive.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// Who answered.
    pub remote: Option<IpAddr>,
    /// The request's head, with its empty line; empty when it is not to be kept. Credentials must
    /// be gone from it.
    pub request: Bytes,
    /// The response's head, with its empty line.
    pub response_head: Bytes,
    /// The body with its transfer coding undone and its content coding kept.
    pub body: Bytes,
    /// The reason why the body is not whole.
    pub truncated: Option<Truncated>,
}

/// A reason why a body is not whole, in the words of the WARC standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncated {
    /// Longer than the limit.
    Length,
    /// Slower than the limit.
    Time,
    Disconnect,
    Unspecified,
}
