//! Integration tests of crawls, the warehouse and the pipeline.

mod bench;
mod crawl;
mod golden;
mod pipeline;
mod render;
mod rendered;
mod warehouse;
