//! Keeping two records apart by the decision of a person.

use magpie_matching::{ClusterId, Clustering, Origin, Settings, Standing, Step};
use magpie_rows::{MemberFilter, MemberState, ObjectId, Warehouse};
use magpie_values::Timestamp;

use super::WarehouseError;
use super::session::{member, number, prepared};

/// The outcome of a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The vertical of both records.
    pub vertical: String,
    /// The cluster of the first record, which keeps its number.
    pub stays: ObjectId,
    /// The cluster of the second. It is a new one when both were in one cluster.
    pub other: ObjectId,
    /// Records that went with the second into the new cluster; empty if the two were in separate
    /// clusters.
    pub moved: Vec<i64>,
}

/// Marks two records as different objects. If they are in one cluster, it is cut at the weakest
/// link between them. The next clustering merges the records of the parts.
pub fn split(store: &dyn Warehouse, one: i64, other: i64, now: Timestamp) -> Result<Split, WarehouseError> {
    let (one, other) = (found(store, one)?, found(store, other)?);
    if one.id == other.id {
        return Err(WarehouseError::Inseparable {
            detail: format!("record {} can't be separated from itself", one.id),
        });
    }
    let vertical = vertical_of(store, &one)?;
    if vertical != vertical_of(store, &other)? {
        return Err(WarehouseError::Inseparable {
            detail: format!(
                "records {} and {} are of different verticals, so they are never one object",
                one.id, other.id
            ),
        });
    }
    let states = store.members(MemberFilter::Objects(&[one.object]))?;
    // Records of two objects are marked as well, so that no later clustering joins these objects.
    let moved = match one.object == other.object {
        true => going(store, &states, &one, &other)?,
        false => Vec::new(),
    };
    let others = store.members(MemberFilter::Objects(&[other.object]))?;
    let (leaving, staying): (Vec<&MemberState>, Vec<&MemberState>) =
        states.iter().partition(|state| moved.contains(&state.id));
    let leaving = if moved.is_empty() {
        others.iter().collect()
    } else {
        leaving
    };
    let pair = (compared(&staying, one.id), compared(&leaving, other.id));
    let new = store.keep_apart(pair, moved.clone(), now)?;
    Ok(Split {
        vertical,
        stays: ObjectId(one.object),
        other: new.unwrap_or(ObjectId(other.object)),
        moved,
    })
}

fn found(store: &dyn Warehouse, record: i64) -> Result<MemberState, WarehouseError> {
    let members = store.members(MemberFilter::Records(&[record]))?;
    members
        .into_iter()
        .next()
        .ok_or(WarehouseError::NoMember { record })
}

fn vertical_of(store: &dyn Warehouse, member: &MemberState) -> Result<String, WarehouseError> {
    let cluster = store.object(ObjectId(member.object))?;
    Ok(cluster.map(|cluster| cluster.vertical).unwrap_or_default())
}

/// The members that go with the second.
fn going(
    store: &dyn Warehouse,
    states: &[MemberState],
    one: &MemberState,
    other: &MemberState,
) -> Result<Vec<i64>, WarehouseError> {
    let cluster = ClusterId(member(one.id).0);
    let standing = states.iter().map(|state| Standing {
        id: member(state.id),
        prepared: prepared(Vec::new(), Vec::new()),
        origin: Origin::default(),
        cluster,
    });
    let links = store.links_of(one.object)?.into_iter().map(|link| Step {
        from: member(link.one),
        to: member(link.other),
        probability: link.probability,
        scheme: link.scheme,
        reasons: link.reasons,
    });
    let mut clustering = Clustering::restore(Settings::default(), standing, links);
    clustering.must_not_link(member(one.id), member(other.id));
    let going: Vec<i64> = clustering
        .members_with(member(other.id))
        .into_iter()
        .map(number)
        .collect();
    if going.contains(&one.id) {
        // Links between them are unknown, as after a full clustering in which one of them was a
        // replaced record.
        return Ok(vec![other.id]);
    }
    Ok(going)
}

/// Returns the record itself, or one of its part that represents it.
fn compared(part: &[&MemberState], wanted: i64) -> i64 {
    // A record that was replaced takes no part in a clustering, and a pair holds only between
    // records that are compared.
    let own = part.iter().any(|state| state.id == wanted && state.compared);
    let instead = || part.iter().find(|state| state.compared).map(|state| state.id);
    if own { wanted } else { instead().unwrap_or(wanted) }
}
