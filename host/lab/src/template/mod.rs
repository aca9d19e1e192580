//! Making tags of content, by the grammar of a design.

mod blocks;
mod form;
mod machine;
mod page;
mod skin;
mod values;

pub(crate) use page::{Rendered, push_escaped, render};
pub(crate) use skin::{Part, Skin};
