//! Acts on the workspace, in the process that writes.
//!
//! Each act is a form that is sent by POST, answered with a redirect, and has a command that does
//! the same. A server that only reads shows the commands.

use std::ops::ControlFlow;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use magpie_engine::learn::sites_begun;
use magpie_engine::settings::Resolved;
use magpie_model::Attribute;
use magpie_report::format::{path, regex, thousands};
use magpie_rows::ReadStore;
use magpie_rows::{ObjectId, UrlFilter, UrlState};
use regex::{Regex, RegexBuilder};

use crate::act::{Act, Effect};
use crate::asked::{Asked, Posted};
use crate::blocks::{ActCard, Block, Cell, Form, FormField, Table, Tone};
use crate::frame::{Page, Rights};
use crate::href::Href;
use crate::security::gate::Visitor;
use crate::security::may_act;
use crate::{App, Error, html};

/// URLs that are looked through for those that a rule would hit.
const MAX_LOOKED_THROUGH: usize = 200_000;

/// Sites that are added at once.
const MAX_ADDED: usize = 50;

/// URLs that are read at a time.
const PART: usize = 5_000;

/// URLs that are shown as examples of what a rule hits.
const EXAMPLES: usize = 20;

/// The longest regular expression, and the most memory that it may cost.
const MAX_PATTERN: usize = 1_000;
const MAX_PATTERN_MEMORY: usize = 1 << 20;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/-/act", post(act))
        .route("/-/exclude", get(exclude))
        .route("/-/split", get(split))
        .route("/-/done", get(done))
}

/// Reads an act from the fields of its form.
fn act_of<'f>(field: impl Fn(&str) -> Option<&'f str>) -> Result<Act, Error> {
    let site = field("site").map(str::to_owned);
    let needed = |of: &str, name: &str| {
        let value = field(of).map(str::to_owned);
        value.ok_or_else(|| Error::BadRequest(format!("the form has no {name}")))
    };
    let record = |of: &str| {
        let number = field(of).and_then(|text| text.parse::<i64>().ok());
        let number = number.filter(|number| *number > 0);
        number.ok_or_else(|| Error::BadRequest("the form has no number of a record".to_owned()))
    };
    Ok(match field("act").unwrap_or_default() {
        "pause" => Act::Pause { site },
        "resume" => Act::Resume { site },
        "visit" => Act::Visit {
            site: needed("site", "site")?,
        },
        "add" => Act::Add {
            sites: named_sites(field("value").unwrap_or_default())?,
        },
        "drop" => Act::Drop {
            site: needed("site", "site")?,
        },
        "exclude" => Act::Exclude {
            site,
            pattern: compiled(&needed("value", "regular expression")?)?
                .as_str()
                .to_owned(),
        },
        "budget" => Act::Budget {
            budget: needed("value", "budget")?,
        },
        "split" => Act::Split {
            one: record("one")?,
            other: record("other")?,
        },
        other => return Err(Error::BadRequest(format!("there is no act `{other}`"))),
    })
}

/// Reads the first pages of sites, one a line.
fn named_sites(text: &str) -> Result<Vec<String>, Error> {
    let mut sites = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let written = match line.contains("://") {
            true => line.to_owned(),
            false => format!("https://{line}/"),
        };
        let Some(href) = Href::outside(&written) else {
            return Err(Error::BadRequest(format!(
                "`{line}` is not the address of a site: expected one such as https://example.org/"
            )));
        };
        sites.push(href.address);
    }
    match sites.len() {
        0 => Err(Error::BadRequest("the form names no site".to_owned())),
        count if count > MAX_ADDED => Err(Error::BadRequest(format!(
            "the form names {count} sites, and at most {MAX_ADDED} can be added at once: write them into a file \
             and use `magpie learn --sites FILE`"
        ))),
        _ => Ok(sites),
    }
}

