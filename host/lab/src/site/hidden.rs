//! The search of a deep site, as data of its plan: the form, the language of its result URLs, the
//! limits and bad habits of its answers.

use crate::address::{Act, Hidden, Submission, decoded};
use crate::random::Key;
use crate::spec::Vertical;
use crate::words::Tongue;

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

/// Position of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Home,
    /// A page for advanced searches, linked from the home page.
    Advanced,
    /// A page of results of another search of the site.
    Results,
}

/// Effect of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldRole {
    Keyword,
    Title,
    Person,
    Code,
    Postcode,
    Category,
    /// Town, publisher or brand.
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

/// Element of a field.
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

/// An argument of the search.
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

/// Notation of the page number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paging {
    FromOne,
    FromZero,
    Offset,
    /// An opaque token.
    Cursor,
}

/// Limit of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    None,
    /// Only the first results are shown.
    Top(u32),
    /// Above this number the user is told to refine the search.
    Refine {
        max: u32,
        shows_first: bool,
    },
}

/// Page for a query without results.
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
    const ALL: [(u32, Self); 10] = [
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

/// The search of a deep site.
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
    /// Separator of arguments in links.
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

/// Number of visible inputs. One in ten of published forms has several; of the lab's, most have, so
/// that all numbers occur.
const INPUTS: [(u32, usize); 10] = [
    (40, 1),
    (20, 2),
    (12, 3),
    (8, 4),
    (6, 5),
    (5, 6),
    (4, 7),
    (2, 8),
    (2, 9),
    (1, 10),
];

const ACTIONS: [&str; 10] = [
    "/search",
    "/find",
    "/results",
    "/catalog/search",
    "/suche",
    "/cgi-bin/search.cgi",
    "/s",
    "/search.php",
    "/recherche",
    "/catalogsearch/result",
];
pub(crate) const ADVANCED: &str = "/advanced-search";
pub(crate) const ARTICLES: &str = "/blog-search";
/// Argument of the search of the articles.
pub(crate) const ARTICLES_NAME: &str = "s";
pub(crate) const OPEN_SEARCH: &str = "/opensearch.xml";
/// Sites whose search has no keyword field, in thousandths of those with several inputs.
const WORDLESS_FORMS: u64 = 60;

/// Names of the keyword argument. A dozen names cover most real sites.
const KEYWORDS: [(u32, &str); 13] = [
    (30, "q"),
    (10, "s"),
    (8, "query"),
    (8, "search"),
    (6, "keyword"),
    (4, "k"),
    (4, "text"),
    (3, "term"),
    (4, "keywords"),
    (2, "searchTerm"),
    (2, "wd"),
    (3, "kw"),
    (13, ""),
];

impl SearchDesign {
    /// Draws a search for a site with about `objects` objects.
    pub(crate) fn new(
        key: Key,
        vertical: Vertical,
        tongue: &Tongue,
        objects: f64,
        has_hazards: bool,
    ) -> Self {
        let is = |name: &str, share: u64| key.of(name, 0).per_mille(share);
        let transport = key.of("transport", 0).weighted(&[
            (80, Transport::Get),
            (9, Transport::Post),
            (7, Transport::Script),
            (4, Transport::Fragment),
        ]);
        let is_open = matches!(transport, Transport::Get | Transport::Script);
        let action = key.of("action", 0).pick(&ACTIONS).to_owned();
        let canonical = match key.of("canonical", 0).below(100) {
            0..15 if is_open => Canonical::Path("/q/".to_owned()),
            15..24 if is_open => Canonical::Other("/hits".to_owned()),
            _ => Canonical::Same,
        };
        let place =
            key.of("place", 0)
                .weighted(&[(78, Place::Home), (14, Place::Advanced), (8, Place::Results)]);
        let is_inert = is("inert", 50);
        let list_only = key.of("list only", 0).weighted(&[(82, 0), (10, 300), (8, 1_000)]);
        let mut names = Names::new(key.of("names", 0), tongue);
        let mut fields = fields(key, vertical, &mut names);
        if has_hazards {
            add_hostile(&mut fields, key.of("hostile", 0), &mut names);
        }
        let has_keyword = fields.iter().any(|field| field.role == FieldRole::Keyword);
        let paging = key.of("paging", 0).weighted(&[
            (50, Paging::FromOne),
            (10, Paging::FromZero),
            (28, Paging::Offset),
            (12, Paging::Cursor),
        ]);
        let paging_names: &[&'static str] = match paging {
            Paging::FromOne | Paging::FromZero => &["page", "p", "pg", "seite"],
            Paging::Offset => &["start", "offset", "startwith", "first"],
            Paging::Cursor => &["_next", "cursor", "after"],
        };
        let paging_name = names.draw(paging_names);
        let tracking = is("tracking", 400).then(|| names.draw(&["ref", "pos", "trk", "sid", "utm_source"]));
        let mut decoys = Vec::new();
        if is("newsletter", 350) {
            let is_post = key.of("newsletter post", 0).per_mille(700);
            decoys.push(DecoyForm::Newsletter { is_post });
        }
        if is("login", 250) {
            decoys.push(DecoyForm::Login);
        }
        if place == Place::Results || is("articles", 250) {
            decoys.push(DecoyForm::Articles);
        }
        // Numbers of results that small databases reach, too.
        let scale = key.of("limit", 1).pick(&[0.15, 0.3, 0.5]);
        let limit = (objects * scale / 10.0).ceil().max(1.0) as u32 * 10;
        let shows_first = key.of("limit", 2).per_mille(500);
        let manners = if has_hazards {
            key.of("manners", 0).weighted(&[
                (72, Manners::Steady),
                (9, Manners::Slow),
                (8, Manners::Quota { after: 30 }),
                (4, Manners::Blocks { after: 60 }),
                (7, Manners::Flaky),
            ])
        } else {
            Manners::Steady
        };
        let acts = Act::LINKS.into_iter().filter(|act| is(act.name(), 180)).collect();
        Self {
            canonical,
            action,
            place,
            host_label: is("host", 90).then(|| key.of("host", 1).pick(&["search", "shop", "db", "katalog"])),
            paging,
            paging_name,
            tracking,
            page_size: key.of("size", 0).weighted(&[(5, 10), (4, 20), (1, 50)]),
            limit: key.of("limit", 0).weighted(&[
                (6, Limit::None),
                (2, Limit::Top(limit)),
                (
                    2,
                    Limit::Refine {
                        max: limit,
                        shows_first,
                    },
                ),
            ]),
            empty: key.of("empty", 0).weighted(&EmptyStyle::ALL),
            manners,
            labelling: key.of("labelling", 0).weighted(&[
                (4, Labelling::Label),
                (2, Labelling::Aria),
                (3, Labelling::Placeholder),
                (2, Labelling::Neighbour),
            ]),
            decoys,
            is_inert,
            is_heavy: is("heavy", 250),
            is_any_word: is("any word", 180),
            is_prefix: is("prefix", 300),
            min_letters: key.of("letters", 0).weighted(&[(8, 1), (1, 3), (1, 4)]),
            lists_all: is("lists all", 220),
            is_verbose: is("verbose", 250),
            separator: if is("semicolon", 60) { ';' } else { '&' },
            has_numbers: is("numbers", 500),
            lines_need_group: is("lines", 400),
            has_facets: is("facets", 600),
            has_related: is("related", 450),
            has_choices: has_keyword && is("choices", 110),
            has_sort_links: fields.iter().any(|field| field.role == FieldRole::Sort) && is("sorted", 700),
            has_adverts: is("adverts", 250),
            has_sponsored: is("sponsored", 80),
            redirects_titles: !is_inert && is("titles", 250),
            acts,
            // Only results that a GET shows can be the only page of an object.
            list_only: if is_open && has_keyword && !is_inert {
                list_only
            } else {
                0
            },
            is_noindex: is("noindex", 350),
            is_disallowed: is_open && is("disallowed", 130),
            has_open_search: has_keyword
                && is_open
                && is(
                    "open search",
                    if transport == Transport::Script { 600 } else { 180 },
                ),
            has_search_action: has_keyword && transport != Transport::Post && is("search action", 200),
            is_everywhere: place == Place::Home && is("everywhere", 400),
            button_name: is("button", 150).then(|| key.of("button", 1).pick(&["go", "submit", "btnG"])),
            transport,
            fields,
        }
    }

    /// Returns the field with a role.
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

    /// Returns the path of the page with the form.
    pub(crate) fn form_path(&self) -> &str {
        if self.place == Place::Advanced {
            ADVANCED
        } else {
            &self.action
        }
    }

    /// Parses a path and query. Arguments may come in any order; unknown ones are ignored.
    pub(crate) fn read(&self, path_and_query: &str) -> Option<Hidden> {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        if let Some(act) = Act::ALL.into_iter().find(|act| path == act.path()) {
            let subject = query.rsplit('=').next().and_then(|value| value.parse().ok());
            return self
                .acts_on(act)
                .then_some(Hidden::Act(act, subject.unwrap_or(0)));
        }
        match path {
            OPEN_SEARCH => return self.has_open_search.then_some(Hidden::Description),
            ARTICLES if self.decoys.contains(&DecoyForm::Articles) => {
                let text = arguments(query).find(|(name, _)| name == ARTICLES_NAME);
                return Some(Hidden::Articles(text.map_or_else(String::new, |(_, text)| text)));
            }
            ADVANCED if self.place == Place::Advanced => return Some(Hidden::Form),
            _ => {}
        }
        let keyword = match &self.canonical {
            Canonical::Path(folder) => path.strip_prefix(folder.as_str()),
            _ => None,
        };
        let is_other = matches!(&self.canonical, Canonical::Other(other) if path == other);
        if path != self.action && keyword.is_none() && !is_other {
            return None;
        }
        if !self.answers_get() {
            return Some(Hidden::Form);
        }
        let mut submission = self.submission(query);
        if let (Some(keyword), Some(field)) = (keyword, self.field(FieldRole::Keyword)) {
            let asked = submission.get_or_insert_default();
            asked.set(field, decoded(keyword));
        }
        match submission {
            Some(submission) => Some(Hidden::Results(submission)),
            None if path == self.action => Some(Hidden::Form),
            None => Some(Hidden::Results(Submission::default())),
        }
    }

    /// Returns true if a URL is the form's own, which redirects to the canonical one.
    pub(crate) fn is_redirected(&self, path_and_query: &str, submission: &Submission) -> bool {
        let path = path_and_query.split('?').next().unwrap_or_default();
        let has_keyword = self
            .field(FieldRole::Keyword)
            .is_some_and(|field| submission.get(field).is_some());
        path == self.action
            && match self.canonical {
                Canonical::Same => false,
                Canonical::Path(_) => has_keyword,
                Canonical::Other(_) => true,
            }
    }

    /// Parses the fields of a sent form, or `None` if it has none of the search. Values without an
    /// effect are dropped, so that equal searches are equal.
    pub(crate) fn submission(&self, query: &str) -> Option<Submission> {
        let mut submission = None;
        for (name, value) in arguments(query) {
            if name == self.paging_name {
                let asked: &mut Submission = submission.get_or_insert_default();
                asked.page = self.read_page(&value).unwrap_or(1).clamp(1, 100_000);
                continue;
            }
            let Some(index) = self.fields.iter().position(|field| field.name == name) else {
                continue;
            };
            let asked: &mut Submission = submission.get_or_insert_default();
            let field = &self.fields[index];
            if field.role.is_effective() && value != field.default_value() && !value.trim().is_empty() {
                asked.set(index as u8, value);
            }
        }
        if let Some(asked) = &mut submission {
            self.fix_page(asked);
        }
        submission
    }

    /// Converts an offset, read as a number of objects, to a page.
    fn fix_page(&self, submission: &mut Submission) {
        if matches!(self.paging, Paging::Offset | Paging::Cursor) {
            submission.page = (submission.page - 1) / self.size_of(submission) + 1;
        }
    }

    fn read_page(&self, text: &str) -> Option<u32> {
        match self.paging {
            Paging::FromOne => text.parse().ok(),
            Paging::FromZero | Paging::Offset => text.parse::<u32>().ok()?.checked_add(1),
            Paging::Cursor => {
                let number = u32::from_str_radix(text.strip_prefix('c')?, 16).ok()?;
                (number ^ CURSOR).checked_add(1)
            }
        }
    }

    fn write_page(&self, submission: &Submission) -> String {
        let before = submission.page.saturating_sub(1);
        let offset = before.saturating_mul(self.size_of(submission));
        match self.paging {
            Paging::FromOne => submission.page.to_string(),
            Paging::FromZero => before.to_string(),
            Paging::Offset => offset.to_string(),
            Paging::Cursor => format!("c{:x}", offset ^ CURSOR),
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

    /// Appends the path and query of a page.
    pub(crate) fn write(&self, out: &mut String, page: &Hidden) {
        match page {
            Hidden::Form => out.push_str(self.form_path()),
            Hidden::Description => out.push_str(OPEN_SEARCH),
            Hidden::Articles(text) => {
                out.push_str(&format!("{ARTICLES}?{ARTICLES_NAME}="));
                push_encoded(out, text, "+");
            }
            Hidden::Act(act, subject) => {
                out.push_str(act.path());
                if act.has_subject() {
                    out.push_str(&format!("?item={subject}"));
                }
            }
            Hidden::Results(submission) => self.write_results(out, submission),
        }
    }

    fn write_results(&self, out: &mut String, submission: &Submission) {
        let keyword = self.field(FieldRole::Keyword);
        let text = keyword.and_then(|field| submission.get(field));
        let is_in_path = match (&self.canonical, text) {
            (Canonical::Path(folder), Some(text)) => {
                out.push_str(folder);
                push_encoded(out, text, "%20");
                true
            }
            (Canonical::Other(other), _) => {
                out.push_str(other);
                false
            }
            _ => {
                out.push_str(&self.action);
                false
            }
        };
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for (index, field) in (0..).zip(&self.fields) {
            let value = submission.get(index);
            let is_keyword = Some(index) == keyword;
            let is_kept = value.is_some()
                || (is_keyword && !is_in_path)
                || (self.is_verbose
                    && field.role.is_effective()
                    && !is_keyword
                    && field.widget != Widget::Link);
            if is_kept && !(is_keyword && is_in_path) {
                pairs.push((&field.name, value.unwrap_or(field.default_value())));
            }
        }
        let page = self.write_page(submission);
        if submission.page > 1 {
            pairs.push((&self.paging_name, &page));
        } else if pairs.is_empty() && !is_in_path {
            // Without any argument the URL would be that of the form.
            if let Some(field) = self.fields.first() {
                pairs.push((&field.name, field.default_value()));
            }
        }
        for (index, (name, value)) in pairs.into_iter().enumerate() {
            out.push(if index == 0 { '?' } else { self.separator });
            push_encoded(out, name, "+");
            out.push('=');
            push_encoded(out, value, "+");
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

    /// Returns the URL template of the form: all fields at their defaults, the keyword replaced by
    /// the placeholder, without very long values. `None` without a keyword field or without a URL.
    pub(crate) fn template(&self, placeholder: &str) -> Option<String> {
        self.field(FieldRole::Keyword)?;
        if self.transport == Transport::Post {
            return None;
        }
        let mut out = self.action.clone();
        out.push(if self.transport == Transport::Fragment {
            '#'
        } else {
            '?'
        });
        let mut is_first = true;
        for field in self
            .fields
            .iter()
            .filter(|field| field.widget.is_sent() && field.role != FieldRole::Bulk)
        {
            if !is_first {
                out.push('&');
            }
            is_first = false;
            push_encoded(&mut out, &field.name, "+");
            out.push('=');
            match field.role {
                FieldRole::Keyword => out.push_str(placeholder),
                FieldRole::Token => out.push_str("{token}"),
                _ => push_encoded(&mut out, field.default_value(), "+"),
            }
        }
        if let Some(name) = self.button_name {
            out.push_str(&format!("&{name}=1"));
        }
        Some(out)
    }

    /// Returns the template of the URL after the redirect, if there is one.
    pub(crate) fn canonical_template(&self, placeholder: &str) -> Option<String> {
        let keyword = self.field(FieldRole::Keyword)?;
        match &self.canonical {
            Canonical::Same => None,
            Canonical::Path(folder) => Some(format!("{folder}{placeholder}")),
            Canonical::Other(other) => Some(format!(
                "{other}?{}={placeholder}",
                self.fields[usize::from(keyword)].name
            )),
        }
    }

    /// Returns the kinds of the search, such as `post` or `inputs-3`.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let is_input = |field: &&SearchField| field.widget.is_visible() && field.role != FieldRole::Huge;
        let inputs = self.fields.iter().filter(is_input).count();
        let mut kinds = vec![format!("inputs-{inputs}"), self.empty.name().to_owned()];
        let mut add = |has: bool, name: &str| {
            if has {
                kinds.push(name.to_owned());
            }
        };
        let transport = match self.transport {
            Transport::Get => "get",
            Transport::Post => "post",
            Transport::Script => "script",
            Transport::Fragment => "fragment",
        };
        add(true, transport);
        let place = match self.place {
            Place::Home => "form-on-home",
            Place::Advanced => "form-on-advanced",
            Place::Results => "form-on-results",
        };
        add(true, place);
        add(matches!(self.canonical, Canonical::Path(_)), "redirect-to-path");
        add(matches!(self.canonical, Canonical::Other(_)), "redirect-to-other");
        let widget = |widget: Widget| self.fields.iter().any(|field| field.widget == widget);
        let role = |role: FieldRole| self.field(role).is_some();
        add(!role(FieldRole::Keyword), "no-keyword");
        add(
            self.fields
                .iter()
                .filter(|field| field.role.is_text() && field.widget.is_visible())
                .count()
                > 1,
            "several-texts",
        );
        for (one, name) in [
            (Widget::Select, "select"),
            (Widget::Radio, "radio"),
            (Widget::Check, "checkbox"),
            (Widget::Number, "number"),
            (Widget::Date, "date"),
            (Widget::Hidden, "hidden"),
        ] {
            add(widget(one), name);
        }
        for (one, name) in [
            (FieldRole::Line, "dependent-selects"),
            (FieldRole::PriceTo, "price-range"),
            (FieldRole::DateTo, "date-range"),
            (FieldRole::Postcode, "postcode"),
            (FieldRole::Language, "language"),
            (FieldRole::PageSize, "page-size"),
            (FieldRole::Sort, "sort"),
            (FieldRole::Token, "token"),
            (FieldRole::Source, "source"),
            (FieldRole::Ignored, "ignored-input"),
            (FieldRole::Honeypot, "honeypot"),
            (FieldRole::Bulk, "bulk-hidden"),
            (FieldRole::Huge, "huge-select"),
            (FieldRole::Odd, "odd-name"),
        ] {
            add(role(one), name);
        }
        for decoy in &self.decoys {
            add(
                true,
                match decoy {
                    DecoyForm::Newsletter { is_post: true } => "decoy-newsletter",
                    DecoyForm::Newsletter { is_post: false } => "decoy-newsletter-get",
                    DecoyForm::Login => "decoy-login",
                    DecoyForm::Articles => "decoy-articles",
                },
            );
        }
        let paging = match self.paging {
            Paging::FromOne => "paging-from-one",
            Paging::FromZero => "paging-from-zero",
            Paging::Offset => "paging-offset",
            Paging::Cursor => "paging-cursor",
        };
        add(true, paging);
        match self.limit {
            Limit::None => {}
            Limit::Top(_) => add(true, "limit-top"),
            Limit::Refine { .. } => add(true, "limit-refine"),
        }
        let manners = match self.manners {
            Manners::Steady => "",
            Manners::Slow => "slow",
            Manners::Quota { .. } => "quota",
            Manners::Blocks { .. } => "blocks",
            Manners::Flaky => "flaky",
        };
        add(!manners.is_empty(), manners);
        for act in &self.acts {
            add(true, act.name());
        }
        for (has, name) in [
            (self.host_label.is_some(), "own-host"),
            (self.is_inert, "inert"),
            (self.is_heavy, "heavy"),
            (self.is_any_word, "any-word"),
            (self.is_prefix, "prefix"),
            (self.min_letters > 1, "min-letters"),
            (self.lists_all, "lists-all"),
            (self.separator == ';', "semicolons"),
            (self.has_facets, "facets"),
            (self.has_related, "related"),
            (self.has_choices, "choices"),
            (self.has_sort_links, "sort-links"),
            (self.tracking.is_some(), "tracking"),
            (self.has_adverts, "adverts"),
            (self.has_sponsored, "sponsored"),
            (self.redirects_titles, "title-redirect"),
            (self.list_only == 1_000, "list-only"),
            (self.list_only > 0 && self.list_only < 1_000, "partly-list-only"),
            (self.is_noindex, "noindex"),
            (self.is_disallowed, "disallowed"),
            (self.has_open_search, "open-search"),
            (self.has_search_action, "search-action"),
            (self.is_everywhere, "form-everywhere"),
            (self.button_name.is_some(), "named-button"),
        ] {
            add(has, name);
        }
        kinds
    }
}

/// Mask of cursors, so that they look like no number of objects.
const CURSOR: u32 = 0x5EED_CAFE;

impl Widget {
    pub(crate) fn is_visible(self) -> bool {
        !matches!(self, Self::Hidden | Self::Honeypot | Self::Link)
    }

    /// Returns true if a form sends the field without a choice of the user.
    fn is_sent(self) -> bool {
        !matches!(self, Self::Link | Self::Check)
    }
}

/// Names drawn so far.
struct Names<'t> {
    key: Key,
    tongue: &'t Tongue,
    taken: Vec<String>,
}

impl<'t> Names<'t> {
    fn new(key: Key, tongue: &'t Tongue) -> Self {
        Self {
            key,
            tongue,
            taken: Vec::new(),
        }
    }

    /// Draws a usual name, or a made-up one in a fifth of the cases or if all usual ones are taken.
    fn draw(&mut self, usual: &[&'static str]) -> String {
        let key = self.key.of("name", self.taken.len() as u64);
        let first = key.below(usual.len() as u64) as usize;
        let is_usual = !key.of("made up", 0).per_mille(200);
        let mut known = (0..usual.len()).map(|step| usual[(first + step) % usual.len()].to_owned());
        let known = known.find(|name| is_usual && !self.taken.contains(name));
        self.keep(known, key)
    }

    fn keyword(&mut self) -> String {
        let key = self.key.of("keyword", 0);
        let name = key.weighted(&KEYWORDS);
        self.keep((!name.is_empty()).then(|| name.to_owned()), key)
    }

    fn keep(&mut self, name: Option<String>, key: Key) -> String {
        let made_up = (0..).map(|attempt| self.tongue.word(key.of("word", attempt)));
        let name = name
            .into_iter()
            .chain(made_up)
            .find(|name| !self.taken.contains(name))
            .unwrap_or_default();
        self.taken.push(name.clone());
        name
    }
}

/// Adds fields that no user needs.
fn add_hostile(fields: &mut Vec<SearchField>, key: Key, names: &mut Names<'_>) {
    for (role, share, widget) in [
        (FieldRole::Honeypot, 60, Widget::Honeypot),
        (FieldRole::Bulk, 20, Widget::Hidden),
        (FieldRole::Huge, 25, Widget::Select),
        (FieldRole::Odd, 30, Widget::Hidden),
    ] {
        if key.of("field", role as u64).per_mille(share) {
            let field = SearchField {
                name: names.of_role(role),
                role,
                widget,
            };
            fields.push(field);
        }
    }
}

/// Draws the fields: the keyword first, then others from a pool, then hidden ones and those of
/// links.
fn fields(key: Key, vertical: Vertical, names: &mut Names<'_>) -> Vec<SearchField> {
    let key = key.of("fields", 0);
    let inputs = key.of("inputs", 0).weighted(&INPUTS);
    let mut roles: Vec<FieldRole> = Vec::new();
    if inputs == 1 || !key.of("no keyword", 0).per_mille(WORDLESS_FORMS) {
        roles.push(FieldRole::Keyword);
    }
    let person = if vertical == Vertical::Products { 1 } else { 6 };
    let mut pool = vec![
        (14, FieldRole::Category),
        (10, FieldRole::Group),
        (8, FieldRole::Line),
        (5, FieldRole::Language),
        (6, FieldRole::Stock),
        (7, FieldRole::PriceTo),
        (6, FieldRole::DateTo),
        (4, FieldRole::Year),
        (4, FieldRole::Postcode),
        (6, FieldRole::Title),
        (person, FieldRole::Person),
        (5, FieldRole::Code),
        (6, FieldRole::Sort),
        (5, FieldRole::PageSize),
        (5, FieldRole::Ignored),
    ];
    let mut attempt = 0;
    while roles.len() < inputs && !pool.is_empty() && attempt < 60 {
        attempt += 1;
        let role = key.of("role", attempt).weighted(&pool);
        // Some fields come in pairs.
        let with = match role {
            FieldRole::PriceTo => Some(FieldRole::PriceFrom),
            FieldRole::DateTo => Some(FieldRole::DateFrom),
            FieldRole::Line if !roles.contains(&FieldRole::Group) => Some(FieldRole::Group),
            _ => None,
        };
        if roles.len() + 1 + usize::from(with.is_some()) > inputs {
            continue;
        }
        roles.extend(with);
        roles.push(role);
        pool.retain(|(_, other)| *other != role && Some(*other) != with);
    }
    let mut fields: Vec<SearchField> = roles
        .into_iter()
        .map(|role| SearchField {
            name: names.of_role(role),
            role,
            widget: widget(key.of("widget", role as u64), role),
        })
        .collect();
    for (role, share) in [
        (FieldRole::Scope, 180),
        (FieldRole::Token, 120),
        (FieldRole::Source, 180),
    ] {
        if key.of("hidden", role as u64).per_mille(share) {
            let field = SearchField {
                name: names.of_role(role),
                role,
                widget: Widget::Hidden,
            };
            fields.push(field);
        }
    }
    for (role, share) in [
        (FieldRole::Category, 800),
        (FieldRole::Group, 400),
        (FieldRole::Language, 250),
        (FieldRole::Sort, 450),
        (FieldRole::PageSize, 250),
    ] {
        let has = fields.iter().any(|field| field.role == role);
        if !has && key.of("link", role as u64).per_mille(share) {
            let is_hidden = role == FieldRole::Category && key.of("hidden category", 0).per_mille(250);
            let field = SearchField {
                name: names.of_role(role),
                role,
                widget: if is_hidden { Widget::Hidden } else { Widget::Link },
            };
            fields.push(field);
        }
    }
    fields
}

fn widget(key: Key, role: FieldRole) -> Widget {
    match role {
        FieldRole::Keyword => key.weighted(&[(6, Widget::Text), (4, Widget::Search)]),
        FieldRole::Title | FieldRole::Person | FieldRole::Code | FieldRole::Postcode => Widget::Text,
        FieldRole::Stock => key.weighted(&[(6, Widget::Check), (5, Widget::Radio)]),
        FieldRole::Language | FieldRole::Category => key.weighted(&[(8, Widget::Select), (2, Widget::Radio)]),
        FieldRole::PriceFrom | FieldRole::PriceTo => Widget::Number,
        FieldRole::Year => key.weighted(&[(5, Widget::Number), (5, Widget::Select)]),
        FieldRole::DateFrom | FieldRole::DateTo => Widget::Date,
        FieldRole::Ignored => key.weighted(&[(6, Widget::Select), (4, Widget::Radio)]),
        _ => Widget::Select,
    }
}

impl Names<'_> {
    fn of_role(&mut self, role: FieldRole) -> String {
        let usual: &[&'static str] = match role {
            FieldRole::Keyword => return self.keyword(),
            FieldRole::Title => &["title", "name", "titel", "ti"],
            FieldRole::Person => &["author", "artist", "who", "by"],
            FieldRole::Code => &["isbn", "code", "ean", "nr"],
            FieldRole::Postcode => &["zip", "postcode", "plz"],
            FieldRole::Category => &["cat", "category", "c", "genre", "rubric"],
            FieldRole::Group => &["make", "place", "brand", "city", "g"],
            FieldRole::Line => &["model", "series", "m", "venue"],
            FieldRole::Language => &["lang", "language", "l"],
            FieldRole::Stock => &["stock", "available", "avail"],
            FieldRole::PriceFrom => &["price_min", "minprice", "pf", "price-from"],
            FieldRole::PriceTo => &["price_max", "maxprice", "pt", "price-to"],
            FieldRole::DateFrom => &["date_from", "from", "df", "begin"],
            FieldRole::DateTo => &["date_to", "to", "dt", "until"],
            FieldRole::Year => &["year", "y"],
            FieldRole::Sort => &["sort", "order", "orderby", "sort_by"],
            FieldRole::PageSize => &["limit", "per_page", "size", "num"],
            FieldRole::Ignored => &["within", "match", "opt"],
            FieldRole::Scope => &["scope", "type", "mode"],
            FieldRole::Token => &["csrf_token", "_token", "authenticity_token"],
            FieldRole::Source => &["src", "origin", "via"],
            FieldRole::Honeypot => &["website", "homepage", "url2"],
            FieldRole::Bulk => &["__VIEWSTATE", "state"],
            FieldRole::Huge => &["nr_list", "all_items"],
            FieldRole::Odd => &["filter[\"><b>x</b>]"],
        };
        self.draw(usual)
    }
}

/// Iterates over the arguments of a query string, separated by `&` or `;`.
fn arguments(query: &str) -> impl Iterator<Item = (String, String)> {
    query
        .split(['&', ';'])
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decoded(name), decoded(value)))
}

/// Appends a percent-encoded text.
fn push_encoded(out: &mut String, text: &str, space: &str) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(byte as char),
            b' ' => out.push_str(space),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::stock::SECTIONS;

    fn design(seed: u64) -> SearchDesign {
        let key = Key::root(seed);
        SearchDesign::new(key, Vertical::Books, &Tongue::new(key), 200.0, true)
    }

    #[test]
    fn result_urls_read_back() {
        for seed in 0..500 {
            let design = design(seed);
            for page in [1, 2, 7] {
                let mut submission = Submission::default().at(page);
                for (index, field) in (0..).zip(&design.fields) {
                    if field.role.is_effective() && (seed + u64::from(index)) % 3 > 0 {
                        submission.set(index, "20".to_owned());
                    }
                }
                let mut url = String::new();
                design.write(&mut url, &Hidden::Results(submission.clone()));
                let read = design.read(&url);
                if design.answers_get() {
                    assert_eq!(read, Some(Hidden::Results(submission)), "{seed} {url}");
                } else {
                    assert_eq!(read, Some(Hidden::Form), "{seed} {url}");
                }
            }
        }
    }

    #[test]
    fn paths_differ_from_words_of_sections() {
        let words = ACTIONS.into_iter().chain([ADVANCED, ARTICLES, "/q", "/hits"]);
        for word in words {
            let first = word.trim_start_matches('/').split('/').next().unwrap_or_default();
            assert!(!SECTIONS.contains(&first), "{word}");
        }
    }
}
