//! Integration tests of WARC and ARC files.

mod archive;
mod archive_writer;
mod common;
mod samples;
