//! Answers with one object.

bench_support::constant!("constant", 1);
