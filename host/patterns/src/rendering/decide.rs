//! The decision about a kind of pages.

use std::collections::BTreeSet;

use magpie_model::CanonicalUrl;

use super::{EndpointTemplate, Mode};

/// Share of what a page has in all that a cheaper way must have to be chosen.
const ENOUGH: f64 = 0.8;

/// Links that a browser must show beyond those of a plain fetch, over all samples.
const MIN_LINKS: usize = 3;

/// The same as a share of the links that a plain fetch has.
const MIN_LINK_SHARE: f64 = 0.2;

/// Bytes whose transfer costs as much as a millisecond of CPU time: those of a line of 100 Mbit/s.
const BYTES_A_MILLISECOND: f64 = 12_500.0;

/// Objects and links of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Identities of its objects.
    pub objects: BTreeSet<u64>,
    /// Fingerprints of the URLs of its site that it leads to.
    pub links: BTreeSet<u64>,
}

impl Content {
    fn add(&mut self, other: &Content) {
        self.objects.extend(&other.objects);
        self.links.extend(&other.links);
    }
}

/// A page that was had in several ways.
#[derive(Clone, Debug)]
pub struct SampledPage {
    pub url: CanonicalUrl,
    /// The answer to a plain fetch.
    pub plain: Content,
    /// The data in this answer that scripts start from; `None` if it has none.
    pub state: Option<Content>,
    /// The page in a browser; `None` if it could not be shown.
    pub rendered: Option<Content>,
    /// Answers of JSON that its scripts fetch, as a plain fetch has them.
    pub data: Vec<(CanonicalUrl, Content)>,
    /// CPU time of a plain fetch with its reading, in milliseconds, and bytes.
    pub plain_cost: (f64, u64),
    /// CPU time of the browser, in milliseconds, and bytes of all answers.
    pub rendered_cost: (f64, u64),
}

impl SampledPage {
    /// All that the page has, in whatever way.
    fn whole(&self) -> Content {
        let mut whole = self.plain.clone();
        let others = self
            .rendered
            .iter()
            .chain(self.data.iter().map(|(_, content)| content));
        others.for_each(|content| whole.add(content));
        whole
    }

    /// The answer to a plain fetch, with the data that a template leads to, and further data that
    /// this leads to.
    fn with_data(&self, template: &EndpointTemplate) -> Content {
        let mut content = self.plain.clone();
        let first = template.fill(&self.url);
        let mut left: Vec<&(CanonicalUrl, Content)> = self.data.iter().collect();
        let mut known: BTreeSet<u64> = first.iter().map(|url| url.fingerprint().0).collect();
        loop {
            let is_led_to = |(url, _): &&(CanonicalUrl, Content)| known.contains(&url.fingerprint().0);
            let Some(place) = left.iter().position(is_led_to) else {
                return content;
            };
            let (_, answer) = left.swap_remove(place);
            content.add(answer);
            known.extend(&answer.links);
        }
    }
}

/// The way to have pages of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub mode: Mode,
    /// The URL of a page's data, for the mode `endpoint`.
    pub endpoint: Option<EndpointTemplate>,
    /// Cost of a page in the browser as a multiple of that of a plain fetch.
    pub cost: f64,
}

