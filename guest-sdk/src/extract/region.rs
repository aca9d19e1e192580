//! The site's frame around the content of a page.

use crate::Outline;

/// Part of the site's frame that contains a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// Content of the page.
    Own,
    /// Content of the page, within `main` or an article. Headers inside belong to the content.
    Main,
    Header,
    /// Content beside the page's own.
    Aside,
    Navigation,
    Footer,
}

impl Region {
    /// Returns true for content of the page.
    pub(super) fn is_own(self) -> bool {
        matches!(self, Self::Own | Self::Main)
    }

    /// Region of the children of an element, given the element's own region.
    pub(super) fn within(self, tag: &str) -> Self {
        match (tag, self) {
            ("nav", _) => Self::Navigation,
            ("aside", _) => Self::Aside,
            // Within `main` and `article`, headers and footers belong to the content.
            ("footer", Self::Own | Self::Header) => Self::Footer,
            ("header", Self::Own) => Self::Header,
            ("main" | "article", Self::Own | Self::Header) => Self::Main,
            _ => self,
        }
    }
}

pub(super) fn all(outline: &Outline) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::with_capacity(outline.len());
    for node in outline.nodes() {
        // A parent comes before its children, so its region is known.
        let region = node.parent().map_or(Region::Own, |parent| {
            let around = regions.get(parent.id() as usize).copied();
            around.unwrap_or(Region::Own).within(parent.tag())
        });
        regions.push(region);
    }
    regions
}
