//! Published methods that only experiments call, to compare the product with.

mod bandit;
mod breadth_first;
mod by_yield;
pub(crate) mod schedules;

pub(crate) use bandit::SleepingBandit;
pub(crate) use breadth_first::BreadthFirst;
pub(crate) use by_yield::ByYield;

use xxhash_rust::xxh3::xxh3_64;

/// Returns the number of a link's path, by which links of a kind are recognised.
fn path_number(path: &str) -> u64 {
    match path {
        "" => 0,
        path => xxh3_64(path.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use magpie_focus::PageId;
    use magpie_focus::strategy::{Link, Strategy, Visit};
    use magpie_model::CanonicalUrl;

    use super::*;

    /// A list of nine pages, each of which leads back to the list and to the next.
    fn links(page: PageId) -> Vec<PageId> {
        match page {
            0 => (1..10).collect(),
            9 => vec![0],
            page => vec![0, page + 1],
        }
    }

    #[test]
    fn every_strategy_fetches_every_page_once() {
        let urls: Vec<CanonicalUrl> = (0..10)
            .map(|page| CanonicalUrl::trusted(format!("https://shop.example/{page}")).expect("a URL"))
            .collect();
        let link = |page: PageId| Link {
            target: page,
            url: &urls[page as usize],
            path: "html/body/a",
            text: "",
        };
        let strategies: [Box<dyn Strategy>; 3] = [
            Box::new(BreadthFirst::default()),
            Box::new(ByYield::default()),
            Box::new(SleepingBandit::new(1)),
        ];
        for mut strategy in strategies {
            strategy.offer(&link(0));
            let mut fetched = Vec::new();
            while let Some(page) = strategy.next() {
                fetched.push(page);
                let links: Vec<Link<'_>> = links(page).into_iter().map(link).collect();
                strategy.visited(&Visit {
                    page,
                    is_accepted: page > 0,
                    new_objects: u64::from(page > 0),
                    links: &links,
                    known: &[],
                });
            }
            fetched.sort_unstable();
            assert_eq!(fetched, (0..10).collect::<Vec<PageId>>());
        }
    }
}
