//! Clusters made-up events and prints how the work grows: `cargo run -p magpie-matching --example
//! scale -- 100000`.
#![expect(clippy::print_stdout, reason = "an example prints its figures")]

use std::error::Error;
use std::time::Instant;

use magpie_matching::{MemberId, SchemaMatcher, Settings, cluster};
use magpie_model::{Attribute, Field, Kind, Object, Value, VerticalInfo};

/// Objects of one event: sites that list it, each in its own words.
const SITES: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let count: usize = std::env::args()
        .nth(1)
        .map_or(Ok(10_000), |count| count.parse())?;
    let info = events();
    let objects: Vec<Object> = (0..count)
        .map(|number| object(number / SITES, number % SITES))
        .collect();
    let start = Instant::now();
    let mut matcher = SchemaMatcher::new(&info);
    let clustering = cluster(&mut matcher, &objects, &Settings::default())?;
    let took = start.elapsed();
    let report = clustering.report();
    let id = |place: usize| clustering.cluster_of(MemberId(place as u64));
    let pairs = (0..count).filter(|number| number % SITES > 0);
    let together = pairs
        .clone()
        .filter(|number| id(*number) == id(number - number % SITES))
        .count();
    let mixed = clustering.clusters().into_iter().filter(|cluster| {
        let events = cluster.members.iter().map(|member| member.0 as usize / SITES);
        events.clone().min() != events.clone().max()
    });
    println!("{count} objects in {:.1} s", took.as_secs_f64());
    println!(
        "{:.1} comparisons an object, {} together of {}",
        per(report.pairs_compared, count),
        together,
        pairs.count()
    );
    println!(
        "{} clusters of {} events, {} of them mixed",
        report.clusters,
        count.div_ceil(SITES),
        mixed.count()
    );
    println!("{report:#?}");
    Ok(())
}

fn per(pairs: u64, count: usize) -> f64 {
    pairs as f64 / count.max(1) as f64
}

fn events() -> VerticalInfo {
    let attribute = |name: &str, kind: Kind, identifies: bool| Attribute {
        identifies,
        ..Attribute::new(name, kind)
    };
    VerticalInfo {
        name: "events".to_owned(),
        version: "1.0.0".to_owned(),
        object_type: "Event".to_owned(),
        attributes: vec![
            attribute("name", Kind::Text, true),
            attribute("start", Kind::DateTime, true),
            attribute("place", Kind::Place, true),
            attribute("price", Kind::Money, false),
        ],
        ..VerticalInfo::default()
    }
}

/// An event as a site writes it: names of two to four made-up words, many events of one name.
fn object(event: usize, site: usize) -> Object {
    let mut random = Random(event as u64 / 3 + 1);
    let words = 2 + random.below(3);
    let mut name = (0..words)
        .map(|_| word(random.below(20_000)))
        .collect::<Vec<_>>()
        .join(" ");
    let mut random = Random(event as u64 * 7 + 3);
    let start = format!(
        "2026-{:02}-{:02}T{:02}:00",
        1 + random.below(12),
        1 + random.below(28),
        17 + random.below(5)
    );
    let place = format!("{} hall", word(50_000 + random.below(3_000)));
    let price = format!("{} EUR", 10 + random.below(40));
    match site {
        1 => name.push_str(" (live)"),
        2 => name = format!("{place}: {name}"),
        _ => {}
    }
    let start = if site == 3 { start[..10].to_owned() } else { start };
    let fields = [
        ("name", name),
        ("start", start),
        ("place", place),
        ("price", price),
    ];
    let field = |(path, text): (&str, String)| Field {
        path: path.to_owned(),
        value: Value::Text(text),
        node: None,
    };
    Object {
        schema_type: String::new(),
        confidence: 1.0,
        fields: fields.into_iter().map(field).collect(),
    }
}

fn word(number: usize) -> String {
    let syllables = [
        "ba", "do", "fi", "gu", "ke", "la", "mo", "ni", "pu", "re", "sa", "to", "vi", "zu",
    ];
    let mut rest = number + 200;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(syllables[rest % syllables.len()]);
        rest /= syllables.len();
    }
    word
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
        (mixed >> 33) as usize % limit
    }
}
