//! Sites: how they do, and everything about one.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::Response;
use magpie_engine::learn::sites_begun;
use magpie_engine::site::{SiteFigures, navigation_file, read_navigation};
use magpie_engine::site::{named, named_key, with_scheme};
use magpie_engine::watch::read_health;
use magpie_model::UrlReason;
use magpie_report::format::{about, counted, path, thousands};
use magpie_report::sentences::figures::suspicion;
use magpie_report::views::sites::{BegunSiteLine, SiteHealth, SiteLine, SiteState};
use magpie_report::{MapState, SiteMap, site_map};
use magpie_rows::ReadStore;
use magpie_rows::{Host, PatternRow, RoundRow, RoundState, SiteId, UrlState};
use magpie_values::Timestamp;
use serde_json::{Value, json};
use url::Url;

use super::live::watch_fact;
use super::urls::reason_words;
use super::view;
use crate::act::{host, typed};
use crate::answer::List;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Choice, Column, Sort, Table, Tone};
use crate::format::Named;
use crate::frame::Page;
use crate::href::Href;
use crate::{App, Error, Format, html, words};

/// Rounds that a row of signs shows.
const BARS: usize = 40;

/// Sites that the page lists.
const MAX_SITES: usize = 200;

/// The filter of sites that were named and not learned.
pub(super) const UNLEARNED: &str = "unlearned";

/// Rounds of a site that are listed.
const MAX_ROUNDS: usize = 100;

/// The time in which an object is new.
const WEEK: Duration = Duration::from_secs(7 * 86_400);

/// A learned site with all that the pages show of it.
struct Known {
    health: SiteHealth,
    queued: u64,
}

impl Known {
    fn last(&self) -> Option<&RoundRow> {
        self.health.rounds.last()
    }

    fn is_failing(&self) -> bool {
        self.health.state.is_failing()
    }

    /// Objects that rounds of the last week found.
    fn new_since(&self, since: Timestamp) -> u64 {
        let rounds = self.health.rounds.iter();
        let rounds = rounds.filter(|round| round.began_at >= since);
        rounds.map(|round| round.new_objects).sum()
    }

    /// Requests for each new object, over all rounds.
    fn price(&self) -> Option<f64> {
        let rounds = &self.health.rounds;
        let pages: u64 = rounds.iter().map(|round| round.pages).sum();
        let new: u64 = rounds.iter().map(|round| round.new_objects).sum();
        (new > 0).then(|| pages as f64 / new as f64)
    }
}

/// A site that was named or found, and that learning took nothing from.
struct Begun {
    vertical: String,
    key: String,
    /// Its first page.
    entry: String,
}

/// The sites that a page is about.
#[derive(Clone, Copy)]
enum Scope<'a> {
    All,
    Named(&'a str),
}

/// Reads learned sites. What all of them share is read once, since there may be thousands.
fn read_all(app: &App, reader: &dyn ReadStore, scope: Scope<'_>) -> Result<(Vec<Known>, Vec<Begun>), Error> {
    let mut queued = match scope {
        Scope::All => reader.queued_by_site()?,
        Scope::Named(_) => BTreeMap::new(),
    };
    let (mut known, mut begun) = (Vec::new(), Vec::new());
    for vertical in reader.learned_verticals()? {
        let view = view(app, reader, &vertical);
        begun.extend(read_begun(reader, app, &vertical, scope)?);
        let wanted: Option<Vec<SiteId>> = match scope {
            Scope::All => None,
            Scope::Named(name) => {
                let sites = reader.learned_sites(&vertical)?;
                let wanted = named(&sites, Some(name));
                Some(wanted.iter().map(|site| site.site).collect())
            }
        };
        for site in wanted.iter().flatten() {
            let count = reader.url_counts(Some(*site))?.of(UrlState::Queued);
            queued.insert(*site, count);
        }
        let is_wanted = |site: SiteId| wanted.as_ref().is_none_or(|wanted| wanted.contains(&site));
        for health in SiteHealth::read(&view, |site| is_wanted(site.site))? {
            known.push(Known {
                queued: queued.get(&health.site.site).copied().unwrap_or_default(),
                health,
            });
        }
    }
    Ok((known, begun))
}

