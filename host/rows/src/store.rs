//! The traits of a store together.

use crate::archive::{ArchiveStore, Archived};
use crate::coverage::{Coverage, CoverageStore};
use crate::crew::Crew;
use crate::error::StoreError;
use crate::export::Exports;
use crate::frontier::{CrawlStore, Requeue, SiteFacts};
use crate::hidden::{Hidden, HiddenStore};
use crate::history::History;
use crate::house::HouseStore;
use crate::learned::{Learned, LearnedStore};
use crate::objects::{Catalogue, Objects};
use crate::pages::Pages;
use crate::pictures::{PictureStore, Pictures};
use crate::readings::Readings;
use crate::runs::{RunStore, Runs};
use crate::search::Search;
use crate::statistics::Statistics;
use crate::urls::Urls;
use crate::warehouse::Warehouse;
use crate::webhooks::{WebhookStore, Webhooks};

/// All that is read of a store. Calls see what is committed.
pub trait ReadStore:
    Archived
    + Catalogue
    + Coverage
    + Exports
    + Hidden
    + History
    + Learned
    + Objects
    + Pages
    + Pictures
    + Runs
    + Search
    + SiteFacts
    + Statistics
    + Urls
    + Webhooks
{
    /// Reads everything and fails if it is damaged.
    fn check(&self) -> Result<(), StoreError>;

    /// Fails if the workspace was moved, replaced or migrated after it was opened.
    fn check_current(&self) -> Result<(), StoreError>;

    /// Returns the store as one that processes share, if it is.
    fn crew(&self) -> Option<&dyn Crew>;
}

/// A store that a pipeline reads and writes.
pub trait Store:
    ReadStore
    + ArchiveStore
    + CoverageStore
    + CrawlStore
    + HiddenStore
    + HouseStore
    + LearnedStore
    + PictureStore
    + Readings
    + Requeue
    + RunStore
    + Warehouse
    + WebhookStore
{
    /// Opens the same workspace for reading. Long reads there do not hold up this store.
    fn reader(&self) -> Result<Box<dyn ReadStore + Send>, StoreError>;
}
