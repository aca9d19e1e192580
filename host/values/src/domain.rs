//! Domains by the public suffix list: below which names anyone may register another.
//!
//! The list is code, more than half a megabyte of it, that is compiled into each crate that calls
//! it. So all callers share the two functions here.

/// Returns the registrable domain of a host name, such as `example.co.uk` for
/// `www.example.co.uk`. Returns `None` for a public suffix and for a single label.
pub fn registrable(host: &str) -> Option<&str> {
    psl::domain_str(host)
}

/// Returns true if a domain is one below which anyone registers names: `com`, `co.uk`, `github.io`.
/// A single unknown label counts as one too.
pub fn is_public_suffix(domain: &str) -> bool {
    psl::suffix_str(domain).is_some_and(|suffix| suffix.len() == domain.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_registered_below_public_suffixes() {
        assert_eq!(registrable("www.example.co.uk"), Some("example.co.uk"));
        assert_eq!(registrable("a.b.github.io"), Some("b.github.io"));
        assert_eq!(registrable("github.io"), None);
        assert_eq!(registrable("localhost"), None);
        assert!(is_public_suffix("co.uk") && is_public_suffix("localhost"));
        assert!(!is_public_suffix("example.co.uk"));
    }
}
