//! Crawls one site: `spider-contestant URL CONNECTIONS`. On one thread, since it has one core.

use spider::tokio::runtime::Builder;
use spider::website::Website;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().expect("the first argument is a URL");
    let connections = arguments.next().and_then(|number| number.parse().ok());
    let runtime = Builder::new_current_thread().enable_all().build();
    let found = runtime.expect("a runtime can be made").block_on(async {
        let mut website = Website::new(&url);
        website
            .with_respect_robots_txt(true)
            .with_delay(0)
            .with_concurrency_limit(connections);
        website.crawl().await;
        website.get_links().len()
    });
    println!("{found} links");
}
