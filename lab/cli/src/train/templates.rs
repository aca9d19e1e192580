//! Judging of URL templates: whether they are learned from result pages of real searches.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use magpie_discovery::UrlTemplate;
use serde_json::Value;

/// Words that are filled into templates: one, several, and some with letters beyond ASCII.
const QUERIES: [&str; 3] = ["tempest", "deep learning", "Müller straße"];

/// Place of the query in a template of the list.
const MARK: &str = "{{{s}}}";

/// Figures of the templates of real searches.
#[derive(Default)]
pub(super) struct TemplateFigures {
    /// Templates with one place, behind the host.
    pub(super) templates: u32,
    /// Those whose template is the same again when learned from each of the queries.
    pub(super) from_example: u32,
    /// Templates that were not found, to look at.
    pub(super) mistakes: Vec<String>,
}

/// Judges the templates of `templates.jsonl` in a folder.
pub(super) fn run(folder: &Path) -> Result<TemplateFigures> {
    let list = folder.join("templates.jsonl");
    let lines = fs::read_to_string(&list).with_context(|| format!("can't read {}", list.display()))?;
    let mut figures = TemplateFigures::default();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let entry: Value = serde_json::from_str(line)?;
        judge(entry["template"].as_str().unwrap_or_default(), &mut figures);
    }
    Ok(figures)
}

fn judge(written: &str, figures: &mut TemplateFigures) {
    if written.matches(MARK).count() != 1 {
        return;
    }
    let host_end = written.find("://").map_or(0, |at| at + 3);
    let host = written[host_end..]
        .split(['/', '?', '#'])
        .next()
        .unwrap_or_default();
    // Templates without a host are searches of the collection itself, limited to a site.
    if host.contains(MARK) || !written.starts_with("http") {
        return;
    }
    figures.templates += 1;
    let template = match written.replace(MARK, "{query}").parse::<UrlTemplate>() {
        Ok(template) => template,
        Err(error) => {
            figures.mistakes.push(format!("{error}: {written}"));
            return;
        }
    };
    let is_learned = QUERIES.iter().all(|query| {
        let url = template.fill(query, &[]);
        let learned = url.and_then(|url| UrlTemplate::from_example(&url, query));
        // Templates are equal if they give the same URL for another query, in any spelling.
        let other = "another query";
        learned.is_some_and(|learned| learned.fill(other, &[]) == template.fill(other, &[]))
    });
    figures.from_example += u32::from(is_learned);
    if !is_learned {
        figures
            .mistakes
            .push(format!("not learned from an example: {written}"));
    }
}
