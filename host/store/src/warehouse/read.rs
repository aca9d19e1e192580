//! Reading the warehouse: what things there are, what is known of them, and from where.

use std::ops::ControlFlow;

use magpie_model::Record;
use magpie_values::Timestamp;
use rusqlite::{OptionalExtension, Row};

use super::{ClusterNumber, url_print};
use crate::read::{record, seconds};
use crate::{PageId, Reader, StoreError};

/// A cluster, with what its members say together.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterRow {
    /// Its number.
    pub id: ClusterNumber,
    /// The vertical.
    pub vertical: String,
    /// What to call it.
    pub label: String,
    /// The merged record; an empty one if it can't be read.
    pub record: Record,
    /// Of each attribute the member its value comes from, as a JSON object.
    pub origins: String,
    /// How many members.
    pub members: u64,
    /// How many of them stood on their page when it was looked at last.
    pub current: u64,
    /// When it was seen first, in milliseconds since 1970.
    pub first_seen: i64,
    /// When it was seen last.
    pub last_seen: i64,
    /// The moment from which it is of no more interest.
    pub expires_at: Option<Timestamp>,
}

/// A member of a cluster, with where it was found last.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberRow {
    /// Its number: the object in which it was found first.
    pub id: i64,
    /// Its cluster.
    pub cluster: ClusterNumber,
    /// The URL of its page.
    pub url: String,
    /// The page on which it was found last.
    pub page: PageId,
    /// The record; an empty one if it can't be read.
    pub record: Record,
    /// When it was seen first, in milliseconds since 1970.
    pub first_seen: i64,
    /// When it was seen last.
    pub last_seen: i64,
    /// Whether it stood on its page when that was looked at last.
    pub current: bool,
}

/// The moments of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterTimes {
    /// Its number.
    pub id: ClusterNumber,
    /// When it was seen first, in milliseconds since 1970.
    pub first_seen: i64,
    /// When it was seen last.
    pub last_seen: i64,
    /// The moment from which it is of no more interest.
    pub expires_at: Option<Timestamp>,
}

/// One time that a member was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SightingRow {
    /// The object.
    pub object: i64,
    /// The page.
    pub page: PageId,
    /// When it was fetched, in milliseconds since 1970.
    pub fetched_at: i64,
}

/// Which clusters, and in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterFilter {
    /// Only of this vertical.
    pub vertical: Option<String>,
    /// Only those seen for the first time since this moment, in milliseconds since 1970.
    pub new_since: Option<i64>,
    /// Only those that are of no more interest at this moment.
    pub expired_at: Option<Timestamp>,
    /// Only those that still are; a thing that never expires is.
    pub current_at: Option<Timestamp>,
    /// In which order.
    pub order: ClusterOrder,
    /// The other way round.
    pub backwards: bool,
}

/// The order of clusters; equals come by their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClusterOrder {
    /// By their number.
    #[default]
    Number,
    /// By what they are called.
    Label,
    /// By how many members they have.
    Members,
    /// By when they were seen first.
    FirstSeen,
    /// By when they were seen last.
    LastSeen,
    /// By when they are of no more interest, those that never expire last.
    Expires,
}

impl ClusterOrder {
    fn sql(self) -> &'static str {
        match self {
            ClusterOrder::Number => "cluster.id",
            ClusterOrder::Label => "cluster.label COLLATE NOCASE",
            ClusterOrder::Members => "cluster.members",
            ClusterOrder::FirstSeen => "cluster.first_seen",
            ClusterOrder::LastSeen => "cluster.last_seen",
            ClusterOrder::Expires => "cluster.expires_at",
        }
    }
}

const CLUSTER: &str = "SELECT cluster.id, warehouse.vertical, label, record, origins, members, current,
        first_seen, last_seen, expires_at
     FROM cluster JOIN warehouse ON warehouse.id = cluster.warehouse_id";

const MEMBER: &str =
    "SELECT member.object_id, member.cluster_id, coalesce(page.url, url.url), page.id, object.record,
         member.first_seen, member.last_seen, member.current
     FROM member JOIN object ON object.id = member.last_object_id JOIN page ON page.id = object.page_id
     LEFT JOIN url ON url.id = page.url_id";