/// Reads the sites of a vertical that were named and not learned.
fn read_begun(
    reader: &dyn ReadStore,
    app: &App,
    vertical: &str,
    scope: Scope<'_>,
) -> Result<Vec<Begun>, Error> {
    let all = sites_begun(reader, vertical, app.settings())?;
    let keys: Vec<String> = all.iter().map(|(key, _)| key.clone()).collect();
    let wanted = match scope {
        Scope::All => keys.iter().collect(),
        Scope::Named(name) => named_key(&keys, Some(name)),
    };
    let of = all.iter().filter(|(key, _)| wanted.contains(&key));
    Ok(of
        .map(|(key, entry)| Begun {
            vertical: vertical.to_owned(),
            key: key.clone(),
            entry: entry.as_str().to_owned(),
        })
        .collect())
}

/// Reads sites as the command prints them, with figures that need all pages of a site.
fn read_json(app: &App, reader: &dyn ReadStore, scope: Scope<'_>) -> Result<Vec<Value>, Error> {
    let (known, begun) = read_all(app, reader, scope)?;
    let mut rows = Vec::new();
    for vertical in reader.learned_verticals()? {
        let own = known.iter().map(|known| &known.health);
        let own: Vec<&SiteHealth> = own.filter(|site| site.vertical == vertical).collect();
        if own.is_empty() {
            continue;
        }
        let keys: Vec<&str> = own.iter().map(|site| site.site.key.as_str()).collect();
        let figures = view(app, reader, &vertical).figures_of_sites(&keys)?;
        let coverage = reader.field_coverage(&vertical, None)?;
        for health in own {
            let of = figures.iter().find(|figures| figures.site == health.site.site);
            rows.push(json!(SiteLine::new(health, of, &coverage)));
        }
    }
    rows.extend(
        begun
            .iter()
            .map(|site| json!(BegunSiteLine::new(&site.vertical, &site.key))),
    );
    Ok(rows)
}

/// The judgement of a state, and its words.
fn state_of(state: &SiteState) -> (Tone, String) {
    match state {
        SiteState::Fine => (Tone::Good, "as it should be".to_owned()),
        SiteState::InvalidNavigation
        | SiteState::FewerValues(_)
        | SiteState::Dry(_)
        | SiteState::Failed(_) => (Tone::Bad, state.sentence()),
        SiteState::Repaired(_) => (Tone::Odd, state.sentence()),
        SiteState::NotChosen => (Tone::Quiet, state.sentence()),
    }
}

/// The state of a site in a sentence.
fn state_sentence(state: &SiteState) -> Cell {
    Cell::from(match state {
        SiteState::Fine => "The site does as it should.".to_owned(),
        state => format!("{}.", words::title(&state.sentence())),
    })
}

/// The state of a site as a cell.
fn state_cell(state: &SiteState) -> Cell {
    let (tone, words) = state_of(state);
    Cell::state(tone, words)
}

/// The last rounds as a row of signs.
fn bars(rounds: &[RoundRow]) -> Cell {
    let last = &rounds[rounds.len().saturating_sub(BARS)..];
    if last.is_empty() {
        return Cell::from("no round yet");
    }
    let tone = |round: &RoundRow| match round.state {
        RoundState::Done if round.objects > 0 || round.unchanged > 0 => Tone::Good,
        RoundState::Done => Tone::Quiet,
        RoundState::Blocked | RoundState::Forbidden => Tone::Odd,
        RoundState::Broken | RoundState::Gone => Tone::Bad,
    };
    let words: Vec<String> = RoundState::ALL
        .into_iter()
        .filter_map(|state| {
            let count = last.iter().filter(|round| round.state == state).count();
            (count > 0).then(|| format!("{count} {state}"))
        })
        .collect();
    Cell::Bars {
        label: format!(
            "last {}: {}",
            counted(last.len() as u64, "round", "rounds"),
            words.join(", ")
        ),
        bars: last.iter().map(tone).collect(),
    }
}

