//! Kinds of URLs that a site answers with no page: files by their ending, and forms of URLs whose
//! pages are gone or are no pages.

use std::collections::HashMap;

use magpie_model::{CanonicalUrl, UrlReason};

use super::trap::{Trap, watched};
use crate::order::{UrlForm, ending, is_file};

/// URLs of one ending that are asked for before the others are known to be files.
const SAMPLE: u32 = 2;

/// URLs of one form without a page from which the form is not asked any more.
const MIN_TRIED: u32 = 8;

/// URLs without a page for each page of their form, from which the form is not asked any more.
const MOST_IN_VAIN: u32 = 20;

/// Endings and forms that are watched.
const MAX_KINDS: usize = 10_000;

/// The answer to the request for a URL, by which its kind is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// A page that can be read.
    Page,
    /// Something of a media type that is not wanted.
    File,
    /// Nothing is there.
    Gone,
    /// A redirect, an error that may pass, or a text that is no page.
    Other,
}

impl Answered {
    /// Classifies an answer by its problem, and by whether a page came.
    pub fn of(problem: Option<&UrlReason>, is_page: bool) -> Answered {
        match problem {
            Some(UrlReason::MediaType) => Answered::File,
            Some(UrlReason::Status(404 | 410) | UrlReason::SoftNotFound) => Answered::Gone,
            _ if is_page => Answered::Page,
            _ => Answered::Other,
        }
    }
}

/// The answers for URLs of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    pages: u32,
    files: u32,
    gone: u32,
    others: u32,
}

/// The answers of a site, by endings and forms of URLs.
#[derive(Debug, Default)]
pub(super) struct Answers {
    endings: HashMap<String, Tally>,
    forms: HashMap<u32, Tally>,
    /// Endings of files that are being asked for, with the number of requests under way.
    asked: HashMap<String, u32>,
}

impl Tally {
    fn learn(&mut self, answered: Answered) {
        let count = match answered {
            Answered::Page => &mut self.pages,
            Answered::File => &mut self.files,
            Answered::Gone => &mut self.gone,
            Answered::Other => &mut self.others,
        };
        *count = count.saturating_add(1);
    }

    /// Returns the number of answers without a page.
    fn in_vain(self) -> u32 {
        self.files.saturating_add(self.gone)
    }

    /// Returns the number of answers without a page, for good or for now.
    fn tried(self) -> u32 {
        self.in_vain().saturating_add(self.others)
    }
}

impl Answers {
    pub(super) fn learn(&mut self, url: &CanonicalUrl, answered: Answered) {
        let ending = ending(url.path()).to_ascii_lowercase();
        if !ending.is_empty()
            && let Some(tally) = watched(&mut self.endings, ending, MAX_KINDS)
        {
            tally.learn(answered);
        }
        let form = UrlForm::of(url.path(), url.query()).folder;
        if let Some(tally) = watched(&mut self.forms, form, MAX_KINDS) {
            tally.learn(answered);
        }
    }

    /// Counts a request that begins, or one that ended.
    pub(super) fn note_asked(&mut self, url: &CanonicalUrl, begins: bool) {
        if !is_file(url) {
            return;
        }
        let ending = ending(url.path()).to_ascii_lowercase();
        let asked = self.asked.entry(ending).or_default();
        *asked = match begins {
            true => asked.saturating_add(1),
            false => asked.saturating_sub(1),
        };
    }

    /// Returns true if the answers to requests under way may show that a URL is a file.
    pub(super) fn awaits_sample(&self, url: &CanonicalUrl) -> bool {
        if self.asked.is_empty() || !is_file(url) {
            return false;
        }
        let ending = ending(url.path()).to_ascii_lowercase();
        let asked = self.asked.get(&ending).copied().unwrap_or_default();
        let known = self.endings.get(&ending).copied().unwrap_or_default();
        asked > 0 && known.pages == 0 && known.tried().saturating_add(asked) >= SAMPLE
    }

    /// Returns the trap if URLs of this kind are not answered with pages.
    pub(super) fn judge(&self, url: &CanonicalUrl) -> Result<(), Trap> {
        if self.forms.is_empty() {
            return Ok(());
        }
        let form = UrlForm::of(url.path(), url.query());
        let of_form = self.forms.get(&form.folder).copied().unwrap_or_default();
        let ending = ending(url.path()).to_ascii_lowercase();
        let of_ending = self.endings.get(&ending).copied().unwrap_or_default();
        let is_known = match form.is_file {
            // Wikis have pages that end like the picture that they describe. The sample is of
            // several folders, so that it meets them.
            true => {
                let is_tried = of_form.pages == 0 && of_form.tried() > 0;
                is_tried || (of_ending.pages == 0 && of_ending.tried() >= SAMPLE)
            }
            // Scripts that send files may end like those that show pages, so each form is tried.
            false => {
                let is_tried = of_form.pages == 0 && of_form.files > 0;
                is_tried && of_ending.pages == 0 && of_ending.files >= SAMPLE
            }
        };
        if is_known {
            let tried = of_ending.tried();
            return Err(Trap::File { ending, tried });
        }
        let (tried, pages) = (of_form.in_vain(), of_form.pages);
        match tried >= MIN_TRIED && tried >= pages.saturating_mul(MOST_IN_VAIN) {
            true => Err(Trap::NoPages { tried, pages }),
            false => Ok(()),
        }
    }
}
