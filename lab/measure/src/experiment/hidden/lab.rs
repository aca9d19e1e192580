//! Deep sites of a generated web, answered within the process.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use magpie_lab::{ArgumentKind, Request, TrueSearch, Web};
use magpie_page::Page;
use magpie_surface::ObjectId;
use magpie_surface::arguments::Kind;
use magpie_surface::entities::{Affixes, Candidate, Described};
use url::Url;

use super::site::{Fetched, Record, Shown, Site, Source};

const WEEK: u32 = 0;

const MAX_REDIRECTS: usize = 5;

/// Maximum number of requests for a page that fails.
const MAX_TRIES: usize = 4;

/// Number of queries of the log, and of objects of other sites that the warehouse may have.
const LOGGED: usize = 2_000;
const MAX_ELSEWHERE: usize = 4_000;

/// Minimum share of the queries with a name that have an affix.
const MIN_AFFIX_SHARE: f64 = 0.01;

/// Value of a token that differs at every fetch.
const TOKEN: &str = "1f0a";

struct LabSource<'a> {
    web: &'a Web,
    /// Texts of the objects of the site.
    texts: BTreeMap<u32, String>,
    fetches: Cell<u64>,
}

/// Returns the searches by keywords that a GET answers and robots.txt allows.
pub(super) fn sites(web: &Web) -> Vec<Site<'_>> {
    let searches: Vec<TrueSearch> = web.searches(WEEK).collect();
    let open = searches.iter().filter(|search| {
        search.answers_get && !search.is_forbidden && !search.kinds.iter().any(|kind| kind == "inert")
    });
    open.filter_map(|search| site(web, search, &searches)).collect()
}

fn site<'a>(web: &'a Web, search: &TrueSearch, all: &[TrueSearch]) -> Option<Site<'a>> {
    let template = search.templates.first()?.replace("{token}", TOKEN);
    let own: BTreeSet<u32> = search.surface.iter().chain(&search.hidden).copied().collect();
    let records: Vec<Record> = own.iter().map(|object| record(web, *object)).collect();
    let texts = records.iter().map(|record| record.text.clone());
    let source = LabSource {
        web,
        texts: own.iter().copied().zip(texts).collect(),
        fetches: Cell::new(0),
    };
    let mut site = Site::new(&search.host, source, template.parse().ok()?, records);
    let others: BTreeSet<u32> = all
        .iter()
        .flat_map(|other| other.surface.iter().chain(&other.hidden))
        .copied()
        .filter(|object| !own.contains(object))
        .collect();
    let others = others.into_iter().take(MAX_ELSEWHERE);
    site.elsewhere = others.map(|object| record(web, object)).collect();
    site.logged = logged(web, &search.host, &site);
    site.kinds = search
        .arguments
        .iter()
        .map(|argument| (argument.name.clone(), kind(argument.kind)))
        .collect();
    let forms = search.forms.iter().rev();
    let pages: BTreeSet<Url> = forms.filter_map(|form| Url::parse(&form.page).ok()).collect();
    site.form_pages = pages.into_iter().collect();
    Some(site)
}

fn kind(kind: ArgumentKind) -> Kind {
    match kind {
        ArgumentKind::Query => Kind::Query,
        ArgumentKind::Selection => Kind::Selection,
        ArgumentKind::Presentation => Kind::Presentation,
        ArgumentKind::Paging => Kind::Paging,
        ArgumentKind::Irrelevant => Kind::Irrelevant,
    }
}

/// Describes an object by its names.
fn record(web: &Web, object: u32) -> Record {
    let attributes = web.attributes(object, WEEK);
    let of = |name: &str| attributes.get(name).into_iter().flatten();
    let mut entities = Vec::new();
    for (kind, names) in [
        ("title", ["title", "name"]),
        ("person", ["authors", "performers"]),
        ("group", ["publisher", "brand"]),
        ("category", ["genres", "category"]),
    ] {
        let names = names.into_iter().flat_map(&of);
        entities.extend(names.map(|name| (kind.to_owned(), name.clone())));
    }
    let title = of("title").chain(of("name")).next().cloned().unwrap_or_default();
    let text: Vec<&str> = entities.iter().map(|(_, name)| name.as_str()).collect();
    Record {
        text: text.join(" "),
        title,
        described: Described {
            id: ObjectId::from(object),
            entities,
        },
    }
}

/// Returns the queries of the log for a host, without affixes.
fn logged(web: &Web, host: &str, site: &Site<'_>) -> Vec<Candidate> {
    let log = web.query_log(LOGGED);
    let all = site.records.iter().chain(&site.elsewhere);
    let names: Vec<String> = all
        .flat_map(|record| &record.described.entities)
        .map(|(_, name)| name.to_lowercase())
        .collect();
    let affixes = Affixes::learn(
        log.iter().map(|logged| logged.query.as_str()),
        names.iter().map(String::as_str),
        MIN_AFFIX_SHARE,
    );
    let own = log.iter().filter(|logged| logged.host == host);
    own.map(|logged| Candidate {
        query: affixes.strip(&logged.query),
        kind: "logged".to_owned(),
        popularity: f64::from(logged.count),
    })
    .collect()
}

impl Source for LabSource<'_> {
    fn fetch(&self, url: &Url) -> Option<Fetched> {
        let mut url = url.clone();
        url.set_fragment(None);
        let (mut redirects, mut tries) = (0, 0);
        loop {
            let nonce = self.fetches.get();
            self.fetches.set(nonce + 1);
            let path = url.as_str().splitn(4, '/').nth(3).unwrap_or_default();
            let request = Request {
                host: url.host_str()?,
                path_and_query: &format!("/{path}"),
                ..Request::default()
            };
            let response = self.web.respond(&request, WEEK, nonce);
            if let Some(location) = response.location {
                redirects += 1;
                if redirects > MAX_REDIRECTS {
                    return None;
                }
                url = url.join(&location).ok()?;
                continue;
            }
            tries += 1;
            if response.status >= 500 && tries < MAX_TRIES {
                continue;
            }
            // A page without results may have status 404.
            let is_page = response.status < 500 && response.content_type.starts_with("text/html");
            return is_page.then(|| Fetched {
                url,
                html: String::from_utf8_lossy(&response.body).into_owned(),
            });
        }
    }

    fn read(&self, asked: &Url, _: &Page) -> Shown {
        let Some(result) = self.web.result(asked.as_str(), None, WEEK) else {
            return Shown {
                is_empty: true,
                ..Shown::default()
            };
        };
        let ids = result.objects.iter().chain(&result.others);
        Shown {
            objects: ids
                .map(|object| {
                    let text = self.texts.get(object).cloned().unwrap_or_default();
                    (ObjectId::from(*object), text)
                })
                .collect(),
            is_empty: result.is_empty(),
        }
    }
}
