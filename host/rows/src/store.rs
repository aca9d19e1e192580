//! The traits of a store together.

use crate::coverage::{Coverage, CoverageStore};
use crate::frontier::{CrawlStore, Requeue, SiteFacts};
use crate::hidden::{Hidden, HiddenStore};
use crate::history::History;
use crate::learned::{Learned, LearnedStore};
use crate::objects::{Catalogue, Objects};
use crate::pages::Pages;
use crate::runs::{RunStore, Runs};
use crate::search::Search;
use crate::warehouse::Warehouse;
use crate::webhooks::{WebhookStore, Webhooks};

/// All that a pipeline needs of a store.
pub trait Store:
    ReadStore
    + CrawlStore
    + Requeue
    + Warehouse
    + LearnedStore
    + HiddenStore
    + RunStore
    + CoverageStore
    + WebhookStore
{
}

impl<S> Store for S where
    S: ReadStore
        + CrawlStore
        + Requeue
        + Warehouse
        + LearnedStore
        + HiddenStore
        + RunStore
        + CoverageStore
        + WebhookStore
{
}

/// All that is read of a store.
pub trait ReadStore:
    Pages + SiteFacts + Objects + Catalogue + Search + History + Learned + Hidden + Coverage + Runs + Webhooks
{
}

impl<S> ReadStore for S where
    S: Pages
        + SiteFacts
        + Objects
        + Catalogue
        + Search
        + History
        + Learned
        + Hidden
        + Coverage
        + Runs
        + Webhooks
{
}
