//! URLs of a site: which pages it has, and how their URLs are written and parsed.
//!
//! A [`Route`] identifies a page. It is split into [`Parts`] (a section, a key, a page number,
//! parameters), which a [`Style`] writes in the URL grammar of one design of one site. Parsing
//! reverses these steps, so any URL can be answered without a table of URLs.

mod ids;
mod parts;
mod read;
mod style;
mod write;

pub(crate) use ids::IdScheme;
pub(crate) use parts::{Param, Parts, Section};
pub(crate) use read::decoded;
pub(crate) use style::{Family, Style};
pub(crate) use write::{Names, Noise};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Home,
    /// List of objects, in pages.
    List {
        facet: Facet,
        page: u32,
        order: u8,
    },
    /// Detail page of an object, given by its position in the catalogue.
    Detail {
        position: u32,
        variant: PageVariant,
    },
    /// Objects of a month; months count from year 0.
    Calendar {
        month: i32,
    },
    Search(Query),
    Stories {
        page: u32,
    },
    Story {
        number: u32,
    },
    /// Stories of a month.
    Archive {
        month: i32,
    },
    Board {
        page: u32,
    },
    Thread {
        number: u32,
        page: u32,
    },
    Help {
        number: u32,
    },
    About {
        number: u32,
    },
    Login,
    Cart {
        position: u32,
    },
    Comments {
        position: u32,
    },
    /// One page of an endless set whose pages lead to more of their kind.
    Trap {
        number: u64,
    },
    /// Objects of a day, or links to the parts of a year or month. Zeros mean unspecified; all
    /// zeros are the overview.
    Dated {
        year: i32,
        month: u8,
        day: u8,
    },
    /// Sample page that came with a theme.
    Sample {
        number: u32,
    },
    /// Form for new objects, which only logged-in users may see.
    NewObject,
    /// API for programs, such as `/wp-json/`.
    Api,
    /// A page of the search of a deep site.
    Hidden(Hidden),
    Feed,
    Robots,
    Sitemap {
        part: Option<u32>,
    },
}

/// The set of objects in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Facet {
    All,
    Category(u8),
    Group(u16),
    Tag(u8),
    /// A tag or person of a hub site: each object has several, and each of them lists the same few
    /// objects.
    Hub(u32),
    Past,
}

/// The different pages that one object may have on a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageVariant {
    Main,
    Print,
    /// Page below the main one, such as tickets or a specification.
    Sub,
    /// Same page under another path.
    Twin,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) text: String,
    pub(crate) category: Option<u8>,
    pub(crate) group: Option<u16>,
    pub(crate) order: u8,
    /// Page of results, from 1; 0 is the empty form.
    pub(crate) page: u32,
}

/// A page of the search of a deep site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hidden {
    Form,
    Results(Submission),
    /// Results of the search of the articles.
    Articles(String),
    /// Something that changes the site or sends data, and the object it concerns.
    Act(Act, u32),
    Description,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Submission {
    /// Values that restrict or change the results, by field, in the order of the fields.
    values: Vec<(u8, String)>,
    /// Page of results, from 1.
    pub(crate) page: u32,
}

impl Default for Submission {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            page: 1,
        }
    }
}

impl Submission {
    pub(crate) fn get(&self, field: u8) -> Option<&str> {
        self.values
            .iter()
            .find(|(known, _)| *known == field)
            .map(|(_, value)| value.as_str())
    }

    /// Sets the value of a field; an empty one removes it.
    pub(crate) fn set(&mut self, field: u8, value: String) {
        self.values.retain(|(known, _)| *known != field);
        if !value.trim().is_empty() {
            self.values.push((field, value));
            self.values.sort();
        }
    }

    /// Returns the same search with another page of its results.
    pub(crate) fn at(&self, page: u32) -> Self {
        Self {
            values: self.values.clone(),
            page,
        }
    }

    /// Iterates over the fields with values.
    pub(crate) fn values(&self) -> impl Iterator<Item = (u8, &str)> {
        self.values.iter().map(|(field, value)| (*field, value.as_str()))
    }
}

/// Something that a request does beside reading a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Puts an object into the basket.
    Cart,
    /// Exports all results as a file.
    Export,
    Random,
    /// Deletes an object from a list.
    Delete,
    Alert,
    /// Follows an advertisement.
    Advert,
    Newsletter,
    Login,
    /// Sends any other form with POST that is not a search.
    Post,
}

impl Act {
    pub(crate) const ALL: [Self; 8] = [
        Self::Cart,
        Self::Export,
        Self::Random,
        Self::Delete,
        Self::Alert,
        Self::Advert,
        Self::Newsletter,
        Self::Login,
    ];
    /// Acts that links of pages of results lead to.
    pub(crate) const LINKS: [Self; 5] = [Self::Cart, Self::Export, Self::Random, Self::Delete, Self::Alert];

    /// Returns the name, such as `act-cart`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cart => "act-cart",
            Self::Export => "act-export",
            Self::Random => "act-random",
            Self::Delete => "act-delete",
            Self::Alert => "act-alert",
            Self::Advert => "act-advert",
            Self::Newsletter => "act-newsletter",
            Self::Login => "act-login",
            Self::Post => "act-post",
        }
    }

    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Cart => "/cart/add",
            Self::Export => "/export.csv",
            Self::Random => "/random",
            Self::Delete => "/list/delete",
            Self::Alert => "/alerts/new",
            Self::Advert => "/out",
            Self::Newsletter => "/newsletter",
            Self::Login => "/account/login",
            Self::Post => "",
        }
    }

    /// Returns true if the act concerns one object.
    pub(crate) fn has_subject(self) -> bool {
        matches!(self, Self::Cart | Self::Delete | Self::Advert)
    }
}
