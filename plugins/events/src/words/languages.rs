//! Word lists generated from `data/languages` by `build.rs`.

use magpie_sdk::text::WordList;

include!(concat!(env!("OUT_DIR"), "/languages.rs"));
