//! Conditions that the operator of a watch should know of.

use magpie_rows::{Alert, AlertKind, RoundFilter, RoundState, StoreError};
use serde_json::json;

use super::Cycle;
use crate::recrawl::DriedUp;
use crate::session::Session;

/// Logs which conditions began and which ended with a cycle.
pub fn log_alerts(session: &Session, cycle: &Cycle) -> Result<(), StoreError> {
    let (store, vertical) = (session.store(), session.vertical());
    let mut present: Vec<Alert> = Vec::new();
    for row in store.lasting_alerts()? {
        // A site without a round in the cycle keeps its condition. Otherwise it would seem mended
        // each time that its turn does not come.
        let had_round = cycle.rounds.iter().any(|(site, _)| *site == row.alert.subject);
        if row.vertical == vertical && is_about_rounds(row.alert.kind) && !had_round {
            present.push(row.alert);
        }
    }
    for (site, state) in &cycle.rounds {
        let was_mended = cycle
            .repaired
            .iter()
            .any(|repaired| repaired.site == *site && !repaired.in_vain);
        if let Some(kind) = kind_of(*state).filter(|_| !was_mended) {
            present.push(Alert {
                kind,
                subject: site.clone(),
                facts: json!({"site": site, "state": state}),
            });
        }
    }
    let sites = store.learned_sites(vertical)?;
    for site in &sites {
        if let Some(DriedUp { last, most }) =
            DriedUp::of(&store.rounds(vertical, RoundFilter::Site(site.site))?)
        {
            present.push(Alert {
                kind: AlertKind::SiteDry,
                subject: site.key.clone(),
                facts: json!({"site": site.key, "current": last, "most": most}),
            });
        }
    }
    for (site, visited_at) in &cycle.overdue {
        present.push(Alert {
            kind: AlertKind::RoundsOverdue,
            subject: site.clone(),
            facts: json!({"site": site, "visited_at": visited_at.to_string()}),
        });
    }
    if cycle.is_spent() {
        present.push(Alert {
            kind: AlertKind::BudgetSpent,
            subject: String::new(),
            facts: json!({"due_at": cycle.next_due.map(|at| at.to_string())}),
        });
    }
    for row in store.field_coverage(vertical, None)? {
        let site = sites.iter().find(|site| site.site == row.site);
        if let (Some(fell_at), Some(site)) = (row.fell_at, site) {
            present.push(Alert {
                kind: AlertKind::QualityFell,
                subject: format!("{} {}", site.key, row.attribute),
                facts: json!({
                    "site": site.key, "attribute": row.attribute, "fell_at": fell_at.to_string(),
                    "learned": {"filled": row.learned.filled, "records": row.learned.records},
                    "last": {"filled": row.last.filled, "records": row.last.records},
                }),
            });
        }
    }
    store.log_alerts(vertical, present, session.now())
}

/// Returns the condition of a site whose last round ended in a state.
fn kind_of(state: RoundState) -> Option<AlertKind> {
    match state {
        RoundState::Done => None,
        RoundState::Blocked | RoundState::Forbidden => Some(AlertKind::SiteBlocked),
        RoundState::Broken => Some(AlertKind::SiteBroken),
        RoundState::Gone => Some(AlertKind::SiteGone),
    }
}

fn is_about_rounds(kind: AlertKind) -> bool {
    match kind {
        AlertKind::SiteBlocked | AlertKind::SiteBroken | AlertKind::SiteGone => true,
        AlertKind::SiteDry
        | AlertKind::QualityFell
        | AlertKind::BudgetSpent
        | AlertKind::RoundsOverdue
        | AlertKind::RunEnded => false,
    }
}
