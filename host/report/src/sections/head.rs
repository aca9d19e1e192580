//! Title, key figures, notices; and the foot of the page.

use crate::data::{Head, Level, Notice, Report};
use crate::figures::{bytes, count, counted, duration, shown};
use crate::table::first;

/// Notices that are shown; a person reads no more before the report itself.
const MAX_NOTICES: usize = 30;

/// Returns the part above the sections. The title is already escaped.
pub(crate) fn header(report: &Report, title: &str) -> String {
    format!(
        "<header>\n<h1>{title}</h1>\n{}{}{}</header>\n",
        about(&report.head),
        key_figures(report),
        notices(&report.notices)
    )
}

pub(crate) fn footer(report: &Report) -> String {
    let version = match report.head.program_version.as_str() {
        "" => String::new(),
        version => format!(" {}", shown(version)),
    };
    format!("<footer>Written by Magpie{version}. This file needs no network and holds no script.</footer>\n")
}

/// Describes the run in a line.
fn about(head: &Head) -> String {
    let run = [
        head.run.as_str(),
        head.vertical.as_str(),
        head.vertical_version.as_str(),
    ];
    let run: Vec<&str> = run.into_iter().filter(|part| !part.is_empty()).collect();
    let mut parts = vec![shown(&run.join(" ")), shown(&head.when)];
    if head.seconds > 0.0 {
        parts.push(format!("took {}", shown(&duration(head.seconds))));
    }
    if !head.workspace.is_empty() {
        parts.push(format!("workspace <code>{}</code>", shown(&head.workspace)));
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return String::new();
    }
    format!("<p class=\"about\">{}</p>\n", parts.join(" · "))
}

/// The few figures that a person asks for first.
fn key_figures(report: &Report) -> String {
    let mut figures: Vec<(String, String)> = Vec::new();
    if let Some(method) = report.methods.iter().find(|method| method.is_this_run) {
        figures.push((
            count(method.pages),
            format!("pages fetched, {}", of_known(method.share_of_pages, "known")),
        ));
        let objects = format!("objects, {}", of_known(method.share_of_objects, "found so far"));
        figures.push((count(method.distinct_objects), objects));
        figures.push((bytes(method.bytes), "downloaded".to_owned()));
    }
    if !report.sites.is_empty() {
        let sites = report.sites.len() as u64;
        // Sites share objects; a figure in which each is counted once goes before their sum.
        let this = report.methods.iter().find(|method| method.is_this_run);
        let new = this.and_then(|method| method.new_objects).unwrap_or_else(|| {
            let new = report.sites.iter().map(|site| site.new_objects);
            new.fold(0, u64::saturating_add)
        });
        let noun = if sites == 1 { "site" } else { "sites" };
        figures.push((count(sites), format!("{noun}, {}", counted(new, "new object"))));
    }
    if figures.is_empty() {
        return String::new();
    }
    let figure = |(figure, name): &(String, String)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>", shown(name), shown(figure))
    };
    let figures: String = figures.iter().map(figure).collect();
    format!("<dl class=\"key\">{figures}</dl>\n")
}

/// A share of all that is known, which need not be all that there is.
fn of_known(share: f64, known: &str) -> String {
    match share {
        1.0 => format!("all that are {known}"),
        share => format!("{} of those {known}", crate::figures::share(share)),
    }
}

fn notices(notices: &[Notice]) -> String {
    if notices.is_empty() {
        return String::new();
    }
    let (kept, more) = first(notices, MAX_NOTICES);
    let mut out = String::from("<ul class=\"notices\">\n");
    for notice in kept {
        let (class, word) = match notice.level {
            Level::Note => ("note", "Note"),
            Level::Warning => ("warning", "Warning"),
            Level::Problem => ("problem", "Problem"),
        };
        out.push_str(&format!(
            "<li class=\"{class}\"><b>{word}</b> {}</li>\n",
            shown(&notice.sentence)
        ));
    }
    out.push_str("</ul>\n");
    if more > 0 {
        out.push_str(&format!(
            "<p class=\"rest\">and {}</p>\n",
            counted(more as u64, "more notice")
        ));
    }
    out
}
