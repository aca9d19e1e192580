//! The records of a page that are about the page itself.

use magpie_model::Record;
use magpie_page::NodeId;
use magpie_values::text;

use crate::schema::Schema;
use crate::site;
use crate::tree::Tree;

/// Finds the records that a page is about, as opposed to those it lists: those with its own
/// address, else those that its heading or title names, else the only ones outside of regions.
/// Several records are one subject if they have one name: an event with several dates.
pub(crate) fn subjects(
    schema: &Schema,
    tree: &Tree<'_>,
    url: &str,
    title: &str,
    records: &[Record],
) -> Vec<usize> {
    let Some(name) = schema.name.map(|at| schema.attribute(at).name.as_str()) else {
        return if records.len() == 1 { vec![0] } else { Vec::new() };
    };
    let own = site::address(url);
    let address = |record: &Record| {
        let url = schema.url.and_then(|at| record.get(&schema.attribute(at).name))?;
        Some(site::address(url))
    };
    let bare = |record: &Record| record.get(name).map(text::bare).unwrap_or_default();
    let all = |wanted: &dyn Fn(&Record) -> bool| -> Vec<usize> {
        (0..records.len()).filter(|at| wanted(&records[*at])).collect()
    };
    let is_elsewhere =
        |record: &Record| address(record).is_some_and(|address| site::path(&address) != site::path(&own));
    let with_own_address = all(&|record| !is_elsewhere(record) && address(record).is_some());
    let heading = tree
        .heading
        .map(|heading| text::bare(&tree.document.text_of(heading)));
    let heading = heading.filter(|heading| !heading.is_empty());
    let named = all(&|record| {
        let name = bare(record);
        let is_named = Some(&name) == heading.as_ref() || text::bare(title).starts_with(&name);
        !name.is_empty() && is_named && !is_elsewhere(record)
    });
    let free = all(&|record| {
        let node = record
            .values
            .iter()
            .find(|value| value.attribute == name)
            .and_then(|value| value.node);
        !is_elsewhere(record) && !node.is_some_and(|node| tree.is_in_region(node))
    });
    let of_one_name = |found: &Vec<usize>| {
        let first = found.first().map(|at| bare(&records[*at]));
        first.is_some_and(|first| found.iter().all(|at| bare(&records[*at]) == first))
    };
    let candidates = [with_own_address, named, free];
    candidates.into_iter().find(of_one_name).unwrap_or_default()
}

/// Returns true if a value was read from structured data, and not from what a reader sees.
pub(crate) fn is_structured(tree: &Tree<'_>, node: Option<NodeId>) -> bool {
    let Some(node) = node else { return true };
    let document = tree.document;
    let mut around = std::iter::once(node).chain(document.ancestors(node));
    around.any(|node| matches!(document.tag(node), "script" | "meta"))
}
