//! Endless parts of sites: repeating paths, calendars, parameters in all combinations.
//!
//! Some are visible in the URL alone. For the others a [`TrapWatch`] learns the content of pages,
//! and stops a family of URLs once it has nothing new.

mod answers;
mod barren;
mod calendar;
mod errand;
mod novelty;
mod repetition;
mod trap;

use std::collections::HashMap;

use magpie_model::CanonicalUrl;

use crate::order::Group;
use crate::{Acts, shape};

use answers::Answers;
use barren::{Brought, Yield};
use novelty::Novelty;
use trap::watched;

pub use answers::Answered;
pub use trap::{Trap, TrapSettings};

/// A page of an earlier run, as far as the workspace knows it.
#[derive(Clone, Copy, Debug)]
pub struct PastPage<'a> {
    /// The bits of its simhash.
    pub simhash: Option<u64>,
    /// True if it had objects; none if no vertical has read it.
    pub has_objects: Option<bool>,
    /// The groups of the URLs that it led to first, and its own.
    pub led_to: &'a [Group],
    pub group: Option<Group>,
}

/// Watches the URLs of one site for traps.
#[derive(Debug)]
pub struct TrapWatch {
    settings: TrapSettings,
    /// Content of pages with a query, by the shape of their path.
    queries: HashMap<u64, Novelty>,
    /// Content of pages with a date away from today, by the shape of their URL.
    dated: HashMap<u64, Novelty>,
    /// Yield of pages that led to others of their kind, by the shape of their URL.
    feeding: HashMap<u64, Yield>,
    /// Answers by endings and forms of URLs.
    answers: Answers,
}

impl TrapWatch {
    /// A watch that has seen nothing yet.
    pub fn new(settings: TrapSettings) -> TrapWatch {
        TrapWatch {
            settings,
            queries: HashMap::new(),
            dated: HashMap::new(),
            feeding: HashMap::new(),
            answers: Answers::default(),
        }
    }

    /// Returns the trap that a URL leads into, by itself or by what was learned.
    pub fn judge(&self, url: &CanonicalUrl) -> Result<(), Trap> {
        repetition::judge(url, &self.settings)?;
        errand::judge(url, &self.settings.acts)?;
        self.judge_date(url)?;
        self.judge_query(url)?;
        self.judge_yield(url)
    }

    /// Returns true if a URL may be that of a page for readers, which has no other URL: it does
    /// nothing, and is of no service, no feed, no picture.
    pub fn may_be_page(url: &CanonicalUrl) -> bool {
        errand::judge(url, &Acts::default()).is_ok() && !errand::is_feed(url) && !crate::order::is_file(url)
    }

    /// Returns the trap if pages of this kind proved useless. Queued URLs are to be judged again.
    pub fn judge_yield(&self, url: &CanonicalUrl) -> Result<(), Trap> {
        self.answers.judge(url)?;
        let is_watched = !self.feeding.is_empty() && has_figures(url);
        let known = is_watched.then(|| self.feeding.get(&shape::of_url(url)));
        match known.flatten().and_then(Yield::barren) {
            Some(pages) => Err(Trap::Barren { pages }),
            None => Ok(()),
        }
    }

    /// Returns true if the page of this URL can be evidence. Most have neither query nor date,
    /// and their text need not be read.
    pub fn watches(&self, url: &CanonicalUrl) -> bool {
        url.query().is_some() || calendar::is_away(url, &self.settings).is_some()
    }

    /// Learns a page of an earlier run, so that a crawl that was interrupted leaves a trap where it
    /// would have left it otherwise, but for a few pages.
    pub fn restore(&mut self, url: &CanonicalUrl, page: PastPage<'_>) {
        let form = page.group.map(Group::form);
        let is_own = |group: &&Group| form == Some(group.form());
        let own = page.led_to.iter().filter(is_own).count();
        let brought = Brought {
            objects: page.has_objects.unwrap_or_default(),
            own: own > 0,
            others: page.led_to.len() > own,
        };
        if let Some(simhash) = page.simhash {
            self.learn_novelty(url, |novelty| {
                novelty.restore(simhash, brought.objects || brought.others);
            });
        }
        // A page that no vertical has read is no evidence about its kind.
        if page.has_objects.is_some() && has_figures(url) {
            self.count_yield(shape::of_url(url), brought);
        }
    }

