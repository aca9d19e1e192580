//! The places where records were found: which detail page of its site each leads to.
//!
//! A record leads to the page that its URL names, or to the one that its page links under the
//! record's name. It is the subject of its own page if that bears its name. Redirects, canonical
//! URLs and versions in other languages are one page.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use magpie_discovery::{CanonicalSettings, Canonicaliser};
use magpie_matching::{Origin, naming};
use magpie_model::{Attribute, CanonicalUrl, Kind, Record, SiteKey, VerticalInfo};
use magpie_rows::{AddressRow, PageAnchors, PageId, SiteId, StoreError, Warehouse};
use magpie_values::{language, text};
use xxhash_rust::xxh3::xxh3_64;

use super::plan::ReadPage;

/// Redirects and canonical URLs that are followed from one address.
const MAX_HOPS: usize = 4;
/// Versions of a page in other languages that are looked at.
const MAX_ALTERNATES: usize = 40;
/// Pages whose links are read at a time.
const PAGES_AT_A_TIME: usize = 500;
/// Addresses that are looked up at a time.
const ADDRESSES_AT_A_TIME: usize = 5_000;
/// Minimum length of a name that a title contains among other words.
const MIN_NAME_IN_TITLE: usize = 6;
/// Marks between the name of a page and that of its site in titles.
const TITLE_PARTS: [&str; 9] = [" | ", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: "];
/// File names of the page of a folder.
const INDEX_FILES: [&str; 4] = ["index.html", "index.htm", "index.php", "default.aspx"];
/// Arguments that select a language.
const LANGUAGE_KEYS: [&str; 5] = ["lang", "language", "hl", "locale", "l"];

/// The address of the page of an object, by the schema: the first URL, unless another is the
/// property `url` of schema.org.
pub(super) fn page_attribute(info: &VerticalInfo) -> Option<&Attribute> {
    let urls = || {
        info.attributes
            .iter()
            .filter(|attribute| attribute.kind == Kind::Url)
    };
    let declared = urls().find(|attribute| attribute.schema_org.as_deref() == Some("url"));
    declared.or_else(|| urls().next())
}

/// Returns the place of each record of pages that were read, by the number of its member.
pub(super) fn origins(
    store: &dyn Warehouse,
    info: &VerticalInfo,
    pages: &[ReadPage],
) -> Result<HashMap<i64, Origin>, StoreError> {
    let mut places = Addresses::new(store);
    let schema = Telling::of(info);
    let mut found = Vec::new();
    for some in pages.chunks(PAGES_AT_A_TIME) {
        let ids: Vec<PageId> = some.iter().map(|page| page.page).collect();
        let links: HashMap<PageId, PageAnchors> = store
            .anchors(&ids)?
            .into_iter()
            .map(|page| (page.page, page))
            .collect();
        for page in some {
            found.extend(places.hints(&schema, page, links.get(&page.page)));
        }
    }
    let wanted = found.iter().flat_map(Hints::addresses);
    places.look_up(wanted.collect())?;
    places.read_alternates(&found)?;
    let mut origins = HashMap::new();
    for hints in &found {
        origins.extend(hints.origins(&schema, &places));
    }
    Ok(origins)
}

/// Writes a place in the form that the store keeps.
pub(super) fn encode(origin: &Origin) -> Vec<u8> {
    let mut bytes = vec![u8::from(origin.is_subject)];
    let Origin {
        site,
        page,
        lead,
        class,
        name,
        day,
        time,
        row,
        ..
    } = *origin;
    bytes.extend(
        [site, page, lead, class, name, day, time, row]
            .iter()
            .flat_map(|part| part.to_le_bytes()),
    );
    bytes
}

/// Reads what [`encode`] wrote. Anything else is no place.
pub(super) fn decode(bytes: &[u8]) -> Origin {
    let Some((first, rest)) = bytes.split_first() else {
        return Origin::default();
    };
    let mut parts = rest
        .chunks_exact(8)
        .map(|part| part.try_into().map_or(0, u64::from_le_bytes));
    let mut part = || parts.next().unwrap_or_default();
    Origin {
        is_subject: *first == 1,
        site: part(),
        page: part(),
        lead: part(),
        class: part(),
        name: part(),
        day: part(),
        time: part(),
        row: part(),
    }
}

/// The attributes that tell records of one page apart.
struct Telling<'a> {
    name: Option<&'a str>,
    url: Option<&'a str>,
    day: Option<&'a str>,
    others: Vec<&'a str>,
}

