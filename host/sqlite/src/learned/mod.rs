//! Results of learning and of recrawls: the tables `stage`, `learned_site`, `pattern`, `selection`
//! and `round`.

pub(crate) mod figures;
pub(crate) mod read;
pub(crate) mod survey;
pub(crate) mod visits;
pub(crate) mod write;
