//! Traits that a plugin implements.

use crate::bindings::clusters::{Key, Merged, Verdict};
use crate::bindings::queries::Query;
use crate::record::{Found, Record};
use crate::{About, Calibration, Error, Judgement, Page, cluster, queries};

/// A vertical: its objects, and how to find them on a page.
///
/// Every vertical implements [`extract`](Vertical::extract). The other functions have default
/// bodies that use the schema (identifying attributes, weights) and are good enough to start with.
/// Replace one when you know better. [`cluster`] and [`queries`] have the default bodies as
/// functions to build upon.
pub trait Vertical {
    /// Type of the objects.
    type Record: Record;

    /// Name of the vertical, in lower case with dashes: `events`.
    const NAME: &'static str;

    /// Summary, options, and pages to see. Summary and version default to the crate's.
    fn about() -> About {
        About::default()
    }

    /// Extracts the objects of the page, preferably in document order. The same page and options
    /// must give the same objects.
    ///
    /// # Errors
    ///
    /// Fails if the page can't be processed; see [`Error`]. A page without objects of the vertical
    /// is an empty list.
    fn extract(page: &Page) -> Result<Vec<Found<Self::Record>>, Error>;

    /// Table that converts the confidence from [`extract`](Vertical::extract) to the share of such
    /// records that are right. By default the confidence is kept.
    fn calibration() -> Calibration {
        Calibration::default()
    }

    /// Blocking keys, the most distinctive first. Only objects that share a key are compared.
    fn keys(record: &Self::Record) -> Vec<Key> {
        cluster::keys(record)
    }

    /// Estimates the probability that two objects are the same.
    fn compare(one: &Self::Record, other: &Self::Record) -> Verdict {
        cluster::compare(one, other)
    }

    /// Label of an object in a list.
    fn label(record: &Self::Record) -> String {
        cluster::label(record)
    }

    /// Chooses the record from which the merged object takes each attribute; at least one record is
    /// given.
    fn merge(records: &[Self::Record]) -> Merged {
        cluster::merge(records, Self::label)
    }

    /// Search engine queries that find sites with this object, the most distinctive first. A few
    /// are better than many.
    fn queries(record: &Self::Record) -> Vec<Query> {
        queries::queries(record)
    }
}

/// Comparison of objects, for a vertical whose extractor is another author's.
///
/// Every [`Vertical`] is a clusterer too, so this is only for plugins without an extractor.
pub trait Clusterer {
    /// Type of the objects, with the attributes of the vertical that the clusterer reads.
    type Record: Record;

    /// Name of the vertical, in lower case with dashes: `events`.
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

/// Judgement of pages that are relevant without being objects, such as reviews.
///
/// It is a component of its own, exported by `export!(Reviews as validator)`. If an extractor has
/// the same [`NAME`](Validator::NAME), both together are one vertical.
///
/// ```
/// use magpie_sdk::{Error, Judgement, Page, Validator};
///
/// struct Reviews;
///
/// impl Validator for Reviews {
///     const NAME: &'static str = "reviews";
///     const OBJECT_TYPE: &'static str = "Review";
///
///     fn judge(page: &Page) -> Result<Judgement, Error> {
///         let stars = page.select(".stars").count();
///         Ok(Judgement {
///             accepted: stars == 1,
///             confidence: 0.8,
///             reason: format!("{stars} ratings in stars"),
///         })
///     }
/// }
///
/// magpie_sdk::export!(Reviews as validator);
///
/// let page = Page::from_html("https://example.org/1", "<h1>Tempest</h1><p class=stars>****");
/// assert!(magpie_sdk::testing::judge::<Reviews>(&page).unwrap().accepted);
/// ```
pub trait Validator {
    /// Name of the vertical, in lower case with dashes: `reviews`.
    const NAME: &'static str;

    /// Name of one relevant page: `Review`.
    const OBJECT_TYPE: &'static str;

    /// As [`Vertical::about`].
    fn about() -> About {
        About::default()
    }

    /// Judges a page. The same page and options must give the same judgement.
    ///
    /// # Errors
    ///
    /// Fails if the page can't be processed; see [`Error`]. A page that is not relevant is not
    /// accepted.
    fn judge(page: &Page) -> Result<Judgement, Error>;
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
