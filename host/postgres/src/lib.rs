//! Workspaces in PostgreSQL, for crawls by several machines.
//!
//! **Buckets.** A workspace has 1,024 buckets. All rows of a site are in one, which is the first
//! column of every key, so that a statement about a site touches one partition. A worker leases
//! buckets, and only the owner of a bucket writes to it.
//!
//! **Fencing.** Each lease of a bucket has a new token. A transaction that writes to a bucket first
//! checks the token and keeps the row from being taken over until it ends. The owner also counts
//! the time of its lease on its own clock and sends no request near its end: see [`LeaseClock`].
//!
//! **The shared bucket.** Objects, changes and selections belong to no site. They are in one more
//! bucket, which is leased and fenced like the others: one process at a time clusters and selects.
//!
//! **Shares.** A worker joins the others by a [`Membership`], which renews its leases, takes free
//! buckets up to its share, and gives back those beyond it.
//!
//! **Bodies.** Those of a batch are put into an object store as one file, before rows lead to them.
//! A worker that loses a lease meanwhile leaves a file without rows.
//!
//! **No state in connections.** Statements are unnamed and settings hold for one transaction, so a
//! pooler may hand out another connection for each. There are no sequences, triggers,
//! notifications, advisory locks and temporary tables: the same text runs where tables are spread
//! over servers. `statements` lists every statement with the partitions it may touch.

mod address;
mod archives;
mod bodies;
mod boot_time;
mod buckets;
mod catalogue;
mod copy;
mod coverage;
mod crew;
mod entries;
mod exports;
mod failure;
mod files;
mod forget;
mod frontier;
mod hand_in;
mod hidden;
mod history;
mod house;
mod learned;
mod lease_clock;
mod membership;
mod objects;
mod page_row;
mod pages;
mod pictures;
mod readings;
mod runs;
mod schema;
mod search;
mod segments;
mod server;
#[cfg(test)]
mod simulation;
mod site_facts;
mod statement;
mod statements;
mod statistics;
mod store;
mod tls;
mod urls;
mod value;
mod wait;
mod warehouse;
mod webhooks;
mod whole;

use magpie_rows::numbers;

pub use address::Address;
pub use boot_time::boot_time;
pub use buckets::{Buckets, LeaseTimes};
pub use copy::CopiedServer;
pub use files::FileVersion;
pub use hand_in::BatchLimits;
pub use lease_clock::LeaseClock;
pub use membership::Membership;
pub use schema::Layout;
pub use server::{Server, ServerOptions};
pub use store::{Store, StoreOptions};
