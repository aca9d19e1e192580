//! Bodies that are in the archive already, and those that are added to it.

use std::collections::HashMap;

use magpie_model::PostedForm;
use magpie_rows::{Page, PageId, UrlId};
use magpie_values::Timestamp;
use magpie_warc::{ArchiveError, ArchiveWriter, Exchange, Kept, Location, Original, PayloadDigest, Target};

/// Media type of a page as a browser showed it.
const RENDERED_TYPE: &str = "text/html; charset=utf-8";

/// Number of bodies that are remembered to detect equal ones at other URLs: about a megabyte.
const REMEMBERED: usize = 50_000;

/// A revisit record is not smaller than a page below this.
const SMALLEST: usize = 500;

/// Bodies of the last pages, by the beginning of their digest.
#[derive(Default)]
pub struct Bodies(HashMap<u64, PageId>);

/// Rows of pages whose body is in the archive.
pub trait KnownBodies {
    type Error;

    /// Returns a page that has its body in the archive itself.
    fn body(&self, page: PageId) -> Result<Option<KnownBody>, Self::Error>;

    /// Returns the page with the body that a URL had in its last answer with a status from 200 to
    /// 399.
    fn last_body(&self, url: UrlId) -> Result<Option<KnownBody>, Self::Error>;
}

/// A page with its body in the archive.
#[derive(Clone, Debug)]
pub struct KnownBody {
    pub page: PageId,
    /// The URL of the page, which may be the address of a form.
    pub url: String,
    pub date: Timestamp,
    pub digest: Option<PayloadDigest>,
}

/// An answer that is to be archived.
#[derive(Clone, Copy)]
pub struct NewBody<'p> {
    pub id: PageId,
    pub url: Option<UrlId>,
    pub page: &'p Page,
    exchange: &'p Exchange,
    digest: PayloadDigest,
}

/// The place of a body in an archive.
#[derive(Clone, Copy, Debug)]
pub struct BodyPlace {
    /// The record of the answer.
    pub location: Location,
    pub digest: PayloadDigest,
    /// The page that has the body, if it is another.
    pub same_as: Option<PageId>,
    /// The record of the document that a browser made of the answer.
    pub rendering: Option<Location>,
}

impl<'p> NewBody<'p> {
    /// Returns the answer of a page, or `None` if there is none to archive.
    pub fn of(id: PageId, url: Option<UrlId>, page: &'p Page) -> Option<NewBody<'p>> {
        let exchange = page.exchange.as_ref()?;
        Some(NewBody {
            id,
            url,
            page,
            exchange,
            digest: PayloadDigest::of(&exchange.body),
        })
    }
}

impl Bodies {
    /// Returns a page that may have the same body. The key is a part of the digest, and the page
    /// may have lost its record since: its row decides.
    pub fn candidate(&self, new: &NewBody<'_>) -> Option<PageId> {
        self.0.get(&beginning(&new.digest)).copied()
    }

    /// Finds the older page that has the body of this one.
    pub fn find<K: KnownBodies>(&self, known: &K, new: &NewBody<'_>) -> Result<Option<KnownBody>, K::Error> {
        let last = || new.url.map_or(Ok(None), |url| known.last_body(url));
        // Without a body there is no digest to compare. The answer is about the page that the URL
        // had last.
        if new.page.status == Some(304) {
            return last();
        }
        if new.exchange.body.len() < SMALLEST {
            return Ok(None);
        }
        let is_same = |body: &KnownBody| body.digest == Some(new.digest);
        let candidate = self.candidate(new).map_or(Ok(None), |page| known.body(page))?;
        match candidate.filter(is_same) {
            None => Ok(last()?.filter(is_same)),
            same => Ok(same),
        }
    }

    /// Appends an answer to an archive, as a revisit of the older page with the same body if there
    /// is one, and behind it the page as a browser showed it.
    pub fn append(
        &mut self,
        writer: &mut ArchiveWriter,
        new: &NewBody<'_>,
        same: Option<&KnownBody>,
    ) -> Result<BodyPlace, ArchiveError> {
        let original = same.map(|same| requested_url(&same.url)).unwrap_or_default();
        let kept = same.map_or(Kept::Whole, |same| {
            let original = Original {
                url: &original,
                date: same.date,
                digest: same.digest,
            };
            match new.page.status {
                Some(304) => Kept::NotModified(original),
                _ => Kept::SameBody(original),
            }
        });
        let requested = requested_url(&new.page.url);
        let target = Target {
            url: &requested,
            date: new.page.fetched_at,
        };
        let location = writer.append(target, new.exchange, &new.digest, kept)?;
        let rendering = new.page.rendering.as_ref();
        let rendering = rendering
            .map(|shown| writer.append_conversion(target, location, RENDERED_TYPE, &shown.html))
            .transpose()?;
        // A revisit has no body of its own that others could refer to.
        if same.is_none() {
            self.remember(new);
        }
        Ok(BodyPlace {
            location,
            digest: same.and_then(|same| same.digest).unwrap_or(new.digest),
            same_as: same.map(|same| same.page),
            rendering,
        })
    }

    fn remember(&mut self, new: &NewBody<'_>) {
        if new.exchange.body.len() < SMALLEST {
            return;
        }
        if self.0.len() >= REMEMBERED {
            // Clearing costs nothing at each use, where an order of use would. Bodies of the same
            // URL are found without this memory.
            self.0.clear();
        }
        self.0.insert(beginning(&new.digest), new.id);
    }
}

/// Returns the URL that was requested for a page. That of a form that is sent by POST is a part of
/// the page's address; readers of archives find the rest in the record of the request.
pub fn requested_url(page: &str) -> String {
    match PostedForm::of_address(page) {
        Some(form) => form.action,
        None => page.to_owned(),
    }
}

fn beginning(digest: &PayloadDigest) -> u64 {
    let (first, _) = digest.0.split_at(8);
    first
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}
