//! Learns the lab's small web, recrawls it a week later, and prints the new objects.
//!
//! `cargo run -p magpie-engine --example learn_and_recrawl -- events.wasm`, with the component of
//! the events vertical.

use std::error::Error;
use std::{ops::ControlFlow, path::Path, sync::Arc, time::Duration};

use magpie_engine::collect::Method;
use magpie_engine::learn::{Beginning, LearnRequest, NamedSite, learn};
use magpie_engine::recrawl::recrawl;
use magpie_engine::settings::{Layer, Origin, Resolved};
use magpie_engine::{Clock, Session, SessionOptions, Stop, VERTICALS};
use magpie_lab::{Size, Vertical, Web, WebSpec, WeekHandle, serve};
use magpie_model::CanonicalUrl;
use magpie_store::{ClusterFilter, Workspace, WorkspaceOptions};

/// Returns the objects that a recrawl finds a week after learning.
pub(crate) fn run(component: &Path, folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let lab = tokio::runtime::Runtime::new()?;
    let web = Arc::new(Web::new(WebSpec::new(Vertical::Events, Size::Small, 1)));
    let week = WeekHandle::new(0);
    let server = lab.block_on(serve(Arc::clone(&web), week.clone(), ([127, 0, 0, 1], 0).into()))?;

    Workspace::create(folder, &WorkspaceOptions::default())?.close()?;
    std::fs::create_dir_all(folder.join(VERTICALS))?;
    std::fs::copy(component, folder.join(VERTICALS).join("events.wasm"))?;
    let text = format!(
        "network.proxy = \"http://{}\"\npoliteness.delay = \"0s\"\npoliteness.autothrottle = false",
        server.address()
    );
    let settings = Resolved::new(&[Layer::file(&Origin::Default, &text)?])?;
    let (vertical, cache, program) = (None, None, "example".to_owned());
    let (clock, stop) = (Clock::default(), Stop::default());
    clock.set(web.spec().monday(0) * 86_400_000);
    let options = SessionOptions {
        settings,
        vertical,
        cache,
        program,
        clock,
        stop,
    };
    let session = Session::open(folder, options)?;

    let home = |url: String| {
        Some(NamedSite {
            home: CanonicalUrl::trusted(url.as_str())?,
            text: url,
        })
    };
    let sites = web.sites().filter_map(|site| home(site.home)).collect();
    let beginning = Some(Beginning::Sites(sites));
    learn(
        &session,
        &LearnRequest {
            beginning,
            from: None,
        },
        &mut (),
    )?;

    week.set(1);
    session.clock().advance(Duration::from_secs(7 * 86_400));
    let new_since = Some(session.now());
    recrawl(&session, Method::Selective, &mut ())?;
    let filter = ClusterFilter {
        new_since,
        ..ClusterFilter::default()
    };
    let mut new = Vec::new();
    session.reader()?.clusters(&filter, &mut |object| {
        new.push(object.label);
        ControlFlow::Continue(())
    })?;
    lab.block_on(server.shutdown());
    Ok(new)
}

#[cfg_attr(test, expect(dead_code, reason = "a test includes this file and calls `run`"))]
fn main() -> Result<(), Box<dyn Error>> {
    let component = std::env::args()
        .nth(1)
        .ok_or("name the component of the events vertical")?;
    let folder = tempfile::tempdir()?;
    for object in run(Path::new(&component), &folder.path().join("workspace"))? {
        #[expect(clippy::print_stdout, reason = "it is what the example is for")]
        {
            println!("{object}");
        }
    }
    Ok(())
}
