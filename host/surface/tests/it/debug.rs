use crate::{database::Database, trials};
use magpie_surface::probe::*;
#[test]
fn debug() {
    for seed in 0..5 {
        let database = Database::new(4_000, seed);
        println!("  size {:?}", trials::estimate_size(&database, 100, seed));
        println!("  size 300 {:?}", trials::estimate_size(&database, 300, seed).1);
        let p = trials::probe(&database, Method::Adaptive, false, 30, seed);
        let pool = p.pool();
        let total: f64 = pool.iter().map(|x| x.1).sum();
        let real: Vec<f64> = pool
            .iter()
            .map(|x| database.search(&x.0, 0).outcome.reported_count.unwrap() as f64)
            .collect();
        println!(
            "  pool {} predicted {total} real {} found {}",
            pool.len(),
            real.iter().sum::<f64>(),
            p.found()
        );
        let mut v: Vec<_> = pool.iter().zip(&real).collect();
        v.sort_by(|a, b| b.1.total_cmp(a.1));
        println!("  {:?}", &v[..12]);
        println!("  {:?}", v.iter().step_by(60).collect::<Vec<_>>());
    }
    let database = Database::new(4_000, 0);
    let settings = Settings {
        follows_pages: true,
        max_requests: 260,
        ..Settings::new(Method::Adaptive)
    };
    let mut p = TextProbe::new(
        settings,
        &(0..10)
            .map(|i| database.text(i * 37))
            .collect::<Vec<_>>()
            .join("\n"),
        &[],
    );
    while let Some(q) = p.next() {
        let page = database.search(&q.keyword, q.page as usize);
        let objects: Vec<(u64, &str)> = page
            .objects
            .iter()
            .map(|(id, text)| (*id, text.as_str()))
            .collect();
        let b = p.found();
        p.record(&q, &page.outcome, &page.text, &objects);
        println!(
            "  {:?} {} of {:?} new {}",
            q,
            objects.len(),
            page.outcome.reported_count,
            p.found() - b
        );
    }
}
