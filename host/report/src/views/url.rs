//! The life of one URL: its names, its fetches, and what was found on it.

use std::fmt;
use std::path::Path;

use magpie_engine::crawl::{Explanation, PageWeights, site_key};
use magpie_engine::focus::{PageInFocus, explain_page};
use magpie_engine::learn::strategy_of;
use magpie_engine::recrawl::ListWorth;
use magpie_engine::settings::Resolved;
use magpie_engine::site::{LearnedRules, SiteRendering, View, navigation_file, read_navigation, with_scheme};
use magpie_engine::{canonicaliser_knowing, proof, proof_of_order};
use magpie_model::json::Address;
use magpie_model::{Attribute, CanonicalUrl, Judgement};
use magpie_patterns::rendering::{RenderingRule, RenderingRules};
use magpie_rows::ReadStore;
use magpie_rows::{
    ExtractionRow, Host, JudgementRow, KeptUrlRule, StoreError, SubmissionOutcome, SubmissionRow,
    UrlExplanation,
};
use magpie_values::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::explain::{
    ExplainView, FocusView, KnownView, PageRenderingView, QueryView, RobotsView, UrlRuleView,
};
use crate::format;
use crate::sentences::learn::way;

/// Reason why a URL can't be explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// It is not a URL that can be fetched.
    #[error("{0}")]
    Url(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A difference between a URL as it was written and its canonical form.
#[derive(Clone, Debug)]
pub struct UrlChange {
    pub sentence: String,
    /// The evidence that it makes no difference, if it was learned.
    pub proof: Option<KeptUrlRule>,
}

#[derive(Debug)]
pub struct UrlStory {
    /// The canonical form.
    pub url: CanonicalUrl,
    pub changes: Vec<UrlChange>,
    /// The evidence for the order of its keys.
    pub order: Option<KeptUrlRule>,
    /// Its state in the frontier of each site.
    pub known: Vec<UrlExplanation>,
    /// Queries whose results it has.
    pub queries: Vec<Query>,
    pub focus: Vec<PageInFocus>,
    /// The facts about its host, if it is known.
    pub host: Option<Host>,
    /// The ways to have the page that verticals know.
    pub rendering: Vec<PageRendering>,
    /// Its part in the rounds of verticals that read it for its links.
    pub lists: Vec<PageAsList>,
}

/// A page that rounds of a vertical may read for its links.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PageAsList {
    /// The vertical.
    pub vertical: String,
    /// The objects that it adds to other lists.
    #[serde(flatten)]
    pub worth: ListWorth,
}

impl PageAsList {
    fn read(
        reader: &dyn ReadStore,
        folder: &Path,
        settings: &Resolved,
        now: Timestamp,
        site: &str,
        url: &CanonicalUrl,
    ) -> Result<Vec<PageAsList>, StoreError> {
        let of_vertical = |vertical: String| {
            let view = View {
                reader,
                folder,
                settings,
                vertical: &vertical,
                now,
            };
            // A broken file is reported by the commands that follow it.
            let worth = view.list_worth(site, url).ok().flatten()?;
            Some(PageAsList { vertical, worth })
        };
        let verticals = reader.learned_verticals()?.into_iter();
        Ok(verticals.filter_map(of_vertical).collect())
    }
}

impl fmt::Display for PageAsList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let adds = match self.worth.adds {
            0 => "shows no object that other lists do not show".to_owned(),
            adds => format!("adds {} to those of better lists", format::count(adds, "object")),
        };
        let is_read = match self.worth.is_read {
            true => "the next round reads it",
            false => "rounds read it for its age alone (`recrawl.refresh`)",
        };
        write!(f, "{}: a list that {adds}; {is_read}", self.vertical)
    }
}

/// The way to have a page that a vertical knows.
#[derive(Clone, Debug)]
pub struct PageRendering {
    pub vertical: String,
    /// The rule that holds for the page.
    pub rule: RenderingRule,
    /// The URL of the page's data, if its objects come from there.
    pub data: Option<CanonicalUrl>,
    /// A person wrote the rule; otherwise it was learned.
    pub is_written: bool,
}

impl PageRendering {
    /// Reads the ways to have a page.
    fn read(
        reader: &dyn ReadStore,
        folder: &Path,
        site: &str,
        url: &CanonicalUrl,
    ) -> Result<Vec<PageRendering>, StoreError> {
        let mut found = Vec::new();
        for vertical in reader.learned_verticals()? {
            let learned = LearnedRules::read(reader, &vertical)?;
            // A broken file is reported by the commands that follow it.
            let of_site = SiteRendering::read_or_learned(folder, &vertical, &learned, site);
            let rules = RenderingRules::new(of_site.all());
            found.extend(rules.of(url).map(|rule| PageRendering {
                is_written: of_site.written.contains(rule),
                data: rules.endpoint(url),
                rule: rule.clone(),
                vertical,
            }));
        }
        Ok(found)
    }
}

