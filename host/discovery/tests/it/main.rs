//! Integration tests of URLs, links, robots.txt, sitemaps, scope and traps.

mod canonical;
mod order;
mod published_urls;
mod robots;
mod scan;
mod scan_real_pages;
mod sitemaps;
mod traps;
