//! Checking that archives have what rows say.

use magpie_http::{HttpHead, HttpLimits};
use magpie_rows::{PageId, StoreError, Verified};
use magpie_values::Timestamp;
use magpie_warc::{Location, PayloadDigest, Record, RecordKind};

use crate::archives::Archives;
use crate::bodies::requested_url;

/// A page, or a rendering of one, that should have a record.
pub struct Expected {
    pub page: PageId,
    pub is_page: bool,
    pub url: String,
    pub fetched_at: Timestamp,
    /// The digest of the body, where the record has the body.
    pub digest: Option<PayloadDigest>,
    pub location: Location,
}

/// Reads the bytes of an archive after `base` once, beside their pages in the order of their
/// records. Locations of pages count from `base`.
pub fn check_records(
    archives: &Archives,
    (name, base, bytes): (&str, u64, u64),
    expected: &[Expected],
    verified: &mut Verified,
) -> Result<(), StoreError> {
    let end_of_all = base + bytes;
    let found = archives.length(name)?;
    if found.unwrap_or(0) < end_of_all {
        verified.problems.push(match found {
            Some(found) => format!("{name} has {found} bytes instead of {end_of_all}"),
            None => format!("{name} is missing, with the bodies of {} pages", expected.len()),
        });
    }
    // A file that was begun and got nothing is no archive yet.
    if found.is_none() || bytes == 0 {
        return Ok(());
    }
    let is_missing = |missed: &Expected| {
        let at = base + missed.location.offset;
        format!(
            "page {}: {name} has no readable record at byte {at}",
            missed.page.0
        )
    };
    let mut expected = expected.iter().peekable();
    let mut end = None;
    for item in archives.records(name, base..end_of_all)? {
        let record = match item {
            Ok(record) => record,
            Err(mut problem) => {
                problem.offset += base;
                verified.problems.push(format!("{name}, {problem}"));
                end = None;
                continue;
            }
        };
        let is_response = matches!(record.kind, RecordKind::Response | RecordKind::Revisit);
        verified.records += u64::from(is_response);
        if let Some(problem) = &record.problem {
            let at = base + record.offset;
            verified
                .problems
                .push(format!("{name}, record at byte {at}: {problem}"));
        }
        if let Some((page, end)) = end.take()
            && end != record.offset
        {
            verified
                .problems
                .push(format!("page {page}: its archive record has another length"));
        }
        while let Some(missed) = expected.next_if(|next| next.location.offset < record.offset) {
            verified.problems.push(is_missing(missed));
        }
        if let Some(next) = expected.next_if(|next| next.location.offset == record.offset) {
            verified.problems.extend(next.problem(&record));
            end = Some((next.page.0, next.location.offset + next.location.length));
        }
    }
    verified.problems.extend(expected.map(is_missing));
    Ok(())
}

impl Expected {
    /// Returns the difference between the page and its record.
    fn problem(&self, record: &Record) -> Option<String> {
        let page = self.page.0;
        let url = requested_url(&self.url);
        if record.target != url {
            return Some(format!("page {page}: its archive record is of {}", record.target));
        }
        if record.date.map(Timestamp::as_seconds) != Some(self.fetched_at.as_seconds()) {
            return Some(format!("page {page}: its archive record has another date"));
        }
        let digest = self.digest.filter(|_| record.problem.is_none())?;
        let body = match HttpHead::parse(&record.block, &HttpLimits::default()) {
            Ok(head) => &record.block[head.length..],
            Err(problem) => {
                return Some(format!(
                    "page {page}: its archive record is no response: {problem}"
                ));
            }
        };
        (PayloadDigest::of(body) != digest)
            .then(|| format!("page {page}: its body in the archive has another digest"))
    }
}