impl fmt::Display for PageRendering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.vertical, way(&self.rule))?;
        if let Some(data) = &self.data {
            write!(f, ": here {data}")?;
        }
        match self.is_written {
            true => f.write_str(" (changed in the navigation file)"),
            false => Ok(()),
        }
    }
}

impl UrlStory {
    /// Reads what is known of a URL as a person writes it.
    pub fn read(
        reader: &dyn ReadStore,
        folder: &Path,
        resolved: &Resolved,
        now: Timestamp,
        written: &str,
    ) -> Result<UrlStory, ExplainError> {
        let address = with_scheme(written).map_err(ExplainError::Url)?;
        let story = Self::read_text(reader, folder, resolved, now, &address)?;
        if story.known.is_empty() && !written.contains("://") {
            // A crawl asks a host that is named without a scheme by both.
            let plain = format!("http://{}", written.trim());
            let plain = Self::read_text(reader, folder, resolved, now, &plain)?;
            if !plain.known.is_empty() {
                return Ok(plain);
            }
        }
        Ok(story)
    }

    fn read_text(
        reader: &dyn ReadStore,
        folder: &Path,
        resolved: &Resolved,
        now: Timestamp,
        text: &str,
    ) -> Result<UrlStory, ExplainError> {
        let host = url::Url::parse(text)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned));
        let settings = resolved.for_host(host.as_deref().unwrap_or_default());
        let canonical = |known: &[KeptUrlRule]| {
            let canonicaliser = canonicaliser_knowing(settings, known);
            canonicaliser
                .canonicalise_text(text, None)
                .map_err(|problem| ExplainError::Url(problem.to_string()))
        };
        let site = site_key(settings, &canonical(&[])?.url);
        let url_rules = reader.url_rules(&site)?;
        let canonical = canonical(&url_rules)?;
        let mut known = reader.explain(canonical.url.fingerprint().0)?;
        // Queries are asked for as the form sends them, not in the canonical form.
        let asked = CanonicalUrl::trusted(text);
        if let Some(asked) = &asked
            && known.is_empty()
        {
            known = reader.explain(asked.fingerprint().0)?;
        }
        let mut queries = reader.submissions_to(canonical.url.as_str())?;
        if let Some(asked) = asked.filter(|asked| *asked != canonical.url) {
            queries.extend(reader.submissions_to(asked.as_str())?);
        }
        let queries = queries.into_iter().map(|row| Query::of(folder, &site, row));
        let focus = focus(reader, resolved, &known)?;
        let changes = canonical.changes.iter().map(|change| UrlChange {
            sentence: change.to_string(),
            proof: proof(change, &url_rules).cloned(),
        });
        Ok(UrlStory {
            changes: changes.collect(),
            order: proof_of_order(&canonical, &url_rules).cloned(),
            known,
            queries: queries.collect(),
            focus,
            rendering: PageRendering::read(reader, folder, &site, &canonical.url)?,
            lists: PageAsList::read(reader, folder, resolved, now, &site, &canonical.url)?,
            host: reader.host(canonical.url.origin())?,
            url: canonical.url,
        })
    }

    pub fn view(&self, reader: &dyn ReadStore) -> Result<ExplainView, StoreError> {
        let proofs = self.changes.iter().filter_map(|change| change.proof.as_ref());
        let known = self
            .known
            .iter()
            .map(|explained| KnownView::read(reader, explained));
        let robots = self.host.as_ref().and_then(|host| host.robots.as_ref());
        let changes = self.changes.iter();
        Ok(ExplainView {
            url: Address::new(&self.url),
            changes: changes.map(|change| change.sentence.clone()).collect(),
            learned: proofs.chain(&self.order).map(UrlRuleView::from).collect(),
            known: known.collect::<Result<_, _>>()?,
            queries: self.queries.iter().map(QueryView::from).collect(),
            focus: self.focus.iter().map(FocusView::from).collect(),
            rendering: self.rendering.iter().map(PageRenderingView::from).collect(),
            lists: self.lists.clone(),
            robots: robots.map(|robots| RobotsView {
                outcome: robots.outcome.to_string(),
                status: robots.status,
            }),
        })
    }
}

