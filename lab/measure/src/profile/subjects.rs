//! The sites that are learned: a generated web, and saved real sites under their own names.

use std::cell::Cell;
use std::path::Path;

use anyhow::{Result, ensure};
use magpie_lab::{Size, Vertical, WebSpec};
use magpie_values::Timestamp;

use super::Options;
use crate::components::Folder;
use crate::data::Sets;
use crate::experiment::lab_server::{LOCAL_SETTINGS, LabServer};
use crate::real;

/// Sites with their server.
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) vertical: &'static str,
    pub(super) homes: Vec<String>,
    pub(super) proxy: String,
    pub(super) settings: Vec<String>,
    /// Time of the first command.
    pub(super) begins: Timestamp,
    server: Server,
}

enum Server {
    Lab(Box<LabServer>),
    /// A saved site, and the requests that were counted so far.
    Real(real::Served, Cell<u64>),
}

const SEED: u64 = 11;

pub(super) fn all(options: &Options, scratch: &Path) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    if options.lab > 0 {
        subjects.push(Subject::lab(options.lab)?);
    }
    let sets = Sets::new(options.data.clone());
    for name in options.sites.iter().filter(|name| !name.is_empty()) {
        subjects.extend(Subject::real(name, &sets, scratch)?);
    }
    ensure!(
        !subjects.is_empty(),
        "there is nothing to profile: no site is at hand"
    );
    Ok(subjects)
}

impl Subject {
    fn lab(sites: u32) -> Result<Subject> {
        let spec = WebSpec::new(Vertical::Events, Size::Paper, SEED).with_sites(sites);
        let vertical = Vertical::Events.name();
        let lab = LabServer::open(spec, Folder::Verticals.component(vertical)?, false)?;
        Ok(Subject {
            name: format!("lab, {sites} sites"),
            vertical,
            homes: lab.web.sites().map(|site| site.home).collect(),
            proxy: lab.proxy(),
            settings: LOCAL_SETTINGS
                .map(|(key, value)| format!("{key}={value}"))
                .to_vec(),
            begins: Timestamp::from_seconds(lab.begins(0)),
            server: Server::Lab(Box::new(lab)),
        })
    }

    /// A saved site; none, and a message, if its pages are not at hand.
    fn real(name: &str, sets: &Sets, scratch: &Path) -> Result<Option<Subject>> {
        let Some(served) = real::Served::start(name, sets, scratch)? else {
            return Ok(None);
        };
        Ok(Some(Subject {
            name: name.to_owned(),
            vertical: served.vertical(),
            homes: vec![served.entry()?.to_string()],
            proxy: served.proxy(),
            settings: served.settings(),
            begins: served.saved_at()?,
            server: Server::Real(served, Cell::new(0)),
        }))
    }

    /// Moves a generated web to a week. Saved sites stay as they are.
    pub(super) fn go_to_week(&self, week: u32) {
        if let Server::Lab(lab) = &self.server {
            lab.go_to(week);
        }
    }

    /// Returns the number of requests so far.
    pub(super) fn requests(&self) -> u64 {
        match &self.server {
            Server::Lab(lab) => lab.traffic().requests,
            Server::Real(served, sum) => {
                sum.set(sum.get() + served.take_requests());
                sum.get()
            }
        }
    }
}
