//! Measures searches: generates objects and asks queries of many kinds, with facets.
//!
//! ```sh
//! cargo run --release -p magpie-sqlite --example search_speed -- 1000000
//! ```
//!
//! The number of objects is 100,000 by default. A folder as the second argument is kept and used
//! again. Times are CPU times if the system has them, so that other programs do not count.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, and ends where something fails"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use magpie_model::{Attribute, Kind, Record, RecordValue};
use magpie_query::{Context, Query};
use magpie_rows::{
    Batch, Count, Matching, MergedObject, ObjectId, Reassignment, Rebuild, Search as _, SearchOptions,
    SearchOrder, SortKey, Warehouse as _,
};
use magpie_sqlite::{Reader, Workspace, WorkspaceOptions};
use magpie_values::Timestamp;

const VERTICAL: &str = "things";

/// Objects of a transaction.
const BATCH: u64 = 5_000;

/// Queries of each kind.
const ASKED: u64 = 40;

/// Different words in texts.
const WORDS: u64 = 60_000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let objects: u64 = arguments.next().map_or(100_000, |text| text.parse().unwrap());
    let kept = arguments.next().map(PathBuf::from);
    let folder = tempfile::tempdir().unwrap();
    let path = kept.as_deref().unwrap_or(folder.path());
    if !path.join("magpie.db").is_file() {
        generate(path, objects);
    }
    let bytes = std::fs::metadata(path.join("magpie.db")).unwrap().len();
    println!("{objects} objects, {} MB", bytes / 1_000_000);
    measure(path, objects);
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    /// Returns a number below an end, the small ones most often: about as words in texts.
    fn frequent(&mut self, end: u64) -> u64 {
        let share = self.below(1_000_000) as f64 / 1e6;
        ((end as f64 + 1.0).powf(share) as u64)
            .saturating_sub(1)
            .min(end - 1)
    }
}

fn word(number: u64) -> String {
    const PARTS: [&str; 16] = [
        "ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "wu", "za", "chi", "dre", "flo", "gru", "pla",
    ];
    let mut rest = number + 16;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(PARTS[(rest % 16) as usize]);
        rest /= 16;
    }
    word
}

fn words(random: &mut Random, count: u64) -> String {
    let words: Vec<String> = (0..count).map(|_| word(random.frequent(WORDS))).collect();
    words.join(" ")
}

fn schema() -> Vec<Attribute> {
    let attribute = |(name, kind, identifies): (&str, &str, bool)| Attribute {
        identifies,
        ..Attribute::new(name, Kind::from(kind.to_owned()))
    };
    let all = [
        ("description", "text", false),
        ("genre", "text", false),
        ("gtin", "identifier:gtin", true),
        ("organiser", "organisation", false),
        ("price", "money", false),
        ("start", "date-time", true),
        ("title", "text", true),
        ("venue", "place", false),
    ];
    all.map(attribute).into()
}

fn now() -> Timestamp {
    Timestamp::parse("2026-12-01T12:00:00Z").unwrap()
}

fn object(id: i64, random: &mut Random) -> MergedObject {
    let day = now() + Duration::from_secs(86_400 * random.below(400));
    let start = day.to_string().replace("12:00:00Z", "19:30");
    let title = words(random, 4);
    let values = [
        ("description", words(random, 14)),
        ("genre", word(random.frequent(12))),
        ("gtin", format!("{id:013}")),
        ("organiser", format!("{} Ltd", word(random.frequent(5_000)))),
        ("price", format!("{}.50 EUR", random.frequent(200))),
        ("start", start),
        ("title", title.clone()),
        ("venue", format!("{} Hall", word(random.frequent(2_000)))),
    ];
    let values = values.into_iter().map(|(attribute, value)| RecordValue {
        attribute: attribute.to_owned(),
        value,
        raw: None,
        node: None,
        repeated: false,
    });
    MergedObject {
        id,
        label: title,
        record: Record {
            object_type: "Thing".to_owned(),
            confidence: 0.9,
            values: values.collect(),
        },
        origins: "{}".to_owned(),
        members: 1,
        current: u64::from(random.below(20) > 0),
        first_seen: now(),
        last_seen: now(),
        expires_at: Some(day),
    }
}

fn generate(path: &Path, objects: u64) {
    let began = Instant::now();
    let workspace = Workspace::create(path, &WorkspaceOptions::default()).unwrap();
    let warehouse = workspace.warehouse(VERTICAL, now()).unwrap();
    let assign = Reassignment {
        matching: Matching {
            schema: serde_json::to_string(&schema()).unwrap(),
            ..Matching::default()
        },
        now: now(),
        ..Reassignment::default()
    };
    workspace.rebuild(warehouse, Rebuild::Assign(assign)).unwrap();
    let mut random = Random(42);
    let mut next = 1;
    while next <= objects {
        let end = (next + BATCH).min(objects + 1);
        let batch = Batch {
            warehouse,
            now: now(),
            objects: (next..end)
                .map(|id| object(id.cast_signed(), &mut random))
                .collect(),
            ..Batch::default()
        };
        workspace.take_in(batch).unwrap();
        next = end;
    }
    workspace.close().unwrap();
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "generated in {seconds:.0} s, {:.0} µs an object",
        1e6 * seconds / objects as f64
    );
}

