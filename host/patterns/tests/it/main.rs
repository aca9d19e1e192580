//! Integration tests of patterns, selection, navigation, rounds and drift.

mod coverage;
mod drifting;
mod navigation;
mod patterns;
mod planning;
mod real_urls;
mod rendering;
mod selection;