async fn act(State(app): State<App>, Posted(fields): Posted) -> Result<Response, Error> {
    let actions = app.actions().cloned().ok_or(Error::Defect)?;
    let act = act_of(|name| fields.get(name))?;
    if let Some(site) = act.site().map(str::to_owned) {
        let settings = Arc::clone(app.settings());
        app.read(move |reader| check_known(reader, &settings, &site))
            .await?;
    }
    let sent = fields_of(&act);
    let outcome = tokio::task::spawn_blocking(move || actions.act(act)).await;
    let effect = outcome.map_err(|_| Error::Defect)?.map_err(Error::Conflict)?;
    let effect = match effect {
        Effect::Done => "done",
        Effect::Queued => "queued",
    };
    let done = Href::to(&["-", "done"]).with("effect", effect);
    let href = sent
        .iter()
        .fold(done, |href, (name, value)| href.with(name, value));
    Ok(Redirect::to(&href.address).into_response())
}

/// Refuses a site that was neither learned nor named to be learned.
fn check_known(reader: &dyn ReadStore, settings: &Resolved, site: &str) -> Result<(), Error> {
    for vertical in reader.learned_verticals()? {
        let mut learned = reader.learned_sites(&vertical)?.into_iter();
        let mut begun = sites_begun(reader, &vertical, settings)?.into_iter();
        if learned.any(|own| own.key == site) || begun.any(|(key, _)| key == site) {
            return Ok(());
        }
    }
    Err(Error::NotFound(format!(
        "there is no site `{site}`: name it as the page of sites does, or add it first"
    )))
}

/// Confirms an act. The address has the fields of the act and not its command, so that no link
/// from elsewhere makes this page show a command that Magpie does not have.
async fn done(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    asked: Asked,
) -> Result<Response, Error> {
    may_act(&app, &visitor)?;
    let act = act_of(|name| asked.get(name))?;
    let (tone, sentence) = match asked.get("effect") {
        Some("queued") => (
            Tone::Odd,
            "The watch does it as soon as the cycle under way has ended.",
        ),
        _ => (Tone::Good, "It is done, and holds from the next cycle on."),
    };
    let mut blocks = vec![Block::Verdict {
        tone,
        cells: vec![Cell::from(sentence)],
    }];
    blocks.push(Block::command(act.command()));
    blocks.push(Block::Text(vec![
        Cell::link(Href::to(&["sites"]), "Go to the sites"),
        Cell::from(" · "),
        Cell::link(Href::to(&[]), "Go to the overview"),
    ]));
    html(&Page {
        frame: asked.frame("Accepted", "/sites"),
        blocks,
    })
}

/// Offers an act: as a form to those who may act, and as a command to all.
fn offer(asked: &Asked, act: &Act, name: &str, about: &str, button: &str) -> ActCard {
    let fields = fields_of(act).into_iter();
    let fields = fields.map(|(name, value)| FormField::Hidden { name, value });
    ActCard {
        name: name.to_owned(),
        about: about.to_owned(),
        form: asked.can_act().then(|| Form {
            action: Href::to(&["-", "act"]),
            is_post: true,
            fields: fields.collect(),
            button: button.to_owned(),
        }),
        command: act.command(),
    }
}

/// The fields that the form of an act sends.
fn fields_of(act: &Act) -> Vec<(&'static str, String)> {
    let (word, site, value) = match act {
        Act::Pause { site } => ("pause", site.clone(), None),
        Act::Resume { site } => ("resume", site.clone(), None),
        Act::Visit { site } => ("visit", Some(site.clone()), None),
        Act::Add { sites } => ("add", None, Some(sites.join("\n"))),
        Act::Drop { site } => ("drop", Some(site.clone()), None),
        Act::Exclude { site, pattern } => ("exclude", site.clone(), Some(pattern.clone())),
        Act::Budget { budget } => ("budget", None, Some(budget.clone())),
        Act::Split { one, other } => {
            return vec![
                ("act", "split".to_owned()),
                ("one", one.to_string()),
                ("other", other.to_string()),
            ];
        }
    };
    let mut fields = vec![("act", word.to_owned())];
    fields.extend(site.map(|site| ("site", site)));
    fields.extend(value.map(|value| ("value", value)));
    fields
}

/// The settings that acts change, as they are now.
pub(crate) fn settings(app: &App) -> Resolved {
    let now = app.actions().and_then(|actions| actions.settings().ok());
    now.unwrap_or_else(|| Resolved::clone(app.settings()))
}

