//! The search of a deep site, as data of its plan: the form, the language of its result URLs, the
//! limits and bad habits of its answers.

mod draw;
mod kinds;
mod urls;

use crate::address::{Act, Submission};

/// Way in which the form sends its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Get,
    Post,
    /// A script of the page builds the URL; the form has no action.
    Script,
    /// A script writes the query into the fragment, which no server sees.
    Fragment,
}

/// URL of results after a redirect from the form's URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Canonical {
    /// The form's own URL.
    Same,
    /// Folder before the keyword, such as `/q/`.
    Path(String),
    /// Another path with the same arguments.
    Other(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Home,
    /// A page for advanced searches, linked from the home page.
    Advanced,
    /// A page of results of another search of the site.
    Results,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldRole {
    Keyword,
    Title,
    Person,
    Code,
    Postcode,
    Category,
    Group,
    /// Part of a group, such as the models of a maker; meaningless without its group.
    Line,
    Language,
    Stock,
    PriceFrom,
    PriceTo,
    DateFrom,
    DateTo,
    Year,
    Sort,
    PageSize,
    /// A visible field that the server ignores.
    Ignored,
    /// A hidden field that the server ignores.
    Scope,
    /// A hidden field with another value at every fetch.
    Token,
    /// A hidden field that names the form.
    Source,
    /// A text field that only programs see; with a value in it the search finds nothing.
    Honeypot,
    /// A hidden field with a very long value.
    Bulk,
    /// A menu with thousands of options, which the server ignores.
    Huge,
    /// A hidden field whose name looks like markup.
    Odd,
}

impl FieldRole {
    /// Returns true if the field affects the page of results.
    pub(crate) fn is_effective(self) -> bool {
        !matches!(
            self,
            Self::Ignored | Self::Scope | Self::Token | Self::Source | Self::Bulk | Self::Huge | Self::Odd
        )
    }

    /// Returns true for fields of free words.
    pub(crate) fn is_text(self) -> bool {
        matches!(
            self,
            Self::Keyword | Self::Title | Self::Person | Self::Code | Self::Postcode
        )
    }

    /// Returns true for fields that change the presentation alone.
    pub(crate) fn is_presentation(self) -> bool {
        matches!(self, Self::Sort | Self::PageSize)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Widget {
    Text,
    Search,
    Number,
    Date,
    Select,
    Radio,
    Check,
    Hidden,
    /// A text field that a style hides.
    Honeypot,
    /// An argument of links that the form does not have.
    Link,
}

impl Widget {
    pub(crate) fn is_visible(self) -> bool {
        !matches!(self, Self::Hidden | Self::Honeypot | Self::Link)
    }

    /// Returns true if a form sends the field without a choice of the user.
    fn is_sent(self) -> bool {
        !matches!(self, Self::Link | Self::Check)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct SearchField {
    pub(crate) name: String,
    pub(crate) role: FieldRole,
    pub(crate) widget: Widget,
}

impl SearchField {
    /// Returns the value that the form sends unless the user changes it.
    pub(crate) fn default_value(&self) -> &'static str {
        match (self.role, self.widget) {
            (FieldRole::Category, Widget::Hidden) => "0",
            (FieldRole::Scope, _) => "all",
            (FieldRole::Source, _) => "home",
            (FieldRole::Ignored, _) => "any",
            _ => "",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paging {
    FromOne,
    FromZero,
    Offset,
    /// An opaque token.
    Cursor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    None,
    /// Only the first results are shown.
    Top(u32),
    /// Above this number the page asks the user to refine the search.
    Refine {
        max: u32,
        shows_first: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmptyStyle {
    Sentence,
    Echo,
    /// A table without rows, and no words.
    Wordless,
    /// The number 0, and no sentence.
    Zero,
    /// Status 404.
    Missing,
    /// Popular objects instead.
    Popular {
        has_sentence: bool,
    },
    /// A link to another query, which has results.
    DidYouMean,
    /// A link to another query, which has none either.
    Loop,
    /// A redirect to the home page.
    Home,
}

impl EmptyStyle {
    pub(super) const ALL: [(u32, Self); 10] = [
        (20, Self::Sentence),
        (20, Self::Echo),
        (10, Self::Wordless),
        (8, Self::Zero),
        (9, Self::Missing),
        (6, Self::Popular { has_sentence: true }),
        (6, Self::Popular { has_sentence: false }),
        (12, Self::DidYouMean),
        (4, Self::Loop),
        (5, Self::Home),
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sentence => "empty-sentence",
            Self::Echo => "empty-echo",
            Self::Wordless => "empty-wordless",
            Self::Zero => "empty-zero",
            Self::Missing => "empty-404",
            Self::Popular { has_sentence: true } => "empty-popular",
            Self::Popular { has_sentence: false } => "empty-popular-wordless",
            Self::DidYouMean => "empty-did-you-mean",
            Self::Loop => "empty-did-you-mean-loop",
            Self::Home => "empty-redirect-home",
        }
    }
}

/// Behaviour under load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manners {
    Steady,
    Slow,
    /// Status 429 for a few requests after this many searches.
    Quota {
        after: u32,
    },
    /// Status 403 for good after this many searches.
    Blocks {
        after: u32,
    },
    /// Status 500 at random.
    Flaky,
}

/// Requests that a site with a quota refuses before it answers again.
const REFUSED: u32 = 5;

impl Manners {
    /// Returns the status of a refusal, given the number of searches answered or refused so far.
    pub(crate) fn refusal(self, searches: u32) -> Option<u16> {
        match self {
            Self::Quota { after } => (searches % (after + REFUSED) >= after).then_some(429),
            Self::Blocks { after } => (searches >= after).then_some(403),
            _ => None,
        }
    }
}

/// A form beside the one that finds objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecoyForm {
    Newsletter {
        is_post: bool,
    },
    Login,
    /// A search of the articles, which finds no objects.
    Articles,
}

/// Source of the label of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Labelling {
    Label,
    Aria,
    Placeholder,
    Neighbour,
}

#[derive(Clone, Debug)]
pub(crate) struct SearchDesign {
    pub(crate) transport: Transport,
    pub(crate) canonical: Canonical,
    pub(crate) place: Place,
    /// Path that the form is sent to.
    pub(crate) action: String,
    /// Folder of hosts: label before the domain, if the search has a host of its own.
    pub(crate) host_label: Option<&'static str>,
    pub(crate) fields: Vec<SearchField>,
    pub(crate) paging: Paging,
    pub(crate) paging_name: String,
    /// Name of an argument of links that has no effect.
    pub(crate) tracking: Option<String>,
    pub(crate) page_size: u32,
    pub(crate) limit: Limit,
    pub(crate) empty: EmptyStyle,
    pub(crate) manners: Manners,
    pub(crate) labelling: Labelling,
    /// Forms before the search form on the home page.
    pub(crate) decoys: Vec<DecoyForm>,
    /// Answers everything with the same objects.
    pub(crate) is_inert: bool,
    /// Pages with long navigation and side panels.
    pub(crate) is_heavy: bool,
    /// Finds objects with any of the words, not only those with all.
    pub(crate) is_any_word: bool,
    /// Finds words by their beginning.
    pub(crate) is_prefix: bool,
    /// Shorter words are ignored.
    pub(crate) min_letters: usize,
    /// Answers a search without any value with all objects.
    pub(crate) lists_all: bool,
    /// Links carry arguments without a value.
    pub(crate) is_verbose: bool,
    pub(crate) separator: char,
    /// Selects have numbers as values, otherwise words.
    pub(crate) has_numbers: bool,
    /// The menu of lines is empty until a group is chosen.
    pub(crate) lines_need_group: bool,
    pub(crate) has_facets: bool,
    pub(crate) has_related: bool,
    pub(crate) has_choices: bool,
    pub(crate) has_sort_links: bool,
    pub(crate) has_adverts: bool,
    /// A paid object above the results.
    pub(crate) has_sponsored: bool,
    /// An exact title redirects to the page of the object.
    pub(crate) redirects_titles: bool,
    pub(crate) acts: Vec<Act>,
    /// Objects without a page of their own, in thousandths.
    pub(crate) list_only: u64,
    pub(crate) is_noindex: bool,
    pub(crate) is_disallowed: bool,
    pub(crate) has_open_search: bool,
    pub(crate) has_search_action: bool,
    /// The form is in the side column of every page.
    pub(crate) is_everywhere: bool,
    /// The submit button has a name, so that it is sent.
    pub(crate) button_name: Option<&'static str>,
}

pub(crate) const ADVANCED: &str = "/advanced-search";
pub(crate) const ARTICLES: &str = "/blog-search";
pub(crate) const ARTICLES_NAME: &str = "s";
pub(crate) const OPEN_SEARCH: &str = "/opensearch.xml";

impl SearchDesign {
    pub(crate) fn field(&self, role: FieldRole) -> Option<u8> {
        self.fields
            .iter()
            .position(|field| field.role == role)
            .map(|index| index as u8)
    }

    /// Returns true if a GET of a URL shows results.
    pub(crate) fn answers_get(&self) -> bool {
        matches!(self.transport, Transport::Get | Transport::Script)
    }

    /// Returns true if the form is on a page of its own, beside the home page.
    pub(crate) fn has_form_page(&self) -> bool {
        self.place != Place::Results
    }

    pub(crate) fn form_path(&self) -> &str {
        if self.place == Place::Advanced {
            ADVANCED
        } else {
            &self.action
        }
    }

    /// Number of objects on a page of results.
    pub(crate) fn size_of(&self, submission: &Submission) -> u32 {
        let asked = self
            .field(FieldRole::PageSize)
            .and_then(|field| submission.get(field));
        match asked {
            Some("10") => 10,
            Some("20") => 20,
            Some("50") => 50,
            _ => self.page_size,
        }
    }

    /// Returns true if the site has a link or form for an act.
    pub(crate) fn acts_on(&self, act: Act) -> bool {
        match act {
            Act::Newsletter => self
                .decoys
                .iter()
                .any(|decoy| matches!(decoy, DecoyForm::Newsletter { .. })),
            Act::Login => self.decoys.contains(&DecoyForm::Login),
            Act::Advert => self.has_adverts,
            act => self.acts.contains(&act),
        }
    }

    /// Returns the beginnings of paths that robots.txt forbids.
    pub(crate) fn disallowed(&self) -> Vec<String> {
        if !self.is_disallowed {
            return Vec::new();
        }
        // Only results: the page with the form remains, and so do other paths with that beginning.
        let mut paths = vec![format!("{}?", self.action)];
        match &self.canonical {
            Canonical::Same => {}
            Canonical::Path(path) => paths.push(path.clone()),
            Canonical::Other(path) => paths.push(format!("{path}?")),
        }
        paths
    }
}
