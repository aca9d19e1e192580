//! Drafts of events: the values found so far, their places, and the evidence.

use magpie_sdk::Found;
use magpie_sdk::date::DateTime;
use magpie_sdk::extract::Layout;

use crate::Event;
pub(crate) use crate::evidence::Source;
use crate::evidence::{self, Evidence};
use crate::when::{Clock, Hours, When};

/// Share of the confidence that is left for an event that an article tells of.
const HEARSAY: f64 = 0.5;

#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) event: Event,
    /// Start and end, if known.
    pub(crate) when: Option<When>,
    /// Attributes with the nodes from which they were read.
    pub(crate) nodes: Vec<(&'static str, u32)>,
    /// Reader that found the event.
    pub(crate) source: Source,
    /// Sum of the signs for the event, if the reader counts them.
    pub(crate) signs: f64,
    /// Is true if labels name the date or the venue.
    pub(crate) is_labelled: bool,
    /// Is true if an article tells of the event, so that it is second-hand.
    pub(crate) is_hearsay: bool,
    /// Type in structured data.
    pub(crate) schema_type: Option<String>,
}

impl Draft {
    /// Creates a draft for a source that does not count signs.
    pub(crate) fn of(source: Source) -> Self {
        Self {
            source,
            ..Self::default()
        }
    }

    /// Sets start and end as stated. From midnight to a minute before midnight are whole days.
    pub(crate) fn set_when(&mut self, when: When) {
        let mut when = when.in_whole_days();
        // A time zone after a range, as in `21:30-22:30 GMT`, applies to start and end.
        let is_timed = when.start.time().is_some() && when.start.offset().is_none();
        let offset = when.end.and_then(DateTime::offset).filter(|_| is_timed);
        when.start = offset
            .and_then(|offset| when.start.with_offset(offset))
            .unwrap_or(when.start);
        self.event.start = Some(when.start.to_string().into());
        self.event.end = when.end.map(|end| end.to_string().into());
        self.nodes
            .retain(|(attribute, _)| !matches!(*attribute, "start" | "end"));
        self.nodes.push(("start", when.node));
        if when.end.is_some() {
            self.nodes.push(("end", when.node));
        }
        self.when = Some(when);
    }

    /// Adds the hours that the page states for all its events, unless the draft has its own.
    pub(crate) fn with_hours(mut self, hours: Option<Hours>) -> Self {
        let open = self
            .when
            .clone()
            .filter(|when| when.start.time().is_none() && when.end.is_none());
        if let Some(when) = open {
            let (start, end) = Clock::join(when.start, hours);
            self.set_when(When {
                start,
                end,
                node: when.node,
            });
        }
        self
    }

    /// Moves start and end to the next day.
    pub(crate) fn move_to_next_day(&mut self) {
        let Some(when) = self.when.clone() else { return };
        let later = |moment: DateTime| {
            let time = moment.time()?;
            Some(DateTime::of_time(moment.date().add_days(1)?, time))
        };
        if let Some(start) = later(when.start) {
            self.set_when(When {
                start,
                end: when.end.and_then(later),
                node: when.node,
            });
        }
    }

    /// Returns the node from which an attribute was read.
    pub(crate) fn node_of(&self, attribute: &str) -> u32 {
        let known = self.nodes.iter().find(|(known, _)| *known == attribute);
        known.map_or(0, |(_, node)| *node)
    }

    /// Records the node from which an attribute was read.
    pub(crate) fn at(&mut self, attribute: &'static str, node: u32) {
        self.nodes.push((attribute, node));
    }

    /// Fills missing values from another draft of the same event.
    pub(crate) fn complete(&mut self, other: Self) {
        let timed = |draft: &Self| draft.start().is_some_and(|start| start.time().is_some());
        if let Some(when) = other
            .when
            .clone()
            .filter(|_| self.when.is_none() || (!timed(self) && timed(&other)))
        {
            self.set_when(when);
        }
        let (mine, theirs) = (&mut self.event, other.event);
        let nodes = &mut self.nodes;
        let mut take = |attribute: &'static str, taken: bool| {
            let node = other.nodes.iter().find(|(known, _)| taken && *known == attribute);
            nodes.extend(node);
        };
        take("venue", fill(&mut mine.venue, theirs.venue));
        take("address", fill(&mut mine.address, theirs.address));
        take("coordinates", fill(&mut mine.coordinates, theirs.coordinates));
        take("price", fill(&mut mine.price, theirs.price));
        take("organiser", fill(&mut mine.organiser, theirs.organiser));
        take("url", fill(&mut mine.url, theirs.url));
        take("image", fill(&mut mine.image, theirs.image));
        take("status", fill(&mut mine.status, theirs.status));
        if mine.performers.is_empty() {
            mine.performers = theirs.performers;
            nodes.extend(other.nodes.iter().filter(|(known, _)| *known == "performers"));
        }
    }

    pub(crate) fn start(&self) -> Option<DateTime> {
        self.when.as_ref().map(|when| when.start)
    }

    /// Returns a measure of completeness, to choose between two drafts of one event.
    pub(crate) fn richness(&self) -> usize {
        let event = &self.event;
        let timed = self.start().is_some_and(|start| start.time().is_some());
        let there = [
            timed,
            event.end.is_some(),
            event.venue.is_some(),
            event.address.is_some(),
            event.price.is_some(),
            event.organiser.is_some(),
            !event.performers.is_empty(),
            event.url.is_some(),
            event.image.is_some(),
            event.status.is_some(),
        ];
        there.into_iter().filter(|there| *there).count()
    }

    fn evidence(&self) -> Evidence {
        Evidence {
            source: self.source,
            signs: self.signs,
            is_timed: self.start().is_some_and(|start| start.time().is_some()),
            is_placed: self.event.venue.is_some() || self.event.address.is_some(),
            is_linked: self.nodes.iter().any(|(attribute, _)| *attribute == "url"),
            is_named: self.node_of("name") != 0,
        }
    }

    /// Converts the draft to a record of the SDK.
    pub(crate) fn found(self) -> Found<Event> {
        let trust = if self.is_hearsay { HEARSAY } else { 1.0 };
        let confidence = trust * evidence::confidence(&self.evidence());
        let mut found = Found::new(self.event.clone()).confidence(confidence);
        if let Some(name) = &self.schema_type {
            found = found.schema_type(name);
        }
        self.nodes
            .into_iter()
            .fold(found, |found, (attribute, node)| found.at_node(attribute, node))
    }
}

/// Adds the hours that the page states for all its events to those without hours of their own.
pub(crate) fn with_common_hours(layout: &Layout<'_>, clock: &Clock<'_>, drafts: Vec<Draft>) -> Vec<Draft> {
    // Most lists have hours with each event, and need no search for common ones.
    if drafts
        .iter()
        .all(|draft| draft.start().is_some_and(|start| start.time().is_some()))
    {
        return drafts;
    }
    let hours = clock.common_hours(layout);
    drafts.into_iter().map(|draft| draft.with_hours(hours)).collect()
}

/// Fills a missing value and returns true if it was filled.
fn fill<T>(mine: &mut Option<T>, theirs: Option<T>) -> bool {
    let fills = mine.is_none() && theirs.is_some();
    if fills {
        *mine = theirs;
    }
    fills
}
