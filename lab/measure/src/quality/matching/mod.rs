//! Objects of two lists that are taken for one, untrained: by the clusterers of the verticals (the
//! compiled components) and, for restaurants, which have no vertical here, by the schema's default.
//!
//! - Whole tables: all objects of both lists are clustered as in a crawl, and the pairs across the
//!   lists that are in one cluster are compared with the gold standard, which is complete. Blocking
//!   is counted on the same run: the share of the gold standard's pairs that were compared at all,
//!   and compared pairs as a share of all pairs of all objects.
//! - Labelled pairs: each pair of the test split is compared by itself, without blocking. A
//!   probability of at least one half is a match.

mod labelled;
mod measure;
mod tables;

use std::path::Path;

use anyhow::Result;
use magpie_matching::SchemaMatcher;
use magpie_model::{Attribute, Field, Kind, Object, PageContext, Value, VerticalInfo, check};
use magpie_runtime::PluginMatcher;

use super::Bench;
use crate::figure::Report;
use measure::Pairs;

const RESTAURANT: [(&str, &str, bool); 4] = [
    ("name", "text", true),
    ("phone", "identifier:phone", true),
    ("street", "place", true),
    ("city", "place", false),
];

pub(crate) fn books(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let plugin = bench.readers.plugin("books")?;
    let (lists, labels) = tables::books(plugin.info(), folder)?;
    let name = "books, Goodreads x BookDepository without ISBN";
    let outcome = lists.measure(PluginMatcher(&plugin))?;
    outcome.report(bench, report, name, Some(0.85), Some(0.97));
    Pairs::of_clusters(&lists, &outcome, &labels).report(
        bench,
        report,
        &format!("{name}, 499 labels by hand"),
        None,
    );
    Ok(())
}

pub(crate) fn abt_buy(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let plugin = bench.readers.plugin("products")?;
    let lists = tables::abt_buy(plugin.info(), &folder.join("pyjedai/D2"))?;
    let outcome = lists.measure(PluginMatcher(&plugin))?;
    outcome.report(
        bench,
        report,
        "products, Abt x Buy, whole tables",
        Some(0.75),
        Some(0.97),
    );
    let pairs = labelled::products(plugin.info(), &folder.join("ditto/Abt-Buy/test.txt"))?;
    let pairs = pairs.compare(PluginMatcher(&plugin))?;
    pairs.report(bench, report, "products, Abt x Buy, test pairs", Some(0.75));
    Ok(())
}

pub(crate) fn amazon_google(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let plugin = bench.readers.plugin("products")?;
    let lists = tables::amazon_google(plugin.info(), &folder.join("pyjedai/D3"))?;
    let outcome = lists.measure(PluginMatcher(&plugin))?;
    outcome.report(
        bench,
        report,
        "products, Amazon x Google, whole tables",
        Some(0.60),
        Some(0.97),
    );
    let pairs = labelled::products(plugin.info(), &folder.join("ditto/Amazon-Google/test.txt"))?;
    let pairs = pairs.compare(PluginMatcher(&plugin))?;
    pairs.report(bench, report, "products, Amazon x Google, test pairs", Some(0.60));
    Ok(())
}

pub(crate) fn restaurants(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let info = schema(&RESTAURANT);
    let lists = tables::restaurants(&info, &folder.join("pyjedai/D1"))?;
    let outcome = lists.measure(SchemaMatcher::new(&info))?;
    outcome.report(
        bench,
        report,
        "restaurants by schema, whole tables",
        Some(0.85),
        Some(0.97),
    );
    let pairs = labelled::restaurants(&info, &folder.join("ditto/Fodors-Zagats/test.txt"))?;
    let pairs = pairs.compare(SchemaMatcher::new(&info))?;
    pairs.report(
        bench,
        report,
        "restaurants by schema, Fodors x Zagats, test pairs",
        Some(0.85),
    );
    Ok(())
}

/// A schema as the author of a small plugin would declare it.
fn schema(attributes: &[(&str, &str, bool)]) -> VerticalInfo {
    let attribute = |(name, kind, identifies): &(&str, &str, bool)| Attribute {
        name: (*name).to_owned(),
        kind: Kind::from((*kind).to_owned()),
        label: (*name).to_owned(),
        required: false,
        repeated: false,
        identifies: *identifies,
        query: false,
        expires: false,
        schema_org: None,
        weight: 1.0,
    };
    VerticalInfo {
        name: "things".to_owned(),
        version: "1.0.0".to_owned(),
        object_type: "Thing".to_owned(),
        attributes: attributes.iter().map(attribute).collect(),
        ..VerticalInfo::default()
    }
}

/// An object as the host would keep it: values in normal form, without those that have none.
fn object(info: &VerticalInfo, cells: &[(&str, &str)]) -> Object {
    let cells = cells.iter().filter(|(_, text)| !is_blank(text));
    let fields = cells.map(|(path, text)| Field {
        path: (*path).to_owned(),
        value: Value::Text(text.trim().to_owned()),
        node: None,
    });
    let object = Object {
        schema_type: String::new(),
        confidence: 1.0,
        fields: fields.collect(),
    };
    let page = PageContext {
        url: "https://example.org/".to_owned(),
        ..PageContext::default()
    };
    check(info, &object, &page)
        .record
        .map(|record| record.to_object())
        .unwrap_or_default()
}

/// Returns true if a text of the tables denotes an unknown value.
fn is_blank(text: &str) -> bool {
    matches!(text.trim(), "" | "None" | "nan" | "0.0" | "-")
}
