//! A search drawn from the seed of a site.

use super::{
    Canonical, DecoyForm, EmptyStyle, FieldRole, Labelling, Limit, Manners, Paging, Place, SearchDesign,
    SearchField, Transport, Widget,
};
use crate::address::Act;
use crate::random::Key;
use crate::spec::Vertical;
use crate::words::Tongue;

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

pub(super) const ACTIONS: [&str; 10] = [
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
