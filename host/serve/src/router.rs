//! All routes.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};

use crate::security::{self, MAX_BODY};
use crate::{
    App, api, assets, audit_page, control, feeds, mcp, objects, operator, pictures, present, webhook,
};

/// Composes the routes of all areas behind the rules for requests.
pub(crate) fn router(app: App) -> Router {
    Router::new()
        .merge(api::routes())
        .merge(assets::routes())
        .merge(audit_page::routes())
        .merge(control::routes())
        .merge(feeds::routes())
        .merge(mcp::routes())
        .merge(objects::routes())
        .merge(operator::routes())
        .merge(pictures::routes())
        .merge(security::routes())
        .merge(webhook::routes())
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(app.clone(), security::check))
        .layer(from_fn(present::present))
        .layer(from_fn_with_state(app.clone(), security::headers::write))
        .with_state(app)
}