/// The columns by which sites can be sorted, with their keys.
const SORTS: [(&str, &str); 5] = [
    ("Site", "site"),
    ("#Objects", "objects"),
    ("#New in 7 days", "new"),
    ("#Requests per new object", "price"),
    ("#Queued", "queued"),
];

pub(super) async fn all(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let shared = app.clone();
    if !asked.format.is_page() {
        let rows = app
            .read_dear(move |reader| read_json(&shared, reader, Scope::All))
            .await?;
        return List::new("sites", rows).answer(&asked);
    }
    let (mut known, mut begun) = app
        .read(move |reader| read_all(&shared, reader, Scope::All))
        .await?;
    let total = known.len();
    let failing = known.iter().filter(|site| site.is_failing()).count();
    let unlearned = begun.len();
    match asked.get("state") {
        Some("failing") => {
            known.retain(Known::is_failing);
            begun.clear();
        }
        Some(UNLEARNED) => known.clear(),
        _ => {}
    }
    let week = app.now() - WEEK;
    match asked.get("sort") {
        Some("site") => known.sort_by(|one, other| one.health.site.key.cmp(&other.health.site.key)),
        Some("new") => known.sort_by_key(|site| std::cmp::Reverse(site.new_since(week))),
        Some("price") => known.sort_by(|one, other| {
            let price = |site: &Known| site.price().unwrap_or(f64::INFINITY);
            price(other).total_cmp(&price(one))
        }),
        Some("queued") => known.sort_by_key(|site| std::cmp::Reverse(site.queued)),
        _ => known.sort_by_key(|site| std::cmp::Reverse(site.health.objects)),
    }
    let choice = |name: &str, count: usize, state: Option<&str>| Choice {
        href: asked.but(&[("state", state), ("from", None)]),
        name: name.to_owned(),
        count: Some(thousands(count as u64)),
        is_now: asked.get("state") == state,
    };
    let watch = read_health(app.folder());
    let mut blocks = vec![
        Block::Facts(vec![watch_fact(watch.as_ref())]),
        Block::Text(vec![Cell::Choices(vec![
            choice("all", total + unlearned, None),
            choice("with trouble", failing, Some("failing")),
            choice("brought nothing", unlearned, Some(UNLEARNED)),
        ])]),
    ];
    let columns = [
        "Site",
        "State",
        "Last rounds",
        "#Objects",
        "#New in 7 days",
        "#Requests per new object",
        "#Queued",
        "Last round",
    ];
    let mut table = Table::new("Sites that objects are collected from", &columns)
        .or("No site is shown here: `magpie learn` learns sites, and a filter may leave all of them out.");
    for column in &mut table.columns {
        column.sort = sort_of(column, &asked);
    }
    let from = asked.number("from", 1, known.len().max(1)) - 1;
    let left = known.len().saturating_sub(from + MAX_SITES);
    if left > 0 {
        let next = (from + MAX_SITES + 1).to_string();
        table.leaves_out(Cell::Many(vec![
            Cell::from(format!("{} more. ", counted(left as u64, "site", "sites"))),
            Cell::link(asked.but(&[("from", Some(&next))]), "Show the next"),
        ]));
    }
    let settings = crate::control::settings(&app);
    for site in known.iter().skip(from).take(MAX_SITES) {
        let health = &site.health;
        let key = &health.site.key;
        let is_paused = settings.for_site(key).watch.pause;
        table.row([
            Cell::link(Href::to(&["site", key]), key.clone()),
            match is_paused {
                true => Cell::Many(vec![
                    Cell::state(Tone::Quiet, "paused"),
                    Cell::from(" "),
                    state_cell(&health.state),
                ]),
                false => state_cell(&health.state),
            },
            bars(&health.rounds),
            Cell::number(health.objects),
            Cell::number(site.new_since(week)),
            site.price()
                .map_or_else(Cell::none, |price| Cell::from(format!("{price:.1}"))),
            Cell::number(site.queued),
            Cell::time(site.last().map(|round| round.began_at)),
        ]);
    }
    for site in begun.iter().take(MAX_SITES) {
        table.row(
            [
                Cell::link(Href::to(&["site", &site.key]), site.key.clone()),
                Cell::state(Tone::Odd, "brought nothing"),
            ]
            .into_iter()
            .chain((0..6).map(|_| Cell::none())),
        );
    }
    blocks.push(Block::Table(table));
    blocks.push(Block::command("magpie sites"));
    blocks.extend(crate::control::of_all(&app, &asked));
    html(&Page {
        frame: asked.list_frame("Sites", "/sites"),
        blocks,
    })
}

