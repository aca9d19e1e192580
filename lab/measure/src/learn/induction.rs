//! Time of inducing patterns from very many URLs of large sites.

use anyhow::Result;
use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::{Inducer as _, SiteUrls, TypedInducer};

use super::part::{Measured, Part, numbers};
use crate::figure::{Figure, Report};
use crate::random::Random;
use crate::sample::timed;

/// URLs of one site: a large one, so that most URLs are not in its sample.
const URLS_OF_SITE: usize = 50_000;

/// Target for ten million URLs, in seconds.
const MAX_SECONDS: f64 = 60.0;

pub(super) fn measure(urls: usize, report: &mut Report) -> Result<()> {
    let outcome = Part::new("induction", &[&urls]).run()?;
    let figure = Figure::new(
        format!("patterns induced from {urls} URLs"),
        outcome.get("seconds")?,
        "s",
    );
    report.add(
        figure
            .at_most(MAX_SECONDS)
            .beside("on the wall", outcome.get("wall")?)
            .beside("patterns", outcome.get("patterns")?)
            .beside("sites", outcome.get("sites")?)
            .beside("MB", outcome.memory),
    );
    Ok(())
}

pub(super) fn run(part: &Part) -> Result<Measured> {
    let count: usize = part.value(0)?;
    let inducer = TypedInducer::default();
    let (mut seconds, mut wall, mut patterns, mut done, mut site) = (0.0, 0.0, 0, 0, 0);
    while done < count {
        // A site at a time, as it is learned; to make the URLs is not measured.
        let urls = site_urls(site, URLS_OF_SITE.min(count - done));
        let wanted: Vec<&CanonicalUrl> = urls.iter().collect();
        let (induction, cpu, on_wall) = timed(|| {
            inducer.induce(&SiteUrls {
                wanted: &wanted,
                others: &[],
            })
        });
        seconds += cpu.as_secs_f64();
        wall += on_wall.as_secs_f64();
        patterns += induction.patterns.len();
        done += urls.len();
        site += 1;
    }
    Ok(numbers([
        ("seconds", seconds),
        ("wall", wall),
        ("patterns", patterns as f64),
        ("sites", site as f64),
    ]))
}

/// A site with events by number, shows by slug, talks by date, lists with filters, and odd pages.
fn site_urls(site: usize, count: usize) -> Vec<CanonicalUrl> {
    let mut random = Random::new(site as u64 + 1, 0);
    let url = |place: usize| {
        let number = random.below(1_000_000);
        let path = match place % 10 {
            0..=3 => format!("event/{number}-{}-{}", word(number), word(number / 7)),
            4..=5 => format!("{}/{}.html", ["rock", "jazz", "opera"][number % 3], word(number)),
            6 => format!(
                "talks/20{:02}/{:02}/{}",
                number % 30,
                1 + number % 12,
                word(number)
            ),
            7 => format!("show.php?id={number}&lang={}", ["en", "de"][number % 2]),
            8 => format!("list?page={}&sort={}", number % 500, ["date", "name"][number % 2]),
            _ => format!("{}/{}/tickets", word(number % 40), number),
        };
        CanonicalUrl::trusted(format!("https://site-{site}.example/{path}"))
    };
    (0..count).filter_map(url).collect()
}

fn word(number: usize) -> String {
    let syllables = [
        "ba", "do", "fi", "gu", "ke", "la", "mo", "ni", "pu", "re", "sa", "to",
    ];
    let mut rest = number + 200;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(syllables[rest % syllables.len()]);
        rest /= syllables.len();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_urls_asked_for_are_urls() {
        assert_eq!(site_urls(3, 1_000).len(), 1_000);
    }

    #[test]
    fn a_site_of_several_kinds_has_several_patterns() {
        let measured = run(&Part::new("induction", &[&2_000])).unwrap();
        assert!(measured["patterns"] >= 5.0, "{measured:?}");
    }
}
