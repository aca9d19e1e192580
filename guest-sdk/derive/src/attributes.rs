//! Parsing of `#[record(…)]` and `#[attribute(…)]`.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, LitFloat, LitInt, LitStr, Result};

use crate::names::{kind_problem, name_problem, property_problem};

/// Options in `#[record(…)]` of a struct.
#[derive(Default)]
pub(crate) struct RecordOptions {
    pub(crate) name: Option<String>,
}

impl RecordOptions {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("record"))
        {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("name") {
                    options.name = Some(meta.value()?.parse::<LitStr>()?.value());
                    return Ok(());
                }
                Err(meta.error("unknown key in `#[record(…)]`: expected `name = \"…\"`"))
            })?;
        }
        Ok(options)
    }
}

/// Options in `#[attribute(…)]` of a field.
#[derive(Default)]
pub(crate) struct AttributeOptions {
    pub(crate) identifies: bool,
    pub(crate) query: bool,
    pub(crate) expires: bool,
    pub(crate) required: bool,
    pub(crate) skip: bool,
    pub(crate) weight: Option<f64>,
    pub(crate) kind: Option<String>,
    pub(crate) rename: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) schema_org: Option<String>,
}

impl AttributeOptions {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("attribute"))
        {
            attribute.parse_nested_meta(|meta| options.take(&meta))?;
        }
        Ok(options)
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match name.as_str() {
            "identifies" => self.identifies = true,
            "query" => self.query = true,
            "expires" => self.expires = true,
            "required" => self.required = true,
            "skip" => self.skip = true,
            "weight" => self.weight = Some(weight(meta)?),
            "kind" => self.kind = Some(checked(meta, kind_problem)?),
            "rename" => self.rename = Some(checked(meta, name_problem)?),
            "label" => self.label = Some(meta.value()?.parse::<LitStr>()?.value()),
            "schema_org" => self.schema_org = Some(checked(meta, property_problem)?),
            _ => {
                return Err(meta.error(
                    "unknown key in `#[attribute(…)]`: expected `identifies`, `query`, `expires`, `required`, `skip`, `weight = 2.0`, \
                     `kind = \"…\"`, `rename = \"…\"`, `label = \"…\"` and `schema_org = \"…\"`",
                ));
            }
        }
        Ok(())
    }
}

fn weight(meta: &ParseNestedMeta<'_>) -> Result<f64> {
    let value = meta.value()?;
    // A weight may be written as `2`, which the parser does not take for a float.
    if value.peek(LitInt) {
        return value.parse::<LitInt>()?.base10_parse();
    }
    value.parse::<LitFloat>()?.base10_parse()
}

fn checked(meta: &ParseNestedMeta<'_>, problem: impl Fn(&str) -> Option<String>) -> Result<String> {
    let literal: LitStr = meta.value()?.parse()?;
    match problem(&literal.value()) {
        Some(problem) => Err(syn::Error::new(literal.span(), problem)),
        None => Ok(literal.value()),
    }
}
