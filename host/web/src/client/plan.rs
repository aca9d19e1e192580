//! The part of a body that is worth reading.

use bytes::Bytes;
use http::Version;
use http::header;
use http::response::Parts;
use hyper::body::{Body, Incoming};

use super::receive::receive;
use super::watch::Watch;
use crate::heads::text;
use crate::{Limits, Request, Truncation};

/// Maximum size of an unwanted body that is read to keep the connection. Reading it costs less than
/// a new connection.
const SHORT_BODY: u64 = 16 * 1024;

/// The part of a body to read.
pub(super) struct Plan {
    limit: usize,
    /// The media type, if it is not wanted.
    unwanted: Option<String>,
    is_short: bool,
    stays: bool,
}

impl Plan {
    /// Decides from the head how much of the body is read.
    pub(super) fn new(limits: &Limits, request: &Request, parts: &Parts, body: &Incoming) -> Plan {
        let limit = limits.body_bytes.min(request.body_bytes.unwrap_or(usize::MAX));
        let unwanted = request.media_types.as_ref().and_then(|wanted| {
            let given = text(parts.headers.get(header::CONTENT_TYPE)?.as_bytes());
            let refused = || crate::accept::essence(&given).to_ascii_lowercase();
            (!wanted.accepts(&given)).then(refused)
        });
        let is_short = body
            .size_hint()
            .exact()
            .is_some_and(|length| length <= SHORT_BODY);
        Plan {
            limit,
            unwanted,
            is_short,
            stays: stays(parts),
        }
    }

    pub(super) async fn run(
        &self,
        body: Incoming,
        watch: &mut Watch<'_>,
        drive: impl FnMut(&mut std::task::Context<'_>),
        on_piece: impl FnMut(usize),
    ) -> (Bytes, Option<Truncation>) {
        let Some(media_type) = &self.unwanted else {
            return receive(body, watch, self.limit, drive, on_piece).await;
        };
        if self.is_short {
            // Read to its end and dropped: that costs less than a new connection.
            receive(body, watch, self.limit, drive, on_piece).await;
        }
        let media_type = media_type.clone();
        (Bytes::new(), Some(Truncation::NotWanted { media_type }))
    }

    /// Returns true if the connection can be used again after the response.
    pub(super) fn may_keep(&self, truncated: Option<&Truncation>) -> bool {
        let is_at_end = match truncated {
            None => true,
            Some(Truncation::NotWanted { .. }) => self.is_short,
            Some(_) => false,
        };
        self.stays && is_at_end
    }
}

/// Returns true if the server announces that it keeps the connection (RFC 9112, 9.3). This is
/// only a hint: a connection is checked before it is used again.
fn stays(parts: &Parts) -> bool {
    let fields = parts.headers.get_all(header::CONNECTION).iter();
    let mut options = fields
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    if parts.version == Version::HTTP_10 {
        options.any(|option| option.trim().eq_ignore_ascii_case("keep-alive"))
    } else {
        !options.any(|option| option.trim().eq_ignore_ascii_case("close"))
    }
}
