//! Annotated forms: real pages, with the labels that people gave to their forms.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use magpie_discovery::forms::FormPurpose;
use magpie_page::{Form, Page, PageSource};
use magpie_values::{Timestamp, domain};
use serde_json::Value;

pub(super) struct AnnotatedForm {
    pub(super) form: Form,
    /// File of the page and its URL, to look at.
    pub(super) page: String,
    /// Type of the form as people called it.
    pub(super) kind: String,
    pub(super) purpose: FormPurpose,
    /// Registrable domain of the page.
    pub(super) site: String,
    /// Names of fields that take the words of a search.
    pub(super) query_fields: BTreeSet<String>,
}

/// Purpose of an annotated type; `None` for forms that are not to be judged.
fn purpose_of(kind: &str) -> Option<FormPurpose> {
    Some(match kind {
        "search" => FormPurpose::Search,
        "login" => FormPurpose::Login,
        "registration" => FormPurpose::Registration,
        "contact/comment" => FormPurpose::Contact,
        "join mailing list" => FormPurpose::Newsletter,
        "password/login recovery" => FormPurpose::Recovery,
        "order/add to cart" => FormPurpose::Order,
        "display options" | "navigation" => FormPurpose::Filter,
        "other" | "poll" | "captcha" => FormPurpose::Other,
        _ => return None,
    })
}

/// Reads the annotated forms of `forms.jsonl` in a folder.
pub(super) fn read(folder: &Path) -> Result<Vec<AnnotatedForm>> {
    let list = folder.join("forms.jsonl");
    let lines = fs::read_to_string(&list).with_context(|| format!("can't read {}", list.display()))?;
    let mut found = Vec::new();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let entry: Value = serde_json::from_str(line)?;
        let file = entry["file"].as_str().unwrap_or_default();
        let url = entry["url"].as_str().unwrap_or_default();
        let body = fs::read(folder.join(file)).with_context(|| format!("can't read {file}"))?;
        read_page(&entry, file, url, body, &mut found);
    }
    Ok(found)
}

fn read_page(entry: &Value, file: &str, url: &str, body: Vec<u8>, found: &mut Vec<AnnotatedForm>) {
    let Ok(page) = Page::from_html(url, "").map(|page| page.url().clone()) else {
        return;
    };
    let host = page.host_str().unwrap_or_default().to_owned();
    let page = Page::new(PageSource {
        url: page,
        status: 200,
        headers: vec![("content-type".to_owned(), "text/html".to_owned())],
        fetched_at: Timestamp::default(),
        body: body.into(),
    });
    let forms = &page.forms().forms;
    let empty = Vec::new();
    let kinds = entry["forms"].as_array().unwrap_or(&empty);
    let fields = entry["fields"].as_array().unwrap_or(&empty);
    let mut next = 0;
    for (at, kind) in kinds.iter().enumerate() {
        let names: BTreeMap<&str, &str> = fields
            .get(at)
            .and_then(Value::as_object)
            .map(|fields| {
                fields
                    .iter()
                    .map(|(name, meaning)| (name.as_str(), meaning.as_str().unwrap_or_default()))
            })
            .into_iter()
            .flatten()
            .collect();
        let form = match kinds.len() == forms.len() {
            true => forms.get(at),
            // The annotators' tree has nested forms, so positions differ, and names must match.
            false => {
                let has_names = |form: &Form| {
                    let known = names.keys().filter(|name| {
                        let has = |known: &str| known == **name;
                        form.fields.iter().any(|field| has(&field.name))
                            || form.submits.iter().any(|submit| has(&submit.name))
                    });
                    !names.is_empty() && known.count() * 2 > names.len()
                };
                let place = (next..forms.len()).find(|&place| has_names(&forms[place]));
                next = place.map_or(next, |place| place + 1);
                place.and_then(|place| forms.get(place))
            }
        };
        let kind = kind.as_str().unwrap_or_default();
        let (Some(form), Some(purpose)) = (form, purpose_of(kind)) else {
            continue;
        };
        let queries = names.iter().filter(|(_, meaning)| **meaning == "search query");
        found.push(AnnotatedForm {
            form: form.clone(),
            page: format!("{file} {url}"),
            kind: kind.to_owned(),
            purpose,
            site: domain::registrable(&host).unwrap_or(&host).to_owned(),
            query_fields: queries.map(|(name, _)| (*name).to_owned()).collect(),
        });
    }
}
