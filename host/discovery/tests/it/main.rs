//! Integration tests of URLs, links, robots.txt, sitemaps, scope and traps.

mod acts;
mod canonical;
mod forms;
mod order;
mod published_urls;
mod robots;
mod scan;
mod scan_real_pages;
mod sitemaps;
mod template;
mod traps;
