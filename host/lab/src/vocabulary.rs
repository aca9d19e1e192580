//! The words of a web that are its own: what a reader could recognise it by.

use std::collections::BTreeSet;

use crate::address::{Param, Section};
use crate::facts::Attribute;
use crate::web::Web;
use crate::words::stock;

/// The words of a web, to hold against those of another or of a program that reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Class names of its templates.
    pub classes: BTreeSet<String>,
    /// Words of its paths.
    pub paths: BTreeSet<String>,
    /// Names of parameters.
    pub parameters: BTreeSet<String>,
    /// Labels before values.
    pub labels: BTreeSet<String>,
    /// Names of hosts.
    pub hosts: BTreeSet<String>,
    /// Made-up names of categories, places, brands, publishers.
    pub names: BTreeSet<String>,
    /// How its URLs are built, site by site: the folder of objects' pages, the form of its ids, its pagination.
    pub shapes: BTreeSet<String>,
}

impl Web {
    /// The words of all designs of all sites.
    #[must_use]
    pub fn vocabulary(&self) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        for site in self.all_sites() {
            vocabulary.hosts.insert(site.name.to_lowercase());
            for era in &site.eras {
                let face = &era.face;
                vocabulary
                    .classes
                    .extend(face.skin.class_names().map(str::to_owned));
                vocabulary
                    .paths
                    .extend(Section::ALL.map(|section| face.style.word(section).to_lowercase()));
                vocabulary
                    .parameters
                    .extend(Param::ALL.map(|param| face.style.param(param).to_owned()));
                vocabulary
                    .labels
                    .extend(LABELLED.map(|attribute| face.writing.label(attribute).to_owned()));
                vocabulary.shapes.insert(face.style.shape());
            }
        }
        let categories = (0..self.category_slugs.len() as u8).map(|id| self.population.category_name(id));
        let groups = (0..self.group_slugs.len() as u16).map(|id| self.population.group_name(id));
        vocabulary.names = categories.chain(groups).map(str::to_lowercase).collect();
        vocabulary
    }

    /// The plain words that titles, places and paths of all webs are made from.
    #[must_use]
    pub fn stock() -> Vec<&'static str> {
        let lists = [
            stock::NOUNS,
            stock::ADJECTIVES,
            stock::HOUSES,
            stock::OCCASIONS,
            stock::SOCIETIES,
            stock::PRESSES,
            stock::WARES,
            stock::MANNERS,
            stock::SECTIONS,
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
