//! Notices to a person, and the changes on the sites.

use crate::{Alarm, Drift, Level, Notice, Relearned, format};
use magpie_rows::{PatternRow, RoundState};

use super::ground::{Ground, SiteGround};
use super::{Subject, words};

use crate::format::path;
use crate::sentences::figures;
use crate::views::sites::SiteState;
use magpie_engine::recrawl::{Account, RepairedSite, UnknownPages};

/// Unknown kinds of pages that are named.
const MAX_KINDS: usize = 3;

/// Minimum share of pages for good patterns, tried on pages that they were not made from.
const GOOD: f64 = 0.9;

/// The gravest first.
pub(super) fn notices(ground: &Ground<'_>, subject: &Subject) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut say = |level: Level, sentence: String| notices.push(Notice { level, sentence });
    of_sites(ground, subject, &mut say);
    for site in &ground.site_figures {
        for suspicion in &site.suspicions {
            say(Level::Warning, figures::suspicion(&site.key, suspicion));
        }
    }
    match subject {
        Subject::Learned => of_learning(ground, &mut say),
        Subject::Recrawled(account) => of_recrawl(ground, account, &mut say),
    }
    let own = super::figures::figures(ground, subject);
    say(Level::Note, figures::coverage(own.objects, &own));
    let grave = |level: Level| match level {
        Level::Problem => 0,
        Level::Warning => 1,
        Level::Note => 2,
    };
    notices.sort_by_key(|notice| grave(notice.level));
    notices
}

fn of_sites(ground: &Ground<'_>, subject: &Subject, say: &mut impl FnMut(Level, String)) {
    for site in &ground.sites {
        let name = words::named(&site.learned);
        let state = format!("{name}: {}", site.state.sentence());
        match &site.navigator {
            Err(error) => say(
                Level::Problem,
                format!("{name}: the navigation can't be used: {error}"),
            ),
            Ok(None) if site.chosen().next().is_some() => say(
                Level::Problem,
                format!(
                    "{name} has selected patterns but no navigation; create one with `magpie learn --from navigate`"
                ),
            ),
            Ok(_) if site.state == SiteState::InvalidNavigation => say(Level::Problem, state.clone()),
            Ok(_) => {}
        }
        if !matches!(subject, Subject::Recrawled(_)) || site.round.is_none() {
            continue;
        }
        match &site.state {
            SiteState::Failed(RoundState::Gone) => say(
                Level::Problem,
                format!(
                    "{state}; rounds check it at growing intervals. If the site has moved, learn it with `magpie learn --sites FILE`"
                ),
            ),
            SiteState::Failed(_) => say(Level::Problem, state),
            SiteState::FewerValues(_) | SiteState::Dry(_) | SiteState::Repaired(_) => {
                say(Level::Warning, state);
            }
            SiteState::Fine | SiteState::NotChosen | SiteState::InvalidNavigation => {}
        }
    }
}

fn of_learning(ground: &Ground<'_>, say: &mut impl FnMut(Level, String)) {
    let kept = |stage: &str| ground.stage(stage).map(words::kept).unwrap_or_default();
    let patterns = kept("patterns");
    if let Some(recall) = patterns["recall"].as_f64().filter(|recall| *recall < GOOD) {
        say(
            Level::Warning,
            format!(
                "Patterns learned from a part of the pages match only {:.1} % of the {} that were held out: some sites \
                 need more pages, as in `magpie learn --pages 5000`",
                recall * 100.0,
                format::counted(
                    patterns["held_out"].as_u64().unwrap_or_default(),
                    "page with objects",
                    "pages with objects"
                ),
            ),
        );
    }
    let without = patterns["without_objects"].as_array().into_iter().flatten();
    let without: Vec<String> = without
        .filter_map(|site| Some(words::site(site.as_str()?)))
        .collect();
    if !without.is_empty() {
        say(
            Level::Note,
            format!(
                "{} without any object, which {} collected from: {}",
                format::count(without.len(), "site"),
                if without.len() == 1 { "is not" } else { "are not" },
                format::listed(&without)
            ),
        );
    }
    let ways = kept("navigate");
    let (reached, reachable) = (ways["reached"].as_u64(), ways["reachable"].as_u64());
    if let (Some(reached), Some(reachable)) = (reached, reachable)
        && (reached as f64) < GOOD * reachable as f64
    {
        say(
            Level::Warning,
            format!(
                "The navigations reach {} of {}",
                format::thousands(reached),
                format::many(reachable, "object")
            ),
        );
    }
    let later = ground.accounts.iter().filter(|account| {
        let run = ground.runs.iter().find(|run| run.id.0 == account.run);
        run.is_some_and(|run| run.started_at > ground.ended)
    });
    if later.count() > 0 {
        say(
            Level::Note,
            "There were recrawls after this run. Sites and patterns are shown as they are now.".to_owned(),
        );
    }
}