impl<'a> Telling<'a> {
    fn of(info: &'a VerticalInfo) -> Self {
        let name = naming(&info.attributes).map(|place| info.attributes[place].name.as_str());
        let is_day = |attribute: &&Attribute| attribute.kind == Kind::DateTime && attribute.identifies;
        let tells = |attribute: &&Attribute| {
            matches!(
                attribute.kind,
                Kind::Identifier(_) | Kind::Organisation | Kind::Money
            )
        };
        Telling {
            name,
            url: page_attribute(info).map(|attribute| attribute.name.as_str()),
            day: info
                .attributes
                .iter()
                .find(is_day)
                .map(|attribute| attribute.name.as_str()),
            others: info
                .attributes
                .iter()
                .filter(tells)
                .map(|attribute| attribute.name.as_str())
                .collect(),
        }
    }

    fn name(&self, record: &Record) -> String {
        let name = self.name.and_then(|name| record.get(name));
        name.map(text::bare).unwrap_or_default()
    }

    /// Returns the hashes of name, day, time and row.
    fn hashes(&self, record: &Record) -> [u64; 4] {
        let name = self.name(record);
        let time = self.day.and_then(|day| record.get(day)).unwrap_or_default();
        let day = time.get(..10).unwrap_or(time);
        let others = self
            .others
            .iter()
            .map(|other| record.get(other).unwrap_or_default());
        let row: Vec<&str> = [name.as_str(), day].into_iter().chain(others).collect();
        [hash(&name), hash(day), hash(time), hash(&row.join("\n"))]
    }
}

/// The pages that the records of a page may lead to.
struct Hints {
    /// The page as it was read: archived pages may be read again.
    reading: u64,
    site: SiteId,
    url: CanonicalUrl,
    has_alternates: bool,
    records: Vec<RecordHints>,
}

struct RecordHints {
    member: i64,
    record: Record,
    name: String,
    /// The page of the site that it names itself.
    stated: Option<CanonicalUrl>,
    /// True if it names its own page on another host, such as one of developers.
    is_staged: bool,
    /// The pages that are linked under its name.
    linked: Vec<CanonicalUrl>,
}

impl Hints {
    fn addresses(&self) -> Vec<(SiteId, String)> {
        let records = self.records.iter();
        let urls = records.flat_map(|record| record.stated.iter().chain(&record.linked));
        let urls = urls.chain([&self.url]);
        urls.map(|url| (self.site, url.as_str().to_owned())).collect()
    }

    fn origins(&self, schema: &Telling<'_>, places: &Addresses<'_>) -> Vec<(i64, Origin)> {
        let own = places.page(&self.url);
        let title = places.title(&self.url);
        let leads: Vec<Option<Lead>> = self
            .records
            .iter()
            .map(|record| record.lead(&own, &title, places))
            .collect();
        let subjects = |wanted: &[Claim]| -> BTreeSet<&str> {
            let records = self.records.iter().zip(&leads);
            let subjects =
                records.filter(|(_, lead)| lead.as_ref().is_some_and(|lead| wanted.contains(&lead.claim)));
            subjects.map(|(record, _)| record.name.as_str()).collect()
        };
        // A page with several things is a list, unless its title names one of them.
        let titled = subjects(&[Claim::Titled]);
        let is_list = titled.len() > 1 || (titled.is_empty() && subjects(&[Claim::Named]).len() > 1);
        let mut origins = Vec::new();
        for (record, lead) in self.records.iter().zip(&leads) {
            let [name, day, time, row] = schema.hashes(&record.record);
            let mut origin = Origin {
                site: hash(SiteKey::of(&self.url).as_str()),
                page: self.reading,
                name,
                day,
                time,
                row,
                ..Origin::default()
            };
            let lead = lead.as_ref().filter(|lead| match lead.claim {
                Claim::Led => true,
                Claim::Titled => !is_list,
                Claim::Named => !is_list && titled.is_empty(),
            });
            if let Some(lead) = lead {
                origin.lead = hash(&lead.page);
                origin.class = Origin::class_of(hash(&class(&lead.page)), lead.page.contains('?'));
                origin.is_subject = lead.claim != Claim::Led;
            }
            origins.push((record.member, origin));
        }
        origins
    }
}

/// Relation of a record to the page it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// It is another page.
    Led,
    /// It is its own page, whose title is its name.
    Titled,
    /// It is its own page, as the record says or part of the title.
    Named,
}

struct Lead {
    page: String,
    claim: Claim,
}

