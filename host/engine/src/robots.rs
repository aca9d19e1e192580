//! The robots.txt of a page that is requested outside of a crawl.

use std::sync::Arc;

use magpie_model::CanonicalUrl;
use magpie_web::Client;

use crate::Clock;
use crate::crawl::{
    HostSession, Job, Permission, RobotsAnswer, RobotsStep, RobotsVerdict, SiteRules, request,
};
use crate::settings::Settings;

/// Asks the robots.txt of a page's origin about the page, unless the session knows it. `None` if it
/// can't be requested.
pub(crate) async fn ask_robots(
    host: &mut HostSession,
    rules: &SiteRules,
    client: &Client,
    url: &CanonicalUrl,
    clock: &Clock,
) -> Option<RobotsVerdict> {
    if matches!(host.permission(url, clock.now()), Permission::Unknown) {
        host.ask_robots(url.origin());
    }
    while matches!(host.permission(url, clock.now()), Permission::Unknown) {
        let Some(job @ Job::Robots { hops, .. }) = host.take() else {
            break;
        };
        let Some(request) = request(&job, rules, url.scheme() == "http") else {
            break;
        };
        let started_at = clock.now();
        let result = client.fetch(&request).await;
        host.prepared();
        let answer = RobotsAnswer {
            result: result.as_ref().map_err(Some),
            started_at,
            is_new: false,
            has_alternative: false,
        };
        let step = host.answer_robots(url.origin(), hops, &answer, clock.now());
        if !matches!(step, RobotsStep::AskAgain) {
            break;
        }
    }
    host.robots_verdict(url)
}

/// Returns the rules of a site that has one entry page.
pub(crate) fn site_rules(home: &CanonicalUrl, settings: &Settings) -> Result<Arc<SiteRules>, String> {
    SiteRules::new(settings, home, std::slice::from_ref(home), true)
        .map(Arc::new)
        .map_err(|problem| problem.to_string())
}
