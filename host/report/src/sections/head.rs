//! The head of the page: the run, key figures, notices.

use crate::blocks::{Block, Cell, Tone, rest};
use crate::data::{Level, Notice, Report};
use crate::format::{bytes, cut, duration, many, share};

/// Notices that are shown; a person reads no more before the report itself.
const MAX_NOTICES: usize = 30;

pub(super) fn blocks(report: &Report) -> Vec<Block> {
    let mut blocks = Vec::from_iter(about(report));
    blocks.extend(key_figures(report));
    blocks.extend(report.notices.iter().take(MAX_NOTICES).map(notice));
    blocks.extend(rest(report.notices.len(), MAX_NOTICES, "notice").map(Block::text));
    blocks
}

/// Describes the run in a line.
fn about(report: &Report) -> Option<Block> {
    let head = &report.head;
    let run = [&head.run, &head.vertical, &head.vertical_version].map(String::as_str);
    let run = run
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>();
    let mut parts = vec![cut(&run.join(" ")), cut(&head.when)];
    if head.seconds > 0.0 {
        parts.push(format!("took {}", duration(head.seconds)));
    }
    if !head.workspace.is_empty() {
        parts.push(format!("workspace {}", cut(&head.workspace)));
    }
    parts.retain(|part| !part.is_empty());
    (!parts.is_empty()).then(|| Block::Text(vec![Cell::Below(vec![parts.join(" · ").into()])]))
}

/// The few figures that a person asks for first.
fn key_figures(report: &Report) -> Option<Block> {
    let this = report.methods.iter().find(|method| method.is_this_run);
    let mut figures = Vec::new();
    if let Some(method) = this {
        let pages = format!("pages fetched, {}", of_known(method.share_of_pages, "known"));
        figures.push(Cell::number(method.pages).figure(&pages));
        let objects = format!("objects, {}", of_known(method.share_of_objects, "found so far"));
        figures.push(Cell::number(method.distinct_objects).figure(&objects));
        figures.push(Cell::from(bytes(method.bytes)).figure("downloaded"));
    }
    if !report.sites.is_empty() {
        let sites = report.sites.len() as u64;
        // Sites share objects; a figure in which each is counted once goes before their sum.
        let new = this.and_then(|method| method.new_objects).unwrap_or_else(|| {
            let new = report.sites.iter().map(|site| site.new_objects);
            new.fold(0, u64::saturating_add)
        });
        let noun = if sites == 1 { "site" } else { "sites" };
        figures.push(Cell::number(sites).figure(&format!("{noun}, {}", many(new, "new object"))));
    }
    (!figures.is_empty()).then_some(Block::Figures(figures))
}

/// A share of all that is known, which need not be all that there is.
fn of_known(part: f64, known: &str) -> String {
    match part {
        1.0 => format!("all that are {known}"),
        part => format!("{} of those {known}", share(part)),
    }
}

fn notice(notice: &Notice) -> Block {
    let (tone, word) = match notice.level {
        Level::Note => (Tone::Quiet, "Note"),
        Level::Warning => (Tone::Odd, "Warning"),
        Level::Problem => (Tone::Bad, "Problem"),
    };
    let cells = vec![
        Cell::Strong(word.to_owned()),
        Cell::from(format!(" {}", cut(&notice.sentence))),
    ];
    Block::Verdict { tone, cells }
}
