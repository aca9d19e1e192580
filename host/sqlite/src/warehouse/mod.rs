//! The warehouse: which records are one object, as a clustering decided, and what it needs to go
//! on.
//!
//! A *member* is a record found on a URL; the same record on the same URL again is another sighting
//! of it. A *object* is all members that are one object. The store does not know who decides that:
//! whole batches of decisions are written, each in one transaction.
//!
//! [`Objects`] reads the warehouse and [`Warehouse`] writes it: what a pipeline needs, and no more.
//! Numbers of members and objects are names. They grow within a shard; a folder is one shard. A
//! vertical is clustered up to a page of each site, so no order across sites is needed.
//!
//! [`Catalogue`] reads it as people ask: lists of objects by filter and order, the members of an
//! object with their pages, single sightings.

mod doubts;
pub(crate) mod identity;
pub(crate) mod read;
pub(crate) mod readings;
pub(crate) mod standing;
pub(crate) mod views;
pub(crate) mod write;
