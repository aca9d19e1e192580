//! Answers of queries from the index.

use magpie_find::{Running, did_you_mean, site_term};
use magpie_query::{Query, site_keys};
use magpie_rows::{ObjectDetail, ObjectId, Search, SearchOptions, SearchPage, StoreError};
use rusqlite::{Connection, OptionalExtension as _};

use crate::opened::{Looks, Opened};
use crate::search::detail;
use crate::search::index::attributes_of;
use crate::search::tables::Tables;

impl<A: Looks> Search for Opened<A> {
    fn search(
        &self,
        vertical: &str,
        query: &Query,
        options: &SearchOptions,
    ) -> Result<SearchPage, StoreError> {
        self.look(|connection| {
            let Some(search) = running(connection, vertical, query)? else {
                return Ok(Err(no_vertical(vertical)));
            };
            match search.start(vertical, options) {
                Ok(start) => search.page(&start, options).map(Ok),
                Err(error) => Ok(Err(error)),
            }
        })?
    }

    fn matching(
        &self,
        vertical: &str,
        query: &Query,
        among: &[ObjectId],
    ) -> Result<Vec<ObjectId>, StoreError> {
        self.look(|connection| {
            let search = running(connection, vertical, query)?;
            search.map_or_else(|| Ok(Vec::new()), |search| search.matching(among))
        })
    }

    fn find_all(&self, vertical: &str, query: &Query) -> Result<Vec<ObjectId>, StoreError> {
        self.look(|connection| {
            let search = running(connection, vertical, query)?;
            search.map_or_else(|| Ok(Vec::new()), |search| search.find_all())
        })
    }

    fn did_you_mean(&self, vertical: &str, query: &Query) -> Result<Option<String>, StoreError> {
        self.look(|connection| {
            let Some((warehouse, attributes)) = attributes_of(connection, vertical)? else {
                return Ok(None);
            };
            did_you_mean(&Tables::new(connection, warehouse), &attributes, query)
        })
    }

    fn objects_of_sites(&self, vertical: &str, sites: &[&str]) -> Result<Vec<u64>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT id FROM warehouse WHERE vertical = ?1")?;
            let warehouse: Option<i64> = statement.query_row([vertical], |row| row.get(0)).optional()?;
            let mut statement =
                connection.prepare_cached("SELECT count(*) FROM object_term WHERE term = ?1")?;
            let count = |site: &&str| {
                let key = site_keys(site).into_iter().next();
                let Some((warehouse, key)) = warehouse.zip(key) else {
                    return Ok(0);
                };
                let count = statement.query_row([site_term(warehouse, &key)], |row| row.get::<_, i64>(0));
                count.map(i64::unsigned_abs)
            };
            sites.iter().map(count).collect()
        })
    }

    fn object_detail(&self, id: ObjectId) -> Result<Option<ObjectDetail>, StoreError> {
        self.look(|connection| detail::object_detail(connection, id))
    }
}

fn running<'c, 'q>(
    connection: &'c Connection,
    vertical: &str,
    query: &'q Query,
) -> rusqlite::Result<Option<Running<'q, Tables<'c>>>> {
    let found = attributes_of(connection, vertical)?;
    Ok(found.map(|(warehouse, attributes)| {
        Running::new(Tables::new(connection, warehouse), warehouse, attributes, query)
    }))
}

fn no_vertical(vertical: &str) -> StoreError {
    StoreError::NoVertical {
        vertical: vertical.to_owned(),
    }
}
