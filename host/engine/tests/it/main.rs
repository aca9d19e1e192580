//! Integration tests of crawls, the warehouse and the pipeline.

mod bench;
mod browser;
mod crawl;
mod golden;
mod pipeline;
mod rendered;
mod warehouse;
