//! Addresses of object stores.

use std::fmt;

use magpie_warc::{ArchiveError, StoreFault};
use url::Url;

/// The schemes that this build knows, for messages.
pub(crate) const SCHEMES: &str = if cfg!(all(feature = "gcs", feature = "azure")) {
    "s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///FOLDER"
} else if cfg!(feature = "gcs") {
    "s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or file:///FOLDER"
} else if cfg!(feature = "azure") {
    "s3://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///FOLDER"
} else {
    "s3://BUCKET/PREFIX or file:///FOLDER"
};

/// The address of an object store, or of a file in one: `s3://bucket/prefix`, `file:///folder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreUrl {
    pub(crate) scheme: Scheme,
    /// Empty for a folder.
    pub(crate) bucket: String,
    /// Parts of the path, decoded, joined by `/`.
    pub(crate) path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    S3,
    File,
    #[cfg(feature = "gcs")]
    Gcs,
    #[cfg(feature = "azure")]
    Azure,
}

impl Scheme {
    fn of(word: &str) -> Option<Scheme> {
        match word {
            "s3" => Some(Scheme::S3),
            "file" => Some(Scheme::File),
            #[cfg(feature = "gcs")]
            "gs" => Some(Scheme::Gcs),
            #[cfg(feature = "azure")]
            "az" => Some(Scheme::Azure),
            _ => None,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Scheme::S3 => "s3",
            Scheme::File => "file",
            #[cfg(feature = "gcs")]
            Scheme::Gcs => "gs",
            #[cfg(feature = "azure")]
            Scheme::Azure => "az",
        }
    }
}

impl StoreUrl {
    /// Returns `true` if a name is an address of a store, known or not, and no path of a file.
    pub fn is_url(name: &str) -> bool {
        name.contains("://")
    }

    /// Parses an address. The error is the reason why it can't be used, without the address, which
    /// may have a password in it.
    pub fn parse(text: &str) -> Result<StoreUrl, String> {
        let scheme = text
            .split_once("://")
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        let Some(scheme) = scheme.as_deref().and_then(Scheme::of) else {
            return Err(format!(
                "it is no address of an object store that this build knows: write {SCHEMES}"
            ));
        };
        let url = Url::parse(text).map_err(|error| format!("it is no URL ({error}): write {SCHEMES}"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "credentials do not belong into the address, which is shown and stored: give them in \
                 environment variables, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                    .to_owned(),
            );
        }
        if url.query().is_some() || url.fragment().is_some() || url.port().is_some() {
            return Err(format!(
                "it has a port, a query or a fragment: write {SCHEMES}, and name another server in AWS_ENDPOINT_URL"
            ));
        }
        let bucket = url.host_str().unwrap_or_default().to_owned();
        if bucket.is_empty() != (scheme == Scheme::File) {
            return Err(format!(
                "it lacks a bucket, or names a host of a folder: write {SCHEMES}"
            ));
        }
        let path = object_store::path::Path::from_url_path(url.path())
            .map_err(|error| format!("its path can't be used ({error})"))?;
        // Addresses are stored as they are shown, and read again.
        if path.as_ref().contains(['#', '?', '%']) {
            return Err("its path has one of `#`, `?` and `%`".to_owned());
        }
        Ok(StoreUrl {
            scheme,
            bucket,
            path: path.to_string(),
        })
    }

    /// Returns the address of a name below this one.
    pub fn join(&self, name: &str) -> StoreUrl {
        let path = match self.path.is_empty() {
            true => name.to_owned(),
            false => format!("{}/{name}", self.path),
        };
        StoreUrl { path, ..self.clone() }
    }

    /// Returns the part after the last slash.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn fault(&self, fault: StoreFault, detail: impl fmt::Display) -> ArchiveError {
        ArchiveError::Store {
            fault,
            url: self.to_string(),
            detail: detail.to_string(),
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StoreUrl { scheme, bucket, path } = self;
        write!(formatter, "{}://{bucket}/{path}", scheme.word())
    }
}