/// A kind of queries: its name, a query for a random number, and the order of the hits.
type Asked = (&'static str, fn(&mut Random) -> String, SortKey);

fn kinds() -> Vec<Asked> {
    let start = || SortKey::Attribute("start".to_owned());
    vec![
        ("nothing", |_| String::new(), SortKey::Relevance),
        (
            "a rare word",
            |random| word(1_000 + random.below(50_000)),
            SortKey::Relevance,
        ),
        (
            "a frequent word",
            |random| word(random.below(20)),
            SortKey::Relevance,
        ),
        (
            "two words",
            |random| format!("{} {}", word(random.below(50)), word(random.below(500))),
            SortKey::Relevance,
        ),
        (
            "the beginning of a word",
            |random| format!("{}*", &word(random.below(400))[..4]),
            SortKey::Relevance,
        ),
        (
            "a venue",
            |random| format!("venue=\"{} Hall\"", word(random.below(300))),
            SortKey::Relevance,
        ),
        (
            "a venue and a word",
            |random| {
                format!(
                    "venue=\"{} Hall\" {}",
                    word(random.below(30)),
                    word(random.below(100))
                )
            },
            SortKey::Relevance,
        ),
        (
            "cheap ones",
            |random| format!("price<={}", 5 + random.below(40)),
            SortKey::Relevance,
        ),
        (
            "cheap ones with a word",
            |random| format!("price<={} {}", 5 + random.below(40), word(random.below(300))),
            SortKey::Relevance,
        ),
        ("a weekend", |_| "start:weekend".to_owned(), start()),
        (
            "the next days by date",
            |random| format!("start<={}d", 3 + random.below(20)),
            start(),
        ),
        ("a word by date", |random| word(random.below(200)), start()),
        (
            "everything by price",
            |_| String::new(),
            SortKey::Attribute("price".to_owned()),
        ),
        (
            "current, a genre",
            |random| format!("is:current -is:gone genre={}", word(random.below(12))),
            SortKey::Relevance,
        ),
        (
            "a part of a title",
            |random| format!("title~{}", &word(1_000 + random.below(50_000))[1..6]),
            SortKey::Relevance,
        ),
        (
            "three letters of a title",
            |random| format!("title~{}", &word(random.below(WORDS))[1..4]),
            SortKey::Relevance,
        ),
        (
            "two letters of a title",
            |random| format!("title~{}", &word(random.below(WORDS))[..2]),
            SortKey::Relevance,
        ),
        (
            "a part that no title has",
            |random| format!("title~{}q", word(random.below(400))),
            SortKey::Relevance,
        ),
        (
            "a part and a word",
            |random| {
                format!(
                    "title~{} {}",
                    &word(1_000 + random.below(50_000))[1..5],
                    word(random.below(100))
                )
            },
            SortKey::Relevance,
        ),
        (
            "a part of a venue by date",
            |random| format!("venue~\"{} h\"", &word(random.below(2_000))[2..]),
            start(),
        ),
        (
            "a part in the next days",
            |random| format!("title~{} start<=20d", &word(1_000 + random.below(50_000))[1..5]),
            start(),
        ),
        (
            "a price range at a weekend",
            |random| {
                let least = random.below(100);
                format!("price:{least}..{} start:weekend", least + 10)
            },
            start(),
        ),
        (
            "a word by label",
            |random| word(random.below(200)),
            SortKey::Label,
        ),
        ("everything by label", |_| String::new(), SortKey::Label),
        ("everything by expiry", |_| String::new(), SortKey::Soonest),
        ("everything by change", |_| String::new(), SortKey::Changed),
        (
            "a genre by title",
            |random| format!("genre={}", word(random.below(12))),
            SortKey::Attribute("title".to_owned()),
        ),
    ]
}

fn measure(path: &Path, objects: u64) {
    let begun = clock();
    let reader = Reader::open(path).unwrap();
    println!("opened in {:.1} ms", millis(clock() - begun));
    let attributes = schema();
    let context = Context {
        attributes: &attributes,
        now: now(),
    };
    let mut random = Random(7);
    let mut all = Vec::new();
    println!(
        "{:26} {:>9} {:>7} {:>7} {:>7}",
        "ms", "hits", "p50", "p95", "most"
    );
    for (name, text, by) in kinds() {
        let (mut times, mut hits) = (Vec::new(), 0);
        for _ in 0..ASKED {
            let query = Query::parse(&text(&mut random), &context).unwrap();
            let options = SearchOptions {
                order: SearchOrder {
                    by: by.clone(),
                    is_reversed: false,
                },
                limit: 20,
                facets: 10,
                ..SearchOptions::default()
            };
            let began = clock();
            let page = reader.search(VERTICAL, &query, &options).unwrap();
            times.push(clock() - began);
            hits += match page.total {
                Count::Exact(hits) | Count::MoreThan(hits) => hits,
            };
        }
        print(name, hits / ASKED, &mut times);
        all.extend(times);
    }
    print("all searches", 0, &mut all);
    let mut times: Vec<Duration> = (0..ASKED * 10)
        .map(|_| {
            let began = clock();
            let id = ObjectId(1 + random.below(objects).cast_signed());
            reader.object_detail(id).unwrap();
            clock() - began
        })
        .collect();
    print("an object", 1, &mut times);
}

fn print(name: &str, hits: u64, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: usize| millis(times[(times.len() * share / 100).min(times.len() - 1)]);
    println!("{name:26} {hits:9} {:7.1} {:7.1} {:7.1}", at(50), at(95), at(100));
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns the time that this thread has run so far, or the time since the first call.
fn clock() -> Duration {
    static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let began = BEGAN.get_or_init(Instant::now);
    let own = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let own = own.and_then(|text| text.split(' ').next()?.parse().ok());
    own.map_or_else(|| began.elapsed(), Duration::from_nanos)
}
