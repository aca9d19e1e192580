//! The visits that a watch plans, and what budgets reach.

use std::time::Duration;

use magpie_engine::watch::{Forecast, WatchPlan};
use serde_json::{Value, json};

use crate::sentences::watch::{purpose, why, worth};

/// Multiples of the budget that are compared, with their names.
pub const FACTORS: [(f64, &str); 3] = [(0.5, "half"), (1.0, "the budget"), (2.0, "double")];

/// Returns the next visits as JSON, the earliest first.
pub fn visits_json(watch_plan: &WatchPlan, limit: usize) -> Vec<Value> {
    let visit = |(number, days): (usize, f64)| {
        let page = &watch_plan.pages[number];
        let at = watch_plan.now + Duration::from_secs_f64((days * 86_400.0).clamp(0.0, 1e15));
        json!({
            "page": page.address.as_str(), "site": watch_plan.sites[page.site].key, "for": purpose(page.purpose),
            "due": at.to_string(), "why": why(watch_plan, page), "rate_per_day": page.rate,
            "visits": page.compared.0, "changes": page.compared.1, "last": page.last.map(|at| at.to_string()),
            "hinted": page.hinted, "value": finite(watch_plan.value(number)), "worth": worth(watch_plan.value(number)),
        })
    };
    watch_plan.calendar().into_iter().take(limit).map(visit).collect()
}

/// Returns what a multiple of the budget reaches as JSON.
pub fn forecast_json(watch_plan: &WatchPlan, name: &str, factor: f64, forecast: &Forecast) -> Value {
    json!({
        "budget": name, "pages_per_day": watch_plan.allowance.pages_per_day() * factor, "visits_per_day": forecast.visits,
        "freshness": forecast.freshness, "age_days": finite(forecast.age),
        "new_object_days": forecast.delay.and_then(finite), "left_alone": forecast.left_alone,
        "price": finite(forecast.price), "watched": watch_plan.pages.len(), "sites": watch_plan.sites.len(),
        "new_objects_per_day": watch_plan.news,
    })
}

fn finite(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite())
}
