//! From text to the raw tree.

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{NodeOrText, TreeBuilder, TreeBuilderOpts, TreeSink, create_element};
use html5ever::{QualName, local_name, ns};

use super::cut::cuts;
use super::feed::Feeder;
use super::guard::Guard;
use super::sink::RawTree;
use crate::{Limits, Problem};

/// Character that a source may begin with and that is no text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Attributes kept per node of the limit, over the whole page: real pages have about two per
/// element, and html5ever copies them whenever it repeats a formatting element.
const ATTRIBUTES_PER_NODE: usize = 4;

/// Parses HTML within the limits. Never fails: what could not be kept is in the problems.
pub(crate) fn parse(html: &str, limits: &Limits) -> (RawTree, Vec<Problem>) {
    let tree = RawTree::new(
        limits.max_nodes.saturating_mul(ATTRIBUTES_PER_NODE),
        limits.max_attributes,
    );
    // Without scripting `noscript` has elements in it, which is where pages keep what a crawler
    // should see.
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        drop_doctype: true,
        ..Default::default()
    };
    let guard = Guard::new(TreeBuilder::new(tree, options), limits);
    let html = html.strip_prefix(BYTE_ORDER_MARK).unwrap_or(html);
    let cuts = cuts(html, limits.max_attributes);
    if !cuts.is_empty() {
        guard.builder.sink.too_many_attributes.set(true);
    }
    let mut feeder = Feeder::new(guard);
    let mut from = 0;
    for cut in &cuts {
        feeder.feed(&html[from..cut.start]);
        from = cut.end;
    }
    feeder.feed(&html[from..]);
    let (tree, mut problems) = feeder.end().finish();
    if tree.too_many_attributes.get() {
        problems.push(Problem::TooManyAttributes);
    }
    if tree.too_many_names.get() {
        problems.push(Problem::TooManyNames);
    }
    (tree, problems)
}

/// The tree that browsers make of a text file: the text in a `pre`.
pub(crate) fn preformatted(text: &str) -> RawTree {
    let tree = RawTree::new(0, 0);
    let element = |name| create_element(&tree, QualName::new(None, ns!(html), name), Vec::new());
    let (html, body, pre) = (
        element(local_name!("html")),
        element(local_name!("body")),
        element(local_name!("pre")),
    );
    tree.append(&tree.get_document(), NodeOrText::AppendNode(html.clone()));
    tree.append(&html, NodeOrText::AppendNode(body.clone()));
    tree.append(&body, NodeOrText::AppendNode(pre.clone()));
    tree.append(&pre, NodeOrText::AppendText(StrTendril::from_slice(text)));
    tree
}
