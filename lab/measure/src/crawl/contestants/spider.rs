//! spider, from crates.io: a package of its own, built when it is asked for.

use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use super::{CONNECTIONS, Contestant, Places, SPIDER};
use crate::figure::tell;

/// Largest site on which it is measured more than once: its time grows with the square of the
/// pages.
const SLOW_ABOVE: usize = 5_000;

pub(super) fn contestant(places: &Places) -> Result<Contestant> {
    let target = places.built.join("spider");
    tell("building spider, which takes some minutes the first time");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(places.sources.join("spider/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target);
    if !cargo.status().context("can't run cargo")?.success() {
        bail!("cargo can't build it");
    }
    let program = target.join("release/spider-contestant");
    Ok(Contestant {
        name: SPIDER,
        does: "robots.txt, links; keeps the set of links, drops the page",
        once_above: SLOW_ABOVE,
        largest: usize::MAX,
        command: Arc::new(move |url, _| {
            let mut command = Command::new(&program);
            command.arg(url).arg(CONNECTIONS.to_string());
            Ok(command)
        }),
    })
}
