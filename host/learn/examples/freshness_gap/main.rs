//! wip
mod random;
use magpie_learn::change::*;
use magpie_learn::schedule::*;
use random::*;

fn fresh(rates: &[f64], freqs: &[f64]) -> f64 {
    rates.iter().zip(freqs).map(|(r, f)| SyncOrder::Fixed.freshness(*r, *f)).sum::<f64>() / rates.len() as f64
}
fn main() {
    for sd in [0.2, 0.5, 1.0] {
    for dated in [false, true] {
    for n in [2, 5, 10, 30] {
        let mut cols: Vec<Vec<f64>> = vec![vec![]; 8];
        for seed in 0..5 {
            let mut random = Random::new(seed);
            let (groups, size) = (400, 50);
            let mut rates = vec![];
            for _ in 0..groups { let c = -1.5 + random.normal(1.5); for _ in 0..size { rates.push((c + random.normal(sd)).exp()); } }
            let pages: Vec<Page> = rates.iter().map(|r| Page::of_rate(*r)).collect();
            let budget = 0.4 * pages.len() as f64;
            let oracle = fresh(&rates, &optimal(&pages, Goal::Freshness, budget).frequencies);
            let uni = fresh(&rates, &uniform(&pages, budget));
            let hist: Vec<History> = rates.iter().map(|r| { let mut h = History::default(); for _ in 0..n { let w = random.wait(*r);
                h.add(1.0, if w < 1.0 { if dated {Observation::ChangedAgo(w)} else {Observation::Changed} } else { Observation::Same }); } h }).collect();
            let plug: Vec<Page> = hist.iter().map(|h| Page::of_rate(h.most_likely_rate().unwrap().min(1e6))).collect();
            let t = std::time::Instant::now();
            let (population, priors) = Population::learn(&Population::guess(0.3), hist.chunks(size));
            let el = t.elapsed();
            let posts: Vec<Posterior> = hist.iter().enumerate().map(|(i, h)| priors[i / size].posterior(h)).collect();
            if seed == 0 && n==10 { println!("{population:?} {el:?} {:?}", t.elapsed()); }
            let eval = |ps: Vec<Page>| (fresh(&rates, &optimal(&ps, Goal::Freshness, budget).frequencies) - uni) / (oracle - uni);
            cols[0].push(uni); cols[1].push(oracle);
            cols[2].push(eval(plug));
            cols[3].push(eval(posts.iter().map(|p| Page::of_rate(p.mean)).collect()));
            cols[4].push(eval(posts.iter().map(|p| Page::of_rate(p.log_mean.exp())).collect()));
            cols[5].push(eval(posts.iter().map(|p| Page { belief: p.belief(), weight: 1.0 }).collect()));
            cols[6].push(eval(posts.iter().map(|p| Page { belief: Belief::uncertain(p.mean, (p.deviation/p.mean).powi(2)), weight: 1.0 }).collect()));
            let truth: Vec<RatePrior> = (0..groups).map(|_| RatePrior::LogNormal{centre: 0.0, deviation: sd}).collect(); let _ = truth;
        }
        let s: Vec<String> = cols.iter().filter(|c| !c.is_empty()).map(|c| { let i = Interval::of(c); format!("{:.3}±{:.3}", i.mean, i.half) }).collect();
        println!("sd {sd} dated {dated} n {n}: {}", s.join("  "));
    }}}
}