impl RecordHints {
    fn lead(&self, own: &str, title: &str, places: &Addresses<'_>) -> Option<Lead> {
        let elsewhere =
            |url: &CanonicalUrl| Some(places.page(url)).filter(|page| page != own && !is_root(page));
        let led = |page: String| {
            Some(Lead {
                page,
                claim: Claim::Led,
            })
        };
        let is_own = |claim: Claim| {
            let page = own.to_owned();
            (!is_root(own)).then_some(Lead { page, claim })
        };
        if let Some(page) = self.stated.as_ref().and_then(elsewhere) {
            return led(page);
        }
        let mut parts = title.split('\n');
        if !self.name.is_empty() && parts.any(|part| part == self.name) {
            return is_own(Claim::Titled);
        }
        if self.is_staged {
            return is_own(Claim::Named);
        }
        let linked: BTreeSet<String> = self.linked.iter().filter_map(elsewhere).collect();
        let mut linked = linked.into_iter();
        if let (Some(page), None) = (linked.next(), linked.next()) {
            return led(page);
        }
        let is_in_title = self.name.len() >= MIN_NAME_IN_TITLE
            && title
                .split('\n')
                .any(|part| format!(" {part} ").contains(&format!(" {} ", self.name)));
        if self.stated.is_some() || is_in_title {
            return is_own(Claim::Named);
        }
        None
    }
}

/// Addresses as the store knows them.
struct Addresses<'a> {
    store: &'a dyn Warehouse,
    canonicaliser: Canonicaliser,
    rows: HashMap<String, AddressRow>,
    asked: HashSet<String>,
    /// By page the versions that it declares.
    alternates: HashMap<String, BTreeSet<String>>,
}

impl<'a> Addresses<'a> {
    fn new(store: &'a dyn Warehouse) -> Self {
        Addresses {
            store,
            canonicaliser: Canonicaliser::new(&CanonicalSettings::default()),
            rows: HashMap::new(),
            asked: HashSet::new(),
            alternates: HashMap::new(),
        }
    }

    fn canonical(&self, url: &str) -> Option<CanonicalUrl> {
        Some(self.canonicaliser.canonicalise_text(url, None).ok()?.url)
    }

    /// Returns the URL in canonical form if it is of the same site as another.
    fn of_site(&self, url: &str, site: &SiteKey) -> Option<CanonicalUrl> {
        self.canonical(url).filter(|url| site.holds(url))
    }

    fn hints(&mut self, schema: &Telling<'_>, page: &ReadPage, links: Option<&PageAnchors>) -> Option<Hints> {
        let url = CanonicalUrl::trusted(page.url.as_str())?;
        let site = SiteKey::of(&url);
        let links = links.map_or(&[][..], |links| links.links.as_slice());
        let names: HashSet<String> = page
            .records
            .iter()
            .map(|(_, record)| schema.name(record))
            .collect();
        let mut by_name: BTreeMap<String, Vec<CanonicalUrl>> = BTreeMap::new();
        for link in links {
            let text = text::bare(&link.text);
            if !text.is_empty() && names.contains(&text) {
                by_name
                    .entry(text)
                    .or_default()
                    .extend(self.of_site(&link.href, &site));
            }
        }
        self.declare(&url, links);
        let records = page.records.iter().map(|(member, record)| {
            let name = schema.name(record);
            let stated = schema.url.and_then(|url| record.get(url));
            let stated = stated.and_then(|stated| self.canonical(stated));
            let is_staged = stated.as_ref().is_some_and(|stated| {
                stated.host() != url.host() && (stated.path(), stated.query()) == (url.path(), url.query())
            });
            RecordHints {
                member: *member,
                record: record.clone(),
                is_staged,
                stated: stated.filter(|stated| !is_staged && site.holds(stated)),
                linked: by_name.get(&name).cloned().unwrap_or_default(),
                name,
            }
        });
        Some(Hints {
            reading: hash(&format!("{} {}", page.page.0, page.last)),
            site: page.site,
            records: records.collect(),
            has_alternates: self.alternates.contains_key(url.as_str()),
            url,
        })
    }

    /// Notes the versions that a page declares of itself.
    fn declare(&mut self, url: &CanonicalUrl, links: &[magpie_rows::Anchor]) {
        let site = SiteKey::of(url);
        let is_alternate = |rel: &str| {
            rel.split_ascii_whitespace()
                .any(|word| word.eq_ignore_ascii_case("alternate"))
        };
        let declared = links
            .iter()
            .filter(|link| is_alternate(&link.rel))
            .take(MAX_ALTERNATES);
        let declared: BTreeSet<String> = declared
            .filter_map(|link| self.of_site(&link.href, &site))
            .map(|other| other.as_str().to_owned())
            .filter(|other| other != url.as_str())
            .collect();
        if !declared.is_empty() {
            self.alternates.insert(url.as_str().to_owned(), declared);
        }
    }

