//! Parts of a route, as written and parsed in the style of a site.

use super::{Facet, PageVariant, Query, Route};

/// A kind of page; each has its own word in the URLs of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Section {
    List,
    Category,
    Group,
    Tag,
    Past,
    Detail,
    Print,
    Sub,
    Twin,
    Calendar,
    Search,
    Stories,
    Story,
    Archive,
    Board,
    Thread,
    Help,
    About,
    Login,
    Cart,
    Comments,
    Trap,
    Feed,
    Hub,
    Dated,
    Sample,
}

impl Section {
    pub(crate) const ALL: [Self; 26] = [
        Self::List,
        Self::Category,
        Self::Group,
        Self::Tag,
        Self::Past,
        Self::Detail,
        Self::Print,
        Self::Sub,
        Self::Twin,
        Self::Calendar,
        Self::Search,
        Self::Stories,
        Self::Story,
        Self::Archive,
        Self::Board,
        Self::Thread,
        Self::Help,
        Self::About,
        Self::Login,
        Self::Cart,
        Self::Comments,
        Self::Trap,
        Self::Feed,
        Self::Hub,
        Self::Dated,
        Self::Sample,
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Param {
    /// Section, for sites where one script serves all sections.
    Section,
    Key,
    Page,
    Order,
    Text,
    Category,
    Group,
    /// Session id; does not affect the content.
    Session,
    /// Origin of the click; does not affect the content.
    Tracking,
}

impl Param {
    pub(crate) const ALL: [Self; 9] = [
        Self::Section,
        Self::Key,
        Self::Page,
        Self::Order,
        Self::Text,
        Self::Category,
        Self::Group,
        Self::Session,
        Self::Tracking,
    ];
}

/// Subject that the key in a URL denotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    None,
    Object(u32),
    Category(u8),
    Group(u16),
    Number(u64),
    /// Months since year 0.
    Month(i32),
    /// Year, month and day; unspecified ones are 0.
    Date(i32, u8, u8),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) section: Section,
    pub(crate) subject: Subject,
    pub(crate) page: u32,
    pub(crate) params: Vec<(Param, String)>,
}

impl Parts {
    fn new(section: Section, subject: Subject, page: u32) -> Self {
        Self {
            section,
            subject,
            page,
            params: Vec::new(),
        }
    }

    fn with_order(mut self, order: u8) -> Self {
        if order > 0 {
            self.params.push((Param::Order, order.to_string()));
        }
        self
    }

    /// Returns the parts of a route, or `None` for routes with fixed URLs.
    pub(crate) fn of(route: &Route) -> Option<Self> {
        let number = |n: u32| Subject::Number(u64::from(n));
        Some(match route {
            Route::Home
            | Route::Robots
            | Route::Sitemap { .. }
            | Route::NewObject
            | Route::Api
            | Route::Hidden(_) => {
                return None;
            }
            Route::List { facet, page, order } => {
                let (section, subject) = match *facet {
                    Facet::All => (Section::List, Subject::None),
                    Facet::Category(category) => (Section::Category, Subject::Category(category)),
                    Facet::Group(group) => (Section::Group, Subject::Group(group)),
                    Facet::Tag(tag) => (Section::Tag, number(u32::from(tag))),
                    Facet::Hub(hub) => (Section::Hub, number(hub)),
                    Facet::Past => (Section::Past, Subject::None),
                };
                Self::new(section, subject, *page).with_order(*order)
            }
            Route::Detail { position, variant } => {
                let section = match variant {
                    PageVariant::Main => Section::Detail,
                    PageVariant::Print => Section::Print,
                    PageVariant::Sub => Section::Sub,
                    PageVariant::Twin => Section::Twin,
                };
                Self::new(section, Subject::Object(*position), 1)
            }
            Route::Calendar { month } => Self::new(Section::Calendar, Subject::Month(*month), 1),
            Route::Search(query) => Self::search(query),
            Route::Stories { page } => Self::new(Section::Stories, Subject::None, *page),
            Route::Story { number: n } => Self::new(Section::Story, number(*n), 1),
            Route::Archive { month } => Self::new(Section::Archive, Subject::Month(*month), 1),
            Route::Board { page } => Self::new(Section::Board, Subject::None, *page),
            Route::Thread { number: n, page } => Self::new(Section::Thread, number(*n), *page),
            Route::Help { number: n } => Self::new(Section::Help, number(*n), 1),
            Route::About { number: n } => Self::new(Section::About, number(*n), 1),
            Route::Login => Self::new(Section::Login, Subject::None, 1),
            Route::Cart { position } => Self::new(Section::Cart, Subject::Object(*position), 1),
            Route::Comments { position } => Self::new(Section::Comments, Subject::Object(*position), 1),
            Route::Trap { number } => Self::new(Section::Trap, Subject::Number(*number), 1),
            Route::Dated { year, month, day } => {
                Self::new(Section::Dated, Subject::Date(*year, *month, *day), 1)
            }
            Route::Sample { number: n } => Self::new(Section::Sample, number(*n), 1),
            Route::Feed => Self::new(Section::Feed, Subject::None, 1),
        })
    }