fn sort_of(column: &Column, asked: &Asked) -> Option<Sort> {
    let (_, key) = SORTS
        .iter()
        .find(|(name, _)| name.trim_start_matches('#') == column.name)?;
    let is_now = asked.get("sort").unwrap_or("objects") == *key;
    Some(Sort {
        href: asked.but(&[("sort", Some(key)), ("from", None)]),
        now: is_now.then_some(match *key {
            "site" => "ascending",
            _ => "descending",
        }),
    })
}

/// All that the page of a site shows.
struct Whole {
    known: Vec<Known>,
    figures: Vec<SiteFigures>,
    patterns: Vec<(String, Vec<PatternRow>)>,
    maps: Vec<Block>,
    hosts: Vec<Host>,
    reasons: Vec<(UrlState, String, u64)>,
}

pub(super) async fn one(
    State(app): State<App>,
    Path(text): Path<String>,
    asked: Asked,
) -> Result<Response, Error> {
    let Named { name, format } = Named::parse(&text);
    let week = app.now() - WEEK;
    let missing = name.clone();
    let unknown = move || unknown_site(&missing);
    let shared = app.clone();
    if format == Format::Json {
        let rows = app
            .read(move |reader| read_json(&shared, reader, Scope::Named(&name)))
            .await?;
        return match rows.is_empty() {
            true => Err(unknown()),
            false => List::new("sites", rows).answer(&asked),
        };
    }
    let found = app.read(move |reader| read_one(&shared, reader, &name)).await?;
    let whole = match found {
        Found::Learned(whole) => *whole,
        Found::Begun(site, facts) => return html(&begun_page(&app, &asked, &site, &facts)),
    };
    let key = whole.known[0].health.site.key.clone();
    let mut blocks = Vec::new();
    for known in &whole.known {
        let health = &known.health;
        let (tone, _) = state_of(&health.state);
        blocks.push(Block::Verdict {
            tone,
            cells: vec![
                state_sentence(&health.state),
                Cell::from(" "),
                bars(&health.rounds),
            ],
        });
        let objects = Href::to(&[&health.vertical]).with("q", &format!("site:{}", host(&key)));
        let queued = Href::to(&["urls"]).with("site", &key).with("state", "queued");
        blocks.push(Block::Figures(vec![
            Cell::link(objects, thousands(health.objects)).figure(&words::title(&health.vertical)),
            Cell::number(known.new_since(week)).figure("New in 7 days"),
            known
                .price()
                .map_or_else(Cell::none, |price| Cell::from(format!("{price:.1}")))
                .figure("Requests per new object"),
            Cell::link(queued, thousands(known.queued)).figure("URLs queued"),
            Cell::number(health.site.hubs).figure("List pages visited"),
        ]));
        blocks.push(Block::Facts(vec![
            Cell::outside(&health.site.entry).figure("Rounds begin at"),
            Cell::Time(health.site.learned_at).figure("Learned"),
            Cell::number(health.site.pages).figure("Pages known then"),
        ]));
    }
    let warnings = whole.figures.iter().flat_map(|figures| {
        let sentences = figures.suspicions.iter();
        sentences.map(|found| Block::Text(vec![Cell::state(Tone::Odd, suspicion(&figures.key, found))]))
    });
    blocks.extend(warnings);
    // Readers who may act come for the acts, so these are first. Others see commands at the end.
    let acts = crate::control::of_site(&app, &asked, &key);
    let (first, last) = match asked.can_act() {
        true => (acts, Vec::new()),
        false => (Vec::new(), acts),
    };
    blocks.extend(first);
    blocks.push(Block::heading("Why URLs are not fetched"));
    blocks.push(Block::Table(reasons(&key, &whole.reasons)));
    blocks.push(Block::heading("Patterns"));
    for (vertical, patterns) in &whole.patterns {
        blocks.push(Block::Table(pattern_table(vertical, patterns)));
    }
    if !whole.maps.is_empty() {
        blocks.push(Block::heading("Navigation"));
    }
    blocks.extend(whole.maps);
    blocks.push(Block::heading("Rounds"));
    for known in &whole.known {
        blocks.push(Block::Table(round_table(
            &known.health.vertical,
            &known.health.rounds,
        )));
    }
    blocks.push(Block::heading("Hosts and robots.txt"));
    for host in &whole.hosts {
        blocks.extend(host_blocks(host, app.now()));
    }
    blocks.extend(last);
    blocks.push(Block::command(format!("magpie sites {key}")));
    let frame = asked
        .frame(&key, "/sites")
        .with_json(Href::to(&["site", &format!("{key}.json")]));
    html(&Page { frame, blocks })
}