    /// Looks addresses up, and those that they lead to.
    fn look_up(&mut self, mut wanted: Vec<(SiteId, String)>) -> Result<(), StoreError> {
        for _ in 0..=MAX_HOPS {
            wanted.retain(|(_, url)| self.asked.insert(url.clone()));
            if wanted.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for some in wanted.chunks(ADDRESSES_AT_A_TIME) {
                let sites: HashMap<&str, SiteId> =
                    some.iter().map(|(site, url)| (url.as_str(), *site)).collect();
                for row in self.store.addresses(some)? {
                    let site = sites.get(row.url.as_str()).copied();
                    let target = self.target(&row).map(|target| target.as_str().to_owned());
                    next.extend(site.zip(target));
                    self.rows.insert(row.url.clone(), row);
                }
            }
            wanted = next;
        }
        Ok(())
    }

    /// Reads which versions in other languages declare each other.
    fn read_alternates(&mut self, found: &[Hints]) -> Result<(), StoreError> {
        let of_languages = found.iter().filter(|hints| hints.has_alternates);
        let mut wanted: Vec<(SiteId, String)> = of_languages.clone().flat_map(Hints::addresses).collect();
        for hints in of_languages {
            let declared = self.alternates.get(hints.url.as_str()).into_iter().flatten();
            wanted.extend(declared.map(|url| (hints.site, url.clone())));
        }
        // The pages that lists lead to, then the versions that these declare.
        for _ in 0..2 {
            wanted.retain(|(_, url)| !self.alternates.contains_key(url));
            wanted.sort_unstable();
            wanted.dedup();
            self.look_up(wanted.clone())?;
            let pages: Vec<(PageId, SiteId, CanonicalUrl)> = wanted
                .iter()
                .filter_map(|(site, url)| {
                    Some((
                        self.rows.get(url)?.page,
                        *site,
                        CanonicalUrl::trusted(url.as_str())?,
                    ))
                })
                .collect();
            wanted.clear();
            for some in pages.chunks(PAGES_AT_A_TIME) {
                let ids: Vec<PageId> = some.iter().map(|(page, ..)| *page).collect();
                let urls: HashMap<PageId, (SiteId, &CanonicalUrl)> = some
                    .iter()
                    .map(|(page, site, url)| (*page, (*site, url)))
                    .collect();
                for links in self.store.anchors(&ids)? {
                    let Some((site, url)) = urls.get(&links.page) else {
                        continue;
                    };
                    self.declare(url, &links.links);
                    let declared = self.alternates.get(url.as_str()).into_iter().flatten();
                    wanted.extend(declared.map(|other| (*site, other.clone())));
                }
            }
        }
        Ok(())
    }

    /// Returns the target of a redirect or the canonical address, if it is another one of its site.
    fn target(&self, row: &AddressRow) -> Option<CanonicalUrl> {
        let site = SiteKey::of(&CanonicalUrl::trusted(row.url.as_str())?);
        let target = match row.status {
            Some(300..=399) => row.redirect.as_deref(),
            _ => row.canonical.as_deref(),
        };
        let target = self.of_site(target?, &site)?;
        // A site that names its home page everywhere says nothing.
        (target.as_str() != row.url && !is_root(&without_language(&target))).then_some(target)
    }

    /// Returns the page behind an address: one text for all addresses and languages.
    fn page(&self, url: &CanonicalUrl) -> String {
        let url = self.resolved(url);
        let declared = self.alternates.get(url.as_str()).into_iter().flatten();
        // A feed is an alternate of each page and declares none of them.
        let versions = declared.filter(|other| {
            self.alternates
                .get(*other)
                .is_some_and(|back| back.contains(url.as_str()))
        });
        let versions = versions.filter_map(|other| CanonicalUrl::trusted(other.as_str()));
        let pages = versions.map(|version| without_language(&self.resolved(&version)));
        let own = without_language(&url);
        pages.chain([own.clone()]).min().unwrap_or(own)
    }

    fn resolved(&self, url: &CanonicalUrl) -> CanonicalUrl {
        let mut url = url.clone();
        for _ in 0..MAX_HOPS {
            let next = self.rows.get(url.as_str()).and_then(|row| self.target(row));
            let Some(next) = next else { break };
            url = next;
        }
        url
    }

