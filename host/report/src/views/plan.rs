//! The visits that a watch plans, and what budgets reach.

use std::time::Duration;

use magpie_engine::watch::{Forecast, WatchPlan};
use magpie_model::json::{Address, Time, finite};
use schemars::JsonSchema;
use serde::Serialize;

use crate::sentences::watch::{purpose, why, worth};

/// Multiples of the budget that are compared, with their names.
pub const FACTORS: [(f64, &str); 3] = [(0.5, "half"), (1.0, "the budget"), (2.0, "double")];

/// A visit that a watch plans.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VisitLine {
    /// URL of the page.
    page: Address,
    /// Key of its site.
    site: String,
    /// Purpose of the visit: `news`, `changes` or `first visit`.
    r#for: String,
    /// Time when it is due.
    due: Time,
    /// Reason for this time, in words.
    why: String,
    /// Estimated changes per day.
    rate_per_day: f64,
    /// Number of visits that were compared.
    visits: u32,
    /// Number of changes among them.
    changes: u32,
    /// Time of the last visit.
    last: Option<Time>,
    /// True if a sitemap or feed says that the page changed.
    hinted: bool,
    /// Number of objects that the visit puts right for a day; null for a first visit.
    value: Option<f64>,
    /// The same in words.
    worth: String,
}

impl VisitLine {
    /// Returns the next visits, the earliest first.
    pub fn all(plan: &WatchPlan, limit: usize) -> Vec<VisitLine> {
        let visit = |(number, days): (usize, f64)| {
            let page = &plan.pages[number];
            let at = plan.now + Duration::from_secs_f64((days * 86_400.0).clamp(0.0, 1e15));
            VisitLine {
                page: Address::new(&page.address),
                site: plan.sites[page.site].key.clone(),
                r#for: purpose(page.purpose).to_owned(),
                due: at.into(),
                why: why(plan, page),
                rate_per_day: page.rate,
                visits: page.compared.0,
                changes: page.compared.1,
                last: page.last.map(Time::from),
                hinted: page.hinted,
                value: finite(plan.value(number)),
                worth: worth(plan.value(number)),
            }
        };
        plan.calendar().into_iter().take(limit).map(visit).collect()
    }
}

/// The effect of a multiple of the budget.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ForecastLine {
    /// The multiple: `half`, `the budget` or `double`.
    budget: String,
    /// Pages per day that it allows.
    pages_per_day: f64,
    /// Expected visits per day.
    visits_per_day: f64,
    /// Expected share of objects that are up to date, from 0 to 1.
    freshness: f64,
    /// Mean age of what is out of date, in days.
    age_days: Option<f64>,
    /// Mean time until a new object is found, in days.
    new_object_days: Option<f64>,
    /// Number of pages that are visited only after the longest interval.
    left_alone: usize,
    /// Price of a visit where it is lowest, in objects for a day.
    price: Option<f64>,
    /// Number of watched pages.
    watched: usize,
    /// Number of watched sites.
    sites: usize,
    /// Expected new objects per day.
    new_objects_per_day: f64,
}

impl ForecastLine {
    /// Describes the effect of a multiple of the budget.
    pub fn new(plan: &WatchPlan, name: &str, factor: f64, forecast: &Forecast) -> ForecastLine {
        ForecastLine {
            budget: name.to_owned(),
            pages_per_day: plan.allowance.pages_per_day() * factor,
            visits_per_day: forecast.visits,
            freshness: forecast.freshness,
            age_days: finite(forecast.age),
            new_object_days: forecast.delay.and_then(finite),
            left_alone: forecast.left_alone,
            price: finite(forecast.price),
            watched: plan.pages.len(),
            sites: plan.sites.len(),
            new_objects_per_day: plan.news,
        }
    }
}
