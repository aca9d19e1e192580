//! Focused crawls of the lab's web.

use magpie_engine::collect::Method;
use magpie_engine::learn::{LearnRequest, StageOutcome, learn};
use magpie_engine::recrawl::recrawl;
use magpie_engine::{Event, Observer, Stop};

use crate::bench::Bench;

/// Asks to stop after some pages.
struct StopAfter {
    pages: u64,
    stop: Stop,
}

impl Observer for StopAfter {
    fn observe(&mut self, event: Event<'_>) {
        if let Event::Crawl(magpie_engine::crawl::Event::Page(_)) = event {
            self.pages = self.pages.saturating_sub(1);
            if self.pages == 0 {
                self.stop.ask();
            }
        }
    }
}

fn focused(bench: &Bench) -> LearnRequest {
    LearnRequest {
        is_focused: true,
        ..bench.all_sites()
    }
}

fn crawled(outcomes: &[StageOutcome]) -> (u64, u64) {
    let crawled = outcomes.iter().find_map(|stage| match stage {
        StageOutcome::Crawl(crawled) => Some((crawled.pages, crawled.records)),
        _ => None,
    });
    crawled.expect("a crawl")
}

/// A focused crawl fetches fewer pages than learning, and rounds along its navigation find what is
/// new.
#[test]
fn a_focused_crawl_is_followed_by_recrawls() {
    let bench = Bench::new(3, "focus.until = 0.9");
    let full = Bench::new(3, "");
    let learned = learn(full.session(), &full.all_sites(), &mut ()).expect("it learns");
    let (all_pages, _) = crawled(&learned.expect("it was not stopped").stages);
    let outcome = learn(bench.session(), &focused(&bench), &mut ()).expect("it learns");
    let stages = outcome.expect("it was not stopped").stages;
    let (pages, records) = crawled(&stages);
    println!("{pages} of {all_pages} pages, {records} records");
    assert!(pages < all_pages && records > 0);
    let Some(StageOutcome::Navigate(navigations)) = stages.last() else {
        panic!("the last stage is another: {:?}", stages.last());
    };
    assert!(navigations.sites > 0);
    bench.pass_weeks(1);
    let recrawled = recrawl(bench.session(), Method::Selective, &mut ()).expect("it recrawls");
    let sites = recrawled.expect("it was not stopped").recorded.sites;
    assert!(sites.iter().any(|site| site.round.new_objects > 0));
}

/// Stopped in the middle and opened again, it goes on without fetching a page twice.
#[test]
fn a_focused_crawl_goes_on_in_another_process() {
    let mut bench = Bench::new(3, "focus.strategy = \"walk\"");
    let mut stopping = StopAfter {
        pages: 40,
        stop: bench.stop.clone(),
    };
    let request = focused(&bench);
    assert!(
        learn(bench.session(), &request, &mut stopping)
            .expect("it ends")
            .is_none()
    );
    bench.stop = Stop::default();
    bench.reopen();
    let outcome = learn(bench.session(), &request, &mut ()).expect("it learns");
    let (pages, records) = crawled(&outcome.expect("it was not stopped").stages);
    assert!(pages > 40 && records > 0);
}
