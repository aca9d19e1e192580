//! An event in the making: its values, where they were read, and what speaks for it.

use magpie_sdk::Found;
use magpie_sdk::date::DateTime;
use magpie_sdk::extract::Layout;

use crate::Event;
pub(crate) use crate::evidence::Source;
use crate::evidence::{self, Evidence};
use crate::when::{Clock, Hours, When};

/// An event in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    /// Its values so far.
    pub(crate) event: Event,
    /// When it is, as far as that was read.
    pub(crate) when: Option<When>,
    /// Where the values were read: attribute and node.
    pub(crate) nodes: Vec<(&'static str, u32)>,
    /// The reader that found it.
    pub(crate) source: Source,
    /// The sum of signs that spoke for it, where the reader counted them.
    pub(crate) signs: f64,
    /// Whether labels say when or where it is.
    pub(crate) is_labelled: bool,
    /// Its type in structured data.
    pub(crate) schema_type: Option<String>,
}

impl Draft {
    /// Begins an event of a source whose signs are not counted.
    pub(crate) fn of(source: Source) -> Self {
        Self {
            source,
            ..Self::default()
        }
    }

    /// Takes down the times, each exactly as it was stated.
    pub(crate) fn set_when(&mut self, mut when: When) {
        // A zone behind a range, as in `21:30-22:30 GMT`, is that of both its ends.
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

    /// The same at hours that the page states for all its events, unless it has its own.
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

    /// Where a value was read.
    pub(crate) fn node_of(&self, attribute: &str) -> u32 {
        let known = self.nodes.iter().find(|(known, _)| *known == attribute);
        known.map_or(0, |(_, node)| *node)
    }

    /// Remembers where a value was read.
    pub(crate) fn at(&mut self, attribute: &'static str, node: u32) {
        self.nodes.push((attribute, node));
    }

    /// Takes from another draft of the same event what this one does not say.
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

    /// When it begins.
    pub(crate) fn start(&self) -> Option<DateTime> {
        self.when.as_ref().map(|when| when.start)
    }

    /// How much it says, to choose between two drafts of one event.
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

    /// The object as the SDK takes it.
    pub(crate) fn found(self) -> Found<Event> {
        let mut found = Found::new(self.event.clone()).confidence(evidence::confidence(&self.evidence()));
        if let Some(name) = &self.schema_type {
            found = found.schema_type(name);
        }
        self.nodes
            .into_iter()
            .fold(found, |found, (attribute, node)| found.at_node(attribute, node))
    }
}

/// Events at the hours that the page states for all of them, where they have none of their own.
pub(crate) fn with_common_hours(layout: &Layout<'_>, clock: &Clock<'_>, drafts: Vec<Draft>) -> Vec<Draft> {
    // Most listings say the hours with each event, and then nobody has to look for others.
    if drafts
        .iter()
        .all(|draft| draft.start().is_some_and(|start| start.time().is_some()))
    {
        return drafts;
    }
    let hours = clock.common_hours(layout);
    drafts.into_iter().map(|draft| draft.with_hours(hours)).collect()
}

/// Fills what is empty; whether it did.
fn fill<T>(mine: &mut Option<T>, theirs: Option<T>) -> bool {
    let fills = mine.is_none() && theirs.is_some();
    if fills {
        *mine = theirs;
    }
    fills
}
