//! The binary `magpie`.

fn main() {}
