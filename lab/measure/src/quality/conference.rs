//! A conference's talks, a page each.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Bench;
use super::details::{Site, measure};
use super::markup::Values;
use super::sites::documents;
use crate::data::json;
use crate::figure::Report;

pub(crate) fn run(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let site = Site {
        set: "site-fossasia2017",
        vertical: "events",
        plain: &[],
        stripped: &[
            ("name", Some(0.95)),
            ("start", Some(0.95)),
            ("end", None),
            ("venue", None),
            ("performers", None),
        ],
        name: None,
    };
    let talks = talks(folder)?;
    measure(bench, report, &site, &documents(folder)?, |document, _| {
        talks.get(&document.name).cloned()
    })
}

/// The talks of the conference by the names of their pages.
pub(crate) fn talks(folder: &Path) -> Result<HashMap<String, Values>> {
    let sessions = json(&folder.join("event/json/sessions.json"))?;
    let sessions = sessions.as_array().context("the talks are no list")?;
    let named = sessions.iter().filter_map(|talk| {
        let id = talk["id"].as_str()?;
        Some((format!("event/sessions/session_{id}.html"), values(talk)))
    });
    Ok(named.collect())
}

/// The times are labelled as UTC, and are the wall times that the pages show.
fn values(talk: &Value) -> Values {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let wall = |value: &Value| text(value).trim_end_matches("+00:00").to_owned();
    let mut values = vec![
        ("name", text(&talk["title"])),
        ("start", wall(&talk["starts-at"])),
        ("end", wall(&talk["ends-at"])),
        ("venue", text(&talk["microlocation"]["name"])),
    ];
    let speakers = talk["speakers"].as_array().into_iter().flatten();
    values.extend(speakers.map(|speaker| ("performers", text(&speaker["name"]))));
    values
}
