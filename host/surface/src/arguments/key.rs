//! One key for URLs with the same results.

use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64;

use super::Kind;
use super::segments::{Segment, base_of, segments};

/// Returns one key for all URLs of a path with the same set of selection segments.
///
/// Order and repetition of segments do not count. Arguments of unknown kind count as selections, so
/// that nothing is lost. An argument without a value counts as absent.
pub fn semantic_key(url: &str, kinds: &BTreeMap<String, Kind>) -> u64 {
    let is_selective = |segment: &Segment| {
        !segment.value.is_empty() && kinds.get(&segment.name).is_none_or(|kind| kind.is_selective())
    };
    let selected: BTreeSet<Segment> = segments(url).into_iter().filter(is_selective).collect();
    let mut bytes = base_of(url).as_bytes().to_vec();
    for segment in &selected {
        for part in [&segment.name, &segment.value] {
            // The length makes the parts unambiguous.
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part.as_bytes());
        }
    }
    xxh3_64(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_with_the_same_selection_have_one_key() {
        let kinds = [
            ("qu", Kind::Query),
            ("mfgid", Kind::Selection),
            ("sort", Kind::Presentation),
            ("page", Kind::Paging),
            ("from", Kind::Irrelevant),
        ];
        let kinds = kinds.map(|(name, kind)| (name.to_owned(), kind)).into();
        let key = |query: &str| semantic_key(&format!("http://a.test/s?{query}"), &kinds);
        let same = key("qu=gps&mfgid=-652");
        for query in [
            "mfgid=-652&qu=gps",
            "qu=gps;mfgid=-652;sort=price;from=7",
            "qu=gps&mfgid=-652&page=3&mfgid=-652",
            "qu=%67ps&mfgid=-652&new=",
        ] {
            assert_eq!(key(query), same, "{query}");
        }
        for query in ["qu=gps&mfgid=-653", "qu=gps", "qu=gps&mfgid=-652&new=1"] {
            assert_ne!(key(query), same, "{query}");
        }
        assert_ne!(key("qu=a&mfgid=b"), key("qu=b&mfgid=a"));
        assert_ne!(semantic_key("http://a.test/t?qu=gps&mfgid=-652", &kinds), same);
    }
}
