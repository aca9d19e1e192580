//! Forms of URLs: the path with all that varies left out.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use magpie_model::CanonicalUrl;

/// Fetched pages below which a form says nothing of its unfetched URLs.
pub(super) const MIN_FETCHED: usize = 5;

/// A segment of words stays as it is where so many URLs have it at the same place ...
const MIN_SHARED: usize = 5;

/// ... and one URL in so many.
const SHARED_BY: usize = 50;

/// A segment of words. Numbers, years and dates are never names of a part of a site.
const SLUG: &str = "{slug}";

/// Segments that are told apart; all that follow are one.
const MAX_SEGMENTS: usize = 8;

/// The forms of a site's URLs. Each URL has one form: the special one, `/talk/{slug}`, if enough
/// pages of that were fetched, else the general one, `/{slug}/{slug}`, which it shares with its
/// siblings.
#[derive(Clone, Debug, Default)]
pub struct UrlForms {
    /// The number of URLs that have a segment at a place.
    segments: HashMap<(usize, usize, String), usize>,
    min_shared: usize,
    /// Places of the special forms with enough fetched pages, and of all general ones.
    places: BTreeMap<String, usize>,
    names: Vec<String>,
}

impl UrlForms {
    /// The forms of URLs, each with whether its page was fetched.
    pub fn new<'a>(urls: impl Iterator<Item = (&'a CanonicalUrl, bool)> + Clone) -> UrlForms {
        let mut forms = UrlForms::default();
        let mut all = 0;
        for (url, _) in urls.clone() {
            all += 1;
            let segments = segments(url);
            for (place, segment) in segments.iter().enumerate() {
                let key = (segments.len(), place, (*segment).to_owned());
                *forms.segments.entry(key).or_default() += 1;
            }
        }
        forms.min_shared = MIN_SHARED.max(all / SHARED_BY);
        let mut fetched: BTreeMap<String, usize> = BTreeMap::new();
        for (url, is_fetched) in urls.clone() {
            *fetched.entry(forms.special(url)).or_default() += usize::from(is_fetched);
        }
        let tried = fetched.into_iter().filter(|(_, fetched)| *fetched >= MIN_FETCHED);
        let mut names: Vec<String> = tried.map(|(form, _)| form).collect();
        names.extend(urls.map(|(url, _)| general(url)));
        for name in names {
            if let Entry::Vacant(place) = forms.places.entry(name) {
                forms.names.push(place.key().clone());
                place.insert(forms.names.len() - 1);
            }
        }
        forms
    }

    /// The number of forms.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The form of one of the URLs.
    pub fn place(&self, url: &CanonicalUrl) -> usize {
        let special = self.places.get(&self.special(url));
        let place = special.or_else(|| self.places.get(&general(url)));
        place.copied().unwrap_or_default()
    }

    /// A form for people.
    pub fn name(&self, place: usize) -> String {
        self.names.get(place).cloned().unwrap_or_default()
    }

    fn special(&self, url: &CanonicalUrl) -> String {
        let segments = segments(url);
        let count = segments.len();
        written(url, |place, segment| {
            let key = (count, place, segment.to_owned());
            let is_word = varying(segment).starts_with(SLUG);
            is_word
                && self
                    .segments
                    .get(&key)
                    .is_some_and(|urls| *urls >= self.min_shared)
        })
    }
}

/// The form of which only number and kind of the segments are known.
fn general(url: &CanonicalUrl) -> String {
    written(url, |_, _| false)
}

/// The segments of a path, the last one empty where it is a folder.
fn segments(url: &CanonicalUrl) -> Vec<&str> {
    let path = url.path();
    path[1..].splitn(MAX_SEGMENTS, '/').collect()
}

/// A URL as its form, with the segments that are kept.
fn written(url: &CanonicalUrl, is_kept: impl Fn(usize, &str) -> bool) -> String {
    let mut form = String::new();
    for (place, segment) in segments(url).into_iter().enumerate() {
        form.push('/');
        match segment.is_empty() || is_kept(place, segment) {
            true => form.push_str(segment),
            false => form.push_str(&varying(segment)),
        }
    }
    let keys = url.query().into_iter().flat_map(|query| query.split('&'));
    let mut keys: Vec<&str> = keys.map(|pair| pair.split('=').next().unwrap_or(pair)).collect();
    keys.sort_unstable();
    keys.dedup();
    for (place, key) in keys.iter().enumerate() {
        form.push(if place == 0 { '?' } else { '&' });
        form.push_str(key);
        form.push_str("={…}");
    }
    form
}

/// A segment that varies, with its extension.
fn varying(segment: &str) -> String {
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
