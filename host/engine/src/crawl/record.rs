//! An exchange as the workspace keeps it.

use std::time::UNIX_EPOCH;

use bytes::Bytes;
use magpie_store::{Page as PageRow, Truncated};
use magpie_web::Exchange;

use super::reading::Reading;

/// The row of a page.
pub(super) fn row(exchange: &Exchange, reading: Option<&Reading>, keep: bool) -> PageRow {
    let validators = exchange.validators();
    let started_at = exchange.started_at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut row = PageRow {
        url: exchange.url.to_string(),
        fetched_at: i64::try_from(started_at.as_millis()).unwrap_or(i64::MAX),
        status: Some(exchange.status),
        media_type: exchange.media_type(),
        bytes: exchange.body().len() as u64,
        etag: validators.etag,
        last_modified: validators.last_modified,
        redirect: exchange.redirect_target().and_then(Result::ok).map(String::from),
        duration: u32::try_from(exchange.timings.total().as_millis()).ok(),
        exchange: keep.then(|| message(exchange)),
        ..PageRow::default()
    };
    if let Some(reading) = reading {
        row.charset = Some(reading.page.encoding().to_owned());
        row.title.clone_from(&reading.title);
        row.canonical = reading.canonical.as_ref().map(ToString::to_string);
        row.simhash = reading
            .fingerprints
            .and_then(|fingerprints| Some(fingerprints.print?.simhash.bits));
        row.text_hash = reading.fingerprints.map(|fingerprints| fingerprints.exact);
    }
    row
}

fn message(exchange: &Exchange) -> magpie_store::Exchange {
    magpie_store::Exchange {
        remote: Some(exchange.remote.ip()),
        request: Bytes::from(exchange.request_head().into_owned()),
        response_head: Bytes::from(exchange.response_head().into_owned()),
        body: exchange.raw_body.clone(),
        truncated: exchange
            .truncated
            .as_ref()
            .map(|truncation| match truncation.warc_token() {
                "length" => Truncated::Length,
                "time" => Truncated::Time,
                "disconnect" => Truncated::Disconnect,
                _ => Truncated::Unspecified,
            }),
    }
}
