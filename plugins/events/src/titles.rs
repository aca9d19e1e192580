//! Names of events without a name of their own: from headings above them, from bodies that meet, or
//! from the subject of the page.

use std::cell::OnceCell;

use magpie_sdk::extract::Layout;
use magpie_sdk::text;

use crate::draft::Draft;
use crate::name::{self, MAX_NAME};
use crate::tree::Frame;
use crate::when::Clock;
use crate::who::{self, Bodies};
use crate::words;

/// Factor by which a page must mention another body more often than that of its title to be about
/// the other one.
const MIN_FACTOR: usize = 3;

pub(crate) type Title = (String, u32);

/// Names that a page offers; computed at the first use.
pub(crate) struct Titles<'l, 'p> {
    layout: &'l Layout<'p>,
    frame: &'l Frame,
    clock: Clock<'p>,
    page: OnceCell<Option<Title>>,
    /// Main body of the page, and true if it is unambiguous.
    body: OnceCell<Option<(Title, bool)>>,
    bodies: OnceCell<Bodies>,
}

impl<'l, 'p> Titles<'l, 'p> {
    pub(crate) fn new(layout: &'l Layout<'p>, frame: &'l Frame, clock: Clock<'p>) -> Self {
        Self {
            layout,
            frame,
            clock,
            page: OnceCell::new(),
            body: OnceCell::new(),
            bodies: OnceCell::new(),
        }
    }

    /// Returns a name from the headings above, the nearest first. A heading that only states a
    /// meeting (`2026 Board Meeting Dates`) counts less than the main body of the page.
    pub(crate) fn below(&self, headings: &[(&str, u32)]) -> Option<Title> {
        let (mut vague, mut holder) = (None, None);
        let mut is_of_meetings = false;
        for (heading, node) in headings {
            if let Some(body) = who::body_in(heading) {
                return Some((body.to_owned(), *node));
            }
            let was_of_meetings = is_of_meetings;
            is_of_meetings |= words::heads_meetings(heading);
            // `Meetings begin at 7 pm:` is a time, not a name.
            let says_when = words::leads_all(heading) && self.clock.only_hours(heading).is_some();
            let name = of_heading(heading, &self.clock);
            if says_when || name.is_empty() || name.len() > MAX_NAME || words::is_generic(&name) {
                continue;
            }
            // Above a heading of meetings, a heading may be the organiser.
            if was_of_meetings {
                holder = holder.or(Some((name, *node)));
                continue;
            }
            // The main heading of the page may be the organiser too.
            let is_main = self.layout.heading().is_some_and(|main| main.node == *node);
            // If meetings alternate between places, the nearest heading may be a place.
            let is_where = words::is_place(&name) && !words::meets(&name);
            if !words::is_vague(&name) && !is_main && !is_where {
                return Some((name, *node));
            }
            vague = vague.or(Some((name, *node)));
        }
        let of_meetings = headings.iter().any(|(heading, _)| meets(heading)) || self.is_of_meetings();
        let body = of_meetings.then(|| self.body()).flatten();
        let sure = body.clone().filter(|(_, is_sure)| *is_sure).map(|(body, _)| body);
        sure.or(vague)
            .or(holder)
            .or_else(|| self.page())
            .or_else(|| body.map(|(body, _)| body))
    }

    /// Replaces the name of a meeting by the full name of its body: `Board Meeting` becomes `Board
    /// of Trustees` if the page mentions it. The only event of a page is named after its body.
    /// Names in lists are kept if they have more content.
    pub(crate) fn settle(&self, draft: &mut Draft, is_alone: bool) {
        let name = &draft.event.name;
        if !meets(name) {
            return;
        }
        if let Some(body) = who::body_in(name) {
            if is_alone && is_plain_meeting(name, body) {
                draft.event.name = body.to_owned();
            }
        } else if text::words(name).all(|word| words::is_body(word) || words::is_plain(word)) {
            let kinds: Vec<&str> = text::words(name).filter(|word| words::is_body(word)).collect();
            let is_kind = |word: &str| kinds.iter().any(|kind| kind.eq_ignore_ascii_case(word));
            let known = self.body().map(|((body, _), _)| body);
            let known = known.filter(|body| text::words(body).any(is_kind));
            let known = known.or_else(|| self.bodies().most_of(is_kind).map(str::to_owned));
            if let Some(body) = known {
                draft.event.name = body;
            }
        }
    }

    /// Returns true if the page's heading or title is about meetings or names a body.
    pub(crate) fn is_of_meetings(&self) -> bool {
        self.about().iter().any(|(text, _)| meets(text))
    }

    /// Returns the subject of the page, from its heading or else its title.
    fn page(&self) -> Option<Title> {
        let page = self.page.get_or_init(|| {
            let mut names = self
                .about()
                .into_iter()
                .map(|(text, node)| (of_heading(&text, &self.clock), node));
            names.find(|(name, _)| !name.is_empty() && name.len() <= MAX_NAME && !words::is_generic(name))
        });
        page.clone()
    }

    /// Returns the body in the heading or title of the page, or else the one mentioned most, and
    /// true if it is unambiguous.
    fn body(&self) -> Option<(Title, bool)> {
        let body = self.body.get_or_init(|| {
            let named =
                (self.about().iter()).find_map(|(text, node)| Some((who::body_in(text)?.to_owned(), *node)));
            let bodies = self.bodies();
            match (named, bodies.most()) {
                // The title of a site may name its operator. The body that the page is about is
                // mentioned more often.
                (Some((title, 0)), Some((body, count)))
                    if count >= MIN_FACTOR * bodies.count(&title).max(1) =>
                {
                    Some(((body.to_owned(), 0), true))
                }
                (Some(named), _) => Some((named, true)),
                (None, most) => most.map(|(body, count)| ((body.to_owned(), 0), count > 1)),
            }
        });
        body.clone()
    }

