//! URLs: why they were not fetched, and the life of one.

use axum::extract::State;
use axum::response::Response;
use magpie_model::UrlReason;
use magpie_report::format::bytes;
use magpie_report::views::url::{ExplainError, UrlStory, extraction, focus_sentences, judgement};
use magpie_rows::{PageId, StoreError, UrlExplanation, UrlFilter, UrlPage, UrlState};
use serde_json::json as json_of;

use crate::answer::List;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Choice, Form, FormField, Table, Tone};
use crate::frame::Page;
use crate::href::Href;
use crate::{App, Error, Format, html, json};

/// URLs of a part of the list.
const PAGE: usize = 200;

/// Steps of the way from a first page that are shown.
const STEPS: usize = 10;

pub(super) async fn all(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let state = match asked.get("state") {
        None => None,
        Some(word) => Some(word.parse::<UrlState>().map_err(|_| {
            let words = UrlState::WORDS.join(", ");
            Error::BadRequest(format!(
                "invalid value `{word}` for `state`: expected one of {words}"
            ))
        })?),
    };
    let filter = UrlFilter {
        state,
        reason: asked.get("reason").map(str::to_owned),
        site: asked.get("site").map(str::to_owned),
        after: asked
            .get("after")
            .map(str::parse)
            .transpose()
            .map_err(StoreError::from)?,
        limit: PAGE,
    };
    let is_filtered = filter.state.is_some() || filter.reason.is_some() || filter.site.is_some();
    let shared = filter.clone();
    let (counts, page) = app
        .read(move |reader| {
            let site = match &shared.site {
                Some(key) => Some(
                    reader
                        .site_named(key)?
                        .ok_or_else(|| Error::NotFound(format!("there is no site `{key}`")))?,
                ),
                None => None,
            };
            let page = match is_filtered {
                true => reader.urls(&shared)?,
                false => UrlPage::default(),
            };
            Ok((reader.url_counts(site)?, page))
        })
        .await?;
    let UrlPage { urls: rows, next } = page;
    let next = next.map(|after| asked.but(&[("after", Some(&after.to_string()))]));
    if !asked.format.is_page() {
        let rows = rows.iter().map(|row| {
            json_of!({
                "url": row.url, "site": row.site_key, "state": row.state, "reason": row.reason,
                "detail": row.detail, "found_at": row.found_at.to_string(),
            })
        });
        let mut list = List::new("urls", rows);
        list.next_url = next.map(|href| href.address.replacen("/urls", "/urls.json", 1));
        return list.answer(&asked);
    }
    let mut blocks = vec![explain_form("")];
    if let Some(site) = &filter.site {
        blocks.push(Block::Text(vec![
            Cell::from("Of the site "),
            Cell::link(Href::to(&["site", site]), site.clone()),
            Cell::from(" alone. "),
            Cell::link(
                asked.but(&[("site", None), ("after", None)]),
                "Show those of all sites",
            ),
        ]));
    }
    let total: u64 = counts.0.values().sum();
    let mut table = Table::new(
        format!(
            "All {} known URLs by state and reason",
            magpie_report::format::thousands(total)
        ),
        &["State", "Reason", "#URLs"],
    )
    .or("No URL is known yet.");
    for ((state, reason), count) in &counts.0 {
        let word = reason.as_ref().map(|reason| reason.as_str().into_owned());
        let href = asked.but(&[
            ("state", Some(state.as_str())),
            ("reason", word.as_deref()),
            ("after", None),
        ]);
        table.row([
            state_cell(*state),
            Cell::from(match reason {
                Some(reason) => reason_words(reason),
                None => state_words(*state).to_owned(),
            }),
            Cell::link(href, magpie_report::format::thousands(*count)),
        ]);
    }
    blocks.push(Block::Table(table));
    if is_filtered {
        let mut table = Table::new(
            "The URLs, in the order they were found",
            &["URL", "Site", "State", "Reason", "Found"],
        )
        .or("No URL is in this state for this reason.");
        for row in &rows {
            table.row([
                Cell::url(&row.url),
                Cell::link(Href::to(&["site", &row.site_key]), row.site_key.clone()),
                state_cell(row.state),
                Cell::from(match (&row.reason, &row.detail) {
                    (_, Some(detail)) => detail.clone(),
                    (Some(reason), None) => reason_words(reason),
                    (None, None) => "–".to_owned(),
                }),
                Cell::Time(row.found_at),
            ]);
        }
        blocks.push(Block::Table(table));
        if let Some(next) = next {
            blocks.push(Block::Text(vec![Cell::Choices(vec![Choice {
                href: next,
                name: "More URLs".to_owned(),
                count: None,
                is_now: false,
            }])]));
        }
    }
    blocks.push(Block::command("magpie status"));
    let title = match &filter.site {
        Some(site) => format!("URLs of {site}"),
        None => "URLs".to_owned(),
    };
    html(&Page {
        frame: asked.list_frame(title, "/urls"),
        blocks,
    })
}

