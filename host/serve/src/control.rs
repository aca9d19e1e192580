//! Acts on the workspace, in the process that writes.
//!
//! Each act is a form that is sent by POST, answered with a redirect, and has a command that does
//! the same. A server that only reads shows the commands.

use std::ops::ControlFlow;

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use magpie_engine::settings::Resolved;
use magpie_http::FormFields;
use magpie_report::format::{path, regex, thousands};
use magpie_store::{Learned as _, Reader, UrlFilter, UrlState};
use regex::{Regex, RegexBuilder};

use crate::asked::{Asked, Posted};
use crate::blocks::{Block, Cell, Form, FormField, Page, Table};
use crate::href::Href;
use crate::{App, Error, html};

/// URLs that are looked through for those that a rule would hit.
const MAX_LOOKED_THROUGH: usize = 200_000;

/// URLs that are read at a time.
const PART: usize = 5_000;

/// URLs that are shown as examples of what a rule hits.
const EXAMPLES: usize = 20;

/// The longest regular expression, and the most memory that it may cost.
const MAX_PATTERN: usize = 1_000;
const MAX_PATTERN_MEMORY: usize = 1 << 20;

/// An act on a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Fetch nothing from a site, or from any, for now.
    Pause {
        /// The site; `None` for all.
        site: Option<String>,
    },
    /// Fetch from a site, or from all, again.
    Resume {
        /// The site; `None` for all.
        site: Option<String>,
    },
    /// Collect from a site no more.
    Drop {
        /// The site.
        site: String,
    },
    /// Fetch no URL that matches a regular expression.
    Exclude {
        /// The site; `None` for all.
        site: Option<String>,
        /// The expression.
        pattern: String,
    },
    /// Change the budget.
    Budget {
        /// The budget, as in `5000/day`.
        budget: String,
    },
    /// Keep two records apart.
    Split {
        /// A record.
        one: i64,
        /// The other.
        other: i64,
    },
}

impl Act {
    /// The command that does the same.
    pub fn command(&self) -> String {
        match self {
            Act::Pause { site: None } => "magpie sites --pause".to_owned(),
            Act::Pause { site: Some(site) } => format!("magpie sites {} --pause", typed(site)),
            Act::Resume { site: None } => "magpie sites --resume".to_owned(),
            Act::Resume { site: Some(site) } => format!("magpie sites {} --resume", typed(site)),
            Act::Drop { site } => format!("magpie sites {} --drop", typed(site)),
            Act::Exclude { site: None, pattern } => {
                format!("magpie config scope.exclude --add {}", typed(pattern))
            }
            Act::Exclude {
                site: Some(site),
                pattern,
            } => format!(
                "magpie config scope.exclude --add {} --site {}",
                typed(pattern),
                typed(host(site))
            ),
            Act::Budget { budget } => format!("magpie config watch.budget --write {}", typed(budget)),
            Act::Split { one, other } => format!("magpie objects split r{one} r{other}"),
        }
    }
}

/// The host of a site's key.
pub(crate) fn host(site: &str) -> &str {
    site.split_once("://").map_or(site, |(_, host)| host)
}

/// A word as a person types it in a shell.
fn typed(word: &str) -> String {
    magpie_report::format::typed(std::path::Path::new(word))
}

/// When an act takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is done, and holds from the next cycle on.
    Done,
    /// It is done when the cycle under way has ended.
    Queued,
}

/// Acts on a workspace. A watch implements it.
pub trait Actions: Send + Sync {
    /// Acts, or returns a sentence why not. It may block for a moment.
    fn act(&self, act: Act) -> Result<Effect, String>;

    /// The settings in force from the next cycle on, or a sentence why they can't be read.
    fn settings(&self) -> Result<Resolved, String>;
}

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/-/act", post(act))
        .route("/-/exclude", get(exclude))
        .route("/-/done", get(done))
}