/// A site that a page is about.
enum Found {
    Learned(Box<Whole>),
    Begun(Begun, BegunFacts),
}

/// The facts about a site that was not learned.
#[derive(Default)]
struct BegunFacts {
    reasons: Vec<(UrlState, String, u64)>,
    hosts: Vec<Host>,
}

impl BegunFacts {
    fn read(reader: &dyn ReadStore, site: &Begun) -> Result<BegunFacts, Error> {
        let mut facts = BegunFacts::default();
        if let Some(id) = reader.site_named(&site.key)? {
            facts.reasons = reasons_of(reader, id)?;
        }
        facts.hosts.extend(host_of(reader, &site.entry)?);
        Ok(facts)
    }

    fn of(&self, state: UrlState) -> u64 {
        let of_state = self.reasons.iter().filter(|(own, ..)| *own == state);
        of_state.map(|(.., count)| count).sum()
    }

    /// Says why the site brought nothing.
    fn sentence(&self, vertical: &str) -> String {
        let (fetched, queued) = (self.of(UrlState::Fetched), self.of(UrlState::Queued));
        let mut sentence = match (fetched, queued) {
            (0, 0) if self.reasons.is_empty() => {
                "The site was named, and nothing has been asked of it yet.".to_owned()
            }
            (0, _) => "No page of the site could be fetched; the reasons are below.".to_owned(),
            _ => format!(
                "No object of {vertical} was taken from the {} that {} fetched.",
                counted(fetched, "page", "pages"),
                if fetched == 1 { "was" } else { "were" }
            ),
        };
        if queued > 0 {
            sentence.push_str(&format!(
                " {} more wait to be fetched.",
                counted(queued, "URL", "URLs")
            ));
        }
        sentence
    }
}