/// The form that asks for the life of a URL.
fn explain_form(value: &str) -> Block {
    Block::Form(Form {
        action: Href::to(&["url"]),
        is_post: false,
        fields: vec![FormField::Line {
            name: "u",
            label: "Explain this URL".to_owned(),
            value: value.to_owned(),
            hint: "https://example.org/page".to_owned(),
        }],
        button: "Explain".to_owned(),
    })
}

/// The meaning of a state in words.
fn state_words(state: UrlState) -> &'static str {
    match state {
        UrlState::Fetched => "its page is in the workspace",
        UrlState::Queued => "waits to be fetched",
        UrlState::Failed => "could not be fetched",
        UrlState::Refused => "is not fetched",
        UrlState::Held => "waits for a decision",
    }
}

/// The reason for which a URL was not fetched, in words.
pub(super) fn reason_words(reason: &UrlReason) -> String {
    let words = match reason {
        UrlReason::Robots => "robots.txt forbids it",
        UrlReason::Nofollow => "it asks crawlers not to follow its links",
        UrlReason::Noindex => "it asks crawlers not to read it",
        UrlReason::TooLarge => "the answer is too large",
        UrlReason::NotArchived => "the archive has no answer",
        UrlReason::OtherHost => "it is of another host",
        UrlReason::OtherSite => "it is of another site",
        UrlReason::UnlistedHost => "its host is not on the list",
        UrlReason::Excluded => "a pattern of the settings excludes it",
        UrlReason::Forgotten => "it was removed by `magpie forget`",
        UrlReason::NotIncluded => "no pattern of the settings includes it",
        UrlReason::TooDeep => "it is too many links away from the first page",
        UrlReason::TooLong => "it is too long",
        UrlReason::TooManySegments => "its path has too many segments",
        UrlReason::RepeatedSegment => "a segment repeats in its path",
        UrlReason::PathLoop => "its path repeats a part",
        UrlReason::RepeatedPair => "a pair repeats in its query",
        UrlReason::PathGrowth => "paths of its kind grow from page to page",
        UrlReason::TooManyKeys => "its query has too many keys",
        UrlReason::FarDate => "it is a page of a calendar too far from today",
        UrlReason::EmptyCalendar => "it is a page of a calendar that has nothing",
        UrlReason::TooManyKeySets => "its path has too many sets of keys",
        UrlReason::NothingNew => "pages of its kind bring nothing new",
        UrlReason::Acts => "it acts, as a link to a basket does",
        UrlReason::ShowsAgain => "it shows a page again in another form",
        UrlReason::Service => "it is a service and no page",
        UrlReason::Barren => "pages of its kind never had an object",
        UrlReason::File => "it ends like files of the site, which are no pages",
        UrlReason::NoPages => "URLs of its form are answered with no page",
        other => return other.as_str().replace('-', " "),
    };
    words.to_owned()
}

fn state_cell(state: UrlState) -> Cell {
    let tone = match state {
        UrlState::Fetched => Tone::Good,
        UrlState::Queued => Tone::Quiet,
        UrlState::Failed => Tone::Bad,
        UrlState::Refused | UrlState::Held => Tone::Odd,
    };
    Cell::state(tone, state.as_str())
}

