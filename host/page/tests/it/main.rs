//! Integration tests of decoding, the tree, selectors and structured data.

mod decode;
mod document;
mod forms;
mod hostile;
mod html5lib;
mod properties;
mod real_pages;
mod structured;
mod structured_data_sets;