    /// Returns all bodies that the page mentions.
    fn bodies(&self) -> &Bodies {
        self.bodies.get_or_init(|| Bodies::of(self.layout, self.frame))
    }

    /// Returns the main heading and the parts of the title.
    fn about(&self) -> Vec<Title> {
        let heading = self.layout.heading().map(|heading| (heading.text, heading.node));
        let title = self.layout.page().title().unwrap_or_default();
        let parts = title
            .split(['|', '–', '—', '·', ':'])
            .flat_map(|part| part.split(" - "));
        heading
            .into_iter()
            .chain(parts.map(|part| (part.to_owned(), 0)))
            .collect()
    }
}

/// Returns true for an event above the main heading that has the name of the site, as the title has
/// it beside that of the page. A page below its home page is not about the festival whose days are
/// in the head of the page.
pub(crate) fn is_of_site(layout: &Layout<'_>, draft: &Draft) -> bool {
    let page = layout.page();
    let node = draft.node_of("name");
    let name = text::bare(&draft.event.name);
    let title = page.title().map(|title| text::bare(&title)).unwrap_or_default();
    let graph = page.structured().find(|entity| entity.syntax() == "open-graph");
    let stated = graph.and_then(|graph| graph.get("og:site_name").map(text::bare));
    let Some(heading) = layout
        .heading()
        .filter(|heading| (1..heading.node).contains(&node))
    else {
        return false;
    };
    let beside = title.strip_prefix(&name).or_else(|| title.strip_suffix(&name));
    let beside = beside.map(str::trim).filter(|beside| !beside.is_empty());
    beside.is_some_and(|beside| stated.as_ref() == Some(&name) || text::bare(&heading.text) == beside)
}

fn meets(text: &str) -> bool {
    words::meets(text) || words::meets_in(text)
}

/// Removes years and words for lists from a heading: `2026 Board Meeting Dates` becomes `Board
/// Meeting`.
pub(crate) fn of_heading(heading: &str, clock: &Clock<'_>) -> String {
    let name = name::read(heading, clock).text;
    let words: Vec<&str> = name.split_whitespace().collect();
    let meets = words::meets(&name);
    let kept = &words[list_words(words.iter(), meets)..];
    let kept = &kept[..kept.len() - list_words(kept.iter().rev(), meets)];
    let kept = kept.join(" ");
    let kept = name::trimmed(&kept);
    singular(kept)
}

/// Returns true if a name only states that a body meets: `Regular Meeting of the Board of Trustees`
/// or, with its place, `Hill County: Board of Trustees Meeting`.
fn is_plain_meeting(name: &str, body: &str) -> bool {
    let Some((before, after)) = name.split_once(body) else {
        return false;
    };
    let before = before.rsplit(": ").next().unwrap_or(before);
    text::words(before).chain(text::words(after)).all(words::is_plain)
}

/// Returns the number of leading words that only announce a list. `The` alone may belong to the
/// name. So may a year, except in names of meetings.
fn list_words<'w>(words: impl Iterator<Item = &'w &'w str>, meets: bool) -> usize {
    let mut count = 0;
    for (place, word) in words.enumerate() {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        let is_number = word.len() <= 4 && word.chars().all(|letter| letter.is_ascii_digit());
        if words::is_list_word(word) || (is_number && meets) {
            count = place + 1;
        } else if !is_number && !words::joins_list(word) {
            break;
        }
    }
    count
}

/// Returns the singular: `Board Meeting` for `Board Meetings`.
fn singular(name: &str) -> String {
    let last = name
        .split_whitespace()
        .last()
        .map(text::fold_word)
        .unwrap_or_default();
    let plural = matches!(last.as_str(), "meetings" | "hearings" | "sessions");
    let cut = name.len() - usize::from(plural && name.ends_with(['s', 'S']));
    name[..cut].to_owned()
}

/// Returns true if the text next to the dates of meetings is only their place.
pub(crate) fn is_where(beside: &str, title: Option<&Title>) -> bool {
    !meets(beside) && title.is_some_and(|(title, _)| meets(title))
}

#[cfg(test)]
mod tests {
    use super::{is_plain_meeting, of_heading};
    use crate::testing::{clock, page};
    use magpie_sdk::extract::Layout;

    #[test]
    fn only_plain_meetings_are_called_like_those_who_meet() {
        for (name, body, expected) in [
            ("Citizens Advisory Board Meeting", "Citizens Advisory Board", true),
            (
                "Regular Meeting of the Board of Trustees",
                "Board of Trustees",
                true,
            ),
            ("Hill County: Board of Health Meeting", "Board of Health", true),
            (
                "Special Meeting of the Board of Trustees",
                "Board of Trustees",
                false,
            ),
            ("Budget Hearing, Parks Board", "Parks Board", false),
        ] {
            assert_eq!(is_plain_meeting(name, body), expected, "{name}");
        }
    }

    #[test]
    fn headings_lose_what_makes_them_heads_of_lists() {
        let page = page("<p>x");
        let layout = Layout::new(&page);
        let clock = clock(&layout);
        for (heading, name) in [
            ("2026 Board Meeting Dates", "Board Meeting"),
            ("Upcoming Board Meetings:", "Board Meeting"),
            ("Commission Meeting Schedule for 2026", "Commission Meeting"),
            ("Riverside Jazz Festival", "Riverside Jazz Festival"),
            ("Meeting dates", "Meeting"),
            ("Upcoming", ""),
            ("Riverside Jazz 2026", "Riverside Jazz 2026"),
        ] {
            assert_eq!(of_heading(heading, &clock), name, "{heading}");
        }
    }
}
