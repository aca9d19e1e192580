//! An entity that a reader of one syntax has found.

use super::entity::Entity;
use crate::dom::NodeId;

/// An entity that was found, and where.
pub(super) struct Found {
    pub(super) syntax: &'static str,
    pub(super) entity: Entity,
    pub(super) node: Option<NodeId>,
    /// Position among the others, even if it has no node of its own.
    pub(super) place: NodeId,
}
