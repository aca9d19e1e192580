//! Digests of components as people see them.

/// Number of digits that distinguish the components of a workspace.
const SHOWN: usize = 12;

/// Returns the beginning of a digest, with the name of its algorithm: `sha256:ba7816bf8f01`.
pub fn short_digest(digest: &str) -> &str {
    let algorithm = digest.find(':').map_or(0, |colon| colon + 1);
    digest.get(..algorithm + SHOWN).unwrap_or(digest)
}
