//! Sites that are learned and read. The sites are made up here: a venue whose programme lists its
//! shows, each of which has a page.

mod file;
mod learning;
mod reading;
mod site;
