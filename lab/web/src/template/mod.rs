//! Rendering of content to HTML, by the template of a design.

mod blocks;
mod calendars;
mod entities;
mod form;
mod json_ld;
mod page;
mod scripted;
mod skin;
mod values;

#[cfg(test)]
pub(crate) use entities::push_text;
pub(crate) use page::{Rendered, push_escaped, render};
pub(crate) use scripted::Mount;
pub(crate) use skin::{Part, Skin};
