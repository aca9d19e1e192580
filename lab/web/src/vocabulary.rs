//! The vocabulary of a web: words by which a reader could recognise it.

use std::collections::BTreeSet;

use crate::address::{Param, Section};
use crate::facts::Attribute;
use crate::web::Web;
use crate::words::stock;

/// Vocabulary of a web, to compare with that of another web or of a program that reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    pub classes: BTreeSet<String>,
    pub paths: BTreeSet<String>,
    pub parameters: BTreeSet<String>,
    pub labels: BTreeSet<String>,
    pub hosts: BTreeSet<String>,
    /// Made-up names of categories, places, brands and publishers.
    pub names: BTreeSet<String>,
    /// URL grammars of the sites: word and layout of detail pages, scheme of ids, pagination.
    pub shapes: BTreeSet<String>,
}

impl Web {
    /// Returns the vocabulary of all designs of all sites.
    pub fn vocabulary(&self) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        for site in self.all_sites() {
            vocabulary.hosts.insert(site.name.to_lowercase());
            let designs = site.eras.iter();
            for design in designs.flat_map(|era| std::iter::once(&era.design).chain(&era.translation)) {
                vocabulary
                    .classes
                    .extend(design.skin.class_names().map(str::to_owned));
                vocabulary
                    .paths
                    .extend(Section::ALL.map(|section| design.style.word(section).to_lowercase()));
                vocabulary
                    .parameters
                    .extend(Param::ALL.map(|param| design.style.param(param).to_owned()));
                vocabulary
                    .labels
                    .extend(LABELLED.map(|attribute| design.writing.label(attribute).to_owned()));
                vocabulary.shapes.insert(design.style.shape());
            }
        }
        let categories = (0..self.category_slugs.len() as u8).map(|id| self.population.category_name(id));
        let groups = (0..self.group_slugs.len() as u16).map(|id| self.population.group_name(id));
        vocabulary.names = categories.chain(groups).map(str::to_lowercase).collect();
        vocabulary
    }

    /// Returns the stock of words from which titles, places and paths of all webs are made.
    pub fn stock() -> Vec<&'static str> {
        let lists: [&[&str]; 9] = [
            &stock::NOUNS,
            &stock::ADJECTIVES,
            &stock::HOUSES,
            &stock::OCCASIONS,
            &stock::SOCIETIES,
            &stock::PRESSES,
            &stock::WARES,
            &stock::MANNERS,
            &stock::SECTIONS,
        ];
        lists.concat()
    }
}

/// Attributes that have labels in some vertical.
const LABELLED: [Attribute; 12] = [
    Attribute::Start,
    Attribute::Venue,
    Attribute::Address,
    Attribute::Price,
    Attribute::Organiser,
    Attribute::Performers,
    Attribute::Authors,
    Attribute::Publisher,
    Attribute::Published,
    Attribute::Pages,
    Attribute::Brand,
    Attribute::Availability,
];
