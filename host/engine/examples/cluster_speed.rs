//! Clusters made-up events of a workspace, then a few new ones, and prints the CPU time and the
//! memory:
//!
//! ```sh
//! cargo run --release -p magpie-engine --example cluster_speed -- 1000000
//! ```
//!
//! The first argument is the number of records, 100,000 by default.

#![expect(clippy::print_stdout, reason = "a measurement prints its figures")]

use std::error::Error;
use std::sync::Arc;

use magpie_engine::warehouse::{Options, Subject, cluster_with};
use magpie_matching::SchemaMatcher;
use magpie_model::{Attribute, Kind, Record, RecordValue, VerticalInfo};
use magpie_rows::{
    Component, ExtractedRecord, Extraction, FetchResult, Frontier as _, Lease, LeaseRequest, MatcherKind,
    Page,
};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_values::Timestamp;
use serde_json::json;

/// Records of one event: sites that list it, each in its own words.
const SITES: u64 = 4;

/// Records of a page.
const EACH: u64 = 20;

/// After the first clustering, one record is added for each of this number of records.
const NEW: u64 = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1);
    let count: u64 = count.map_or(Ok(100_000), |count| count.parse())?;
    let folder = tempfile::tempdir()?;
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default())?;
    let leases = (0..SITES).map(|site| {
        let request = LeaseRequest {
            worker: "measurement",
            site: Some(workspace.site(&format!("https://site{site}.example"))?),
            now: Timestamp::from_millis(0),
            until: Timestamp::MAX,
        };
        Ok(workspace.lease(&request)?.ok_or("another process has the site")?)
    });
    let leases: Vec<Lease> = leases.collect::<Result<_, Box<dyn Error>>>()?;
    let subject = Subject {
        info: events(),
        matcher: MatcherKind::Schema,
        digest: "1".to_owned(),
        options: json!({}),
    };
    for (records, name) in [(0..count, "all"), (count..count + count / NEW, "new")] {
        for first in records.step_by((EACH * SITES) as usize) {
            for (site, lease) in (0..SITES).zip(&leases) {
                workspace.commit(lease, page(first, site))?;
            }
        }
        workspace.flush()?;
        let began = cpu_seconds();
        let mut matcher = SchemaMatcher::new(&subject.info);
        let report = cluster_with(
            &workspace,
            &subject,
            &mut matcher,
            &Options::default(),
            &mut |_| {},
        )?;
        println!(
            "{name}: {} records, {} objects in all, {:.1} CPU seconds, at most {} MB",
            report.new_members,
            report.objects,
            cpu_seconds() - began,
            peak_megabytes(),
        );
    }
    println!("{} events", (count + count / NEW).div_ceil(SITES));
    Ok(())
}

/// A page of a site with records of events.
fn page(first: u64, site: u64) -> FetchResult {
    let records = (first..first + EACH * SITES).step_by(SITES as usize);
    let records = records.map(|record| ExtractedRecord {
        record: event(record / SITES, site),
        expires_at: None,
    });
    FetchResult {
        page: Some(Page {
            url: format!("https://site{site}.example/list/{first}"),
            fetched_at: Timestamp::from_seconds(1_790_000_000),
            status: Some(200),
            ..Page::default()
        }),
        extractions: vec![Extraction {
            component: Arc::new(Component {
                vertical: "events".to_owned(),
                version: "1".to_owned(),
                digest: "1".to_owned(),
                options: "{}".to_owned(),
            }),
            records: records.collect(),
            ..Extraction::default()
        }],
        ..FetchResult::default()
    }
}

fn events() -> VerticalInfo {
    let attribute = |name: &str, kind: Kind, identifies: bool| Attribute {
        identifies,
        ..Attribute::new(name, kind)
    };
    VerticalInfo {
        name: "events".to_owned(),
        version: "1".to_owned(),
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

/// An event as a site writes it: a name of two to four made-up words that three events have.
fn event(event: u64, site: u64) -> Record {
    let mut random = Random(event / 3 + 1);
    let words = 2 + random.below(3);
    let words: Vec<String> = (0..words).map(|_| word(random.below(20_000))).collect();
    let mut name = words.join(" ");
    let mut random = Random(event * 7 + 3);
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
    let values = [
        ("name", name),
        ("start", start),
        ("place", place),
        ("price", price),
    ];
    let value = |(attribute, value): (&str, String)| RecordValue {
        attribute: attribute.to_owned(),
        value,
        raw: None,
        repeated: false,
        node: None,
    };
    Record {
        object_type: "Event".to_owned(),
        confidence: 0.9,
        values: values.into_iter().map(value).collect(),
    }
}

fn word(number: u64) -> String {
    const SYLLABLES: [&str; 14] = [
        "ba", "do", "fi", "gu", "ke", "la", "mo", "ni", "pu", "re", "sa", "to", "vi", "zu",
    ];
    let mut rest = number as usize + 200;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}

/// A small generator, the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 33) % limit
    }
}

/// CPU time of this process so far, or 0 on a system without `/proc`.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = behind_name.split_ascii_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Peak memory of this process, or 0 on a system without `/proc`.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1_000
}
