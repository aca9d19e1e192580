//! A fetched page: decoded text, DOM, links, forms and structured data.
//!
//! A [`Page`] is made from the bytes of a response and parses lazily: bytes to text (the encoding
//! is chosen as in browsers), text to a tree (html5ever's, renumbered in document order), the tree
//! to links, forms, tables of values and structured data. No content of a page is an error;
//! [`Page::problems`] lists its faults and everything that was dropped because of [`Limits`].
//!
//! Pages are hostile. Work and memory are bounded by the limits, the tree is never walked by
//! recursion, and quadratic behaviour of libraries is guarded: `dom::guard` before the tree
//! builder, `dom::cut` before the tokeniser, `select::element` inside selector matching,
//! `structured::entity::Budget` for structured data.
//!
//! ```
//! use magpie_page::{Column, Page, Selector};
//!
//! let html = "<ul><li><a href='/1'>One</a> <b>5 EUR</b></li></ul>";
//! let page = Page::from_html("https://shop.example/", html)?;
//! let rows = Selector::parse("li")?;
//! let columns = [Column::parse("a", "url:href")?, Column::parse("> b", "text")?];
//! let table = page.table(page.document().root(), &rows, &columns, &mut || true)?;
//! let price = table[0].cells[1].as_ref().map(|cell| cell.text.as_str());
//! assert_eq!(price, Some("5 EUR"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod decode;
mod dom;
mod forms;
mod language;
mod limits;
mod links;
mod own_date;
mod page;
mod problem;
mod select;
mod structured;

pub use dom::{AttributeColumns, Document, NodeId, Outline};
pub use forms::{
    Choice, Field, FieldKind, Form, FormEncoding, Forms, LabelSource, MAX_CHOICES, MAX_FIELDS, MAX_FORMS,
    MAX_TEXT_BYTES, MAX_VALUE_BYTES, Method, Submit, encode_form_text,
};
pub use limits::Limits;
pub use links::{Link, LinkKind};
pub use own_date::{DaySource, OwnDate, OwnDay};
pub use page::{Page, PageSource};
pub use problem::Problem;
pub use select::{Cell, Column, InvalidSelector, Row, Selector, Stopped};
pub use structured::StructuredItem;
