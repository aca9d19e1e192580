//! Sentences about readings.

use magpie_engine::reading::{PagesRead, Reread};

use crate::format::{many, thousands};

/// The result of reading pages by what was learned of their site.
pub fn read(read: &PagesRead) -> String {
    let mut text = format!(
        "{} of {} changed by what the site taught",
        thousands(read.changed),
        many(read.pages, "page")
    );
    if read.made > 0 {
        let made = many(read.made, "object");
        text.push_str(&format!("; {made} that the vertical had missed"));
    }
    if read.dropped > 0 {
        let dropped = many(read.dropped, "object");
        text.push_str(&format!("; {dropped} dropped that stand in a widget"));
    }
    text
}

/// The origin of a value; none if the vertical read it on the page.
pub fn origin(source: Option<&str>) -> String {
    match source {
        None | Some("page") => "the page".to_owned(),
        Some("list") => "a list that links to the page".to_owned(),
        Some("site") => "what holds for the whole site".to_owned(),
        Some("correction") => "a correction".to_owned(),
        Some(other) => match other.strip_prefix("place ") {
            Some(place) => format!("a learned place: {place}"),
            None => other.to_owned(),
        },
    }
}

/// The result of showing archived pages to the vertical again.
pub fn reread(done: &Reread) -> String {
    let mut text = format!(
        "read {} again; {} other records than before",
        many(done.pages, "archived page"),
        match done.changed {
            1 => "1 has".to_owned(),
            changed => format!("{} have", thousands(changed)),
        }
    );
    if done.failed > 0 {
        let failed = many(done.failed, "page");
        text.push_str(&format!("; the component failed on {failed}, whose records stay"));
    }
    if done.missing > 0 {
        let missing = many(done.missing, "page");
        text.push_str(&format!(
            "; the archive has no copy of {missing}, whose records stay"
        ));
        if let (pruned, Some(last)) = done.pruned {
            let of = if pruned == done.missing {
                "".to_owned()
            } else {
                format!(" of {}", thousands(pruned))
            };
            text.push_str(&format!(": {last}{of}"));
        }
    }
    if done.was_stopped {
        text.push_str("; stopped before the end");
    }
    text
}
