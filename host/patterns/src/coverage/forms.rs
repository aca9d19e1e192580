//! Forms of URLs: paths with their variable parts replaced.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use magpie_model::CanonicalUrl;

/// Minimum number of fetched pages for a form to be representative of its unfetched URLs.
pub(super) const MIN_FETCHED: usize = 5;

/// Minimum number of URLs that share a word segment at the same position for it to remain constant.
const MIN_SHARED: usize = 5;

/// Minimum share of such URLs, as a reciprocal: one in this many.
const MIN_SHARE_RECIPROCAL: usize = 50;

/// Placeholder for a segment of words. Numbers, years, and dates never name a section of a site.
const SLUG: &str = "{slug}";

/// Maximum number of segments. The last one includes the rest of the path.
const MAX_SEGMENTS: usize = 8;

/// The forms of a site's URLs. Each URL has one form: the special form, such as `/talk/{slug}`, if
/// enough of its pages were fetched. Otherwise it is the general form, such as `/{slug}/{slug}`,
/// which it shares with its siblings.
#[derive(Clone, Debug, Default)]
pub struct UrlForms {
    /// Number of URLs by segment count, segment index, and segment.
    segments: HashMap<(usize, usize, String), usize>,
    min_shared: usize,
    /// Indexes of the special forms with enough fetched pages, and of all general forms.
    indexes: BTreeMap<String, usize>,
    names: Vec<String>,
}

impl UrlForms {
    /// Builds the forms of URLs, each given with a flag that is true if its page was fetched.
    pub fn new<'a>(urls: impl Iterator<Item = (&'a CanonicalUrl, bool)> + Clone) -> UrlForms {
        let mut forms = UrlForms::default();
        let mut all = 0;
        for (url, _) in urls.clone() {
            all += 1;
            let segments = segments(url);
            for (index, segment) in segments.iter().enumerate() {
                let key = (segments.len(), index, (*segment).to_owned());
                *forms.segments.entry(key).or_default() += 1;
            }
        }
        forms.min_shared = MIN_SHARED.max(all / MIN_SHARE_RECIPROCAL);
        let mut fetched: BTreeMap<String, usize> = BTreeMap::new();
        for (url, is_fetched) in urls.clone() {
            *fetched.entry(forms.special(url)).or_default() += usize::from(is_fetched);
        }
        let tried = fetched.into_iter().filter(|(_, fetched)| *fetched >= MIN_FETCHED);
        let mut names: Vec<String> = tried.map(|(form, _)| form).collect();
        // Special forms with too few fetched pages are left out, and their URLs fall back to a
        // general form.
        names.extend(urls.map(|(url, _)| general(url)));
        for name in names {
            if let Entry::Vacant(entry) = forms.indexes.entry(name) {
                forms.names.push(entry.key().clone());
                entry.insert(forms.names.len() - 1);
            }
        }
        forms
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the index of a URL's form.
    pub fn index(&self, url: &CanonicalUrl) -> usize {
        let special = self.indexes.get(&self.special(url));
        let index = special.or_else(|| self.indexes.get(&general(url)));
        index.copied().unwrap_or_default()
    }

    /// Returns a form for display.
    pub fn name(&self, index: usize) -> String {
        self.names.get(index).cloned().unwrap_or_default()
    }

    fn special(&self, url: &CanonicalUrl) -> String {
        let segments = segments(url);
        let count = segments.len();
        format_form(url, |index, segment| {
            let key = (count, index, segment.to_owned());
            let is_word = placeholder(segment).starts_with(SLUG);
            is_word
                && self
                    .segments
                    .get(&key)
                    .is_some_and(|urls| *urls >= self.min_shared)
        })
    }
}

/// Returns the form that keeps only the number and kinds of the segments.
fn general(url: &CanonicalUrl) -> String {
    format_form(url, |_, _| false)
}

/// Returns the segments of a path; the last one is empty for a folder.
fn segments(url: &CanonicalUrl) -> Vec<&str> {
    let path = url.path();
    path[1..].splitn(MAX_SEGMENTS, '/').collect()
}

/// Formats a URL as a form, with the segments for which `is_kept` is true.
fn format_form(url: &CanonicalUrl, is_kept: impl Fn(usize, &str) -> bool) -> String {
    let mut form = String::new();
    for (index, segment) in segments(url).into_iter().enumerate() {
        form.push('/');
        match segment.is_empty() || is_kept(index, segment) {
            true => form.push_str(segment),
            false => form.push_str(&placeholder(segment)),
        }
    }
    let keys = url.query().into_iter().flat_map(|query| query.split('&'));
    let mut keys: Vec<&str> = keys.map(|pair| pair.split('=').next().unwrap_or(pair)).collect();
    keys.sort_unstable();
    // The order and the repetition of keys do not change the form.
    keys.dedup();
    for (index, key) in keys.iter().enumerate() {
        form.push(if index == 0 { '?' } else { '&' });
        form.push_str(key);
        form.push_str("={…}");
    }
    form
}

/// Returns the placeholder of a segment, with the segment's extension.
fn placeholder(segment: &str) -> String {
    let (stem, extension) = match segment.rsplit_once('.') {
        Some((stem, extension)) if is_extension(extension) => (stem, format!(".{extension}")),
        _ => (segment, String::new()),
    };
    let has = |is: fn(&u8) -> bool| stem.bytes().any(|byte| is(&byte));
    let is_only = |marks: &str| {
        stem.bytes()
            .all(|byte| byte.is_ascii_digit() || marks.contains(byte as char))
    };
    let kind = match stem {
        // The order decides: a year is also a number, and a date is made of numbers.
        _ if is_only("") && stem.len() == 4 && matches!(&stem[..2], "19" | "20") => "{year}",
        _ if is_only("") => "{number}",
        _ if is_only("-_.") && has(u8::is_ascii_digit) && stem.len() >= 6 => "{date}",
        _ => SLUG,
    };
    format!("{kind}{extension}")
}

fn is_extension(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