/// Reads the part that a page had in the crawls that chose each page by itself.
fn focus(
    reader: &dyn ReadStore,
    resolved: &Resolved,
    known: &[UrlExplanation],
) -> Result<Vec<PageInFocus>, StoreError> {
    let mut parts = Vec::new();
    for vertical in reader.learned_verticals()? {
        for explained in known {
            let strategy = strategy_of(reader, &vertical, resolved, &explained.site_key)?;
            let (Some(strategy), Some(page)) = (strategy, CanonicalUrl::trusted(explained.url.as_str()))
            else {
                continue;
            };
            let rows = reader.warehouse_verticals()?;
            let schema = rows.iter().find(|row| row.vertical == vertical);
            let attributes = schema.and_then(|row| serde_json::from_str(&row.matching.schema).ok());
            let attributes: Vec<Attribute> = attributes.unwrap_or_default();
            let of = (vertical.as_str(), attributes.as_slice());
            parts.extend(explain_page(
                reader,
                resolved,
                of,
                &strategy,
                (explained.site, &explained.site_key),
                &page,
            )?);
        }
    }
    Ok(parts)
}

/// Returns sentences about the part of a page in a focused crawl: the decision, and its weights.
pub fn focus_sentences(part: &PageInFocus) -> Vec<String> {
    let Explanation {
        place,
        weights,
        new_objects,
        found,
        fetches,
    } = &part.explanation;
    let decision = match place {
        Some(place) => format!(
            "fetched as page {} of {} of the site, and brought {}",
            format::thousands(*place as u64),
            format::thousands(*fetches as u64),
            match new_objects {
                0 => "no new object".to_owned(),
                new => format::many(*new, "new object"),
            },
        ),
        None => format!(
            "not fetched among {} of the site",
            format::many(*fetches as u64, "page")
        ),
    };
    let share = format!(
        "{} of an estimated {} were found {}",
        format::many(found.objects, "object"),
        format::thousands(found.expected),
        if place.is_some() { "before" } else { "so far" },
    );
    let weights = match weights {
        Some(PageWeights::Expected(expected)) => format!(
            "expected new objects: {:.3} a fetch, as {:.3} on it and {:.3} on {:.1} pages that it leads to",
            expected.rate(),
            expected.own,
            expected.led,
            expected.fetches,
        ),
        Some(PageWeights::Walk { hub, rank }) => {
            format!("weights in the walk: {hub:.4} as a hub, {rank:.5} by PageRank")
        }
        None => "no weights: no page of the crawl led to it".to_owned(),
    };
    vec![
        format!(
            "focused crawl of {} by \"{}\": {decision}",
            part.vertical, part.strategy
        ),
        format!("  {weights}; {share}"),
    ]
}

/// A query whose results a URL has.
#[derive(Debug)]
pub struct Query {
    pub row: SubmissionRow,
    /// Recrawls ask it in every round, since it is part of the site's navigation.
    pub is_of_rounds: bool,
}

impl Query {
    fn of(workspace: &Path, site: &str, row: SubmissionRow) -> Query {
        // A broken file is reported by the commands that follow it.
        let navigation = read_navigation(&navigation_file(workspace, &row.vertical, site)).ok();
        let searches = navigation.flatten().map(|navigation| navigation.searches);
        let is_of_rounds = searches
            .into_iter()
            .flatten()
            .any(|search| search.template == row.template && search.queries.contains(&row.query));
        Query { row, is_of_rounds }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = &self.row;
        let answer = match row.outcome {
            SubmissionOutcome::Results | SubmissionOutcome::Object => format!(
                "{}, {} of them new",
                format::many(row.objects, "object"),
                format::thousands(row.new_objects)
            ),
            SubmissionOutcome::Empty => "no result".to_owned(),
            SubmissionOutcome::Failed => "no answer".to_owned(),
            SubmissionOutcome::Refused => "not asked, since a rule forbids it".to_owned(),
        };
        write!(
            f,
            "asked by {} at {} as the query \"{}\" of {}: {answer}",
            row.vertical, row.asked_at, row.query, row.template
        )?;
        match self.is_of_rounds {
            true => f.write_str("; recrawls ask it in every round"),
            false => Ok(()),
        }
    }
}

/// Formats the result of a vertical on a page as a sentence.
pub fn extraction(extraction: &ExtractionRow) -> String {
    let plugin = format!(
        "{} {}",
        extraction.component.vertical, extraction.component.version
    );
    let mut text = match &extraction.problem {
        None => format!("{plugin} found {}", format::many(extraction.records, "record")),
        Some(code) => format!("{plugin} failed ({code})"),
    };
    if let Some(detail) = &extraction.detail {
        text.push_str(&format!(": {detail}"));
    }
    text
}

/// Formats the judgement of a page by a plugin as a sentence.
pub fn judgement(row: &JudgementRow) -> String {
    let Judgement {
        accepted,
        confidence,
        reason,
    } = &row.judgement;
    let verdict = if *accepted { "accepts" } else { "rejects" };
    let mut text = format!(
        "{} {} {verdict} the page with a confidence of {confidence:.2}",
        row.vertical, row.version
    );
    if !reason.is_empty() {
        text.push_str(&format!(": {reason}"));
    }
    text
}