impl Reader {
    /// A cluster; of one that has retired, what it is part of now.
    pub fn cluster(&self, id: ClusterNumber) -> Result<Option<ClusterRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{CLUSTER} WHERE cluster.id = (SELECT coalesce(merged_into, id) FROM cluster WHERE id = ?1)"
            ))?;
            statement.query_row([id.0], cluster_row).optional()
        })
    }

    /// The clusters that are part of a cluster now, by number.
    pub fn merged_into(&self, cluster: ClusterNumber) -> Result<Vec<ClusterNumber>, StoreError> {
        self.look(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT id FROM cluster WHERE merged_into = ?1 ORDER BY id")?;
            let rows = statement.query_map([cluster.0], |row| row.get(0).map(ClusterNumber))?;
            rows.collect()
        })
    }

    /// Gives clusters that have not retired, one by one, from one state of the database.
    pub fn clusters(
        &self,
        filter: &ClusterFilter,
        each: &mut dyn FnMut(ClusterRow) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.look(|connection| {
            let direction = if filter.backwards { "DESC" } else { "ASC" };
            let order = filter.order.sql();
            let mut statement = connection.prepare_cached(&format!(
                "{CLUSTER} WHERE merged_into IS NULL AND (?1 IS NULL OR warehouse.vertical = ?1)
                 AND (?2 IS NULL OR first_seen >= ?2) AND (?3 IS NULL OR expires_at < ?3)
                 AND (?4 IS NULL OR expires_at IS NULL OR expires_at >= ?4)
                 ORDER BY {order} {direction} NULLS LAST, cluster.id"
            ))?;
            let mut rows = statement.query((
                filter.vertical.as_deref(),
                filter.new_since,
                filter.expired_at.map(Timestamp::as_seconds),
                filter.current_at.map(Timestamp::as_seconds),
            ))?;
            while let Some(row) = rows.next()? {
                if each(cluster_row(row)?).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The members of a cluster that has not retired, by number.
    pub fn members_of(&self, cluster: ClusterNumber) -> Result<Vec<MemberRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{MEMBER} WHERE member.cluster_id = ?1 ORDER BY member.object_id"
            ))?;
            let rows = statement.query_map([cluster.0], member_row)?;
            rows.collect()
        })
    }

    /// The member that an object is a sighting of.
    pub fn member_with(&self, object: i64) -> Result<Option<MemberRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{MEMBER} WHERE member.object_id = (SELECT member_id FROM sighting WHERE sighting.object_id = ?1)"
            ))?;
            statement.query_row([object], member_row).optional()
        })
    }

    /// Every time a member was found, the oldest first.
    pub fn sightings(&self, member: i64) -> Result<Vec<SightingRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT object.id, page.id, page.fetched_at FROM sighting JOIN object ON object.id = sighting.object_id
                 JOIN page ON page.id = object.page_id WHERE member_id = ?1 ORDER BY object.id",
            )?;
            let rows = statement.query_map([member], |row| {
                Ok(SightingRow {
                    object: row.get(0)?,
                    page: PageId(row.get(1)?),
                    fetched_at: row.get(2)?,
                })
            })?;
            rows.collect()
        })
    }

    /// The clusters that a page had when it was looked at last.
    pub fn clusters_at(&self, vertical: &str, url: &str) -> Result<Vec<ClusterNumber>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT DISTINCT cluster_id FROM member JOIN warehouse ON warehouse.id = member.warehouse_id
                 WHERE warehouse.vertical = ?1 AND url_print = ?2 AND current = 1 ORDER BY cluster_id",
            )?;
            let rows =
                statement.query_map((vertical, url_print(url)), |row| row.get(0).map(ClusterNumber))?;
            rows.collect()
        })
    }

    /// The things on URLs of which it is in doubt that they are what they are taken for: the URL's xxh3-64, the thing, and how
    /// probable it is. That is the best of the links that put the record there; the record that a thing began with is it.
    pub fn doubtful_pages(
        &self,
        vertical: &str,
        each: &mut dyn FnMut(u64, ClusterNumber, f64),
    ) -> Result<(), StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "WITH link (member, probability) AS (
                    SELECT one, probability FROM cluster_link UNION ALL SELECT other, probability FROM cluster_link
                 ), best (member, probability) AS MATERIALIZED (
                    SELECT member, max(probability) FROM link GROUP BY member
                 )
                 SELECT url_print, cluster_id, max(iif(
                    here.object_id = (SELECT min(first.object_id) FROM member AS first WHERE first.cluster_id = here.cluster_id),
                    1.0, coalesce(best.probability, 1.0))) AS likely
                 FROM warehouse CROSS JOIN member AS here ON here.warehouse_id = warehouse.id
                 LEFT JOIN best ON best.member = here.object_id
                 WHERE warehouse.vertical = ?1 AND here.current = 1
                 GROUP BY url_print, cluster_id HAVING likely < 1.0",
            )?;
            let mut rows = statement.query([vertical])?;
            while let Some(row) = rows.next()? {
                each(row.get::<_, i64>(0)?.cast_unsigned(), ClusterNumber(row.get(1)?), row.get(2)?);
            }
            Ok(())
        })
    }

    /// Returns the moments of all clusters of a vertical.
    pub fn cluster_times(&self, vertical: &str) -> Result<Vec<ClusterTimes>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT cluster.id, first_seen, last_seen, expires_at
                 FROM warehouse JOIN cluster ON cluster.warehouse_id = warehouse.id WHERE vertical = ?1",
            )?;
            let rows = statement.query_map([vertical], |row| {
                Ok(ClusterTimes {
                    id: ClusterNumber(row.get(0)?),
                    first_seen: row.get(1)?,
                    last_seen: row.get(2)?,
                    expires_at: seconds(row, 3)?,
                })
            })?;
            rows.collect()
        })
    }

    /// Gives each page of a vertical with each cluster it had when it was looked at last. The clusters of a page come together.
    pub fn object_pages(
        &self,
        vertical: &str,
        each: &mut dyn FnMut(&str, ClusterNumber) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT url_print, cluster_id, coalesce(page.url, url.url)
                 FROM warehouse CROSS JOIN member ON member.warehouse_id = warehouse.id
                 CROSS JOIN object ON object.id = member.last_object_id CROSS JOIN page ON page.id = object.page_id
                 LEFT JOIN url ON url.id = page.url_id
                 WHERE warehouse.vertical = ?1 AND current = 1 ORDER BY url_print, cluster_id",
            )?;
            let mut rows = statement.query([vertical])?;
            let mut before = None;
            while let Some(row) = rows.next()? {
                let pair: (i64, i64) = (row.get(0)?, row.get(1)?);
                if before.replace(pair) == Some(pair) {
                    continue;
                }
                let url = row.get_ref(2)?.as_str()?;
                if each(url, ClusterNumber(pair.1)).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }
}

fn cluster_row(row: &Row<'_>) -> rusqlite::Result<ClusterRow> {
    Ok(ClusterRow {
        id: ClusterNumber(row.get(0)?),
        vertical: row.get(1)?,
        label: row.get(2)?,
        record: record(row, 3)?.unwrap_or_default(),
        origins: row.get(4)?,
        members: row.get::<_, i64>(5)?.unsigned_abs(),
        current: row.get::<_, i64>(6)?.unsigned_abs(),
        first_seen: row.get(7)?,
        last_seen: row.get(8)?,
        expires_at: seconds(row, 9)?,
    })
}

fn member_row(row: &Row<'_>) -> rusqlite::Result<MemberRow> {
    Ok(MemberRow {
        id: row.get(0)?,
        cluster: ClusterNumber(row.get(1)?),
        url: row.get(2)?,
        page: PageId(row.get(3)?),
        record: record(row, 4)?.unwrap_or_default(),
        first_seen: row.get(5)?,
        last_seen: row.get(6)?,
        current: row.get(7)?,
    })
}
