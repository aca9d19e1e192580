//! Learns the lab's small web, recrawls it a week later, and prints the new objects.
//!
//! `cargo run -p magpie-engine --example learn_and_recrawl -- events.wasm WORKSPACE`, with the
//! component of the events vertical and a folder that is not there yet.

use std::{error::Error, path::Path, sync::Arc, time::Duration};

use magpie_engine::recrawl::Method;
use magpie_engine::{LearnRequest, Resolved, Session, SessionOptions, learn, recrawl};
use magpie_lab::{Size, Vertical, Web, WebSpec, WeekHandle, serve};
use magpie_rows::ObjectFilter;
use magpie_values::Timestamp;

/// Returns the objects that a recrawl finds a week after learning.
pub(crate) fn run(component: &Path, folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let lab = tokio::runtime::Runtime::new()?;
    let web = Arc::new(Web::new(WebSpec::new(Vertical::Events, Size::Small, 1)));
    let week = WeekHandle::new(0);
    let server = lab.block_on(serve(Arc::clone(&web), week.clone(), ([127, 0, 0, 1], 0).into()))?;
    let proxy = format!(
        "network.proxy = \"http://{}\"\npoliteness.delay = \"0s\"",
        server.address()
    );
    let options = SessionOptions::new(Resolved::from_toml(&proxy)?);
    let session = Session::create(folder, &[component], options)?;
    session
        .clock()
        .set(Timestamp::from_seconds(web.spec().monday(0) * 86_400));

    learn(
        &session,
        &LearnRequest::sites(web.sites().map(|site| site.home))?,
        &mut (),
    )?;
    week.set(1);
    session.clock().advance(Duration::from_secs(7 * 86_400));
    let recrawled_at = session.now();
    recrawl(&session, Method::Selective, &mut ())?;

    let new = session.objects(&ObjectFilter::new_since(recrawled_at))?;
    Ok(new.into_iter().map(|object| object.label).collect())
}

#[cfg_attr(test, expect(dead_code, reason = "a test includes this file and calls `run`"))]
#[expect(clippy::print_stdout, reason = "it is what the example is for")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(component), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("name the component of the events vertical and a folder".into());
    };
    run(Path::new(&component), Path::new(&folder))?
        .iter()
        .for_each(|object| println!("{object}"));
    Ok(())
}
