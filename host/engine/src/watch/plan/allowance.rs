//! Computes the allowance of a budget from past requests, so that no state has to be kept.

use std::time::Duration;

use magpie_rows::Spent;
use magpie_values::Timestamp;

use crate::settings::{Budget, BudgetUnit};

/// The rest of a budget at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// In the budget's unit; negative where more was spent than there was.
    pub left: f64,
    /// Upper limit of the rest.
    pub most: f64,
    /// Amount added per day.
    pub per_day: f64,
    /// Cost of a page.
    pub page: f64,
}

impl Allowance {
    /// Computes the rest at a moment, for a size of pages.
    pub fn of(budget: &Budget, spent: &[Spent], bytes_per_page: f64, now: Timestamp) -> Allowance {
        let page = match budget.unit {
            BudgetUnit::Pages => 1.0,
            BudgetUnit::Bytes => bytes_per_page.max(1.0),
        };
        let per_day = budget.per_day();
        let most = if per_day > 0.0 {
            // An unused budget is kept for one period: one cycle a day may use the budget of a day,
            // but weeks without cycles are not made up for.
            budget.amount.max(page)
        } else {
            0.0
        };
        let (mut left, mut sum) = (most, 0.0);
        // Requests in the future come from a clock that has stepped back since, and are not
        // counted.
        for request in spent.iter().filter(|request| request.at <= now) {
            sum += match budget.unit {
                BudgetUnit::Pages => 1.0,
                BudgetUnit::Bytes => request.bytes as f64,
            };
            let since = now.days_since(request.at);
            // No more can be left than if the budget was full before this request, so the rest is
            // the least of these values.
            left = left.min(most + per_day * since - sum);
        }
        Allowance {
            left,
            most,
            per_day,
            page,
        }
    }

    /// From when on requests matter.
    pub fn since(budget: &Budget, now: Timestamp) -> Timestamp {
        // Longer ago, even a whole period's overspending is paid back.
        now - budget.period.saturating_mul(2)
    }

    /// Pages that may be asked for now.
    pub fn pages(&self) -> u64 {
        // Without the small addition, rounding could take one page from a budget that is just
        // enough.
        (self.left / self.page + 1e-9).max(0.0) as u64
    }

    /// Returns the factor by which spending may exceed the plan. With half of the budget left it is
    /// one.
    pub(crate) fn haste(&self) -> f64 {
        // Plans do not contain robots files, new pages, limits of sites and the time between
        // cycles; the rest of the budget reflects all of them.
        match self.most > 0.0 {
            true => 0.5 + (self.left / self.most).clamp(0.0, 1.0),
            false => 1.0,
        }
    }

    /// Requests of a day.
    pub fn pages_per_day(&self) -> f64 {
        self.per_day / self.page
    }

    /// Returns the time until a page may be fetched, or `None` if that is never.
    pub fn wait(&self) -> Option<Duration> {
        if self.pages() > 0 {
            return Some(Duration::ZERO);
        }
        let days = (self.page - self.left) / self.per_day;
        let seconds = days * 86_400.0;
        (self.per_day > 0.0 && seconds.is_finite()).then(|| Duration::from_secs_f64(seconds.clamp(0.0, 1e9)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;
    const DAY: Duration = Duration::from_secs(86_400);

    fn requests(times: impl IntoIterator<Item = i64>) -> Vec<Spent> {
        let mut spent: Vec<Spent> = times
            .into_iter()
            .map(|at| Spent {
                at: Timestamp::from_millis(at),
                bytes: 1_000,
                site: None,
            })
            .collect();
        spent.reverse();
        spent
    }

    #[test]
    fn a_budget_fills_up_and_is_spent() {
        let budget = Budget::pages(240.0, DAY);
        let left = |spent: &[Spent], now| Allowance::of(&budget, spent, 0.0, now).left;
        assert_eq!(left(&[], Timestamp::from_millis(0)), 240.0);
        let spent = requests([0; 240]);
        assert_eq!(left(&spent, Timestamp::from_millis(0)), 0.0);
        assert_eq!(left(&spent, Timestamp::from_millis(HOUR / 2)), 5.0);
        assert_eq!(
            left(&spent, Timestamp::from_millis(100 * HOUR)),
            240.0,
            "no more than a day's is kept"
        );
        let spent = requests([0; 300]);
        assert_eq!(
            left(&spent, Timestamp::from_millis(HOUR)),
            -50.0,
            "what was spent in advance is paid back"
        );
        let budget = Allowance::of(&budget, &spent, 0.0, Timestamp::from_millis(HOUR));
        assert_eq!(budget.pages(), 0);
        assert_eq!(
            budget.wait(),
            Some(Duration::from_secs(306 * 60)),
            "51 at ten an hour"
        );
    }

    #[test]
    fn a_clock_that_stepped_back_costs_nothing() {
        let budget = Budget::pages(240.0, DAY);
        let spent = requests([50 * HOUR; 200]);
        assert_eq!(
            Allowance::of(&budget, &spent, 0.0, Timestamp::from_millis(HOUR)).left,
            240.0
        );
    }

    #[test]
    fn no_budget_is_never_enough_and_a_small_one_in_the_end() {
        let nothing = Allowance::of(&Budget::pages(0.0, DAY), &[], 0.0, Timestamp::from_millis(0));
        assert_eq!((nothing.pages(), nothing.wait()), (0, None));
        let small = Budget::pages(0.5, DAY);
        assert_eq!(
            Allowance::of(&small, &[], 0.0, Timestamp::from_millis(0)).pages(),
            1
        );
        let after = Allowance::of(&small, &requests([0]), 0.0, Timestamp::from_millis(0));
        assert_eq!((after.pages(), after.wait()), (0, Some(2 * DAY)));
        let bytes = Budget {
            amount: 100.0,
            unit: BudgetUnit::Bytes,
            period: DAY,
        };
        let first = Allowance::of(&bytes, &[], 1_000.0, Timestamp::from_millis(0));
        assert_eq!(first.pages(), 1, "a page may cost more than a day has");
        let after = Allowance::of(&bytes, &requests([0]), 1_000.0, Timestamp::from_millis(0));
        assert_eq!((after.pages(), after.wait()), (0, Some(10 * DAY)));
    }
}
