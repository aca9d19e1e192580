#![allow(clippy::print_stdout, missing_docs, reason = "tmp")]
use magpie_lab::*;
use std::collections::*;
use std::sync::Arc;
fn main() {
    for v in Vertical::ALL {
        for (size, seed) in [
            (Size::Small, 1),
            (Size::Small, 2),
            (Size::Small, 3),
            (Size::Paper, 1),
        ] {
            let t0 = std::time::Instant::now();
            let web = Arc::new(Web::new(WebSpec::new(v, size, seed)));
            let t1 = t0.elapsed();
            let truth = web.truth(0);
            let n = truth.pages.len() as f64;
            let with = truth.pages.iter().filter(|p| !p.objects.is_empty()).count() as f64;
            let mut kinds: BTreeMap<PageKind, usize> = BTreeMap::new();
            for p in &truth.pages {
                *kinds.entry(p.kind).or_default() += 1;
            }
            let mut seen: HashSet<(u32, Vec<u32>)> = HashSet::new();
            let mut red = 0.0;
            for p in &truth.pages {
                if !p.objects.is_empty() {
                    let mut o = p.objects.clone();
                    o.sort();
                    if !seen.insert((p.site, o)) {
                        red += 1.0;
                    }
                }
            }
            let mut covered = HashSet::new();
            let mut none_new = 0.0;
            for p in &truth.pages {
                if !p.objects.is_empty() && p.kind != PageKind::Home {
                    let mut new = false;
                    for o in &p.objects {
                        new |= covered.insert(*o);
                    }
                    if !new {
                        none_new += 1.0;
                    }
                }
            }
            let copies: f64 = truth
                .objects
                .iter()
                .map(|o| {
                    o.pages
                        .iter()
                        .map(|p| truth.pages[*p as usize].site)
                        .collect::<BTreeSet<_>>()
                        .len() as f64
                })
                .sum::<f64>()
                / truth.objects.len() as f64;
            let maxc = truth
                .objects
                .iter()
                .map(|o| {
                    o.pages
                        .iter()
                        .map(|p| truth.pages[*p as usize].site)
                        .collect::<BTreeSet<_>>()
                        .len()
                })
                .max();
            println!(
                "{v:?} {size:?} {seed}: sites {} pages {n} objects {} without {:.2} redundant {:.2} nonew {:.2} sites/object {copies:.2} max {maxc:?} {kinds:?} new {t1:?} truth {:?}",
                web.sites().count(),
                truth.objects.len(),
                1.0 - with / n,
                red / with,
                none_new / with,
                t0.elapsed()
            );
            if size == Size::Paper {
                let s = truth
                    .pages
                    .iter()
                    .fold(BTreeMap::new(), |mut m: BTreeMap<u32, u32>, p| {
                        *m.entry(p.site).or_default() += 1;
                        m
                    });
                let mut c: Vec<_> = s.values().copied().collect();
                c.sort();
                println!(
                    "pages per site {:?}",
                    [0, 10, 50, 90, 99].map(|q| c[(c.len() - 1) * q / 100])
                );
                let bad: u64 = truth
                    .pages
                    .iter()
                    .step_by(37)
                    .map(|p| {
                        let rest = p.url.strip_prefix("http://").unwrap();
                        let (h, q) = rest.split_at(rest.find('/').unwrap());
                        web.respond(
                            &Request {
                                host: h,
                                path_and_query: q,
                                ..Default::default()
                            },
                            0,
                            1,
                        )
                        .body
                        .len() as u64
                    })
                    .sum();
                println!("mean bytes {}", bad / (truth.pages.len() as u64 / 37));
            }
        }
    }
    if let Some(arg) = std::env::args().nth(1).filter(|a| a != "x") {
        let web = Web::new(WebSpec::new(
            Vertical::ALL[arg.parse::<usize>().unwrap()],
            Size::Small,
            5,
        ));
        for s in web.sites() {
            println!("{s:?}");
            let pages: Vec<_> = web.pages(s.index, 0).collect();
            for k in [PageKind::Detail, PageKind::List] {
                if let Some(p) = pages.iter().find(|p| p.kind == k) {
                    println!("{}\n", p.url);
                    let rest = p.url.strip_prefix("http://").unwrap();
                    let (h, q) = rest.split_at(rest.find('/').unwrap());
                    println!(
                        "{}",
                        String::from_utf8_lossy(
                            &web.respond(
                                &Request {
                                    host: h,
                                    path_and_query: q,
                                    ..Default::default()
                                },
                                0,
                                1
                            )
                            .body
                        )
                    );
                }
            }
            for p in pages.iter().step_by(17) {
                println!("{} {:?} {:?}", p.url, p.kind, p.objects);
            }
        }
    }
}