fn of_recrawl(ground: &Ground<'_>, account: &Account, say: &mut impl FnMut(Level, String)) {
    if !account.alarms.is_empty() {
        say(
            Level::Warning,
            format!(
                "{} raised for patterns",
                format::count(account.alarms.len(), "alarm")
            ),
        );
    }
    if !account.unknown.is_empty() {
        let looked = match account.explored {
            0 => "none was inspected".to_owned(),
            pages => format!("{} were inspected", format::many(pages, "page")),
        };
        say(
            Level::Note,
            format!(
                "Lists link to {} of unknown pages; {looked}",
                format::count(account.unknown.len(), "kind")
            ),
        );
    }
    if let Some(promised) = account.promised {
        say(
            Level::Note,
            format!(
                "The round {}",
                figures::promise(promised, account.most, account.fetched)
            ),
        );
    }
    if account.method.is_none() {
        say(
            Level::Note,
            "The account of this recrawl is missing: its steps are unknown.".to_owned(),
        );
    }
    if ground.rounds.iter().any(|round| round.run.0 > account.run) {
        say(
            Level::Note,
            "There were other recrawls after this run. Sites and patterns are shown as they are now."
                .to_owned(),
        );
    }
}

/// Returns the changes on the sites, with their repairs.
pub(super) fn drift(ground: &Ground<'_>, subject: &Subject) -> Drift {
    let Subject::Recrawled(account) = subject else {
        return Drift {
            alarms: standing(ground),
            relearned: Vec::new(),
        };
    };
    let mut alarms: Vec<Alarm> = account
        .alarms
        .iter()
        .map(|alarm| Alarm {
            site: words::site(&alarm.site),
            pattern: path(&alarm.pattern),
            since: since(ground, account, &alarm.site, &alarm.pattern),
            sentence: words::alarm(alarm.alarm, pattern(ground, &alarm.site, &alarm.pattern)),
        })
        .collect();
    // An alarm may remain from an earlier run if this one met none of the pattern's pages.
    for alarm in standing(ground) {
        let is_told = |told: &Alarm| told.site == alarm.site && told.pattern == alarm.pattern;
        if !alarms.iter().any(is_told) {
            alarms.push(alarm);
        }
    }
    let repaired = account
        .repaired
        .iter()
        .map(|repaired| relearned(ground, repaired));
    let mut relearned: Vec<Relearned> = repaired.collect();
    relearned.extend(explored(account));
    Drift { alarms, relearned }
}

/// The alarms that stand, whoever gave them.
fn standing(ground: &Ground<'_>) -> Vec<Alarm> {
    let mut alarms = Vec::new();
    for site in &ground.sites {
        for pattern in &site.patterns {
            let Some(alarm) = pattern.row.watched.alarm else {
                continue;
            };
            alarms.push(Alarm {
                site: words::named(&site.learned),
                pattern: path(&pattern.row.pattern),
                since: "an earlier recrawl".to_owned(),
                sentence: words::alarm(alarm, Some(&pattern.row)),
            });
        }
    }
    alarms
}

fn site<'a>(ground: &'a Ground<'_>, key: &str) -> Option<&'a SiteGround> {
    ground.sites.iter().find(|site| site.learned.key == key)
}

fn pattern<'a>(ground: &'a Ground<'_>, key: &str, pattern: &str) -> Option<&'a PatternRow> {
    let patterns = &site(ground, key)?.patterns;
    let found = patterns.iter().find(|known| known.row.pattern == pattern);
    found.map(|found| &found.row)
}

/// The first of the recrawls in a row in which the alarm was given.
fn since(ground: &Ground<'_>, account: &Account, site: &str, pattern: &str) -> String {
    let before = ground
        .accounts
        .iter()
        .rev()
        .filter(|other| other.run < account.run);
    let gave = |other: &&Account| {
        let mut alarms = other.alarms.iter();
        alarms.any(|alarm| alarm.site == site && alarm.pattern == pattern)
    };
    let first = before.take_while(gave).last().unwrap_or(account);
    let run = ground.runs.iter().find(|run| run.id.0 == first.run);
    let when = run.map_or_else(String::new, |run| format!(", {}", words::when(run.started_at)));
    format!("run {}{when}", first.run)
}

fn relearned(ground: &Ground<'_>, repaired: &RepairedSite) -> Relearned {
    let came = match site(ground, &repaired.site).filter(|_| !repaired.in_vain) {
        None => "no page with objects was found".to_owned(),
        Some(site) => format!(
            "{} of {} are selected now",
            format::count(site.chosen().count(), "pattern"),
            site.patterns.len()
        ),
    };
    Relearned {
        site: words::site(&repaired.site),
        what: match repaired.folders.as_slice() {
            [] => "the whole site".to_owned(),
            folders => format::listed(folders),
        },
        sentence: format!(
            "{} were fetched again; {came}",
            format::many(repaired.pages, "page")
        ),
    }
}

/// Unknown kinds of pages, site by site.
fn explored(account: &Account) -> Vec<Relearned> {
    let of_site = |kinds: &[UnknownPages]| {
        let named: Vec<String> = kinds
            .iter()
            .take(MAX_KINDS)
            .map(|kind| path(&kind.pattern))
            .collect();
        let more = kinds.len().saturating_sub(MAX_KINDS);
        let and = if more == 0 {
            String::new()
        } else {
            format!(" and {more} more")
        };
        let urls = kinds.iter().map(|kind| kind.urls).sum();
        let done = match account.explored {
            0 => "",
            _ => "; pages of each were inspected and the site's patterns rebuilt",
        };
        Relearned {
            site: words::site(&kinds[0].site),
            what: format::count(kinds.len(), "unknown kind"),
            sentence: format!(
                "lists link to {} like {}{and}{done}",
                format::many(urls, "page"),
                named.join(", ")
            ),
        }
    };
    account
        .unknown
        .chunk_by(|one, other| one.site == other.site)
        .map(of_site)
        .collect()
}