/// Says why there are no buttons, if there are none.
fn heading(asked: &Asked) -> Vec<Block> {
    let mut blocks = vec![Block::heading("Act")];
    blocks.extend(match asked.rights {
        Rights::MayAct => None,
        Rights::NeedsSession => Some(Block::text(
            "To act on this page, open the link that the watch printed when it started. The commands work anyway.",
        )),
        Rights::NeedsOperator => Some(Block::text(
            "Only operators may act on this page. The commands work anyway.",
        )),
        Rights::OnlyReads => Some(Block::Text(vec![
            Cell::from("This server only reads. These commands act, and so does the page of "),
            Cell::Code("magpie watch --serve".to_owned()),
            Cell::from("."),
        ])),
    });
    blocks
}

/// The acts on one site.
pub(crate) fn of_site(app: &App, asked: &Asked, key: &str) -> Vec<Block> {
    let is_paused = settings(app).for_site(key).watch.pause;
    let site = Some(key.to_owned());
    let of = key.to_owned();
    let mut blocks = heading(asked);
    blocks.push(Block::Acts(vec![
        offer(
            asked,
            &Act::Visit { site: of.clone() },
            "Look now",
            "Visits the list pages of the site at once, as far as the budget goes.",
            "Look at this site now",
        ),
        match is_paused {
            true => offer(
                asked,
                &Act::Resume { site },
                "Resume",
                "The site is paused. Resumed, it is visited when its pages are due.",
                "Resume this site",
            ),
            false => offer(
                asked,
                &Act::Pause { site },
                "Pause",
                "Nothing is fetched from the site until it is resumed.",
                "Pause this site",
            ),
        },
        exclude_card(Some(key)),
        offer(
            asked,
            &Act::Drop { site: of },
            "Drop",
            "Nothing more is collected from the site. Its pages and objects are kept.",
            "Drop this site",
        ),
    ]));
    blocks
}

/// The acts on a site that was named and not learned.
pub(crate) fn of_begun(asked: &Asked, key: &str) -> Vec<Block> {
    let mut blocks = heading(asked);
    blocks.push(Block::Acts(vec![offer(
        asked,
        &Act::Drop { site: key.to_owned() },
        "Drop",
        "The site is not learned again with the others. Its pages are kept.",
        "Drop this site",
    )]));
    blocks
}

/// The acts on all sites.
pub(crate) fn of_all(app: &App, asked: &Asked) -> Vec<Block> {
    let is_paused = settings(app).settings.watch.pause;
    let mut blocks = heading(asked);
    blocks.push(Block::Acts(vec![
        add_card(asked),
        match is_paused {
            true => offer(
                asked,
                &Act::Resume { site: None },
                "Resume all",
                "All sites are paused. Resumed, pages are visited when they are due.",
                "Resume all sites",
            ),
            false => offer(
                asked,
                &Act::Pause { site: None },
                "Pause all",
                "Nothing is fetched from any site until they are resumed.",
                "Pause all sites",
            ),
        },
        budget_card(app, asked),
        exclude_card(None),
    ]));
    blocks
}

fn add_card(asked: &Asked) -> ActCard {
    let act = Act::Add {
        sites: vec!["https://example.org/".to_owned()],
    };
    let about = "Crawls the first pages of new sites to learn which of them bring objects. The watch waits meanwhile.";
    let mut card = offer(asked, &act, "Add sites", about, "Add these sites");
    if let Some(form) = &mut card.form {
        form.fields.truncate(1);
        form.fields.push(FormField::Lines {
            name: "value",
            label: "First pages, one a line".to_owned(),
            hint: "https://example.org/".to_owned(),
        });
    }
    card
}

fn budget_card(app: &App, asked: &Asked) -> ActCard {
    let budget = settings(app).settings.watch.budget.sentence();
    let act = Act::Budget {
        budget: "5000/day".to_owned(),
    };
    let about = format!("All that the watch fetches is paid from it. Now it is {budget}.");
    let mut card = offer(asked, &act, "Budget", &about, "Set the budget");
    if let Some(form) = &mut card.form {
        form.fields.truncate(1);
        form.fields.push(FormField::Line {
            name: "value",
            label: "Pages or bytes in a time".to_owned(),
            value: String::new(),
            hint: "5000/day or 2 GB/week".to_owned(),
        });
    }
    card
}

