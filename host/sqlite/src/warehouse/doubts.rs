//! The weakest link that holds each object together.

use std::collections::{HashMap, HashSet};

use magpie_rows::{ObjectId, WarehouseLink, WeakestLink};
use rusqlite::{Connection, OptionalExtension};

use crate::warehouse::standing::link_row;

/// A link between two members, by their places among the members of the object.
struct Edge {
    ends: [i64; 2],
    probability: f64,
}

/// The links of an object, the strongest first.
#[derive(Default)]
struct Web {
    edges: Vec<Edge>,
    current: HashSet<i64>,
}

pub(super) fn weakest_links(connection: &Connection, vertical: &str) -> rusqlite::Result<Vec<WeakestLink>> {
    let mut statement = connection.prepare_cached(
        "SELECT here.object_id, one, other, probability, here.current, there.current
         FROM warehouse CROSS JOIN member AS here ON here.warehouse_id = warehouse.id
         CROSS JOIN member_link ON one = here.record_id
         CROSS JOIN member AS there ON there.record_id = other AND there.object_id = here.object_id
         WHERE vertical = ?1 ORDER BY here.object_id, probability DESC, one, other",
    )?;
    let mut rows = statement.query([vertical])?;
    let mut weakest: Vec<(i64, Edge)> = Vec::new();
    let (mut object, mut web) = (0, Web::default());
    while let Some(row) = rows.next()? {
        let next: i64 = row.get(0)?;
        if next != object {
            weakest.extend(std::mem::take(&mut web).weakest().map(|edge| (object, edge)));
            object = next;
        }
        let ends: [i64; 2] = [row.get(1)?, row.get(2)?];
        for (end, column) in ends.into_iter().zip([4, 5]) {
            if row.get(column)? {
                web.current.insert(end);
            }
        }
        web.edges.push(Edge {
            ends,
            probability: row.get(3)?,
        });
    }
    weakest.extend(web.weakest().map(|edge| (object, edge)));
    // A stable sort: equals stay in the order of their numbers.
    weakest.sort_by(|one, other| one.1.probability.total_cmp(&other.1.probability));
    let described = weakest
        .into_iter()
        .map(|(object, edge)| describe(connection, object, edge.ends));
    described.collect()
}

impl Web {
    /// The weakest link of the maximum spanning tree, without branches whose members are all gone.
    fn weakest(self) -> Option<Edge> {
        let mut parents: HashMap<i64, i64> = HashMap::new();
        let mut tree: Vec<Edge> = Vec::new();
        for edge in self.edges {
            let [one, other] = edge.ends.map(|end| root(&mut parents, end));
            if one != other {
                parents.insert(one, other);
                tree.push(edge);
            }
        }
        let mut degrees: HashMap<i64, Vec<usize>> = HashMap::new();
        for (number, edge) in tree.iter().enumerate() {
            for end in edge.ends {
                degrees.entry(end).or_default().push(number);
            }
        }
        let is_gone = |end: &i64| !self.current.contains(end);
        let mut is_cut = vec![false; tree.len()];
        let mut leaves: Vec<i64> = degrees
            .iter()
            .filter(|(end, edges)| edges.len() == 1 && is_gone(end))
            .map(|(end, _)| *end)
            .collect();
        while let Some(leaf) = leaves.pop() {
            let standing = |end: i64, is_cut: &[bool]| -> Vec<usize> {
                degrees[&end]
                    .iter()
                    .copied()
                    .filter(|edge| !is_cut[*edge])
                    .collect()
            };
            let Some(edge) = standing(leaf, &is_cut).first().copied() else {
                continue;
            };
            is_cut[edge] = true;
            let [one, other] = tree[edge].ends;
            let inner = if one == leaf { other } else { one };
            if is_gone(&inner) && standing(inner, &is_cut).len() == 1 {
                leaves.push(inner);
            }
        }
        let kept = tree.into_iter().zip(is_cut).filter(|(_, is_cut)| !is_cut);
        kept.map(|(edge, _)| edge)
            .min_by(|one, other| one.probability.total_cmp(&other.probability))
    }
}

/// Returns the representative of the members that a member is joined with so far.
fn root(parents: &mut HashMap<i64, i64>, mut member: i64) -> i64 {
    while let Some(parent) = parents.get(&member).copied() {
        // Half of the way is saved for the next time.
        let above = parents.get(&parent).copied().unwrap_or(parent);
        parents.insert(member, above);
        member = above;
    }
    member
}

fn describe(connection: &Connection, object: i64, ends: [i64; 2]) -> rusqlite::Result<WeakestLink> {
    let mut label = connection.prepare_cached("SELECT label FROM object WHERE id = ?1")?;
    let mut link = connection.prepare_cached(
        "SELECT one, other, probability, scheme, reasons FROM member_link WHERE one = ?1 AND other = ?2",
    )?;
    let mut url = connection.prepare_cached(
        "SELECT coalesce(page.url, url.url, '') FROM member JOIN record ON record.id = member.last_record_id
         JOIN page ON page.id = record.page_id LEFT JOIN url ON url.id = page.url_id WHERE member.record_id = ?1",
    )?;
    let mut url_of = |end: i64| -> rusqlite::Result<String> {
        let found = url.query_row([end], |row| row.get(0)).optional()?;
        Ok(found.unwrap_or_default())
    };
    let urls = [url_of(ends[0])?, url_of(ends[1])?];
    let link: WarehouseLink = link.query_row((ends[0], ends[1]), link_row)?;
    Ok(WeakestLink {
        object: ObjectId(object),
        label: label.query_row([object], |row| row.get(0))?,
        link,
        urls,
    })
}