/// Reads the act of a form.
fn act_of(fields: &FormFields) -> Result<Act, Error> {
    let site = fields.get("site").map(str::to_owned);
    let needed = |field: &str, name: &str| {
        let value = fields.get(field).map(str::to_owned);
        value.ok_or_else(|| Error::BadRequest(format!("the form has no {name}")))
    };
    let record = |field: &str| {
        let number = fields.get(field).and_then(|text| text.parse::<i64>().ok());
        let number = number.filter(|number| *number > 0);
        number.ok_or_else(|| Error::BadRequest("the form has no number of a record".to_owned()))
    };
    Ok(match fields.get("act").unwrap_or_default() {
        "pause" => Act::Pause { site },
        "resume" => Act::Resume { site },
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

async fn act(State(app): State<App>, asked: Asked, Posted(fields): Posted) -> Result<Response, Error> {
    asked.must_act(&app)?;
    let actions = app.actions().cloned().ok_or(Error::Defect)?;
    let act = act_of(&fields)?;
    let command = act.command();
    let outcome = tokio::task::spawn_blocking(move || actions.act(act)).await;
    let effect = outcome.map_err(|_| Error::Defect)?.map_err(Error::Conflict)?;
    let effect = match effect {
        Effect::Done => "done",
        Effect::Queued => "queued",
    };
    let href = Href::to(&["-", "done"])
        .with("effect", effect)
        .with("command", &command);
    Ok(Redirect::to(&href.address).into_response())
}

/// Says what was done.
async fn done(asked: Asked) -> Result<Response, Error> {
    let sentence = match asked.get("effect") {
        Some("queued") => "It is done when the cycle under way has ended.",
        _ => "It is done, and holds from the next cycle on.",
    };
    let mut blocks = vec![Block::text(sentence)];
    blocks.extend(asked.get("command").map(Block::command));
    blocks.push(Block::Text(vec![Cell::link(
        Href::to(&["sites"]),
        "Back to the sites",
    )]));
    html(&Page {
        frame: asked.frame("Done", "/sites"),
        blocks,
    })
}

/// A form that acts at once.
fn button(name: &str, act: &str, site: Option<&str>) -> Block {
    let mut fields = vec![FormField::Hidden {
        name: "act",
        value: act.to_owned(),
    }];
    fields.extend(site.map(|site| FormField::Hidden {
        name: "site",
        value: site.to_owned(),
    }));
    Block::Form(Form {
        action: Href::to(&["-", "act"]),
        is_post: true,
        fields,
        button: name.to_owned(),
    })
}

/// The settings that acts change, as they are now.
fn settings(app: &App) -> Resolved {
    let now = app.actions().and_then(|actions| actions.settings().ok());
    now.unwrap_or_else(|| Resolved::clone(app.settings()))
}

/// The forms of one site.
pub(crate) fn of_site(app: &App, key: &str) -> Vec<Block> {
    let is_paused = settings(app).for_host(host(key)).watch.pause;
    let site = Some(key);
    vec![
        Block::heading("Act"),
        match is_paused {
            true => button("Resume this site", "resume", site),
            false => button("Pause this site", "pause", site),
        },
        Block::command(
            Act::Pause {
                site: Some(key.to_owned()),
            }
            .command(),
        ),
        exclude_form(site, ""),
        button("Drop this site: collect from it no more", "drop", site),
        Block::command(Act::Drop { site: key.to_owned() }.command()),
    ]
}

/// The forms of all sites.
pub(crate) fn of_all(app: &App) -> Vec<Block> {
    let watch = settings(app).settings.watch;
    vec![
        Block::heading("Act"),
        match watch.pause {
            true => button("Resume all sites", "resume", None),
            false => button("Pause all sites", "pause", None),
        },
        Block::command(Act::Pause { site: None }.command()),
        Block::Form(Form {
            action: Href::to(&["-", "act"]),
            is_post: true,
            fields: vec![
                FormField::Hidden {
                    name: "act",
                    value: "budget".to_owned(),
                },
                FormField::Line {
                    name: "value",
                    label: format!("Budget, now {}", watch.budget.sentence()),
                    value: String::new(),
                    hint: "5000/day".to_owned(),
                },
            ],
            button: "Set the budget".to_owned(),
        }),
        exclude_form(None, ""),
        Block::Command {
            about: "To add sites".to_owned(),
            line: "magpie learn https://example.org/".to_owned(),
        },
    ]
}

/// The form that keeps two records apart.
pub(crate) fn split(one: i64, other: i64) -> Vec<Block> {
    let field = |name, value: String| FormField::Line {
        name,
        label: match name {
            "one" => "Record".to_owned(),
            _ => "is not the same as record".to_owned(),
        },
        value,
        hint: "17".to_owned(),
    };
    vec![
        Block::Form(Form {
            action: Href::to(&["-", "act"]),
            is_post: true,
            fields: vec![
                FormField::Hidden {
                    name: "act",
                    value: "split".to_owned(),
                },
                field("one", one.to_string()),
                field("other", other.to_string()),
            ],
            button: "Keep them apart".to_owned(),
        }),
        Block::command(Act::Split { one, other }.command()),
    ]
}

/// The form that asks for the effect of an exclusion.
fn exclude_form(site: Option<&str>, pattern: &str) -> Block {
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
    Block::Form(Form {
        action: Href::to(&["-", "exclude"]),
        is_post: false,
        fields,
        button: "Show the effect".to_owned(),
    })
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

/// What an exclusion would hit.
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
            blocks: vec![exclude_form(site.as_deref(), "")],
        });
    }
    let rule = compiled(&pattern)?;
    let of = site.clone();
    let hit = app
        .read(move |reader| effect(reader, &rule, of.as_deref()))
        .await?;
    let mut blocks = vec![
        exclude_form(site.as_deref(), &pattern),
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
    if asked.can_act {
        let mut fields = vec![
            FormField::Hidden {
                name: "act",
                value: "exclude".to_owned(),
            },
            FormField::Hidden {
                name: "value",
                value: pattern.clone(),
            },
        ];
        fields.extend(site.clone().map(|site| FormField::Hidden {
            name: "site",
            value: site,
        }));
        blocks.push(Block::Form(Form {
            action: Href::to(&["-", "act"]),
            is_post: true,
            fields,
            button: "Exclude them".to_owned(),
        }));
    }
    blocks.push(Block::command(Act::Exclude { site, pattern }.command()));
    html(&Page {
        frame: asked.frame("Exclude URLs", "/sites"),
        blocks,
    })
}

/// Counts what a rule would hit.
fn effect(reader: &Reader, rule: &Regex, site: Option<&str>) -> Result<Hit, Error> {
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
        let rows = reader.urls(&filter)?;
        let Some(last) = rows.last() else {
            break ControlFlow::Continue(());
        };
        filter.after = Some(last.id);
        seen += rows.len();
        for row in rows.iter().filter(|row| rule.is_match(&row.url)) {
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
    fn dear_and_broken_expressions_are_refused() {
        for bad in ["(", "a{1000}{1000}{1000}", &"a".repeat(2_000)] {
            assert!(compiled(bad).is_err());
        }
        assert!(compiled("^https://[^/]+/archive/").is_ok());
    }
}
