//! When two events are the same.

use magpie_sdk::{Key, Verdict, cluster};

use crate::Event;

pub(crate) fn keys(record: &Event) -> Vec<Key> {
    cluster::keys(record)
}

pub(crate) fn compare(one: &Event, other: &Event) -> Verdict {
    cluster::compare(one, other)
}

pub(crate) fn label(record: &Event) -> String {
    cluster::label(record)
}
