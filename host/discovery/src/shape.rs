//! The kind of a URL: what is left when figures and identifiers are taken out.

use magpie_model::CanonicalUrl;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Hash of a path in which each run of digits counts as one digit.
pub(crate) fn of_path(path: &str) -> u64 {
    shape(path.as_bytes())
}

/// The shape of a URL without its host.
pub(crate) fn of_url(url: &CanonicalUrl) -> u64 {
    shape(url.path_and_query().as_bytes())
}

fn shape(text: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    take(&mut hash, text);
    hash.digest()
}

/// Hashes a text, in which all numbers count as one. Servers that ignore case are linked to in both
/// cases, which makes no other kind of page.
pub(crate) fn take(hash: &mut Xxh3, text: &[u8]) {
    let text = text.to_ascii_lowercase();
    for run in text.chunk_by(|one, other| one.is_ascii_digit() == other.is_ascii_digit()) {
        hash.update(if run[0].is_ascii_digit() { b"0" } else { run });
    }
}

/// The set of keys of a query, in any order.
pub(crate) fn of_keys(url: &CanonicalUrl) -> u64 {
    let pairs = url.query().unwrap_or_default().split('&');
    let keys = pairs.map(|pair| xxh3_64(pair.split('=').next().unwrap_or_default().as_bytes()));
    keys.fold(0, u64::wrapping_add)
}
