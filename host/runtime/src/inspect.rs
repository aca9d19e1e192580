//! Description of a component file, read without running or compiling it.
//!
//! The contract's version is in the names of the interfaces that a component exports and imports
//! (`magpie:vertical/extraction@0.1.0`). There it can't disagree with the code, and the toolchain
//! of every language writes it.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use wasmparser::{Encoding, KnownCustom, Parser, Payload};

use crate::digest::Sha256;
use crate::load_error::LoadError;

pub(crate) const CONTRACT: &str = "magpie:vertical";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContractVersion {
    /// Incremented if plugins must be rebuilt, from 1.0.0 on.
    pub major: u32,
    /// Incremented if plugins must be rebuilt, before 1.0.0.
    pub minor: u32,
    /// Incremented by additions.
    pub patch: u32,
}

impl ContractVersion {
    /// Parses `0.1.0`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(str::parse);
        let (major, minor, patch) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
        parts.next().is_none().then_some(Self { major, minor, patch })
    }

    /// Returns true if a host with version `host` supports plugins built for `self`, apart from
    /// later additions.
    pub(crate) fn same_line(self, host: Self) -> bool {
        self.major == host.major && (self.major > 0 || self.minor == host.minor)
    }
}

impl fmt::Display for ContractVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Serialize for ContractVersion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Description of a component file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComponentFile")]
pub struct Inspection {
    /// Version of the contract for which it was built.
    #[schemars(with = "String")]
    pub contract: ContractVersion,
    /// Exported interfaces of the contract: `extraction`, `clustering` …
    pub exports: Vec<String>,
    /// All imports, by full name.
    pub imports: Vec<String>,
    /// Metadata by its author: `version`, `description`, `authors`, `licenses`, `source` …
    pub metadata: BTreeMap<String, String>,
    /// Initial memory of its largest module.
    pub memory_bytes: u64,
    /// Size of the file.
    pub bytes: usize,
    /// Digest of the file, for pinning: `sha256:` and hexadecimal digits.
    pub digest: String,
}

/// Custom sections with text for people, as used by registries and tools.
const TEXT_SECTIONS: [&str; 8] = [
    "version",
    "description",
    "authors",
    "licenses",
    "source",
    "homepage",
    "revision",
    "magpie:contract",
];

/// Modules declare the size of their memory in pages.
const WASM_PAGE_BYTES: u64 = 64 << 10;

/// Maximum number of characters of a metadata text.
const METADATA_BYTES: usize = 4_096;

/// Parses a file's structure; fails if it is not a vertical.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, LoadError> {
    match Parser::is_component(bytes) {
        true => {}
        false if Parser::is_core_wasm(bytes) => return Err(LoadError::CoreModule),
        false => return Err(LoadError::NotWasm),
    }
    let outline = read_sections(bytes)?;
    let contract = contract_of(&outline)?;
    Ok(Inspection {
        contract,
        exports: outline
            .exports
            .iter()
            .filter_map(|name| own_interface(name))
            .map(|(short, _)| short)
            .collect(),
        imports: outline.imports,
        metadata: outline.metadata,
        memory_bytes: outline.memory_bytes,
        bytes: bytes.len(),
        digest: Sha256::of(bytes).to_string(),
    })
}

#[derive(Default)]
struct Outline {
    imports: Vec<String>,
    exports: Vec<String>,
    metadata: BTreeMap<String, String>,
    memory_bytes: u64,
}

fn read_sections(bytes: &[u8]) -> Result<Outline, LoadError> {
    let broken = |error: wasmparser::BinaryReaderError| LoadError::Broken {
        offset: error.offset() as u64,
        reason: error.message().to_owned(),
    };
    let mut outline = Outline::default();
    // Nested modules and components are parsed too, to check the whole file. Only the sections of
    // the outermost component describe the plugin.
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(broken)? {
            Payload::Version {
                encoding: Encoding::Component | Encoding::Module,
                ..
            } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(imports) if depth == 1 => {
                for import in imports {
                    outline.imports.push(import.map_err(broken)?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(exports) if depth == 1 => {
                for export in exports {
                    outline.exports.push(export.map_err(broken)?.name.name.to_owned());
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories {
                    let bytes = memory.map_err(broken)?.initial.saturating_mul(WASM_PAGE_BYTES);
                    outline.memory_bytes = outline.memory_bytes.max(bytes);
                }
            }
            Payload::CustomSection(section) if depth == 1 => read_custom(&section, &mut outline.metadata),
            _ => {}
        }
    }
    Ok(outline)
}

fn read_custom(section: &wasmparser::CustomSectionReader<'_>, metadata: &mut BTreeMap<String, String>) {
    if let KnownCustom::ComponentName(names) = section.as_known() {
        for name in names.into_iter().flatten() {
            if let wasmparser::ComponentName::Component { name, .. } = name {
                metadata.insert("name".to_owned(), clipped(name));
            }
        }
    } else if TEXT_SECTIONS.contains(&section.name()) {
        metadata.insert(
            section.name().to_owned(),
            clipped(&String::from_utf8_lossy(section.data())),
        );
    }
}

fn contract_of(outline: &Outline) -> Result<ContractVersion, LoadError> {
    let version = outline
        .exports
        .iter()
        .find_map(|name| own_interface(name))
        .map(|(_, version)| version);
    let Some(version) = version else {
        return Err(LoadError::Unrelated {
            exports: outline.exports.clone(),
        });
    };
    ContractVersion::parse(version).ok_or_else(|| LoadError::UnknownContract {
        found: version.to_owned(),
    })
}

/// Splits `magpie:vertical/extraction@0.1.0` into `extraction` and `0.1.0`.
fn own_interface(name: &str) -> Option<(String, &str)> {
    let (interface, version) = name.strip_prefix(CONTRACT)?.strip_prefix('/')?.split_once('@')?;
    Some((interface.to_owned(), version))
}

fn clipped(text: &str) -> String {
    text.chars()
        // The text is written by a stranger and printed to terminals, which would obey control
        // characters.
        .filter(|c| !c.is_control())
        .take(METADATA_BYTES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed_and_compared_by_line() {
        let version = |text| ContractVersion::parse(text).expect(text);
        assert!(version("0.1.7").same_line(version("0.1.0")));
        assert!(!version("0.2.0").same_line(version("0.1.0")));
        assert!(version("1.4.0").same_line(version("1.0.3")));
        assert!(!version("2.0.0").same_line(version("1.0.0")));
        for wrong in ["", "1", "1.2", "1.2.3.4", "a.b.c", "0.1.0-rc.1"] {
            assert_eq!(ContractVersion::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn files_that_are_not_components_are_rejected() {
        assert!(matches!(inspect(b"\0asm\x01\0\0\0"), Err(LoadError::CoreModule)));
        assert!(matches!(inspect(b""), Err(LoadError::NotWasm)));
        // A link may lead to a file with secrets: the error must not contain any of it.
        let error = inspect(b"secret").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
        assert!(matches!(
            inspect(b"\0asm\x0d\0\x01\0\x07"),
            Err(LoadError::Broken { .. })
        ));
        assert!(matches!(
            inspect(b"\0asm\x0d\0\x01\0"),
            Err(LoadError::Unrelated { .. })
        ));
    }
}
