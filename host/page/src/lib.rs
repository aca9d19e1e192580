//! A fetched page: decoded text, DOM, links and structured data.

mod decode;
mod dom;
mod language;
mod limits;
mod links;
mod page;
mod problem;
mod select;
mod structured;

pub use dom::{Document, NodeId, Outline};
pub use limits::Limits;
pub use links::{Link, LinkKind};
pub use page::{Page, PageSource};
pub use problem::Problem;
pub use select::{Cell, Column, InvalidSelector, Row, Selector, Stopped};
pub use structured::StructuredItem;