    /// Learns the content of a page: `content` is that of its [`TextPrint`](crate::TextPrint).
    pub fn learn(&mut self, url: &CanonicalUrl, content: u64) {
        self.learn_novelty(url, |novelty| novelty.learn(content));
    }

    fn learn_novelty(&mut self, url: &CanonicalUrl, learn: impl Fn(&mut Novelty)) {
        if url.query().is_some() {
            let kind = shape::of_path(url.path());
            if let Some(novelty) = watched(&mut self.queries, kind, self.settings.max_kinds) {
                learn(novelty);
                novelty.learn_keys(shape::of_keys(url), self.settings.max_key_sets);
            }
        }
        if calendar::is_away(url, &self.settings).is_some() {
            let kind = shape::of_url(url);
            if let Some(novelty) = watched(&mut self.dated, kind, self.settings.max_kinds) {
                learn(novelty);
            }
        }
    }

    /// Counts a request for a URL that begins, or one that ended.
    pub fn note_asked(&mut self, url: &CanonicalUrl, begins: bool) {
        self.answers.note_asked(url, begins);
    }

    /// Returns true if a URL ends like files, and the answers to requests under way decide if it is
    /// asked for.
    pub fn awaits_sample(&self, url: &CanonicalUrl) -> bool {
        self.answers.awaits_sample(url)
    }

    /// Learns which kinds of URLs are answered with pages.
    pub fn learn_answer(&mut self, url: &CanonicalUrl, answered: Answered) {
        self.answers.learn(url, answered);
    }

    /// Learns the yield of a page, if objects are looked for: its objects, and the new pages that
    /// it led to.
    pub fn learn_yield<'a>(
        &mut self,
        url: &CanonicalUrl,
        has_objects: bool,
        led_to: impl IntoIterator<Item = &'a CanonicalUrl>,
    ) {
        if !has_figures(url) {
            return;
        }
        let kind = shape::of_url(url);
        let mut brought = Brought {
            objects: has_objects,
            own: false,
            others: false,
        };
        for link in led_to {
            match shape::of_url(link) == kind {
                true => brought.own = true,
                false => brought.others = true,
            }
        }
        self.count_yield(kind, brought);
    }

    fn count_yield(&mut self, kind: u64, brought: Brought) {
        // A kind is watched from the first page on that leads to more of it: most never do.
        let is_watched = brought.own || self.feeding.contains_key(&kind);
        if is_watched && let Some(feeding) = watched(&mut self.feeding, kind, self.settings.max_kinds) {
            feeding.learn(brought, &self.settings);
        }
    }

    fn judge_date(&self, url: &CanonicalUrl) -> Result<(), Trap> {
        let Some(date) = calendar::is_away(url, &self.settings) else {
            return Ok(());
        };
        if date.is_far {
            return Err(Trap::FarDate { date: date.name() });
        }
        let known = self.dated.get(&shape::of_url(url));
        match known.and_then(|novelty| novelty.too_little(&self.settings)) {
            Some(new_percent) => Err(Trap::EmptyCalendar {
                date: date.name(),
                new_percent,
            }),
            None => Ok(()),
        }
    }

    fn judge_query(&self, url: &CanonicalUrl) -> Result<(), Trap> {
        let Some(query) = url.query() else {
            return Ok(());
        };
        let keys = memchr::memchr_iter(b'&', query.as_bytes()).count() + 1;
        if keys > self.settings.max_keys {
            return Err(Trap::TooManyKeys { keys });
        }
        let Some(novelty) = self.queries.get(&shape::of_path(url.path())) else {
            return Ok(());
        };
        if let Some(new_percent) = novelty.too_little(&self.settings) {
            return Err(Trap::NothingNew {
                pages: novelty.pages(),
                new_percent,
            });
        }
        let key_sets = novelty.key_sets();
        // Combinations that are known stay allowed. Only new ones add to the kinds of pages.
        let is_new_set = !novelty.knows_keys(shape::of_keys(url));
        match is_new_set && key_sets >= self.settings.max_key_sets {
            true => Err(Trap::TooManyKeySets { key_sets }),
            false => Ok(()),
        }
    }
}

/// Returns true if there are digits that distinguish pages of one kind.
fn has_figures(url: &CanonicalUrl) -> bool {
    url.path_and_query().bytes().any(|byte| byte.is_ascii_digit())
}
