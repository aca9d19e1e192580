//! Making tags of content, by the grammar of a design.

mod blocks;
mod form;
mod machine;
mod page;
mod skin;
mod values;

pub(crate) use machine::push_json;
pub(crate) use page::{Rendered, render};
pub(crate) use skin::{Part, Skin};
