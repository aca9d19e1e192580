//! The page: head, contents, sections.

use crate::data::Report;
use crate::figures::shown;
use crate::sections;

const STYLE: &str = include_str!("style.css");

/// Forbids what the page does not need, whatever its texts hold: everything but its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Sections from which on a page has a list of contents.
const CONTENTS: usize = 3;

#[derive(Debug)]
pub(crate) struct Section {
    /// The name that the contents refer to.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// Content below the title. A section without content is not shown.
    pub(crate) html: String,
}

/// The report as one HTML file.
///
/// The same report gives the same bytes. The file's size is bounded however much the report holds.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut sections = sections::all(report);
    sections.retain(|section| !section.html.is_empty());
    let title = match report.head.title.trim() {
        "" => "Magpie".to_owned(),
        title => shown(title),
    };
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<main>\n"
    );
    out.push_str(&sections::header(report, &title));
    out.push_str(&contents(&sections));
    for section in &sections {
        out.push_str(&format!(
            "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
            section.id, section.title, section.html
        ));
    }
    out.push_str(&sections::footer(report));
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// The list of contents.
fn contents(sections: &[Section]) -> String {
    if sections.len() < CONTENTS {
        return String::new();
    }
    let entry = |section: &Section| format!("<li><a href=\"#{}\">{}</a></li>", section.id, section.title);
    let entries: String = sections.iter().map(entry).collect();
    format!("<nav aria-label=\"Contents\"><ul>{entries}</ul></nav>\n")
}

/// A chart in two widths, for desks and for phones, and its figures as a table.
pub(crate) fn figure(wide: &str, narrow: &str, table: &str) -> String {
    format!(
        "<figure>\n<div class=\"wide\">{wide}</div>\n<div class=\"narrow\">{narrow}</div>\n{}</figure>\n",
        as_table(table)
    )
}

/// Returns a drawing of fixed width, which scrolls by itself if it is too wide, and its figures as
/// a table.
pub(crate) fn drawing(svg: &str, label: &str, table: &str) -> String {
    format!(
        "<figure class=\"drawing\">\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">{svg}</div>\n{}</figure>\n",
        shown(label),
        as_table(table)
    )
}

fn as_table(table: &str) -> String {
    if table.is_empty() {
        return String::new();
    }
    format!("<details class=\"figures\"><summary>The figures as a table</summary>\n{table}</details>\n")
}

/// A paragraph of words that this crate chose, with strangers' words escaped by the caller.
pub(crate) fn paragraph(html: &str) -> String {
    format!("<p>{html}</p>\n")
}
