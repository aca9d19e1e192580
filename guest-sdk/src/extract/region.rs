//! The frame around a page's own matter.

use crate::Outline;

/// The part of the site's frame that holds a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// The page's own matter.
    Own,
    /// The same, and surely so: within `main` or an article, whose headers are their own.
    Main,
    /// The site's header.
    Header,
    /// Something beside the page's matter.
    Aside,
    /// Navigation.
    Navigation,
    /// The site's footer.
    Footer,
}

impl Region {
    /// Whether this is the page's own matter.
    pub(super) fn is_own(self) -> bool {
        matches!(self, Self::Own | Self::Main)
    }

    /// The region of an element's children, by its own.
    pub(super) fn within(self, tag: &str) -> Self {
        match (tag, self) {
            ("nav", _) => Self::Navigation,
            ("aside", _) => Self::Aside,
            ("footer", Self::Own | Self::Header) => Self::Footer,
            ("header", Self::Own) => Self::Header,
            ("main" | "article", Self::Own | Self::Header) => Self::Main,
            _ => self,
        }
    }
}

/// The region of each node.
pub(super) fn all(outline: &Outline) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::with_capacity(outline.len());
    for node in outline.nodes() {
        // A parent stands before its children, so its own region is known.
        let region = node.parent().map_or(Region::Own, |parent| {
            let around = regions.get(parent.id() as usize).copied();
            around.unwrap_or(Region::Own).within(parent.tag())
        });
        regions.push(region);
    }
    regions
}
