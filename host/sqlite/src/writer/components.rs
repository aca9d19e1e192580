//! The numbers of plugins.

use std::collections::HashMap;
use std::sync::Arc;

use magpie_rows::Component;
use rusqlite::Connection;

/// The numbers of the plugins met so far; a run has a handful.
#[derive(Default)]
pub(super) struct Components(HashMap<Arc<Component>, i64>);

impl Components {
    /// The number of a plugin, which is written down when it is new.
    pub(super) fn id(
        &mut self,
        connection: &Connection,
        component: &Arc<Component>,
    ) -> rusqlite::Result<i64> {
        if let Some(id) = self.0.get(component) {
            return Ok(*id);
        }
        let id = component_id(connection, component)?;
        self.0.insert(Arc::clone(component), id);
        Ok(id)
    }
}

/// Returns the number of a plugin, which is written down when it is new.
pub(crate) fn component_id(connection: &Connection, component: &Component) -> rusqlite::Result<i64> {
    let Component {
        vertical,
        version,
        digest,
        options,
    } = component;
    connection
        .prepare_cached(
            "INSERT INTO component (vertical, version, digest, options) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING",
        )?
        .execute((vertical, version, digest, options))?;
    // Asked for after the insert, which changes nothing if an earlier process knew the plugin.
    connection
        .prepare_cached("SELECT id FROM component WHERE digest = ?1 AND options = ?2")?
        .query_row((digest, options), |row| row.get(0))
}