    /// Returns the parts of the title of a page, folded, each on a line: the whole title first.
    fn title(&self, url: &CanonicalUrl) -> String {
        let title = self
            .rows
            .get(url.as_str())
            .and_then(|row| row.title.as_deref())
            .unwrap_or_default();
        let mut parts = vec![title];
        for mark in TITLE_PARTS {
            let next: Vec<&str> = parts.iter().flat_map(|part| part.split(mark)).collect();
            parts = next;
        }
        let folded: Vec<String> = [title].into_iter().chain(parts).map(text::bare).collect();
        folded.join("\n")
    }
}

/// Returns a URL without scheme, `www.`, the part that selects a language, and the file name of a
/// folder.
fn without_language(url: &CanonicalUrl) -> String {
    let host = url.authority();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let path = url.path().trim_start_matches('/');
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let path = if is_language(first) { rest } else { path };
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let path = if INDEX_FILES.contains(&file) { folder } else { path };
    let mut page = format!("{host}/{}", path.trim_end_matches('/'));
    let arguments = url.query().unwrap_or_default().split('&');
    let kept: Vec<&str> = arguments
        .filter(|argument| {
            let (key, value) = argument.split_once('=').unwrap_or((argument, ""));
            !(argument.is_empty() || LANGUAGE_KEYS.contains(&key) && is_language(value))
        })
        .collect();
    if !kept.is_empty() {
        page = format!("{page}?{}", kept.join("&"));
    }
    page
}

/// Returns true for a tag of a language, as URLs have it: `en`, `pt-br`, `zh_CN`.
fn is_language(part: &str) -> bool {
    let (tag, more) = part.split_once(['-', '_']).unwrap_or((part, "xx"));
    let is_script = matches!(
        more.to_ascii_lowercase().as_str(),
        "hans" | "hant" | "latn" | "cyrl"
    );
    tag.len() == 2 && (more.len() == 2 || is_script) && language::normalise(tag).is_ok()
}

/// Returns true if [`without_language`] left nothing but the host.
fn is_root(page: &str) -> bool {
    page.split_once('/')
        .is_none_or(|(_, path)| path.is_empty() || path.starts_with("index."))
}

/// The class of a page: all pages whose URLs differ in the last part of the path or in the values
/// of arguments.
fn class(page: &str) -> String {
    let (path, query) = page.split_once('?').unwrap_or((page, ""));
    let parent = path.rsplit_once('/').map_or(path, |(parent, _)| parent);
    let mut keys: Vec<&str> = query
        .split('&')
        .map(|argument| argument.split_once('=').map_or(argument, |(key, _)| key))
        .collect();
    keys.sort_unstable();
    format!("{parent}?{}", keys.join("&"))
}

/// The hash of a text; 0 for the empty one.
fn hash(text: &str) -> u64 {
    if text.is_empty() {
        0
    } else {
        xxh3_64(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_a_page_in_languages_are_one() {
        let page = |url: &str| without_language(&CanonicalUrl::trusted(url).unwrap());
        let one = page("https://www.a.example/events/tree-day/");
        for other in [
            "https://a.example/en/events/tree-day",
            "https://a.example/pt-br/events/tree-day/",
            "https://a.example/events/tree-day/index.html",
            "http://a.example/events/tree-day?lang=de",
        ] {
            assert_eq!(page(other), one, "{other}");
        }
        for other in [
            "https://a.example/it-jobs/events/tree-day",
            "https://a.example/events/tree-day?page=2",
            "https://b.example/events/tree-day",
        ] {
            assert_ne!(page(other), one, "{other}");
        }
        assert!(is_root(&page("https://a.example/en/")));
        assert!(!is_root(&page("https://a.example/en/x")));
    }

    #[test]
    fn a_class_has_pages_beside_each_other() {
        assert_eq!(class("a.example/p/one"), class("a.example/p/two"));
        assert_eq!(class("a.example/show?id=1"), class("a.example/show?id=2"));
        let file = |url: &str| class(&without_language(&CanonicalUrl::trusted(url).unwrap()));
        assert_eq!(
            file("https://a.example/p/one/index.html"),
            file("https://a.example/p/two/index.html")
        );
        assert_ne!(class("a.example/p/one"), class("a.example/venue/one"));
        assert_ne!(class("a.example/p/one"), class("a.example/p/one?day=2"));
    }

    #[test]
    fn a_place_survives_being_kept() {
        let origin = Origin {
            site: 1,
            page: 2,
            lead: 3,
            class: 4,
            is_subject: true,
            name: 5,
            day: 6,
            time: 7,
            row: u64::MAX,
        };
        assert_eq!(decode(&encode(&origin)), origin);
        assert_eq!(decode(&[]), Origin::default());
        assert_eq!(decode(&[0, 7]), Origin::default());
    }
}
