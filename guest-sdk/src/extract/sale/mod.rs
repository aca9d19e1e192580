//! Pages of products for sale: the part about one product, its price, availability, rating and
//! picture.
//!
//! [`Layout::main_block`] is the part of a page about its product, without the boxes of other
//! products beside and below. [`Layout::row_block`] is one record of a listing. Both return a
//! [`Block`] with the same methods.

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
mod words;

pub use availability::availability;
pub use block::Block;
pub use cart::Purchase;
pub use marked::{is_deep, known_rating, marked_picture, offered_price, offered_stock, own_address};
pub use plain::plain_name;

use magpie_values::text::WordList;

use super::layout::Layout;
use super::named::{any_word, has_word};

/// Number of nested elements around a text whose classes are examined: shops wrap an amount in a
/// few.
const NEAREST: usize = 4;

/// Returns true if an element, or one closely around it, has one of the words in its class.
fn is_classed(layout: &Layout<'_>, node: u32, words: &WordList) -> bool {
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
