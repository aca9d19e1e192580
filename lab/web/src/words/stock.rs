//! Plain words for titles, trades and places.
//!
//! The lists are written for the lab. They omit words for the objects of a vertical, so that titles
//! cannot be recognised by their vocabulary. A test compares these lists with the sources of the
//! plugins.

use std::sync::LazyLock;

use super::readable::Lists;

/// Declares lists, each of which is read from the section of its name in lower case.
macro_rules! lists {
    ($($name:ident)*) => {
        $(pub(crate) static $name: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| section(&stringify!($name).to_lowercase()));)*
    };
}

lists! {
    NOUNS ADJECTIVES HOUSES OCCASIONS SOCIETIES PRESSES WARES MANNERS HUES GIVEN STREETS SECTIONS
}

fn section(name: &str) -> Vec<&'static str> {
    Lists::parse(include_str!("../../data/stock.txt"))
        .list(name)
        .to_vec()
}
