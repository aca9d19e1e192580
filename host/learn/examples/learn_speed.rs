//! How induction and selection grow: `cargo run --release -p magpie-learn --example learn_speed -- 10000000`.
#![expect(clippy::print_stdout, reason = "an example prints its figures")]

use std::error::Error;
use std::time::Instant;

use magpie_learn::pattern::{Inducer, SiteUrls, TypedInducer};
use magpie_learn::select::{Candidates, Frugal, Goal, PatternSpec, Selection, Strategy};
use magpie_model::CanonicalUrl;

/// URLs of one site: a large one, so that most URLs are not in its sample.
const URLS_OF_SITE: usize = 50_000;

/// Pairs of pattern and object for each pattern, on average.
const PAIRS_OF_PATTERN: usize = 10;

/// Patterns of a site.
const PATTERNS_OF_SITE: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let most: usize = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |most| most.parse())?;
    // A second argument starts there, to look at one size alone.
    let mut size: usize = std::env::args()
        .nth(2)
        .map_or(Ok(10_000), |least| least.parse())?;
    while size <= most {
        induction(size);
        selection(size)?;
        size *= 10;
    }
    Ok(())
}

fn induction(count: usize) {
    let inducer = TypedInducer::default();
    let (mut seconds, mut patterns, mut done) = (0.0, 0, 0);
    let mut site = 0;
    while done < count {
        let urls = site_urls(site, URLS_OF_SITE.min(count - done));
        let refs: Vec<&CanonicalUrl> = urls.iter().collect();
        let start = Clock::now();
        let induction = inducer.induce(&SiteUrls {
            wanted: &refs,
            others: &[],
        });
        seconds += start.seconds();
        patterns += induction.patterns.len();
        done += urls.len();
        site += 1;
    }
    println!(
        "induction: {count} URLs of {site} sites, {patterns} patterns in {seconds:.2} s ({:.2} µs a URL)",
        seconds * 1e6 / count as f64
    );
}

/// A site with events by number, shows by slug, talks by date, lists with filters, and odd pages.
fn site_urls(site: usize, count: usize) -> Vec<CanonicalUrl> {
    let mut random = Random(site as u64 + 1);
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

fn selection(pairs: usize) -> Result<(), Box<dyn Error>> {
    for (name, shared) in [("pages alone", false), ("hubs and overheads too", true)] {
        let candidates = candidates(pairs, shared)?;
        for share in [1.0, 0.95] {
            let start = Clock::now();
            let selection = Frugal::default().select(&candidates, Goal::Coverage(share));
            let seconds = start.seconds();
            print_selection(name, &candidates, share, seconds, &selection);
        }
    }
    println!("peak memory so far: {}", peak_memory());
    Ok(())
}

fn print_selection(name: &str, candidates: &Candidates, share: f64, seconds: f64, selection: &Selection) {
    println!(
        "selection, {name}: {} patterns, {} pairs, goal {share}: {:.2} s, {} chosen, cost {}, {:?}, gap {:.3}%",
        candidates.patterns(),
        candidates.pairs(),
        seconds,
        selection.patterns.len(),
        selection.cost,
        selection.bound,
        selection.gap() * 100.0
    );
}

/// Patterns of Pareto-like size with popular objects and rare ones, as vertical sites have them.
fn candidates(pairs: usize, shared: bool) -> Result<Candidates, Box<dyn Error>> {
    let patterns = pairs / PAIRS_OF_PATTERN;
    let objects = (pairs / 3).max(1);
    let mut random = Random(7);
    let mut builder = Candidates::builder(u32::try_from(objects)?);
    let (mut site, mut hubs) = (0, [0; 2]);
    let mut made = 0;
    for pattern in 0..patterns {
        if pattern % PATTERNS_OF_SITE == 0 {
            site = builder.site(if shared { 3.0 } else { 0.0 });
            hubs = [0; 2].map(|_| {
                builder.hub(if shared {
                    (1 + random.below(20)) as f64
                } else {
                    0.0
                })
            });
        }
        let size = pareto(&mut random).min(objects);
        let listed: Vec<u32> = (0..size).map(|_| popular(&mut random, objects)).collect();
        made += size;
        builder.pattern(PatternSpec {
            site,
            own_pages: (size + random.below(1 + size * 3)) as f64,
            hubs: &hubs[..=pattern % 2],
            objects: &listed,
            ..PatternSpec::default()
        })?;
    }
    println!("made {made} pairs");
    Ok(builder.build())
}

/// A size with a long tail, ten on average.
fn pareto(random: &mut Random) -> usize {
    let uniform = (1 + random.below(1_000_000)) as f64 / 1e6;
    ((3.4 / uniform.powf(0.66)) as usize).clamp(1, 20_000)
}

/// Popularity falls with the rank to the power 0.6.
fn popular(random: &mut Random, objects: usize) -> u32 {
    let uniform = random.below(1_000_000_000) as f64 / 1e9;
    ((objects as f64 * uniform.powf(2.5)) as usize).min(objects - 1) as u32
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

/// The most memory the process ever held, where the system says.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown", str::trim).to_owned()
}

/// Seconds of the processor where the system says, for the machine may be shared; else seconds.
struct Clock(Instant, Option<f64>);

impl Clock {
    fn now() -> Clock {
        Clock(Instant::now(), Clock::processor())
    }

    fn seconds(&self) -> f64 {
        match (self.1, Clock::processor()) {
            (Some(start), Some(end)) => end - start,
            _ => self.0.elapsed().as_secs_f64(),
        }
    }

    fn processor() -> Option<f64> {
        let statistics = std::fs::read_to_string("/proc/self/schedstat").ok()?;
        let nanoseconds: f64 = statistics.split_whitespace().next()?.parse().ok()?;
        Some(nanoseconds / 1e9)
    }
}

/// A small generator, the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 33) as usize % limit.max(1)
    }
}
