//! Manifests of components.

use magpie_runtime::MAX_COMPONENT_BYTES;
use serde::Deserialize;

use super::{Sha256, shown};

pub(super) const MEDIA_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";

/// Media type of the config, which distinguishes artefacts with a component from container images.
const CONFIG_TYPE: &str = "application/vnd.wasm.config.v0+json";

/// Media type of the only layer.
pub(super) const LAYER_TYPE: &str = "application/wasm";

const SCHEMA: u64 = 2;

/// The only layer of an artefact: the component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    pub digest: Sha256,
    pub bytes: u64,
}

/// Reason why a manifest is not that of a component.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadManifest {
    /// It is not JSON, or lacks fields.
    #[error("it can't be parsed: {0}")]
    Syntax(String),
    /// It is something else.
    #[error("the media type of {what} is `{found}`, not `{expected}`")]
    MediaType {
        what: &'static str,
        found: String,
        expected: &'static str,
    },
    #[error("its schema version is {0}, not {SCHEMA}")]
    Schema(u64),
    #[error("it has {0} layers instead of one")]
    Layers(usize),
    /// The digest of the layer can't be used.
    #[error("the layer's digest `{0}` is not a SHA-256 digest")]
    Digest(String),
    /// The layer is larger than any component should be.
    #[error("the layer has {bytes} bytes, more than the {limit} a component may have")]
    TooLarge { bytes: u64, limit: u64 },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    schema_version: u64,
    media_type: Option<String>,
    config: Descriptor,
    layers: Vec<Descriptor>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    media_type: String,
    digest: String,
    size: u64,
}

impl Layer {
    /// Parses a manifest that came with a media type.
    pub fn of_manifest(json: &[u8], content_type: Option<&str>) -> Result<Layer, BadManifest> {
        if let Some(found) = content_type {
            media_type("the answer", found, MEDIA_TYPE)?;
        }
        let syntax = |error: serde_json::Error| BadManifest::Syntax(shown(&error.to_string()));
        let manifest: Manifest = serde_json::from_slice(json).map_err(syntax)?;
        if manifest.schema_version != SCHEMA {
            return Err(BadManifest::Schema(manifest.schema_version));
        }
        // The specification leaves this field optional.
        if let Some(found) = &manifest.media_type {
            media_type("the manifest", found, MEDIA_TYPE)?;
        }
        media_type("its config", &manifest.config.media_type, CONFIG_TYPE)?;
        let [layer] = manifest.layers.as_slice() else {
            return Err(BadManifest::Layers(manifest.layers.len()));
        };
        media_type("its layer", &layer.media_type, LAYER_TYPE)?;
        // The stated size is checked before anything of the layer is downloaded.
        let (bytes, limit) = (layer.size, MAX_COMPONENT_BYTES);
        if bytes > limit {
            return Err(BadManifest::TooLarge { bytes, limit });
        }
        let digest = Sha256::parse(&layer.digest);
        let digest = digest.ok_or_else(|| BadManifest::Digest(shown(&layer.digest)))?;
        Ok(Layer { digest, bytes })
    }
}

fn media_type(what: &'static str, found: &str, expected: &'static str) -> Result<(), BadManifest> {
    if found == expected {
        return Ok(());
    }
    Err(BadManifest::MediaType {
        what,
        found: shown(found),
        expected,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A manifest as `wkg` writes it.
    fn manifest() -> Value {
        json!({
            "schemaVersion": 2,
            "mediaType": MEDIA_TYPE,
            "config": {
                "mediaType": CONFIG_TYPE,
                "digest": Sha256::of(b"config"),
                "size": 6,
            },
            "layers": [{
                "mediaType": LAYER_TYPE,
                "digest": Sha256::of(b"component"),
                "size": 9,
                "annotations": {"org.opencontainers.image.title": "events.wasm"},
            }],
            "annotations": {"org.opencontainers.image.source": "https://example.org"},
        })
    }

    fn layer(manifest: &Value) -> Result<Layer, BadManifest> {
        Layer::of_manifest(manifest.to_string().as_bytes(), Some(MEDIA_TYPE))
    }

    #[test]
    fn a_manifest_of_a_component_names_its_layer() {
        let expected = Layer {
            digest: Sha256::of(b"component"),
            bytes: 9,
        };
        assert_eq!(layer(&manifest()), Ok(expected.clone()));
        let mut without = manifest();
        without.as_object_mut().unwrap().remove("mediaType");
        assert_eq!(layer(&without), Ok(expected));
    }

    #[test]
    fn other_manifests_are_refused() {
        let set = |pointer: &str, value: Value| {
            let mut manifest = manifest();
            *manifest.pointer_mut(pointer).unwrap() = value;
            layer(&manifest).unwrap_err().to_string()
        };
        let index = "application/vnd.oci.image.index.v1+json";
        for (pointer, value, sentence) in [
            ("/schemaVersion", json!(1), "its schema version is 1"),
            ("/schemaVersion", json!("2"), "can't be parsed"),
            ("/mediaType", json!(index), "the media type of the manifest is"),
            (
                "/config/mediaType",
                json!("application/vnd.oci.image.config.v1+json"),
                "the media type of its config is",
            ),
            (
                "/layers/0/mediaType",
                json!("application/vnd.oci.image.layer.v1.tar+gzip"),
                "the media type of its layer is",
            ),
            ("/layers", json!([]), "it has 0 layers"),
            ("/layers", json!({}), "can't be parsed"),
            ("/layers/0/digest", json!("sha512:00"), "is not a SHA-256 digest"),
            (
                "/layers/0/digest",
                json!("sha256:../../../etc"),
                "is not a SHA-256 digest",
            ),
            ("/layers/0/size", json!(-1), "can't be parsed"),
            (
                "/layers/0/size",
                json!(u64::MAX),
                "more than the 134217728 a component may have",
            ),
        ] {
            let error = set(pointer, value);
            assert!(error.contains(sentence), "{pointer}: {error}");
        }
        let mut two = manifest();
        let layers = two["layers"].as_array_mut().unwrap();
        layers.push(layers[0].clone());
        assert_eq!(layer(&two), Err(BadManifest::Layers(2)));
    }

    #[test]
    fn hostile_manifests_are_refused() {
        for json in [
            b"".as_slice(),
            b"null",
            b"\xff\xfe",
            "[".repeat(100_000).as_bytes(),
            "{\"layers\":".repeat(100_000).as_bytes(),
        ] {
            let layer = Layer::of_manifest(json, None);
            assert!(matches!(layer, Err(BadManifest::Syntax(_))), "{layer:?}");
        }
        let twice = manifest().to_string().replacen('{', "{\"schemaVersion\":2,", 1);
        let error = Layer::of_manifest(twice.as_bytes(), None).unwrap_err();
        assert!(error.to_string().contains("duplicate field"), "{error}");
        let error = Layer::of_manifest(b"{}", Some("text/\x1b[31mhtml")).unwrap_err();
        assert!(!error.to_string().contains('\x1b'), "{error}");
    }
}
