//! What a plugin implements.

use crate::bindings::clusters::{Key, Merged, Verdict};
use crate::bindings::queries::Query;
use crate::record::{Found, Record};
use crate::{About, Calibration, Error, Page, cluster, queries};

/// A vertical: what its objects are, and how to find them on a page.
///
/// Everybody writes [`extract`](Vertical::extract). The other functions have bodies that go by the
/// schema (what identifies, what weighs how much) and are good enough to start with; replace one
/// when you know better. [`cluster`] and [`queries`] hold the bodies as functions, to be built upon.
pub trait Vertical {
    /// What one object is.
    type Record: Record;

    /// The vertical's name, in lower case with dashes: `events`.
    const NAME: &'static str;

    /// One line, options, and which pages to see. Summary and version are the crate's unless given.
    fn about() -> About {
        About::default()
    }

    /// The objects on the page, best in document order; none on a page without any. The same page
    /// and options must give the same objects.
    ///
    /// # Errors
    ///
    /// When the page can't be worked with; see [`Error`]. A page that is simply none of the
    /// vertical's business is an empty list.
    fn extract(page: &Page) -> Result<Vec<Found<Self::Record>>, Error>;

    /// The table that turns the confidence that [`extract`](Vertical::extract) states into the
    /// share of such records that are right. Without one what is stated is taken as it is.
    fn calibration() -> Calibration {
        Calibration::default()
    }

    /// Keys under which likely twins meet, the most telling first. Only objects that share a key are compared.
    fn keys(record: &Self::Record) -> Vec<Key> {
        cluster::keys(record)
    }

    /// How likely it is that two objects are the same one.
    fn compare(one: &Self::Record, other: &Self::Record) -> Verdict {
        cluster::compare(one, other)
    }

    /// What to call an object in a list.
    fn label(record: &Self::Record) -> String {
        cluster::label(record)
    }

    /// Which record's value each attribute of the merged object takes; at least one record is given.
    fn merge(records: &[Self::Record]) -> Merged {
        cluster::merge(records, Self::label)
    }

    /// What to ask a search engine for sites that know this object; the most telling first, few rather than many.
    fn queries(record: &Self::Record) -> Vec<Query> {
        queries::queries(record)
    }
}

/// Says which objects are the same, for a vertical whose extractor is somebody else's.
///
/// Every [`Vertical`] is one too, so this is only for those who have no extractor.
pub trait Clusterer {
    /// What one object is; it has the attributes that are read, of all the vertical's.
    type Record: Record;

    /// The vertical's name, in lower case with dashes: `events`.
    const NAME: &'static str;

    /// As [`Vertical::about`].
    fn about() -> About {
        About::default()
    }

    /// As [`Vertical::keys`].
    fn keys(record: &Self::Record) -> Vec<Key> {
        cluster::keys(record)
    }

    /// As [`Vertical::compare`].
    fn compare(one: &Self::Record, other: &Self::Record) -> Verdict {
        cluster::compare(one, other)
    }

    /// As [`Vertical::label`].
    fn label(record: &Self::Record) -> String {
        cluster::label(record)
    }

    /// As [`Vertical::merge`].
    fn merge(records: &[Self::Record]) -> Merged {
        cluster::merge(records, Self::label)
    }
}

impl<V: Vertical> Clusterer for V {
    type Record = V::Record;
    const NAME: &'static str = V::NAME;

    fn about() -> About {
        V::about()
    }

    fn keys(record: &Self::Record) -> Vec<Key> {
        V::keys(record)
    }

    fn compare(one: &Self::Record, other: &Self::Record) -> Verdict {
        V::compare(one, other)
    }

    fn label(record: &Self::Record) -> String {
        V::label(record)
    }

    fn merge(records: &[Self::Record]) -> Merged {
        V::merge(records)
    }
}
