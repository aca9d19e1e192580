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
//! **No state in connections.** Statements are unnamed and settings hold for one transaction, so a
//! pooler may hand out another connection for each. There are no sequences, triggers,
//! notifications, advisory locks and temporary tables: the same text runs where tables are spread
//! over servers. `statements` lists every statement with the partitions it may touch.

mod address;
mod boot_time;
mod buckets;
mod coverage;
mod failure;
mod frontier;
mod hand_in;
mod hidden;
mod lease_clock;
mod numbers;
mod schema;
mod server;
#[cfg(test)]
mod simulation;
mod site_facts;
mod statements;
mod store;
mod value;
mod wait;

pub use address::Address;
pub use boot_time::boot_time;
pub use buckets::{Buckets, LeaseTimes};
pub use lease_clock::LeaseClock;
pub use schema::Layout;
pub use server::{Server, ServerOptions};
pub use store::{Store, StoreOptions};
