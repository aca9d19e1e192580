//! Answers with as many objects as the benchmark's listing has.

bench_support::constant!("constant-many", 187);