pub(super) async fn one(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let Some(written) = asked.get("u").map(str::to_owned) else {
        return html(&Page {
            frame: asked.frame("Explain a URL", "/urls"),
            blocks: vec![explain_form("")],
        });
    };
    let shared = app.clone();
    let text = written.clone();
    let (story, said, data) = app
        .read(move |reader| {
            let story = UrlStory::read(reader, shared.folder(), shared.settings(), shared.now(), &text);
            let story = story.map_err(|error| match error {
                ExplainError::Url(problem) => {
                    Error::BadRequest(format!("this is not a URL that can be fetched: {problem}"))
                }
                ExplainError::Store(error) => error.into(),
            })?;
            let pages = story.known.iter().flat_map(|known| &known.pages);
            let mut said = Vec::new();
            for page in pages {
                let extractions = reader.extractions(page.id)?;
                let judgements = reader.judgements_of(&[page.id])?;
                let sentences = extractions.iter().map(extraction);
                said.push((
                    page.id,
                    sentences.chain(judgements.iter().map(judgement)).collect(),
                ));
            }
            let data = story.view(reader)?;
            Ok((story, said, data))
        })
        .await?;
    if asked.format == Format::Json {
        return Ok(json(&data));
    }
    let url = story.url.as_str().to_owned();
    let mut blocks = vec![explain_form(&written), Block::Text(vec![Cell::outside(&url)])];
    for change in &story.changes {
        let mut sentence = format!("Made canonical: {}", change.sentence);
        if let Some(proof) = &change.proof {
            sentence.push_str(&format!(" ({}; `urls.keep_keys` would keep it)", proof.evidence));
        }
        blocks.push(Block::text(sentence));
    }
    if let Some(order) = &story.order {
        blocks.push(Block::text(format!(
            "The keys are in the server's order: {}",
            order.evidence
        )));
    }
    if story.known.is_empty() {
        let sentence = match story.host {
            Some(_) => "No page that was fetched, no sitemap and no redirect leads there.",
            None => "No page of this workspace links to it, and its host is not crawled.",
        };
        blocks.push(Block::Text(vec![Cell::state(Tone::Odd, sentence)]));
    }
    for known in &story.known {
        known_blocks(known, &said, &mut blocks);
    }
    for query in &story.queries {
        blocks.push(Block::text(query.to_string()));
    }
    for sentence in story.focus.iter().flat_map(focus_sentences) {
        blocks.push(Block::text(sentence.trim().to_owned()));
    }
    blocks.push(Block::command(format!(
        "magpie explain '{}'",
        url.replace('\'', "'\\''")
    )));
    let frame = asked.frame("One URL", "/urls").with_json(
        Href {
            address: "/url.json".to_owned(),
            is_outside: false,
        }
        .with("u", &written),
    );
    html(&Page { frame, blocks })
}

fn known_blocks(known: &UrlExplanation, said: &[(PageId, Vec<String>)], blocks: &mut Vec<Block>) {
    blocks.push(Block::heading(format!("As a URL of {}", known.site_key)));
    let reason = known.reason.as_ref().map(reason_words);
    let why = known.detail.clone().or(reason);
    blocks.push(Block::Facts(vec![
        state_cell(known.state).figure("State"),
        Cell::from(why.unwrap_or_else(|| state_words(known.state).to_owned())).figure("Reason"),
        Cell::from(known.source.as_str()).figure("Found as"),
        Cell::Time(known.found_at).figure("Found"),
        Cell::from(known.depth.to_string()).figure("Links from the first page"),
        Cell::from(known.attempts.to_string()).figure("Attempts"),
        Cell::time(known.due_at).figure("Due"),
    ]));
    if let Some(modified) = known.modified_at {
        blocks.push(Block::Text(vec![
            Cell::from("Changed according to sitemaps and feeds: "),
            Cell::Time(modified),
        ]));
    }
    let mut way =
        Table::new("The way from a first page, backwards", &["Found on", "As"]).or("It is a first page.");
    for step in known.way.iter().take(STEPS) {
        way.row([Cell::url(&step.url), Cell::from(step.source.as_str())]);
    }
    blocks.push(Block::Table(way));
    let columns = [
        "Fetched",
        "Status",
        "Media type",
        "#Bytes",
        "Outcome",
        "What verticals made of it",
        "Copy",
    ];
    let mut fetches = Table::new("Fetches, the newest first", &columns).or("It was never fetched.");
    for page in &known.pages {
        let own = said.iter().filter(|(id, _)| *id == page.id);
        let said: Vec<&str> = own
            .flat_map(|(_, said)| said.iter().map(String::as_str))
            .collect();
        let problem = page.problem.as_ref().map(|problem| problem.as_str().into_owned());
        let outcome = match (&page.redirect, page.detail.clone().or(problem)) {
            (Some(target), _) => Cell::Many(vec![Cell::from("redirects to "), Cell::outside(target)]),
            (None, Some(problem)) => Cell::state(Tone::Bad, problem),
            (None, None) => Cell::state(Tone::Good, "kept"),
        };
        let number = page.id.0.to_string();
        fetches.row([
            Cell::Time(page.fetched_at),
            page.status.map_or_else(
                || Cell::from("no answer"),
                |status| Cell::from(status.to_string()),
            ),
            Cell::from(page.media_type.clone().unwrap_or_default()),
            Cell::from(bytes(page.bytes)),
            outcome,
            Cell::from(said.join("; ")),
            match page.archived.is_some() || page.same_as.is_some() {
                true => Cell::link(Href::to(&["page", &number]), format!("page {number}")),
                false => Cell::from("none"),
            },
        ]);
    }
    blocks.push(Block::Table(fetches));
}
