//! Finds the subject of a page: the heading that names it, the end of its content, and whether it
//! is one event or a list.

use magpie_sdk::extract::{Layout, Text};
use magpie_sdk::text;

use crate::draft::Draft;
use crate::name::{self, MAX_NAME};
use crate::tree::Frame;
use crate::when::Clock;
use crate::words;

/// Maximum number of records of a list of other events on the page of one event. A longer list is
/// the subject of the page.
const MAX_BESIDE: usize = 8;

/// Maximum number of headings to search for the one that the title names.
const MAX_HEADINGS: usize = 40;

/// Returns true if an event is more than the head of the list on its page.
pub(super) fn stands_apart(layout: &Layout<'_>, draft: &Draft, listed: &[Draft], labelled: bool) -> bool {
    let node = |draft: &Draft| layout.outline().node(draft.when.as_ref()?.node);
    let is_record = listed.iter().any(|other| match (node(other), node(draft)) {
        (Some(one), Some(other)) => one.range().contains(&other.id()) || other.range().contains(&one.id()),
        (one, other) => one.is_none() && other.is_none(),
    });
    let spans = draft.when.as_ref().is_some_and(|when| {
        when.end.is_some_and(|end| {
            let within = |other: &&Draft| {
                other
                    .start()
                    .is_some_and(|start| start >= when.start && start.date() <= end.date())
            };
            end.date() != when.start.date() && listed.iter().filter(within).count() * 2 >= listed.len()
        })
    });
    // A programme without a name of its own has the names of events in its records only.
    let is_named_alike = listed.iter().all(|other| other.event.name == draft.event.name);
    let is_own = !is_named_alike || is_named_in_path(layout, &draft.event.name);
    labelled && !is_record && !spans && is_own && listed.len() <= MAX_BESIDE
}

/// Returns true if the last path segment of the page's URL consists of words of a name:
/// `/events/night-music-3`.
pub(super) fn is_named_in_path(layout: &Layout<'_>, name: &str) -> bool {
    let path = layout.page().url().split(['?', '#']).next().unwrap_or_default();
    let path = path.strip_suffix("/index.html").unwrap_or(path);
    let step = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    // Sites append a number if two pages have the same name.
    let is_counter = |word: &String| word.bytes().all(|letter| letter.is_ascii_digit());
    let step: Vec<String> = text::tokens(step)
        .into_iter()
        .filter(|word| !is_counter(word))
        .collect();
    let name = text::tokens(name);
    let shared = name.iter().filter(|word| step.contains(word)).count();
    // Either may be cut off: the name of a series continues after its segment.
    let least = name.len().min(step.len());
    least >= 2 && shared * 3 >= least * 2
}

/// Returns true if the page's URL is in a folder of events: `/event/…`, `/veranstaltungen/2026/…`.
pub(super) fn is_in_event_folder(layout: &Layout<'_>) -> bool {
    let folders = crate::when::folders(layout.page().url());
    folders
        .split('/')
        .any(|folder| words::speaks(folder) == (1, 0) && text::words(folder).count() == 1)
}

/// Returns true if the software of the site lists posts or events on the page: `/tag/festival`.
pub(super) fn is_index(layout: &Layout<'_>) -> bool {
    const FOLDERS: [&str; 6] = ["tag", "tags", "category", "categories", "author", "taxonomy"];
    let folders = crate::when::folders(layout.page().url());
    let body = layout.outline().nodes().find(|node| node.tag() == "body");
    let class = body.and_then(|body| layout.class(body.id())).unwrap_or_default();
    folders.split('/').any(|folder| FOLDERS.contains(&folder))
        || class.split_ascii_whitespace().any(|class| class == "archive")
}

