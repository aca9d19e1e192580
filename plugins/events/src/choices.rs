//! Reads the days of meetings from a form, such as a selection of agendas.

use magpie_sdk::extract::Layout;
use magpie_sdk::{OutlineNode, text};

use crate::draft::{self, Draft, Source};
use crate::titles::Titles;
use crate::tree::Frame;
use crate::when::{Clock, When};
use crate::words;

/// Minimum number of days in a form that lists meetings. Fewer days are a choice of dates for
/// something else.
const MIN_DAYS: usize = 4;

/// Maximum number of events read from forms.
const MAX_EVENTS: usize = 500;

/// Maximum length of an option that is a day, in bytes.
const MAX_CHOICE: usize = 60;

/// Returns the meetings whose days a page offers in a form.
pub(crate) fn events(
    layout: &Layout<'_>,
    frame: &Frame,
    clock: &Clock<'_>,
    titles: &Titles<'_, '_>,
) -> Vec<Draft> {
    let title = layout.page().title().unwrap_or_default();
    let heading = layout.heading().map(|heading| heading.text).unwrap_or_default();
    let meets = |text: &str| words::meets(text) || words::meets_in(text);
    if !meets(&title) && !meets(&heading) {
        return Vec::new();
    }
    let forms = layout
        .outline()
        .nodes()
        .filter(|node| node.tag() == "select" && !frame.holds(node.id()));
    let mut found = Vec::new();
    for form in forms {
        let whens = days(clock, form);
        if whens.len() < MIN_DAYS || found.len() + whens.len() > MAX_EVENTS {
            continue;
        }
        // The name is that of the page, so if one form has none, no other has.
        let Some((name, node)) = titles.below(&[]) else {
            break;
        };
        found.extend(whens.into_iter().map(|when| {
            let mut draft = Draft::of(Source::Choices);
            draft.event.name.clone_from(&name);
            draft.at("name", node);
            draft.set_when(when);
            draft
        }));
    }
    draft::with_common_hours(layout, clock, found)
}

/// Returns the days that a form offers, if it offers little else.
fn days(clock: &Clock<'_>, form: OutlineNode<'_>) -> Vec<When> {
    let choices: Vec<OutlineNode<'_>> = form.descendants().filter(|node| node.tag() == "option").collect();
    let day = |choice: &OutlineNode<'_>| {
        let written = text::tidy(choice.text());
        let day = (written.len() <= MAX_CHOICE)
            .then(|| clock.heading_day(&written))
            .flatten()?;
        Some(When {
            start: day,
            end: None,
            node: choice.id(),
        })
    };
    let found: Vec<When> = choices.iter().filter_map(day).collect();
    if found.len() * 5 >= choices.len() * 4 {
        found
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::events;
    use crate::testing::clock;
    use crate::titles::Titles;
    use crate::tree::Frame;
    use magpie_sdk::Page;
    use magpie_sdk::extract::Layout;

    /// Returns the names and days on a page with this heading and these options.
    fn found(heading: &str, choices: &[&str]) -> Vec<String> {
        let choices = choices.join("<option>");
        let html = format!("<h1>{heading}</h1><form><select><option>{choices}</select></form>");
        let page = Page::from_html("https://example.org/", &html);
        let layout = Layout::new(&page);
        let (frame, clock) = (Frame::of(&layout), clock(&layout));
        let titles = Titles::new(&layout, &frame, clock);
        let events = events(&layout, &frame, &clock, &titles);
        let line = |draft: &crate::draft::Draft| {
            let start = draft.start().map(|start| start.to_string());
            format!("{} {}", draft.event.name, start.unwrap_or_default())
        };
        events.iter().map(line).collect()
    }

    #[test]
    fn days_of_meetings_are_taken_from_forms() {
        const DAYS: [&str; 5] = [
            "Select a date",
            "May 4, 2026",
            "June 1, 2026",
            "July 6, 2026",
            "8/3/2026",
        ];
        assert_eq!(
            found("Board of Health Meetings", &DAYS),
            [
                "Board of Health 2026-05-04",
                "Board of Health 2026-06-01",
                "Board of Health 2026-07-06",
                "Board of Health 2026-08-03"
            ]
        );
        // Too few days, options that are mostly no days, and a page about something else.
        assert!(found("Board of Health Meetings", &DAYS[..3]).is_empty());
        let others = [&DAYS[..], &["Packet", "Minutes", "Video"]].concat();
        assert!(found("Board of Health Meetings", &others).is_empty());
        assert!(found("Pick-up dates of your order", &DAYS).is_empty());
    }
}