/// Chooses the cheapest way that has nearly all objects and links of the samples. Returns `None` if
/// no sample could be shown by a browser.
pub fn decide(samples: &[SampledPage]) -> Option<Choice> {
    let shown: Vec<&SampledPage> = samples
        .iter()
        .filter(|sample| sample.rendered.is_some())
        .collect();
    if shown.is_empty() {
        return None;
    }
    let cost = cost(&shown);
    let choice = |mode, endpoint| Some(Choice { mode, endpoint, cost });
    let wholes: Vec<Content> = shown.iter().map(|sample| sample.whole()).collect();
    let plain = |sample: &SampledPage| sample.plain.clone();
    // From the cheapest way to the dearest: the first that has nearly everything is taken.
    if has_enough(&shown, &wholes, plain) {
        // Without its state the answer may have none of it.
        let has_state = shown.iter().any(|sample| {
            sample.state.as_ref().is_some_and(|state| {
                !state.objects.is_empty() && state.objects.is_superset(&sample.plain.objects)
            })
        });
        return choice(if has_state { Mode::Embedded } else { Mode::Plain }, None);
    }
    let embedded = |sample: &SampledPage| {
        let mut content = sample.plain.clone();
        sample.state.iter().for_each(|state| content.add(state));
        content
    };
    if has_enough(&shown, &wholes, embedded) {
        return choice(Mode::Embedded, None);
    }
    for template in templates(&shown) {
        let with_data = |sample: &SampledPage| sample.with_data(&template);
        if has_enough(&shown, &wholes, with_data) {
            return choice(Mode::Endpoint, Some(template));
        }
    }
    choice(Mode::Render, None)
}

/// Returns true if a way has nearly all that the samples have.
fn has_enough(samples: &[&SampledPage], wholes: &[Content], way: impl Fn(&SampledPage) -> Content) -> bool {
    let (mut objects, mut all_objects, mut links, mut all_links) = (0, 0, 0, 0);
    for (sample, whole) in samples.iter().zip(wholes) {
        let content = way(sample);
        objects += content.objects.intersection(&whole.objects).count();
        all_objects += whole.objects.len();
        links += content.links.intersection(&whole.links).count();
        all_links += whole.links.len();
    }
    let missing = all_links - links;
    let has_objects = objects as f64 >= ENOUGH * all_objects as f64;
    // A script that adds a few links to every page is no reason to run it.
    has_objects && (missing < MIN_LINKS || (missing as f64) < MIN_LINK_SHARE * links.max(1) as f64)
}

/// Returns the templates by which samples lead to answers with content, that with most content
/// first.
fn templates(samples: &[&SampledPage]) -> Vec<EndpointTemplate> {
    let mut found: Vec<(usize, EndpointTemplate)> = Vec::new();
    let weight = |content: &Content| content.objects.len() + content.links.len();
    let Some((first, others)) = samples.split_first() else {
        return Vec::new();
    };
    for (data, content) in first.data.iter().filter(|(_, content)| weight(content) > 0) {
        // Of each other sample the answer that the same template leads to, if there is one.
        let own = [(&first.url, data)];
        let mut combinations = vec![own.to_vec()];
        for other in others {
            let answers = other.data.iter().filter(|(_, content)| weight(content) > 0);
            let extended: Vec<Vec<_>> = answers
                .flat_map(|(url, _)| combinations.iter().map(move |pairs| (pairs, url)))
                .map(|(pairs, url)| {
                    let mut pairs = pairs.clone();
                    pairs.push((&other.url, url));
                    pairs
                })
                .take(MAX_COMBINATIONS)
                .collect();
            // A page whose data does not fit is passed over, since samples may differ in what they
            // request.
            if !extended.is_empty() {
                combinations = extended;
            }
        }
        let template = combinations
            .iter()
            .find_map(|pairs| EndpointTemplate::derive(pairs));
        if let Some(template) = template {
            found.push((weight(content), template));
        }
    }
    found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    found.into_iter().map(|(_, template)| template).collect()
}

/// Combinations of answers that are tried for one template. Pages fetch a handful.
const MAX_COMBINATIONS: usize = 1_000;

/// Returns the mean cost of a page in the browser as a multiple of that of a plain fetch.
fn cost(samples: &[&SampledPage]) -> f64 {
    let of = |(milliseconds, bytes): (f64, u64)| milliseconds + bytes as f64 / BYTES_A_MILLISECOND;
    let plain: f64 = samples.iter().map(|sample| of(sample.plain_cost)).sum();
    let rendered: f64 = samples.iter().map(|sample| of(sample.rendered_cost)).sum();
    if plain > 0.0 {
        (rendered / plain).max(1.0)
    } else {
        1.0
    }
}
