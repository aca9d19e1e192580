//! The contract's functions for a [`Vertical`] or [`Clusterer`], as called by
//! [`export!`](crate::export) and by programs that run a plugin without Wasm.

use crate::bindings::clusters::{Merged, Prepared, Verdict};
use crate::bindings::descriptions::{self, VerticalInfo};
use crate::bindings::objects::Object;
use crate::bindings::queries::Query;
use crate::record::{Attribute, Found, Record};
use crate::{About, Clusterer, Error, Judgement, Page, Validator, Vertical, features};

/// Describes a plugin. Version and summary are those of its crate; they are used if the plugin
/// gives none.
pub fn describe<C: Clusterer>(version: &str, summary: &str) -> VerticalInfo {
    VerticalInfo {
        object_type: C::Record::OBJECT_TYPE.to_owned(),
        attributes: C::Record::SCHEMA.iter().map(attribute).collect(),
        ..described(C::NAME, C::about(), version, summary)
    }
}

/// Describes a plugin that judges pages. It has no schema.
pub fn describe_validator<V: Validator>(version: &str, summary: &str) -> VerticalInfo {
    VerticalInfo {
        object_type: V::OBJECT_TYPE.to_owned(),
        ..described(V::NAME, V::about(), version, summary)
    }
}

/// Description of a plugin apart from its schema.
fn described(name: &str, about: About, version: &str, summary: &str) -> VerticalInfo {
    VerticalInfo {
        name: name.to_owned(),
        version: about.version.unwrap_or_else(|| version.to_owned()),
        summary: about.summary.unwrap_or_else(|| summary.to_owned()),
        object_type: String::new(),
        attributes: Vec::new(),
        options: about.options,
        routing: about.routing.into(),
        extra: Vec::new(),
    }
}

/// Judges a page.
///
/// # Errors
///
/// Returns the validator's errors.
pub fn judge<V: Validator>(page: &Page) -> Result<Judgement, Error> {
    #[cfg(not(target_arch = "wasm32"))]
    crate::backend::declare_options(&V::about().options);
    V::judge(page)
}

/// Extracts the objects of a page.
///
/// # Errors
///
/// Returns the extractor's errors.
pub fn extract<V: Vertical>(page: &Page) -> Result<Vec<Object>, Error> {
    // In a component the host knows the options from `describe`.
    #[cfg(not(target_arch = "wasm32"))]
    crate::backend::declare_options(&V::about().options);
    let calibration = V::calibration();
    let calibrated = |found: Found<V::Record>| {
        let mut object = found.into_object();
        object.confidence = calibration.apply(object.confidence);
        object
    };
    Ok(V::extract(page)?.into_iter().map(calibrated).collect())
}

/// Prepares each object. An object that lacks a required attribute gets no keys and is therefore
/// never compared.
///
/// # Errors
///
/// Never fails at present; the contract provides for errors.
pub fn prepare<C: Clusterer>(objects: &[Object]) -> Result<Vec<Prepared>, Error> {
    let prepared = objects.iter().map(|object| match C::Record::from_object(object) {
        Ok(record) => Prepared {
            features: features::encode(&record),
            keys: C::keys(&record),
        },
        Err(error) => {
            crate::warn!("left out of clustering: {error}");
            Prepared {
                features: Vec::new(),
                keys: Vec::new(),
            }
        }
    });
    Ok(prepared.collect())
}

/// Compares one object with many, by their features.
///
/// # Errors
///
/// Fails with `bad-features` if [`prepare`] of this plugin did not make the features.
pub fn compare<C: Clusterer>(one: &[u8], many: &[Vec<u8>]) -> Result<Vec<Verdict>, Error> {
    let one: C::Record = features::decode(one)?;
    many.iter()
        .map(|other| match other.as_slice() {
            // An object that could not be prepared matches no other.
            [] => Ok(Verdict {
                probability: 0.0,
                reasons: Vec::new(),
            }),
            other => Ok(C::compare(&one, &features::decode(other)?)),
        })
        .collect()
}

/// Merges objects that were found to be the same.
///
/// # Errors
///
/// Fails if every object lacks a required attribute.
pub fn merge<C: Clusterer>(objects: &[Object]) -> Result<Merged, Error> {
    let mut sources = Vec::with_capacity(objects.len());
    let mut records = Vec::with_capacity(objects.len());
    let mut problem = None;
    for (source, object) in (0..).zip(objects) {
        match C::Record::from_object(object) {
            Ok(record) => {
                sources.push(source);
                records.push(record);
            }
            Err(error) => problem = Some(error),
        }
    }
    if records.is_empty() {
        return Err(problem.unwrap_or_else(|| Error::internal("nothing to merge")));
    }
    let mut merged = C::merge(&records);
    for choice in &mut merged.keep {
        // The vertical counts within its records, the host within all objects.
        choice.source = sources.get(choice.source as usize).copied().unwrap_or(0);
    }
    Ok(merged)
}

/// Returns search engine queries for an object.
///
/// # Errors
///
/// Fails if the object lacks a required attribute.
pub fn queries<V: Vertical>(object: &Object) -> Result<Vec<Query>, Error> {
    Ok(V::queries(&V::Record::from_object(object)?))
}

/// Sends the text of panics to the log. Outside Wasm panics go to stderr as usual.
pub fn report_panics() {
    crate::backend::report_panics();
}

fn attribute(attribute: &Attribute) -> descriptions::Attribute {
    let Attribute {
        name,
        kind,
        label,
        required,
        repeated,
        identifies,
        query,
        expires,
        weight,
        schema_org,
    } = *attribute;
    descriptions::Attribute {
        name: name.to_owned(),
        kind: kind.to_owned(),
        label: label.to_owned(),
        required,
        repeated,
        identifies,
        query,
        expires,
        weight,
        extra: schema_org
            .map(|path| ("schema.org".to_owned(), path.to_owned()))
            .into_iter()
            .collect(),
    }
}
