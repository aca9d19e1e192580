//! Converts a core module to a component and adds metadata.

use std::collections::BTreeSet;
use std::ops::Range;

use wasm_encoder::{ComponentSection as _, CustomSection};
use wasmparser::{Chunk, Parser, Payload, Validator};
use wit_component::ComponentEncoder;

use crate::{Error, Result};

/// Custom section with the contract's package and version: `magpie:vertical@0.1.0`. A host reads it
/// before compiling the component.
pub const CONTRACT_SECTION: &str = "magpie:contract";

/// Metadata written into a component, so that the file alone shows its origin. Registries of
/// components read sections with these names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Name of the package, which becomes the component's.
    pub name: String,
    pub version: String,
    /// Description in one line.
    pub description: Option<String>,
    /// Authors, separated by commas.
    pub authors: Option<String>,
    /// Licences, as an SPDX expression.
    pub licenses: Option<String>,
    pub homepage: Option<String>,
    pub source: Option<String>,
}

impl Metadata {
    /// Custom sections by name, without empty ones.
    fn sections(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let sections = [
            ("version", Some(self.version.as_str())),
            ("description", self.description.as_deref()),
            ("authors", self.authors.as_deref()),
            ("licenses", self.licenses.as_deref()),
            ("homepage", self.homepage.as_deref()),
            ("source", self.source.as_deref()),
        ];
        sections
            .into_iter()
            .filter_map(|(name, text)| Some((name, text?)))
            .filter(|(_, text)| !text.is_empty())
    }
}

/// Converts a core module built for `wasm32-unknown-unknown` to a component and adds metadata. A
/// file that is already a component (as `wasm32-wasip2` produces) only gets the metadata.
pub(crate) fn componentize(module: &[u8], metadata: &Metadata) -> Result<Vec<u8>> {
    if Parser::is_component(module) {
        return stamp(module, metadata);
    }
    if !Parser::is_core_wasm(module) {
        return Err(Error::NotWasm);
    }
    stamp(&encode(module)?, metadata)
}

/// Writes metadata and contract into a component, replacing existing metadata, and validates the
/// result.
pub(crate) fn stamp(component: &[u8], metadata: &Metadata) -> Result<Vec<u8>> {
    if !Parser::is_component(component) {
        return Err(Error::NotWasm);
    }
    // Validation comes first: the code below relies on valid sections.
    Validator::new().validate_all(component)?;
    let contract = contract_of(component)?;
    // Existing sections are removed first. A component that is stamped twice would otherwise have
    // each of them twice.
    let named = set_name(&without_stamp(component)?, metadata)?;
    let mut stamped = named;
    for (name, text) in metadata.sections().chain([(CONTRACT_SECTION, contract.as_str())]) {
        let section = CustomSection {
            name: name.into(),
            data: text.as_bytes().into(),
        };
        section.append_to_component(&mut stamped);
    }
    // The sections were copied by byte ranges, so a mistake there must not reach a user.
    Validator::new().validate_all(&stamped)?;
    Ok(stamped)
}

/// Contract of a component's exports: `magpie:vertical@0.1.0`.
fn contract_of(component: &[u8]) -> Result<String> {
    let exports = exports(component)?;
    let versions: BTreeSet<String> = exports.iter().filter_map(|export| contract_in(export)).collect();
    let mut versions = versions.into_iter();
    match (versions.next(), versions.next()) {
        (None, _) => Err(Error::NoContract { exports }),
        (Some(version), None) => Ok(version),
        (Some(first), Some(second)) => Err(Error::MixedContracts {
            versions: [first, second].into_iter().chain(versions).collect(),
        }),
    }
}

/// Contract in the name of an export: `magpie:vertical@0.1.0` for
/// `magpie:vertical/extraction@0.1.0`.
fn contract_in(export: &str) -> Option<String> {
    let interface = export.strip_prefix(crate::CONTRACT_PACKAGE)?.strip_prefix('/')?;
    let (_, version) = interface.split_once('@')?;
    Some(format!("{}@{version}", crate::CONTRACT_PACKAGE))
}

fn encode(module: &[u8]) -> Result<Vec<u8>> {
    let (described, unknown_imports) = interface_of(module)?;
    if !described {
        return Err(Error::NoInterface);
    }
    let mut encoder = ComponentEncoder::default();
    let encoded = encoder.module(module).and_then(|encoder| encoder.encode());
    encoded.map_err(|source| Error::Encode {
        unknown_imports,
        source,
    })
}

