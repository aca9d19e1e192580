//! Events that operations report to their observer.

use std::path::Path;
use std::time::Duration;

use magpie_patterns::drift::Relearn;
use magpie_patterns::rendering::RenderingRule;

use magpie_rows::{Pruned, StoreError};

use crate::crawl;
use crate::learn::{NavigationsMade, StageOutcome};
use crate::pictures::PicturesFetched;
use crate::reading::PagesRead;
use crate::recrawl::{CoverageFall, Plan};

/// Something that happened during an operation.
#[derive(Clone, Copy)]
pub enum Event<'a> {
    /// An event of a running crawl.
    Crawl(&'a crawl::Event),
    /// A crawl has ended.
    CrawlEnded,
    /// Progress of the clustering of records, as a sentence.
    Clustering(&'a str),
    /// The pages of a site were read by what was learned of it.
    SiteRead(&'a str, &'a PagesRead),
    /// A stage of learning is done.
    StageEnded(&'a StageOutcome, Duration),
    /// A notice of the clustering about the vertical's records.
    ClusteringNotice(&'a str),
    /// The search engine did not answer a query.
    QueryFailed {
        /// The text of the query.
        query: &'a str,
        /// The cause.
        error: &'a magpie_search::SearchError,
    },
    /// A navigation that a person had edited was replaced; the edited one is kept in this file.
    NavigationKept(&'a Path),
    /// A recrawl is planned and begins, with a promise of pages.
    Planned(&'a Plan, u64),
    /// This many known pages were fetched because lists showed their objects otherwise, or no
    /// longer.
    Checked(u64),
    /// Pages of kinds that nothing is known of were fetched.
    Explored {
        /// The number of kinds of pages that were tried.
        kinds: usize,
        /// The number of fetched pages of all kinds.
        pages: u64,
    },
    /// A site has fewer values of some attributes than when it was learned.
    CoverageFell {
        /// The site's key.
        site: &'a str,
        /// The attributes.
        falls: &'a [CoverageFall],
    },
    /// Ways to have kinds of pages of a site were learned.
    WaysLearned {
        /// The site's key.
        site: &'a str,
        /// The rules that were found now.
        rules: &'a [RenderingRule],
    },
    /// Pictures of objects were asked for.
    PicturesFetched(PicturesFetched),
    /// Old bodies were removed from the archive.
    Pruned(&'a Pruned),
    /// The archive may be larger or older than the settings allow, because nothing could be
    /// removed.
    NotPruned(&'a StoreError),
    /// A site no longer yields what it did, and is learned again.
    RepairBegins {
        /// The site's key.
        site: &'a str,
        /// The part of the site that is learned again.
        relearn: &'a Relearn,
        /// Its lists are gone, and not only its objects.
        lists_are_gone: bool,
    },
}

/// Receives events. `()` ignores them.
pub trait Observer {
    /// Takes note of an event.
    fn observe(&mut self, event: Event<'_>);
}

impl Observer for () {
    fn observe(&mut self, _: Event<'_>) {}
}

/// Reports navigations that are kept aside because a person had edited them.
pub(crate) fn observe_kept(made: &NavigationsMade, observer: &mut dyn Observer) {
    for kept in &made.kept {
        observer.observe(Event::NavigationKept(kept));
    }
}