/// The page of a site that was named and not learned: why, and what to do.
fn begun_page(app: &App, asked: &Asked, site: &Begun, facts: &BegunFacts) -> Page {
    let (key, entry) = (&site.key, &site.entry);
    let figure = |state: UrlState, name: &str| {
        let href = Href::to(&["urls"])
            .with("site", key)
            .with("state", state.as_str());
        Cell::link(href, thousands(facts.of(state))).figure(name)
    };
    let life = Href::to(&["url"]).with("u", entry);
    let mut blocks = vec![
        Block::Verdict {
            tone: Tone::Odd,
            cells: vec![Cell::from(facts.sentence(&site.vertical))],
        },
        Block::Figures(vec![
            figure(UrlState::Fetched, "Pages fetched"),
            figure(UrlState::Queued, "URLs queued"),
            figure(UrlState::Failed, "URLs failed"),
            figure(UrlState::Refused, "URLs refused"),
        ]),
        Block::Facts(vec![Cell::outside(entry).figure("First page")]),
        Block::heading("Find out why"),
        Block::Text(vec![
            Cell::link(life, "What was made of its first page"),
            Cell::from(", and of each page in the list of those that were fetched."),
        ]),
        Block::Command {
            about: "What a vertical finds on a page, with what a browser would add".to_owned(),
            line: format!("magpie fetch {} --render", typed(entry)),
        },
        Block::Command {
            about: "Look at more of the site".to_owned(),
            line: format!("magpie learn {} --pages 2000", typed(entry)),
        },
        Block::heading("Why URLs are not fetched"),
        Block::Table(reasons(key, &facts.reasons)),
        Block::heading("Hosts and robots.txt"),
    ];
    if facts.hosts.is_empty() {
        blocks.push(Block::text("Its host has not been asked."));
    }
    for host in &facts.hosts {
        blocks.extend(host_blocks(host, app.now()));
    }
    blocks.extend(crate::control::of_begun(asked, key));
    let frame = asked
        .frame(key, "/sites")
        .with_json(Href::to(&["site", &format!("{key}.json")]));
    Page { frame, blocks }
}

fn reasons_of(reader: &dyn ReadStore, site: SiteId) -> Result<Vec<(UrlState, String, u64)>, Error> {
    let counts = reader.url_counts(Some(site))?.0.into_iter();
    let reason = |reason: Option<UrlReason>| reason.map_or_else(String::new, |own| own.as_str().into_owned());
    Ok(counts
        .map(|((state, own), count)| (state, reason(own), count))
        .collect())
}

/// Reads what is known of the host of a first page.
fn host_of(reader: &dyn ReadStore, entry: &str) -> Result<Option<Host>, Error> {
    let entry = with_scheme(entry).ok().and_then(|entry| Url::parse(&entry).ok());
    match entry.map(|entry| entry.origin().ascii_serialization()) {
        Some(origin) => Ok(reader.host(&origin)?),
        None => Ok(None),
    }
}

fn read_one(app: &App, reader: &dyn ReadStore, name: &str) -> Result<Found, Error> {
    let (known, begun) = read_all(app, reader, Scope::Named(name))?;
    let Some(first) = known.first() else {
        let site = begun.into_iter().next().ok_or_else(|| unknown_site(name))?;
        let facts = BegunFacts::read(reader, &site)?;
        return Ok(Found::Begun(site, facts));
    };
    let site = first.health.site.clone();
    let mut whole = Whole {
        figures: Vec::new(),
        patterns: Vec::new(),
        maps: Vec::new(),
        hosts: Vec::new(),
        reasons: Vec::new(),
        known,
    };
    for SiteHealth { vertical, site, .. } in whole.known.iter().map(|known| &known.health) {
        let keys = [site.key.as_str()];
        let figures = view(app, reader, vertical).figures_of_sites(&keys)?;
        whole.figures.extend(figures);
        whole
            .patterns
            .push((vertical.clone(), reader.patterns(vertical, site.site)?));
        let file = navigation_file(app.folder(), vertical, &site.key);
        if let Ok(Some(navigation)) = read_navigation(&file) {
            let map = SiteMap::of(&navigation, site.key.clone(), |_| MapState::default());
            let title = format!("How rounds of {vertical} walk {}", site.key);
            whole.maps.push(site_map(&map, title));
        }
    }
    whole.hosts.extend(host_of(reader, &site.entry)?);
    whole.reasons = reasons_of(reader, site.site)?;
    Ok(Found::Learned(Box::new(whole)))
}

fn unknown_site(name: &str) -> Error {
    Error::NotFound(format!("there is no site `{name}` among those that were learned"))
}

