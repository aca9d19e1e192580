//! Sites as files have them: mirrors with all pages, and link graphs, on which crawls are replayed.

pub(crate) mod edit;
pub(crate) mod graph;
pub(crate) mod mirror;
pub(crate) mod oracle;
pub(crate) mod replay;
