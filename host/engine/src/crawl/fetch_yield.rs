//! The yield of a fetch, from which the order of a queue learns.

/// The yield of a fetch, before its URLs were offered.
pub(super) struct FetchYield {
    /// The group of the URL.
    pub(super) form: i64,
    /// The identities of the objects on it.
    pub(super) objects: Vec<u64>,
    /// The guide accepts it.
    pub(super) is_accepted: bool,
    /// True if it was a page that could be read, or led to one.
    pub(super) is_page: bool,
}
