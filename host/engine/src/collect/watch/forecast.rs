//! What a budget reaches.

use magpie_learn::change::Goal;
use magpie_learn::schedule::{Page, expected};

use super::{Outlook, Purpose};

/// What is to be expected in the long run, if pages go on as they did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Visits to known pages in a day.
    pub visits: f64,
    /// The share of known objects that are what they are on the web.
    pub freshness: f64,
    /// For how many days those that are visited are out of date, on average over all times.
    pub age: f64,
    /// Pages with objects that are not visited at all, but for the longest gap.
    pub left_alone: usize,
    /// Days until a new object is found, on average; none where none are expected, infinite where no list is read.
    pub delay: Option<f64>,
    /// The price of a visit, in objects for a day.
    pub price: f64,
}

impl Outlook {
    /// What a multiple of the budget reaches.
    pub fn forecast(&self, factor: f64) -> Forecast {
        let price = self.price_at(factor);
        let least = if price.is_finite() {
            1.0 / self.longest_gap
        } else {
            0.0
        };
        let asked = |page: &Page| page.frequency_at(self.goal, price);
        let often = |page: &Page| asked(page).max(least);
        let objects: Vec<Page> = self.of(Purpose::Objects).collect();
        let frequencies: Vec<f64> = objects.iter().map(often).collect();
        let lists: Vec<Page> = self.of(Purpose::News).collect();
        let (mut late, mut come) = (0.0, 0.0);
        for list in &lists {
            let rate = list.weight * list.belief.rate();
            come += rate;
            late += rate / (2.0 * often(list));
        }
        Forecast {
            visits: frequencies.iter().sum::<f64>() + lists.iter().map(often).sum::<f64>(),
            freshness: expected(&objects, Goal::Freshness, &frequencies),
            age: expected(&objects, Goal::Age, &frequencies),
            left_alone: objects.iter().filter(|page| asked(page) <= 0.0).count(),
            delay: (come > 0.0).then_some(late / come),
            price,
        }
    }

    fn of(&self, purpose: Purpose) -> impl Iterator<Item = Page> {
        let pages = self.pages.iter().filter(move |page| page.purpose == purpose);
        pages.map(|page| page.page)
    }
}
