//! Cost of what is learned of one large site: its patterns, the hubs that each needs, and the
//! navigation.

use anyhow::{Context, Result};
use magpie_model::CanonicalUrl;
use magpie_patterns::navigate::Lists;
use magpie_patterns::plan::{Costs, Induce, SiteOffer, Survey, induced, way};

use super::part::{Measured, Part, numbers};
use crate::figure::{Figure, Report};
use crate::random::Random;
use crate::sample::timed;

/// Maximum cost of a site of a million pages, in seconds and MB.
const MAX_SECONDS: f64 = 10.0;
const MAX_MEMORY: f64 = 500.0;

/// Detail pages that a list shows.
const LISTED: usize = 25;

/// Lists of a category.
const LISTS: usize = 40;

/// Links from a page to others like it.
const RELATED: usize = 6;

/// Links that are on every page.
const MENU: usize = 8;

/// Kinds of detail pages, by the start of their paths.
const KINDS: [&str; 24] = [
    "item",
    "offers",
    "film",
    "concert",
    "reading",
    "course",
    "opera",
    "dance",
    "walk",
    "fair",
    "circus",
    "lecture",
    "tour",
    "match",
    "race",
    "party",
    "camp",
    "rally",
    "gala",
    "quiz",
    "ball",
    "brunch",
    "vernissage",
    "festival",
];

pub(super) fn measure(pages: usize, report: &mut Report) -> Result<()> {
    let outcome = Part::new("site", &[&pages]).run()?;
    let name = format!("a site of {pages} pages");
    let mut time = Figure::new(&name, outcome.get("seconds")?, "s").at_most(MAX_SECONDS);
    for part in ["patterns", "hubs", "navigation"] {
        time = time.beside(part, outcome.get(part)?);
    }
    report.add(time.beside("links", outcome.get("links")?));
    report.add(Figure::new(format!("{name}: memory"), outcome.memory, "MB").at_most(MAX_MEMORY));
    report.add(
        Figure::new(
            format!("{name}: reached"),
            outcome.get("reached")?,
            "of the objects",
        )
        .at_least(0.99),
    );
    Ok(())
}

pub(super) fn run(part: &Part) -> Result<Measured> {
    let survey = survey(part.value(0)?)?;
    let (patterns, induction, _) = timed(|| induced(&survey, Induce::Typed));
    let (_, hubs, _) = timed(|| SiteOffer::of(&survey, &patterns, Costs::default(), &|_, _| 1.0));
    let (learned, navigation, _) = timed(|| way(&survey, &patterns, &patterns.wanted, Lists::Promising));
    let learned = learned.context("the site has no entry page")?;
    Ok(numbers([
        ("seconds", (induction + hubs + navigation).as_secs_f64()),
        ("patterns", induction.as_secs_f64()),
        ("hubs", hubs.as_secs_f64()),
        ("navigation", navigation.as_secs_f64()),
        ("links", survey.links.len() as f64),
        (
            "reached",
            learned.reached as f64 / learned.reachable.max(1) as f64,
        ),
    ]))
}

/// A site with categories, whose lists show details. A tenth of the details are articles without an
/// object.
fn survey(pages: usize) -> Result<Survey> {
    let details = pages * LISTED / (LISTED + 1);
    let lists = details.div_ceil(LISTED);
    let categories = lists.div_ceil(LISTS);
    let mut random = Random::new(7, 0);
    let mut urls = vec!["https://large.example/".to_owned()];
    urls.extend((0..lists).map(|list| {
        let (category, page) = (list % categories, list / categories);
        match page {
            0 => format!("https://large.example/category/{}", word(category)),
            page => format!(
                "https://large.example/category/{}?page={}",
                word(category),
                page + 1
            ),
        }
    }));
    let mut objects = Vec::new();
    for detail in 0..details {
        let name = word(detail * 7 + 3);
        let kind = KINDS[detail % lists % KINDS.len()];
        urls.push(match detail % 10 {
            9 => format!(
                "https://large.example/articles/2025/{:02}/{name}-{detail}",
                1 + detail % 12
            ),
            _ => {
                objects.push((u32::try_from(urls.len())?, u32::try_from(detail)?));
                format!("https://large.example/{kind}/{detail}-{name}")
            }
        });
    }
    let first_detail = 1 + lists;
    let mut links = Vec::new();
    let mut link = |from: usize, to: usize| {
        if to < 1 + lists + details {
            links.push((from as u32, to as u32));
        }
    };
    for page in 0..urls.len() {
        (0..MENU.min(categories)).for_each(|category| link(page, 1 + category));
        if page == 0 {
            (0..categories).for_each(|category| link(page, 1 + category));
        } else if page < first_detail {
            let list = page - 1;
            if list + categories < lists {
                link(page, page + categories);
            }
            (0..LISTED).for_each(|place| link(page, first_detail + list + place * lists));
        } else {
            link(page, 1 + (page - first_detail) % categories);
            (0..RELATED).for_each(|_| link(page, first_detail + random.below(details)));
        }
    }
    Ok(Survey {
        site: "large.example".to_owned(),
        urls: urls
            .into_iter()
            .map(|url| CanonicalUrl::trusted(url).context("a made-up URL is not canonical"))
            .collect::<Result<_>>()?,
        links,
        objects,
        ..Survey::default()
    })
}

/// A made-up word for a number.
fn word(number: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ka", "lo", "mi", "ne", "ru", "sa", "to", "ve", "bra", "del", "fin", "gor", "hal", "jun", "pel",
        "wik",
    ];
    let mut word = String::new();
    let mut rest = number + 16;
    while rest > 0 {
        word.push_str(SYLLABLES[rest % 16]);
        rest /= 16;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_objects_of_a_site_are_reached() {
        let measured = run(&Part::new("site", &[&3_000])).expect("a site is learned");
        assert!(measured["reached"] >= 0.99, "{measured:?}");
        assert!(measured["links"] > 20_000.0, "{measured:?}");
    }
}
