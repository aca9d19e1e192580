//! Looking into a workspace, also while a crawl runs.

pub(crate) mod explain;
pub(crate) mod extractions;
pub(crate) mod page;
pub(crate) mod past;
pub(crate) mod replay;
pub(crate) mod site;
pub(crate) mod status;