    fn search(query: &Query) -> Self {
        let mut parts = Self::new(Section::Search, Subject::None, query.page);
        if query.page == 0 {
            return parts;
        }
        parts.params.push((Param::Text, query.text.clone()));
        let number = |value: Option<u32>| value.map_or_else(String::new, |n| n.to_string());
        parts
            .params
            .push((Param::Category, number(query.category.map(u32::from))));
        if query.group.is_some() {
            parts
                .params
                .push((Param::Group, number(query.group.map(u32::from))));
        }
        parts.with_order(query.order)
    }

    /// Returns the route of the parts, or `None` if they do not fit together.
    pub(crate) fn route(&self) -> Option<Route> {
        let page = self.page.max(1);
        let order = self
            .param(Param::Order)
            .and_then(|order| order.parse().ok())
            .unwrap_or(0);
        let list = |facet| Route::List { facet, page, order };
        let small = |n: u64| u32::try_from(n).ok();
        Some(match (self.section, &self.subject) {
            (Section::List, Subject::None) => list(Facet::All),
            (Section::Past, Subject::None) => list(Facet::Past),
            (Section::Category, Subject::Category(category)) => list(Facet::Category(*category)),
            (Section::Group, Subject::Group(group)) => list(Facet::Group(*group)),
            (Section::Tag, Subject::Number(tag)) => list(Facet::Tag(u8::try_from(*tag).ok()?)),
            (Section::Hub, Subject::Number(hub)) => list(Facet::Hub(small(*hub)?)),
            (Section::Detail, Subject::Object(position)) => detail(*position, PageVariant::Main),
            (Section::Print, Subject::Object(position)) => detail(*position, PageVariant::Print),
            (Section::Sub, Subject::Object(position)) => detail(*position, PageVariant::Sub),
            (Section::Twin, Subject::Object(position)) => detail(*position, PageVariant::Twin),
            (Section::Calendar, Subject::Month(month)) => Route::Calendar { month: *month },
            (Section::Archive, Subject::Month(month)) => Route::Archive { month: *month },
            (Section::Search, _) => Route::Search(self.query(order)),
            (Section::Stories, Subject::None) => Route::Stories { page },
            (Section::Story, Subject::Number(n)) => Route::Story { number: small(*n)? },
            (Section::Board, Subject::None) => Route::Board { page },
            (Section::Thread, Subject::Number(n)) => Route::Thread {
                number: small(*n)?,
                page,
            },
            (Section::Help, Subject::Number(n)) => Route::Help { number: small(*n)? },
            (Section::About, Subject::Number(n)) => Route::About { number: small(*n)? },
            (Section::Login, _) => Route::Login,
            (Section::Cart, Subject::Object(position)) => Route::Cart { position: *position },
            (Section::Comments, Subject::Object(position)) => Route::Comments { position: *position },
            (Section::Trap, Subject::Number(number)) => Route::Trap { number: *number },
            (Section::Dated, Subject::Date(year, month, day)) => Route::Dated {
                year: *year,
                month: *month,
                day: *day,
            },
            (Section::Sample, Subject::Number(n)) => Route::Sample { number: small(*n)? },
            (Section::Feed, Subject::None) => Route::Feed,
            _ => return None,
        })
    }

    fn query(&self, order: u8) -> Query {
        let Some(text) = self.param(Param::Text) else {
            return Query::default();
        };
        let parsed = |param| self.param(param).and_then(|value| value.parse().ok());
        Query {
            text: text.to_owned(),
            category: parsed(Param::Category),
            group: self.param(Param::Group).and_then(|value| value.parse().ok()),
            order,
            page: self.page.max(1),
        }
    }

    pub(crate) fn param(&self, wanted: Param) -> Option<&str> {
        self.params
            .iter()
            .find(|(param, _)| *param == wanted)
            .map(|(_, value)| value.as_str())
    }
}

fn detail(position: u32, variant: PageVariant) -> Route {
    Route::Detail { position, variant }
}
