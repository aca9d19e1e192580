//! What a page says to a crawl.

use std::collections::BTreeMap;
use std::sync::Arc;

use magpie_model::CanonicalUrl;
use magpie_page::Page;
use magpie_web::Exchange;
use url::Url;

use crate::crawl::{Reading, Rules, TextWanted};
use crate::settings::Settings;

/// What a page says to a crawl, and what the crawl would make of its links.
pub struct Says {
    /// The page, for verticals.
    pub page: Arc<Page>,
    /// The encoding it was read in.
    pub charset: String,
    /// Its title.
    pub title: Option<String>,
    /// The canonical URL it names for itself.
    pub canonical: Option<Url>,
    /// Whether it may be looked through for objects, as it and its headers say.
    pub index: bool,
    /// Whether its links may be followed.
    pub follow: bool,
    /// Its links.
    pub links: Vec<JudgedLink>,
}

/// A link, and what becomes of it.
#[derive(Clone, Debug)]
pub struct JudgedLink {
    /// Where it leads.
    pub url: String,
    /// Its text.
    pub text: String,
    /// Where it stands in the document.
    pub path: String,
    /// Why it is not followed, as a code.
    pub refused: Option<String>,
}

impl Says {
    /// Reads a page as a crawl that begins there would.
    pub(super) fn of(exchange: &Exchange, settings: &Settings) -> Option<Says> {
        let home = CanonicalUrl::trusted(exchange.url.as_str())?;
        let rules = Rules::new(settings, &home, std::slice::from_ref(&home), true).ok()?;
        let reading = Reading::of(exchange, &rules.reading, TextWanted::default());
        Some(Says {
            links: links(&reading, &rules),
            charset: reading.page.encoding().to_owned(),
            title: reading.title,
            canonical: reading.canonical,
            index: reading.directives.index,
            follow: reading.directives.follow,
            page: reading.page,
        })
    }

    /// How many links are followed, and how many are not for which reason.
    pub fn counts(&self) -> BTreeMap<Option<&str>, usize> {
        let mut counts = BTreeMap::new();
        for link in &self.links {
            *counts.entry(link.refused.as_deref()).or_default() += 1;
        }
        counts
    }
}

fn links(reading: &Reading, rules: &Rules) -> Vec<JudgedLink> {
    let canonicaliser = rules.canonicaliser();
    let obeys = rules.settings.politeness.robots_tags;
    let follows_nofollow = rules.settings.politeness.follow_nofollow;
    let refusal = |href: &str, follow: bool| {
        if obeys && !reading.directives.follow {
            return Some("page-nofollow".to_owned());
        }
        if !follow && !follows_nofollow {
            return Some("nofollow".to_owned());
        }
        match canonicaliser.canonicalise_text(href, Some(reading.page.url())) {
            Err(_) => Some("no-url".to_owned()),
            Ok(canonical) => {
                let judged = rules.scope.judge(&canonical.url, 1);
                judged.err().map(|refusal| refusal.reason().to_string())
            }
        }
    };
    let all = reading.links.iter().zip(&reading.follow);
    all.map(|(link, follow)| JudgedLink {
        url: reading
            .page
            .url()
            .join(link.href)
            .map_or_else(|_| link.href.to_owned(), String::from),
        text: link.text.to_owned(),
        path: link.path.to_owned(),
        refused: refusal(link.href, *follow),
    })
    .collect()
}
