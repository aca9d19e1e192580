//! The store as a whole.

use std::sync::Arc;

use magpie_rows::{Crew, ReadStore, StoreError};

use crate::failure::server_error;
use crate::schema;
use crate::store::{Store, StoreOptions};

impl ReadStore for Store {
    fn check(&self) -> Result<(), StoreError> {
        match self.wrong_rows()?.as_slice() {
            [] => Ok(()),
            problems => Err(server_error(problems.join("; "))),
        }
    }

    fn check_current(&self) -> Result<(), StoreError> {
        schema::check(&self.server, &self.workspace)
    }

    fn crew(&self) -> Option<&dyn Crew> {
        Some(self)
    }
}

impl magpie_rows::Store for Store {
    fn reader(&self) -> Result<Box<dyn ReadStore + Send>, StoreError> {
        let server = Arc::clone(&self.server);
        let options = StoreOptions {
            // Readers find archives by their addresses.
            store: None,
            ..self.options.clone()
        };
        Ok(Box::new(Store::open(server, self.buckets().worker(), options)?))
    }
}
