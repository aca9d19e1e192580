//! Pulls a component from an OCI registry.
//!
//! An artefact is laid out as in the CNCF's Wasm OCI artefact guidance, which `wkg` writes: a
//! manifest with a config of its own type, and one layer, the component. The registry is not
//! trusted: sizes are limited, and the layer must have the digest that the manifest states.
//! Decision 30 has the reasons.

mod challenge;
mod manifest;

use magpie_runtime::MAX_COMPONENT_BYTES;
use magpie_web::{Exchange, Request};
use serde::Deserialize;
use url::Url;

use super::download::{DownloadError, Downloads, Security, shown};
use super::source::Reference;
use magpie_runtime::Sha256;

pub use challenge::Challenge;
pub use manifest::{BadManifest, Layer};

/// Maximum size of a manifest. Those of components have about 1 KiB.
const MAX_MANIFEST_BYTES: usize = 256 << 10;

/// Maximum size of the answer of a token server.
const MAX_TOKEN_BYTES: usize = 64 << 10;

/// Reason why a registry has no usable artefact.
#[derive(Debug, thiserror::Error)]
pub enum OciError {
    #[error(transparent)]
    Download(#[from] DownloadError),
    /// The registry does not have it.
    #[error("the registry has no such {0}")]
    Missing(&'static str),
    #[error("the registry refuses anonymous access")]
    Login,
    /// The token server's answer can't be used.
    #[error("the registry's token server {0} issued no token")]
    Token(Box<Url>),
    /// The manifest is not that of a component.
    #[error("the manifest is not that of a component: {0}")]
    Manifest(#[from] BadManifest),
    /// The content is not what its digest says.
    #[error("the {what} that the registry sent has the digest {found} instead of {expected}")]
    Digest {
        what: &'static str,
        found: Sha256,
        expected: Sha256,
    },
    /// The layer has another size than the manifest states.
    #[error("the registry sent a component of {found} bytes instead of {expected}")]
    Size { found: usize, expected: u64 },
}

impl OciError {
    /// Advice on how to resolve the error.
    pub(super) fn hint(&self) -> String {
        let hint = match self {
            Self::Download(error) => return error.hint(),
            Self::Missing(_) => "check the name and the version",
            Self::Login | Self::Token(_) => {
                "only public artefacts can be fetched; pull it with `wkg oci pull` and add the file by its path"
            }
            Self::Manifest(_) => {
                "push the component with `wkg oci push`, or download the file and add it by its path"
            }
            Self::Digest { .. } | Self::Size { .. } => {
                "the registry or the connection to it was tampered with or is faulty; do not use the file"
            }
        };
        hint.to_owned()
    }
}

pub(super) struct Pulled {
    pub(super) component: Vec<u8>,
    pub(super) manifest: Sha256,
}

/// Pulls the component that a reference names.
pub(super) async fn pull(downloads: &Downloads, reference: &Reference) -> Result<Pulled, OciError> {
    let mut registry = Registry {
        downloads,
        reference,
        token: None,
    };
    let answer = registry
        .get(
            reference.manifest_url(),
            manifest::MEDIA_TYPE,
            MAX_MANIFEST_BYTES,
            "version",
        )
        .await?;
    // A manifest that is not the one that the user named is not even parsed.
    let manifest = manifest_digest(&answer, reference)?;
    let layer = Layer::of_manifest(answer.body(), answer.media_type().as_deref())?;
    // The stated size limits the download, so a registry can't send more than it announces.
    let limit = usize::try_from(layer.bytes.min(MAX_COMPONENT_BYTES)).unwrap_or(usize::MAX);
    let answer = registry
        .get(
            reference.blob_url(layer.digest),
            manifest::LAYER_TYPE,
            limit,
            "blob",
        )
        .await?;
    let component = answer.body();
    if component.len() as u64 != layer.bytes {
        return Err(OciError::Size {
            found: component.len(),
            expected: layer.bytes,
        });
    }
    expect("component", component, layer.digest)?;
    Ok(Pulled {
        component: component.to_vec(),
        manifest,
    })
}

/// Returns the digest of a manifest, after the comparison with the digests that the user and the
/// registry state.
fn manifest_digest(answer: &Exchange, reference: &Reference) -> Result<Sha256, OciError> {
    let body = answer.body();
    if let Some(expected) = reference.digest() {
        expect("manifest", body, expected)?;
    }
    // The field is optional, and a digest by another algorithm than SHA-256 is ignored.
    if let Some(stated) = answer.header("docker-content-digest")
        && let Some(stated) = Sha256::parse(&stated)
    {
        expect("manifest", body, stated)?;
    }
    Ok(Sha256::of(body))
}

fn expect(what: &'static str, content: &[u8], expected: Sha256) -> Result<(), OciError> {
    let found = Sha256::of(content);
    if found == expected {
        Ok(())
    } else {
        Err(OciError::Digest {
            what,
            found,
            expected,
        })
    }
}

/// A repository of a registry, asked as an anonymous user.
struct Registry<'a> {
    downloads: &'a Downloads,
    reference: &'a Reference,
    token: Option<String>,
}

impl Registry<'_> {
    /// Gets a part of the artefact, with a token if the registry asks for one.
    async fn get(
        &mut self,
        url: Url,
        accept: &str,
        limit: usize,
        what: &'static str,
    ) -> Result<Exchange, OciError> {
        let mut answer = self.request(&url, accept, limit).await?;
        // The token of the first request serves for the others. A registry that refuses it is not
        // asked for another.
        if answer.status == 401 && self.token.is_none() {
            let challenge = answer
                .header_all("www-authenticate")
                .find_map(|field| Challenge::parse(&field));
            self.token = Some(self.token(&challenge.ok_or(OciError::Login)?).await?);
            answer = self.request(&url, accept, limit).await?;
        }
        match answer.status {
            200 => Ok(answer),
            401 | 403 => Err(OciError::Login),
            404 => Err(OciError::Missing(what)),
            status => Err(DownloadError::Status {
                url: Box::new(answer.url.clone()),
                status,
            }
            .into()),
        }
    }

    async fn request(&self, url: &Url, accept: &str, limit: usize) -> Result<Exchange, OciError> {
        let mut request = Request::new(url.clone());
        request.accept = Some(accept.to_owned());
        // A redirect to another origin, such as a content delivery network, does not get it.
        if let Some(token) = &self.token {
            let field = ("Authorization".to_owned(), format!("Bearer {token}"));
            request.headers.push(field);
        }
        // Error pages may be larger than a small layer.
        let limit = limit.max(MAX_TOKEN_BYTES);
        Ok(self.downloads.get(request, limit, self.security()).await?)
    }

    async fn token(&self, challenge: &Challenge) -> Result<String, OciError> {
        #[derive(Deserialize)]
        struct Answer {
            token: Option<String>,
            access_token: Option<String>,
        }
        let url = challenge
            .url(self.reference.name())
            .ok_or_else(|| DownloadError::Redirect("the registry names no token server".to_owned()))?;
        let mut request = Request::new(url.clone());
        request.accept = Some("application/json".to_owned());
        let answer = self
            .downloads
            .get(request, MAX_TOKEN_BYTES, self.security())
            .await?;
        let refused = || OciError::Token(Box::new(url.clone()));
        if answer.status != 200 {
            return Err(refused());
        }
        let answer: Answer = serde_json::from_slice(answer.body()).map_err(|_| refused())?;
        // Docker's token servers send `token`, those after OAuth 2 send `access_token`.
        let token = answer.token.or(answer.access_token);
        // The token becomes part of a header field, and a line break would begin another field.
        let is_sendable =
            |token: &String| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        token.filter(is_sendable).ok_or_else(refused)
    }

    fn security(&self) -> Security {
        if self.reference.is_loopback() {
            Security::Local
        } else {
            Security::Encrypted
        }
    }
}
