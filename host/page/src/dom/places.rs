//! Places that scripts of a page fill, and elements that they act on.

use std::collections::BTreeMap;

use super::{Document, NodeId};

/// Elements that hold content.
const HOLDERS: [&str; 9] = [
    "div", "main", "section", "article", "ul", "ol", "tbody", "table", "aside",
];

/// Places that are returned of one page.
const MAX_PLACES: usize = 100;

/// Nodes within a place: scripts and white space.
const MAX_NODES: u32 = 40;

/// Bytes of an identity.
const MAX_BYTES: usize = 100;

/// Returns the elements that are empty until a script fills them, each by its tag and what a script
/// knows it by: its id, or the name of a data attribute. Empty if the page has no script.
pub(crate) fn script_places(document: &Document) -> Vec<String> {
    let nodes = 0..document.node_count();
    if !nodes.clone().any(|node| document.tag(node) == "script") {
        return Vec::new();
    }
    nodes
        .filter(|node| is_place(document, *node))
        .filter_map(|node| identity(document, node))
        .take(MAX_PLACES)
        .collect()
}

/// Returns the elements that look like links or buttons though they name no address: their number
/// by their tags and classes, as in `li.item>span.more`. Empty if the page has no script.
pub(crate) fn script_actions(document: &Document) -> BTreeMap<String, usize> {
    let nodes = 0..document.node_count();
    let mut actions = BTreeMap::new();
    if !nodes.clone().any(|node| document.tag(node) == "script") {
        return actions;
    }
    for node in nodes.filter(|node| is_action(document, *node)) {
        let own = shown(document, node);
        let outer = document.parent(node).map(|parent| shown(document, parent));
        let identity = format!("{}>{own}", outer.unwrap_or_default());
        // Known identities are still counted when the list is full, so that their numbers are
        // right.
        let is_kept = identity.len() <= 2 * MAX_BYTES
            && (actions.len() < MAX_PLACES || actions.contains_key(&identity));
        if is_kept {
            *actions.entry(identity).or_default() += 1;
        }
    }
    actions
}

/// Returns true for a link without an address, and for a button that sends no form.
fn is_action(document: &Document, node: NodeId) -> bool {
    let attribute = |name: &str| document.attribute(node, name);
    if !document.is_html(node) || attribute("hidden").is_some() {
        return false;
    }
    let has_role = || attribute("role").is_some_and(|role| matches!(role, "link" | "button"));
    let acts = match document.tag(node) {
        "a" => {
            // An anchor without an `href` is a link target of old pages, unless something shows
            // that it acts.
            attribute("href").is_none_or(|href| {
                let href = href.trim_ascii_start();
                href.is_empty() || href == "#" || href.to_ascii_lowercase().starts_with("javascript:")
            }) && (attribute("href").is_some() || attribute("onclick").is_some() || has_role())
        }
        "button" => true,
        "input" | "select" | "textarea" | "option" | "label" | "form" | "body" | "html" => false,
        _ => {
            let names = ["onclick", "data-href", "data-url"];
            has_role() || names.iter().any(|name| attribute(name).is_some())
        }
    };
    acts && !document
        .ancestors(node)
        .any(|outer| document.tag(outer) == "form")
}

/// Returns the tag of an element with its classes.
fn shown(document: &Document, node: NodeId) -> String {
    let mut shown = document.tag(node).to_owned();
    for class in document
        .attribute(node, "class")
        .unwrap_or_default()
        .split_ascii_whitespace()
    {
        shown.push('.');
        shown.push_str(class);
    }
    shown
}

/// Returns true for an element that readers would see, if it had content.
fn is_place(document: &Document, node: NodeId) -> bool {
    let tag = document.tag(node);
    if !(HOLDERS.contains(&tag) || tag.contains('-')) || !document.is_html(node) {
        return false;
    }
    let hides = document.attribute(node, "hidden").is_some()
        || document.attribute(node, "aria-hidden") == Some("true")
        || document.attribute(node, "style").is_some_and(|style| {
            style
                .to_ascii_lowercase()
                .replace(' ', "")
                .contains("display:none")
        });
    let is_empty = || {
        let mut inner = (node + 1..document.end(node)).map(|inner| document.tag(inner));
        inner.all(|tag| matches!(tag, "#text" | "script" | "noscript" | "template" | "style"))
            && document.text_of(node).is_empty()
    };
    let is_small = document.end(node) - node <= MAX_NODES;
    // The last question reads all descendants, of which the one before it limits the number.
    !hides && is_small && is_empty()
}

fn identity(document: &Document, node: NodeId) -> Option<String> {
    let tag = document.tag(node);
    let id = document.attribute(node, "id").filter(|id| !id.is_empty());
    let known_by = match id {
        Some(id) => format!("#{id}"),
        None if tag.contains('-') => String::new(),
        None => {
            let (data, _) = document
                .attributes(node)
                .find(|(name, _)| name.starts_with("data-"))?;
            format!("[{data}]")
        }
    };
    Some(format!("{tag}{known_by}")).filter(|identity| identity.len() <= MAX_BYTES)
}
