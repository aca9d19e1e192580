//! Pages of things that are for sale: the part that is about one thing, its price, whether it can
//! be had, what people think of it, its picture.
//!
//! [`Layout::main_block`] is the part of a page that is about its one thing, without the boxes of
//! other things beside and below; [`Layout::row_block`] is one record of a listing. Both answer the
//! same questions, see [`Block`].

mod availability;
mod block;
mod cart;
mod codes;
mod holes;
mod marked;
mod occasion;
mod picture;
mod plain;
mod price;
mod stars;
mod subject;

pub use availability::availability;
pub use block::Block;
pub use cart::Purchase;
pub use marked::{is_deep, known_rating, marked_picture, offered_price, offered_stock, own_address};
pub use plain::plain_name;

use super::layout::Layout;
use super::named::has_word;

/// Elements between a text and its block whose classes are looked at: shops wrap an amount in a few.
const NEAREST: usize = 4;

/// Whether an element, or one closely around it, has one of the words in its class.
fn is_classed(layout: &Layout<'_>, node: u32, words: &[&str]) -> bool {
    let Some(node) = layout.outline().node(node) else {
        return false;
    };
    std::iter::once(node)
        .chain(node.ancestors())
        .take(NEAREST)
        .any(|node| {
            layout
                .class(node.id())
                .is_some_and(|class| has_word(class, words))
        })
}
