//! A design of a site: URL grammar, templates, notation of values. A redesign draws some of these
//! again.

use serde::Serialize;

use crate::address::Style;
use crate::random::Key;
use crate::spec::Weight;
use crate::template::Skin;
use crate::words::Tongue;
use crate::writing::Writing;

/// The part of a design that a redesign changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RedesignKind {
    Paths,
    Ids,
    /// Page size and page numbers of lists.
    Pagination,
    /// Names of URL parameters.
    Parameters,
    /// Templates; URLs stay the same.
    Template,
    /// All of the above at once.
    Relaunch,
    /// The site goes offline and answers every request with status 410.
    Gone,
}

#[derive(Clone, Debug)]
pub(crate) struct Design {
    pub(crate) style: Style,
    pub(crate) skin: Skin,
    pub(crate) writing: Writing,
}

impl Design {
    pub(crate) fn new(key: Key, tongue: &Tongue, language: usize, weight: Weight) -> Self {
        Self {
            style: Style::new(key.of("style", 0), tongue),
            skin: Skin::new(key.of("skin", 0), tongue, weight),
            writing: Writing::new(key.of("writing", 0), language),
        }
    }

    /// Returns the design of the same pages in another language, below a folder of its own. Half
    /// of the sites translate the words of their paths, too.
    pub(crate) fn translated(&self, key: Key, tongue: &Tongue, language: usize) -> Self {
        let mut design = self.clone();
        design.writing = Writing::new(key.of("writing", 0), language);
        design.style.prefix = format!("/{}{}", design.writing.language.code, self.style.prefix);
        if key.of("paths", 0).per_mille(500) {
            design.style.rename_words(key.of("words", 0), tongue);
        }
        design
    }

    pub(crate) fn after(
        &self,
        kind: RedesignKind,
        key: Key,
        tongue: &Tongue,
        language: usize,
        weight: Weight,
    ) -> Self {
        let mut design = self.clone();
        match kind {
            RedesignKind::Paths => design.style.rename_words(key, tongue),
            RedesignKind::Ids => design.style.renumber(key),
            RedesignKind::Pagination => design.style.repaginate(key),
            RedesignKind::Parameters => design.style.rename_params(key, tongue),
            RedesignKind::Template => design.skin = Skin::new(key.of("skin", 0), tongue, weight),
            RedesignKind::Relaunch => design = Self::new(key, tongue, language, weight),
            RedesignKind::Gone => {}
        }
        design
    }

    pub(crate) fn kind(key: Key) -> RedesignKind {
        key.weighted(&[
            (3, RedesignKind::Paths),
            (3, RedesignKind::Ids),
            (2, RedesignKind::Pagination),
            (2, RedesignKind::Parameters),
            (4, RedesignKind::Template),
            (2, RedesignKind::Relaunch),
            (1, RedesignKind::Gone),
        ])
    }
}
