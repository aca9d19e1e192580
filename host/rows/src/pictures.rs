//! Small copies of the pictures of objects.

use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::words::PictureProblem;

pub trait Pictures {
    /// Returns the copies of pictures by their URLs, in the order of these; `None` where there is
    /// no copy.
    fn kept_pictures(&self, urls: &[&str]) -> Result<Vec<Option<KeptPicture>>, StoreError>;

    /// Returns a small copy, a JPEG, by the xxh3-64 of its URL.
    fn picture(&self, url_print: u64) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the xxh3-64 of the URLs of all pictures that were asked for.
    fn asked_pictures(&self) -> Result<Vec<u64>, StoreError>;

    /// Counts the pictures that were asked for since a moment, by host and outcome.
    fn picture_counts(&self, since: Timestamp) -> Result<Vec<PictureCount>, StoreError>;
}

pub trait PictureStore: Pictures {
    /// Keeps a picture that was asked for.
    fn put_picture(&self, row: PictureRow) -> Result<(), StoreError>;

    /// Deletes pictures by the xxh3-64 of their URLs.
    fn delete_pictures(&self, url_prints: Vec<u64>) -> Result<(), StoreError>;
}

/// A picture that was asked for, with its copy or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureRow {
    pub url: String,
    pub host: String,
    pub asked_at: Timestamp,
    /// Requests for it, with those of its redirects.
    pub requests: u64,
    /// Bytes of their answers.
    pub bytes: u64,
    pub copy: Result<PictureCopy, PictureProblem>,
}

/// A small copy of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureCopy {
    pub width: u32,
    pub height: u32,
    pub jpeg: Vec<u8>,
}

/// A small copy that is in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptPicture {
    /// xxh3-64 of its URL.
    pub url_print: u64,
    pub width: u32,
    pub height: u32,
}

/// Pictures of one host with one outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureCount {
    pub host: String,
    /// The reason why there is no copy.
    pub problem: Option<PictureProblem>,
    pub pictures: u64,
    pub requests: u64,
    pub bytes: u64,
}