/// Returns the heading that names the event: the main heading, unless it is only a day.
pub(super) fn heading(layout: &Layout<'_>, frame: &Frame, clock: &Clock<'_>) -> Option<Text> {
    let names = |text: &Text| {
        let name = name::read(&text.text, clock).text;
        !name.is_empty() && !words::is_generic(&name)
    };
    if let Some(own) = behind_site_name(layout, frame) {
        return Some(own).filter(names);
    }
    let main = layout.heading().filter(names);
    let is_great = main.as_ref().is_some_and(|main| {
        layout
            .outline()
            .node(main.node)
            .is_some_and(|node| matches!(node.tag(), "h1" | "h2"))
    });
    if is_great {
        return main;
    }
    let titled = layout.named(&["title", "headline", "summary"]).into_iter();
    let titled = titled.filter(|text| text.text.len() <= MAX_NAME && !frame.is_beside(text.node));
    titled
        .filter(names)
        .find(|text| !in_head(layout, text.node))
        .or(main)
}

/// Returns the heading that the title names, if the main heading is the name of the site and links
/// to its home page.
fn behind_site_name(layout: &Layout<'_>, frame: &Frame) -> Option<Text> {
    let main = layout.heading()?;
    let title = layout.page().title()?;
    if !leads_home(layout, main.node) {
        return None;
    }
    let others = layout.outline().nodes().filter(|node| {
        matches!(node.tag(), "h1" | "h2" | "h3" | "h4")
            && node.id() != main.node
            && !frame.is_beside(node.id())
    });
    others.take(MAX_HEADINGS).find_map(|node| {
        let text = layout.text(node.id());
        // Small text in a heading, such as the date below the name, is not part of the title. A
        // name may have such marks itself: `Try | Create | Share :: Conference`.
        let named = title_parts(&title)
            .filter(|part| text.starts_with(part) && !main.text.contains(part))
            .max_by_key(|part| part.len())?;
        (!leads_home(layout, node.id())).then(|| Text {
            text: named.to_owned(),
            node: node.id(),
        })
    })
}

/// Returns the parts of a title that may be a name: those between any two of its marks.
fn title_parts(title: &str) -> impl Iterator<Item = &str> {
    const SIGNS: [&str; 6] = [" | ", " – ", " — ", " - ", " :: ", " · "];
    /// Maximum number of marks; titles with more are lists of words.
    const MAX_MARKS: usize = 8;
    let marks = SIGNS.iter().flat_map(|sign| title.match_indices(sign));
    let marks: Vec<(usize, usize)> = marks
        .map(|(at, sign)| (at, at + sign.len()))
        .take(MAX_MARKS)
        .collect();
    let begins = std::iter::once(0).chain(marks.iter().map(|(_, end)| *end));
    let ends: Vec<usize> = marks.iter().map(|(at, _)| *at).chain([title.len()]).collect();
    let parts = begins.flat_map(|begin| ends.iter().filter_map(move |end| title.get(begin..*end)));
    let parts: Vec<&str> = parts
        .map(str::trim)
        .filter(|part| name::is_telling(part))
        .collect();
    parts.into_iter()
}

/// Returns true if a heading links to a page above this one: the home page of the site or of the
/// conference.
fn leads_home(layout: &Layout<'_>, node: u32) -> bool {
    let page = layout.page();
    let Some(node) = layout.outline().node(node) else {
        return false;
    };
    let around = node.ancestors().find(|around| around.tag() == "a");
    let range = around.map_or(node.range(), |around| around.range());
    layout.hrefs(range).any(|(_, href)| {
        let url = page.resolve(href).unwrap_or_default();
        let url = url.split(['?', '#']).next().unwrap_or_default();
        url.ends_with('/') && page.url().len() > url.len() && page.url().starts_with(url)
    })
}

/// Returns true for a node in the head of the document or in the header of the page.
pub(super) fn in_head(layout: &Layout<'_>, node: u32) -> bool {
    let node = layout.outline().node(node);
    node.is_some_and(|node| {
        node.ancestors()
            .any(|around| matches!(around.tag(), "head" | "header"))
    })
}

/// Returns the node at which other content begins: a heading such as `Related events` after the
/// main one.
pub(super) fn end_of_matter(layout: &Layout<'_>, after: u32) -> u32 {
    let headings = layout.outline().nodes().filter(|node| node.id() > after);
    headings
        .filter(|node| matches!(node.tag(), "h2" | "h3" | "h4" | "h5"))
        .find(|node| words::is_related(node.text()))
        .map_or(u32::MAX, |node| node.id())
}