fn reasons(site: &str, all: &[(UrlState, String, u64)]) -> Table {
    let mut table = Table::new(
        format!("Known URLs of {site} by state and reason"),
        &["State", "Reason", "#URLs"],
    )
    .or("No URL of the site is known.");
    for (state, reason, count) in all {
        let href = Href::to(&["urls"])
            .with("site", site)
            .with("state", state.as_str());
        let href = match reason.is_empty() {
            true => href,
            false => href.with("reason", reason),
        };
        table.row([
            Cell::link(href, state.as_str()),
            match reason.as_str() {
                "" => Cell::none(),
                reason => Cell::from(reason_words(&UrlReason::from(reason))),
            },
            Cell::number(*count),
        ]);
    }
    table
}

fn pattern_table(vertical: &str, patterns: &[PatternRow]) -> Table {
    let columns = [
        "Pattern",
        "Chosen",
        "#Pages",
        "#Objects",
        "#Hubs",
        "#Fetched",
        "#With objects",
        "Alarm",
    ];
    let mut table = Table::new(format!("URL patterns of {vertical} with objects"), &columns)
        .or("No pattern of the site has objects.");
    for row in patterns.iter().filter(|row| row.wanted) {
        table.row([
            Cell::Code(path(&row.pattern)),
            match row.chosen {
                true => Cell::state(Tone::Good, "chosen"),
                false => Cell::state(Tone::Quiet, "not chosen"),
            },
            Cell::number(row.pages),
            Cell::number(row.objects),
            Cell::number(row.hubs),
            Cell::number(row.watched.fetches),
            Cell::number(row.watched.yields),
            match row.watched.alarm {
                Some(alarm) => Cell::state(Tone::Bad, alarm.as_str()),
                None => Cell::from("none"),
            },
        ]);
    }
    table
}

fn round_table(vertical: &str, rounds: &[RoundRow]) -> Table {
    let columns = [
        "Run",
        "Began",
        "State",
        "Method",
        "#Pages",
        "#Unchanged",
        "#Hubs",
        "#Failures",
        "#Objects",
        "#New objects",
    ];
    let mut table = Table::new(format!("Rounds of {vertical}, the newest first"), &columns)
        .or("There was no round yet: `magpie recrawl` or `magpie watch` begins one.");
    for round in rounds.iter().rev().take(MAX_ROUNDS) {
        let run = round.run.0.to_string();
        table.row([
            Cell::link(Href::to(&["run", &run]), run.clone()),
            Cell::Time(round.began_at),
            match round.state {
                RoundState::Done => Cell::state(Tone::Good, "done"),
                state => Cell::state(Tone::Bad, state.as_str()),
            },
            Cell::from(round.method.as_str()),
            Cell::number(round.pages),
            Cell::number(round.unchanged),
            Cell::number(round.hubs),
            Cell::number(round.failures),
            Cell::number(round.objects),
            Cell::number(round.new_objects),
        ]);
    }
    if rounds.len() > MAX_ROUNDS {
        table.leaves_out(format!(
            "{} older rounds are left out.",
            thousands((rounds.len() - MAX_ROUNDS) as u64)
        ));
    }
    table
}

fn host_blocks(host: &Host, now: Timestamp) -> Vec<Block> {
    let mut facts = vec![
        Cell::outside(&host.origin).figure("Host"),
        Cell::from(about(host.delay)).figure("Delay in force"),
        match host.next_ok_at > now {
            true => Cell::Time(host.next_ok_at),
            false => Cell::from("now"),
        }
        .figure("May be asked from"),
        Cell::number(u64::from(host.failures)).figure("Failures in a row"),
    ];
    let mut blocks = Vec::new();
    if let Some(robots) = &host.robots {
        facts.push(Cell::from(robots.outcome.as_str()).figure("robots.txt"));
        facts.push(Cell::Time(robots.fetched_at).figure("Read"));
        blocks.extend(robots.text.clone().map(Block::Verbatim));
    }
    blocks.insert(0, Block::Facts(facts));
    blocks
}