/// The acts of the plan: the budget.
pub(crate) fn of_plan(app: &App, asked: &Asked) -> Vec<Block> {
    let mut blocks = heading(asked);
    blocks.push(Block::Acts(vec![budget_card(app, asked)]));
    blocks
}

/// The link to two records of an object beside each other.
pub(crate) fn split_href(object: ObjectId, one: i64, other: i64) -> Href {
    Href::to(&["-", "split"])
        .with("object", &object.0.to_string())
        .with("one", &one.to_string())
        .with("other", &other.to_string())
}

/// Shows two records of an object beside each other, and offers to keep them apart.
async fn split(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let number = |name: &str| {
        let text = asked.get(name).unwrap_or_default().trim_start_matches('r');
        text.parse::<i64>()
            .map_err(|_| Error::BadRequest(format!("`{name}` must be a number, such as 17")))
    };
    let (object, one, other) = (ObjectId(number("object")?), number("one")?, number("other")?);
    let (detail, attributes) = app
        .read(move |reader| {
            let detail = reader
                .object_detail(object)?
                .ok_or_else(|| Error::NotFound(format!("there is no object {object}")))?;
            let row = reader.warehouse_vertical(&detail.object.vertical)?;
            let schema = row.map(|row| serde_json::from_str(&row.matching.schema).unwrap_or_default());
            let attributes: Vec<Attribute> = schema.unwrap_or_default();
            Ok((detail, attributes))
        })
        .await?;
    let member = |id: i64| {
        let found = detail.members.iter().find(|member| member.id == id);
        found.ok_or_else(|| Error::NotFound(format!("object {object} has no record r{id}")))
    };
    let (first, second) = (member(one)?, member(other)?);
    if one == other {
        return Err(Error::BadRequest("these are one record, not two".to_owned()));
    }
    let heads = [
        "Attribute".to_owned(),
        format!("Record r{one}"),
        format!("Record r{other}"),
    ];
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let mut table = Table::new("The two records", &heads);
    table.row([
        Cell::from("Page"),
        Cell::outside(&first.url),
        Cell::outside(&second.url),
    ]);
    for attribute in &attributes {
        let values = |record: &magpie_model::Record| -> Vec<String> {
            record.all(&attribute.name).map(str::to_owned).collect()
        };
        let (one, other) = (values(&first.record), values(&second.record));
        if one.is_empty() && other.is_empty() {
            continue;
        }
        let is_same = one == other;
        let shown = |values: Vec<String>| match (values.is_empty(), is_same) {
            (true, _) => Cell::none(),
            (_, true) => Cell::from(values.join(", ")),
            (_, false) => Cell::state(Tone::Odd, values.join(", ")),
        };
        table.row([Cell::from(attribute.label.clone()), shown(one), shown(other)]);
    }
    let mut blocks = vec![
        Block::Text(vec![
            Cell::from("Both belong to "),
            Cell::link(
                Href::to(&["object", &object.0.to_string()]),
                detail.object.label.clone(),
            ),
            Cell::from("."),
        ]),
        Block::Table(table),
        Block::Command {
            about: "Why they are one object".to_owned(),
            line: format!("magpie objects explain r{one} r{other}"),
        },
    ];
    blocks.extend(heading(&asked));
    blocks.push(Block::Acts(vec![offer(
        &asked,
        &Act::Split { one, other },
        "These two are not one",
        "The records become two objects, and no later comparison merges them again.",
        "Keep them apart",
    )]));
    html(&Page {
        frame: asked.frame("Two records of one object", "/doubts"),
        blocks,
    })
}

/// The card that leads to the effect of an exclusion, which must be seen before it is made.
fn exclude_card(site: Option<&str>) -> ActCard {
    ActCard {
        name: "Exclude".to_owned(),
        about: "Shows how many queued URLs and chosen patterns a rule would hit, before anything is changed."
            .to_owned(),
        form: Some(exclude_form(site, "")),
        command: Act::Exclude {
            site: site.map(str::to_owned),
            pattern: "/archive/".to_owned(),
        }
        .command(),
    }
}