/// Returns true if a core module describes its interface, and its imports of modules that are not
/// interfaces. Names of interfaces have a package, or are internal to the encoding (`$root`).
fn interface_of(module: &[u8]) -> Result<(bool, Vec<String>)> {
    let mut described = false;
    let mut unknown_imports = BTreeSet::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::CustomSection(section) => described |= section.name().starts_with("component-type"),
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let module = import?.module;
                    if !module.contains(':') && !module.starts_with('$') {
                        unknown_imports.insert(module.to_owned());
                    }
                }
            }
            _ => {}
        }
    }
    Ok((described, unknown_imports.into_iter().collect()))
}

fn exports(component: &[u8]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for_each_section(component, |payload, _| {
        if let Payload::ComponentExportSection(exports) = payload {
            for export in exports {
                names.push(export?.name.name.to_owned());
            }
        }
        Ok(())
    })?;
    Ok(names)
}

/// Removes the sections that `stamp` writes.
fn without_stamp(component: &[u8]) -> Result<Vec<u8>> {
    const STAMPED: [&str; 7] = [
        "version",
        "description",
        "authors",
        "licenses",
        "homepage",
        "source",
        CONTRACT_SECTION,
    ];
    let mut kept = Vec::with_capacity(component.len());
    for_each_section(component, |payload, range| {
        let stamped =
            matches!(&payload, Payload::CustomSection(section) if STAMPED.contains(&section.name()));
        if !stamped {
            kept.extend_from_slice(&component[range]);
        }
        Ok(())
    })?;
    Ok(kept)
}

fn set_name(component: &[u8], metadata: &Metadata) -> Result<Vec<u8>> {
    let mut change = wasm_metadata::AddMetadata::default();
    change.name = wasm_metadata::AddMetadataField::Set(metadata.name.clone());
    change.processed_by = vec![(
        env!("CARGO_PKG_NAME").to_owned(),
        env!("CARGO_PKG_VERSION").to_owned(),
    )];
    change.to_wasm(component).map_err(|source| Error::Encode {
        unknown_imports: Vec::new(),
        source,
    })
}

/// Visits the outermost sections (the header is the first) with their byte ranges. Nested modules
/// and components are skipped as a whole.
fn for_each_section<'a>(
    component: &'a [u8],
    mut visit: impl FnMut(Payload<'a>, Range<usize>) -> Result<()>,
) -> Result<()> {
    let mut parser = Parser::new(0);
    let mut start = 0;
    loop {
        // `true` marks the end of the data, so the parser fails instead of asking for more.
        let Chunk::Parsed { consumed, payload } = parser.parse(&component[start..], true)? else {
            return Ok(());
        };
        let end = match &payload {
            Payload::End(_) => return Ok(()),
            Payload::ModuleSection { unchecked_range, .. }
            | Payload::ComponentSection { unchecked_range, .. } => {
                // The parser consumes only the header of a nested module, so the rest is skipped by
                // its size.
                usize::try_from(unchecked_range.end).map_or(component.len(), |end| end.min(component.len()))
            }
            _ => start + consumed,
        };
        visit(payload, start..end)?;
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contract_is_read_from_an_exported_interface() {
        assert_eq!(
            contract_in("magpie:vertical/extraction@0.1.0").as_deref(),
            Some("magpie:vertical@0.1.0")
        );
        assert_eq!(contract_in("magpie:verticals/extraction@0.1.0"), None);
        assert_eq!(contract_in("magpie:vertical/extraction"), None);
        assert_eq!(contract_in("wasi:cli/run@0.2.0"), None);
    }

    #[test]
    fn text_is_not_wasm() {
        let error = componentize(b"(module)", &Metadata::default()).unwrap_err();
        assert!(matches!(error, Error::NotWasm), "{error}");
    }

    #[test]
    fn a_module_without_interface_is_refused() {
        let error = componentize(&wasm_encoder::Module::HEADER, &Metadata::default()).unwrap_err();
        assert!(matches!(error, Error::NoInterface), "{error}");
        assert!(error.hint().unwrap().contains("wit-bindgen"));
    }

    #[test]
    fn a_component_without_contract_is_refused() {
        let error = componentize(&wasm_encoder::Component::HEADER, &Metadata::default()).unwrap_err();
        assert!(error.to_string().ends_with("it exports nothing"), "{error}");
    }

    #[test]
    fn a_truncated_component_is_refused() {
        let mut bytes = wasm_encoder::Component::HEADER.to_vec();
        bytes.extend([1, 200]);
        assert!(matches!(
            componentize(&bytes, &Metadata::default()),
            Err(Error::Invalid(_))
        ));
    }
}
