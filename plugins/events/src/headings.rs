//! Recognises headings, and weighs them as evidence for the dates below.

use magpie_sdk::extract::{Layout, Line};
use magpie_sdk::text;

use crate::signs::{ENOUGH, worth};
use crate::{who, words};

/// Returns the evidence of a heading for events. A heading of dates of meetings is strong evidence.
/// A heading that names something else on its dates, such as `Posted` or `Members` with their
/// terms, is strong evidence against events.
pub(crate) fn heading_worth(heading: &str) -> f64 {
    /// Maximum number of words of a heading that only states this.
    const MAX_WORDS: usize = 3;
    let count = text::words(heading).count();
    let is_aside = count <= MAX_WORDS && words::leads_aside(heading) && !words::meets_in(heading);
    let is_of_people = count <= 2 * MAX_WORDS && words::heads_people(heading);
    if !words::meets(heading) && (is_of_people || is_aside && worth(heading) <= 0.0) {
        return -ENOUGH;
    }
    let sure = if words::heads_meetings(heading) { 0.8 } else { 0.0 };
    // The name of a body may contain any word: `Design Review Committee`.
    match who::body_in(heading) {
        Some(_) => worth(heading).max(1.2) + sure,
        None => worth(heading) + sure,
    }
}

/// Returns the level of a heading, or `None` if the line is not a heading.
pub(crate) fn heading_level(layout: &Layout<'_>, line: &Line) -> Option<u8> {
    /// Maximum length of a heading without markup, in bytes.
    const MAX_HEADING: usize = 80;
    let tag = layout.outline().node(line.node).map_or("", |node| node.tag());
    let level = match tag {
        "h1" => 1,
        "h2" => 2,
        "h3" => 3,
        "h4" => 4,
        "h5" => 5,
        "h6" => 6,
        "caption" | "legend" | "dt" => 7,
        _ => {
            // A bold line may also be a link to the agenda, or the hours of the day before it.
            let short = line.text.len() < MAX_HEADING;
            let strong = line.pieces.iter().all(|piece| piece.strong)
                && !words::is_generic(&line.text)
                && !line.text.starts_with(|letter: char| letter.is_ascii_digit());
            return (short && (strong || words::heads_meetings(&line.text))).then_some(7);
        }
    };
    Some(level)
}

#[cfg(test)]
mod tests {
    use super::heading_worth;

    #[test]
    fn headings_speak_for_and_against_events() {
        for heading in [
            "2026 Board Meetings",
            "Design Review Committee",
            "Upcoming concerts",
        ] {
            assert!(heading_worth(heading) > 0.0, "{heading}");
        }
        for heading in ["Member since", "Posted", "Board Members", "Staff"] {
            assert!(heading_worth(heading) < 0.0, "{heading}");
        }
        // Members may meet too.
        assert!(heading_worth("Meetings of the members") > 0.0);
    }
}