/// The form that asks for the effect of an exclusion.
fn exclude_form(site: Option<&str>, pattern: &str) -> Form {
    let mut fields = vec![FormField::Line {
        name: "pattern",
        label: "Exclude URLs that match a regular expression".to_owned(),
        value: pattern.to_owned(),
        hint: "/archive/".to_owned(),
    }];
    fields.extend(site.map(|site| FormField::Hidden {
        name: "site",
        value: site.to_owned(),
    }));
    Form {
        action: Href::to(&["-", "exclude"]),
        is_post: false,
        fields,
        button: "Show the effect".to_owned(),
    }
}

fn compiled(pattern: &str) -> Result<Regex, Error> {
    let invalid =
        |problem: String| Error::BadRequest(format!("`{pattern}` is not a regular expression: {problem}"));
    if pattern.len() > MAX_PATTERN {
        return Err(Error::BadRequest("the regular expression is too long".to_owned()));
    }
    RegexBuilder::new(pattern)
        .size_limit(MAX_PATTERN_MEMORY)
        .build()
        .map_err(|error| invalid(error.to_string().lines().last().unwrap_or_default().to_owned()))
}

/// URLs and chosen patterns that an exclusion would hit.
#[derive(Default)]
struct Hit {
    queued: u64,
    fetched: u64,
    examples: Vec<String>,
    patterns: Vec<(String, String, u64)>,
    is_whole: bool,
}

async fn exclude(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let site = asked.get("site").map(str::to_owned);
    let pattern = asked.get("pattern").unwrap_or_default().to_owned();
    if pattern.is_empty() {
        return html(&Page {
            frame: asked.frame("Exclude URLs", "/sites"),
            blocks: vec![Block::Form(exclude_form(site.as_deref(), ""))],
        });
    }
    let rule = compiled(&pattern)?;
    let of = site.clone();
    let hit = app
        .read_dear(move |reader| effect(reader, &rule, of.as_deref()))
        .await?;
    let mut blocks = vec![
        Block::Form(exclude_form(site.as_deref(), &pattern)),
        Block::Figures(vec![
            Cell::number(hit.queued).figure("Queued URLs that are no longer fetched"),
            Cell::number(hit.fetched).figure("Fetched pages that are not visited again"),
            Cell::number(hit.patterns.len() as u64).figure("Chosen patterns that lose pages"),
        ]),
    ];
    if !hit.is_whole {
        blocks.push(Block::text(format!(
            "Only the first {} URLs were looked through.",
            thousands(MAX_LOOKED_THROUGH as u64)
        )));
    }
    let mut table = Table::new(
        "Chosen patterns that lose pages",
        &["Pattern", "Site", "#Pages lost"],
    )
    .or("No chosen pattern loses a page.");
    for (site, pattern, pages) in &hit.patterns {
        table.row([
            Cell::Code(path(pattern)),
            Cell::link(Href::to(&["site", site]), site.clone()),
            Cell::number(*pages),
        ]);
    }
    blocks.push(Block::Table(table));
    let mut table = Table::new("Examples of URLs that match", &["URL"]).or("No known URL matches.");
    for url in &hit.examples {
        table.row([Cell::link(Href::to(&["url"]).with("u", url), url.clone())]);
    }
    blocks.push(Block::Table(table));
    blocks.extend(heading(&asked));
    blocks.push(Block::Acts(vec![offer(
        &asked,
        &Act::Exclude { site, pattern },
        "Exclude",
        "Nothing that matches is fetched any more. Objects that were found there are kept.",
        "Exclude them",
    )]));
    html(&Page {
        frame: asked.frame("Exclude URLs", "/sites"),
        blocks,
    })
}

