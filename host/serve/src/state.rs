//! State that all handlers share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use magpie_engine::Clock;
use magpie_engine::settings::Resolved;
use magpie_rows::ReadStore;
use magpie_values::Timestamp;

use crate::Error;
use crate::act::Actions;
use crate::connections::Clients;
use crate::flight::Flight;
use crate::limits::Limits;
use crate::live::Live;
use crate::pool::{Pool, Price};
use crate::security::gate::Gate;

/// The workspace that is served. Clones are the same.
#[derive(Clone)]
pub(crate) struct App(Arc<Inner>);

struct Inner {
    place: Place,
    pool: Pool,
    gate: Gate,
    live: Live,
    actions: Option<Arc<dyn Actions>>,
    limits: Limits,
    clients: Arc<Clients>,
    flight: Flight,
}

/// A workspace, the settings that it is read with, and the time.
#[derive(Clone, Debug)]
pub struct Place {
    pub folder: PathBuf,
    pub settings: Arc<Resolved>,
    pub clock: Clock,
}

impl App {
    pub(crate) fn new(
        folder: PathBuf,
        settings: Arc<Resolved>,
        clock: Clock,
        gate: Gate,
        actions: Option<Arc<dyn Actions>>,
        limits: Limits,
    ) -> App {
        App(Arc::new(Inner {
            pool: Pool::new(folder.clone(), limits.reading),
            place: Place {
                folder,
                settings,
                clock,
            },
            gate,
            live: Live::default(),
            actions,
            limits,
            clients: Arc::default(),
            flight: Flight::default(),
        }))
    }

    /// Reads the workspace on a thread for blocking work. Reading that takes too long, or whose
    /// client has gone away, is interrupted.
    pub(crate) async fn read<T, F>(&self, with: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&dyn ReadStore) -> Result<T, Error> + Send + 'static,
    {
        self.0.pool.read(Price::Cheap, with).await
    }

    /// Reads the workspace like [`App::read`], for what may take long: searches, exports, and
    /// figures of all sites. It waits behind others of its kind, and keeps nothing cheap waiting.
    pub(crate) async fn read_dear<T, F>(&self, with: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&dyn ReadStore) -> Result<T, Error> + Send + 'static,
    {
        self.0.pool.read(Price::Dear, with).await
    }

    pub(crate) fn limits(&self) -> Limits {
        self.0.limits
    }

    /// The clients whose requests are worked on.
    pub(crate) fn clients(&self) -> &Arc<Clients> {
        &self.0.clients
    }

    pub(crate) fn flight(&self) -> &Flight {
        &self.0.flight
    }

    /// The workspace, its settings and the time.
    pub(crate) fn place(&self) -> &Place {
        &self.0.place
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0.place.folder
    }

    /// The settings in force when the server started.
    pub(crate) fn settings(&self) -> &Arc<Resolved> {
        &self.0.place.settings
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.place.clock.now()
    }

    /// The numbers of now.
    pub(crate) fn live(&self) -> &Live {
        &self.0.live
    }

    /// The part that acts on the workspace, in the process that writes.
    pub(crate) fn actions(&self) -> Option<&Arc<dyn Actions>> {
        self.0.actions.as_ref()
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.0.gate
    }
}
