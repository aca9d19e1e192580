//! Pages for the operator: what runs, what was done, and why.

mod home;
mod live;
mod plan;
mod probes;
mod quality;
mod runs;
mod sites;
mod urls;
mod verticals;
mod violations;

use axum::Router;
use axum::routing::get;
use magpie_engine::site::View;
use magpie_rows::ReadStore;

use crate::{App, Error};

pub(crate) fn routes() -> Router<App> {
    let list = |router: Router<App>, path: &str, handler: axum::routing::MethodRouter<App>| {
        let endings = ["", ".json", ".jsonl", ".csv"];
        endings.iter().fold(router, |router, ending| {
            router.route(&format!("{path}{ending}"), handler.clone())
        })
    };
    let mut router = Router::new()
        .route("/", get(home::show))
        .route("/status.json", get(home::show))
        .route("/site/{host}", get(sites::one))
        .route("/url", get(urls::one))
        .route("/url.json", get(urls::one))
        .route("/run/{number}", get(runs::one))
        .route("/run/{number}/report", get(runs::report))
        .route("/-/live", get(live::events))
        .route("/-/healthy", get(probes::healthy))
        .route("/-/ready", get(probes::ready))
        .route("/metrics", get(probes::metrics));
    router = list(router, "/sites", get(sites::all));
    router = list(router, "/plan", get(plan::show));
    router = list(router, "/urls", get(urls::all));
    router = list(router, "/runs", get(runs::all));
    router = list(router, "/quality", get(quality::show));
    router = list(router, "/doubts", get(quality::doubts));
    router = list(router, "/violations", get(violations::show));
    list(router, "/verticals", get(verticals::show))
}

/// The view of a vertical by which the engine reads.
fn view<'a>(app: &'a App, reader: &'a dyn ReadStore, vertical: &'a str) -> View<'a> {
    View {
        reader,
        folder: app.folder(),
        settings: app.settings(),
        vertical,
        now: app.now(),
    }
}

impl From<magpie_engine::site::SiteError> for Error {
    fn from(error: magpie_engine::site::SiteError) -> Error {
        match error {
            magpie_engine::site::SiteError::Store(error) => error.into(),
            error => Error::Unavailable(error.to_string()),
        }
    }
}

impl From<magpie_engine::PipelineError> for Error {
    fn from(error: magpie_engine::PipelineError) -> Error {
        match error {
            magpie_engine::PipelineError::Store(error) => error.into(),
            error => Error::Unavailable(error.to_string()),
        }
    }
}