/// Counts what a rule would hit.
fn effect(reader: &dyn ReadStore, rule: &Regex, site: Option<&str>) -> Result<Hit, Error> {
    let mut chosen = Vec::new();
    for vertical in reader.learned_verticals()? {
        for own in reader.learned_sites(&vertical)? {
            if site.is_some_and(|site| site != own.key) {
                continue;
            }
            for row in reader
                .patterns(&vertical, own.site)?
                .into_iter()
                .filter(|row| row.chosen)
            {
                let compiled = regex(&row.pattern).and_then(|text| Regex::new(&text).ok());
                chosen
                    .extend(compiled.map(|compiled| (own.key.clone(), row.pattern.clone(), compiled, 0_u64)));
            }
        }
    }
    let mut hit = Hit::default();
    let mut filter = UrlFilter {
        site: site.map(str::to_owned),
        limit: PART,
        ..UrlFilter::default()
    };
    let mut seen = 0;
    let ended = loop {
        let page = reader.urls(&filter)?;
        seen += page.urls.len();
        for row in page.urls.iter().filter(|row| rule.is_match(&row.url)) {
            match row.state {
                UrlState::Queued => hit.queued += 1,
                UrlState::Fetched => hit.fetched += 1,
                UrlState::Failed | UrlState::Refused | UrlState::Held => continue,
            }
            if hit.examples.len() < EXAMPLES {
                hit.examples.push(row.url.clone());
            }
            let of = chosen.iter_mut().filter(|(key, ..)| *key == row.site_key);
            for (_, _, compiled, pages) in of {
                *pages += u64::from(compiled.is_match(&row.url));
            }
        }
        filter.after = page.next;
        if filter.after.is_none() {
            break ControlFlow::Continue(());
        }
        if seen >= MAX_LOOKED_THROUGH {
            break ControlFlow::Break(());
        }
    };
    hit.is_whole = ended.is_continue();
    let lost = chosen.into_iter().filter(|(.., pages)| *pages > 0);
    hit.patterns = lost
        .map(|(site, pattern, _, pages)| (site, pattern, pages))
        .collect();
    Ok(hit)
}

#[cfg(test)]
mod tests {
    use url::form_urlencoded;

    use magpie_http::FormFields;

    use super::*;

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let act = Act::Exclude {
            site: Some("https://shop.example".to_owned()),
            pattern: "/a b'c$(x)".to_owned(),
        };
        assert_eq!(
            act.command(),
            "magpie config scope.exclude --add '/a b'\\''c$(x)' --site shop.example"
        );
    }

    #[test]
    fn sites_are_named_by_addresses_of_the_web_alone() {
        let sites = named_sites(" https://a.example/x \n\nb.example\n").unwrap();
        assert_eq!(sites, ["https://a.example/x", "https://b.example/"]);
        let act = Act::Add { sites };
        assert_eq!(
            act.command(),
            "magpie learn https://a.example/x https://b.example/"
        );
        let many = "a.example\n".repeat(MAX_ADDED + 1);
        for bad in [
            "",
            " \n",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "a b://c",
            &many,
        ] {
            assert!(named_sites(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_form_sends_the_act_that_it_offers() {
        let site = || Some("a.example".to_owned());
        for act in [
            Act::Pause { site: None },
            Act::Resume { site: site() },
            Act::Visit {
                site: "a.example".to_owned(),
            },
            Act::Add {
                sites: vec!["https://a.example/".to_owned()],
            },
            Act::Drop {
                site: "a.example".to_owned(),
            },
            Act::Exclude {
                site: site(),
                pattern: "/a b/".to_owned(),
            },
            Act::Budget {
                budget: "5/day".to_owned(),
            },
            Act::Split { one: 1, other: 2 },
        ] {
            let mut body = form_urlencoded::Serializer::new(String::new());
            body.extend_pairs(fields_of(&act));
            let sent = FormFields::parse(body.finish().as_bytes()).unwrap();
            assert_eq!(act_of(|name| sent.get(name)).unwrap(), act);
        }
    }

    #[test]
    fn dear_and_broken_expressions_are_refused() {
        for bad in ["(", "a{1000}{1000}{1000}", &"a".repeat(2_000)] {
            assert!(compiled(bad).is_err());
        }
        assert!(compiled("^https://[^/]+/archive/").is_ok());
    }
}
