//! Writing an archive again without the records that no page has any more.

use std::collections::BTreeSet;

use magpie_rows::{ArchivedResponse, StoreError};
use magpie_warc::{ArchiveWriter, Exchange, Kept, Location, PayloadDigest, RecordKind, Target};

use crate::archives::{Archives, Part};
use crate::bodies::requested_url;

/// An archive that was written again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    pub bytes: u64,
    /// The offsets of the records that stayed: before, and now.
    pub places: Vec<(u64, u64)>,
}

/// Copies the records at some offsets of an archive into a new one, with the requests that belong
/// to them. The bytes of a record stay as they are.
pub fn rewrite(
    archives: &Archives,
    (name, bytes): (&str, u64),
    stay: &BTreeSet<u64>,
    into: &str,
) -> Result<Rewritten, StoreError> {
    let damaged = |offset: u64, detail: String| StoreError::BadRecord {
        file: archives.path(name),
        offset,
        detail,
    };
    let mut kept = Parts {
        name,
        ..Parts::default()
    };
    let mut places = Vec::new();
    let mut is_kept_exchange = false;
    for record in archives.records(name, 0..bytes)? {
        let record = record.map_err(|problem| damaged(problem.offset, problem.kind.to_string()))?;
        let is_named = stay.contains(&record.offset);
        kept.end(record.offset);
        let stays = match record.kind {
            RecordKind::Response | RecordKind::Revisit => {
                is_kept_exchange = is_named;
                is_named
            }
            RecordKind::Conversion => is_named,
            RecordKind::Info => true,
            // A request follows its response.
            _ => is_kept_exchange,
        };
        if is_named {
            places.push((record.offset, kept.bytes));
        }
        kept.open = stays.then_some(record.offset);
    }
    kept.end(bytes);
    let found: BTreeSet<u64> = places.iter().map(|(before, _)| *before).collect();
    if let Some(missing) = stay.difference(&found).next() {
        return Err(damaged(*missing, "there is no record".to_owned()));
    }
    let written = archives.join(into, &kept.parts);
    if let Err(error) = written {
        // The disk may be full, so the part that was written must not stay on it.
        let _ = archives.remove(into);
        return Err(error.into());
    }
    Ok(Rewritten {
        bytes: kept.bytes,
        places,
    })
}

/// Appends an answer with the body that its page had in common with another.
pub fn append_whole(writer: &mut ArchiveWriter, answer: ArchivedResponse) -> Result<Location, StoreError> {
    let requested = requested_url(&answer.page.url);
    let target = Target {
        url: &requested,
        date: answer.page.fetched_at,
    };
    let exchange = Exchange {
        response_head: answer.head,
        body: answer.body,
        truncated: answer.truncated,
        ..Exchange::default()
    };
    let digest = PayloadDigest::of(&exchange.body);
    Ok(writer.append(target, &exchange, &digest, Kept::Whole)?)
}

/// The parts of an archive that stay.
#[derive(Default)]
struct Parts<'a> {
    name: &'a str,
    parts: Vec<Part>,
    bytes: u64,
    /// The beginning of a record that stays and whose end is not known yet.
    open: Option<u64>,
}

impl Parts<'_> {
    fn end(&mut self, at: u64) {
        let Some(begin) = self.open.take() else { return };
        self.bytes += at - begin;
        match self.parts.last_mut().filter(|last| last.range.end == begin) {
            Some(last) => last.range.end = at,
            None => self.parts.push(Part {
                name: self.name.to_owned(),
                range: begin..at,
            }),
        }
    }
}
