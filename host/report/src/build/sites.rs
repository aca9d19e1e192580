//! Sites and their patterns: what they have, what is fetched of them, and why the rest is not.

use std::collections::HashSet;

use crate::{Pattern, Sample, Site, format};
use magpie_engine::site::SampleObject;

use super::ground::{Ground, PatternGround, SiteGround};
use super::{Subject, words};

use crate::format::{path, regex};
use crate::views::sites::SiteState;
use magpie_engine::recrawl::Account;

pub(super) fn sites(ground: &Ground<'_>, subject: &Subject) -> Vec<Site> {
    let covered = covered(ground);
    ground
        .sites
        .iter()
        .map(|site| row(site, subject, &covered))
        .collect()
}

fn row(site: &SiteGround, subject: &Subject, covered: &HashSet<u32>) -> Site {
    let round = site
        .round
        .as_ref()
        .filter(|_| matches!(subject, Subject::Recrawled(_)));
    Site {
        name: words::named(&site.learned),
        pages_known: site.known,
        pages_fetched: round.map_or(site.fetched, |round| round.pages),
        objects: site.objects.len() as u64,
        new_objects: round.map_or(site.new.len() as u64, |round| round.new_objects),
        patterns_selected: site.chosen().count() as u64,
        patterns: site.patterns.len() as u64,
        hub_pages: site.learned.hubs,
        problems: round.map_or(site.failed, |round| round.failures),
        state: match subject {
            Subject::Learned => standing(site, covered),
            Subject::Recrawled(account) => recrawled(site, account, covered),
        },
    }
}

impl SiteGround {
    pub(super) fn chosen(&self) -> impl Iterator<Item = &PatternGround> {
        self.patterns.iter().filter(|pattern| pattern.row.chosen)
    }
}

/// Returns the state of a site after learning.
fn standing(site: &SiteGround, covered: &HashSet<u32>) -> String {
    if site.chosen().next().is_some() {
        return "chosen".to_owned();
    }
    if site.objects.is_empty() {
        return "no current objects".to_owned();
    }
    match site.objects.is_subset(covered) {
        true => "not selected: other patterns yield its objects at a lower cost".to_owned(),
        false => "not selected: the goal is reached without it".to_owned(),
    }
}

/// Returns the state of a site after a recrawl.
fn recrawled(site: &SiteGround, account: &Account, covered: &HashSet<u32>) -> String {
    if site.round.is_none() {
        return standing(site, covered);
    }
    let mut unknown = account.unknown.iter();
    match &site.state {
        SiteState::Fine if unknown.any(|unknown| unknown.site == site.learned.key) => {
            "links to unknown pages".to_owned()
        }
        SiteState::Fine => "done".to_owned(),
        state => state.sentence(),
    }
}

/// Objects of interest on pages of chosen patterns.
pub(super) fn covered(ground: &Ground<'_>) -> HashSet<u32> {
    let chosen = ground.sites.iter().flat_map(SiteGround::chosen);
    chosen
        .flat_map(|pattern| pattern.objects.iter().copied())
        .collect()
}

/// The rows of the patterns whose pages have objects.
pub(super) fn patterns(ground: &Ground<'_>) -> Vec<Pattern> {
    let covered = covered(ground);
    let mut rows = Vec::new();
    for site in &ground.sites {
        let mut figures = ground.site_figures.iter();
        let figures = figures.find(|figures| figures.site == site.learned.site);
        let samples = |pattern: &str| {
            let mut all = figures.into_iter().flat_map(|figures| &figures.samples);
            all.find(|samples| samples.pattern == pattern)
                .map_or(&[][..], |samples| &samples.objects)
        };
        rows.extend(
            site.patterns
                .iter()
                .map(|pattern| pattern_row(site, pattern, &covered, samples(&pattern.row.pattern))),
        );
    }
    rows
}

fn sample(object: &SampleObject) -> Sample {
    Sample {
        label: object.label.clone(),
        attributes: object.attributes.clone(),
        page: object.page.clone(),
    }
}

fn pattern_row(
    site: &SiteGround,
    pattern: &PatternGround,
    covered: &HashSet<u32>,
    samples: &[SampleObject],
) -> Pattern {
    let row = &pattern.row;
    let watched = &row.watched;
    let share = |part: u64, all: u64| if all == 0 { 0.0 } else { part as f64 / all as f64 };
    Pattern {
        readable: path(&row.pattern),
        regex: regex(&row.pattern).unwrap_or_default(),
        site: words::named(&site.learned),
        pages: row.pages,
        objects: row.objects,
        new_objects: pattern.new.len() as u64,
        is_selected: row.chosen,
        reason: reason(pattern, covered),
        objects_per_page: share(row.objects, row.pages),
        failure_share: share(watched.failures, watched.fetches),
        alarm: watched.alarm.map(|alarm| words::alarm(alarm, Some(row))),
        samples: samples.iter().map(sample).collect(),
    }
}

/// Returns the reason for which a pattern is chosen, or is not.
fn reason(pattern: &PatternGround, covered: &HashSet<u32>) -> String {
    let row = &pattern.row;
    if row.chosen {
        let verb = if row.hubs == 1 { "leads" } else { "lead" };
        return format!("{} {verb} to its pages", format::many(row.hubs, "hub page"));
    }
    if pattern.objects.is_empty() {
        return "no current objects".to_owned();
    }
    let alone = pattern.objects.difference(covered).count() as u64;
    match alone {
        0 => "other patterns yield its objects at a lower cost".to_owned(),
        alone => format!(
            "the goal is reached without it; {} of its current objects {} nowhere else",
            format::thousands(alone),
            if alone == 1 { "is" } else { "are" }
        ),
    }
}
