//! The server, as the benchmark sees it: a process of its own on a core of its own.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

use super::cores::{Core, stay_on};
use super::ledger::Seen;
use super::site::Site;

pub(super) struct Server {
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    origins: Vec<String>,
}

impl Server {
    pub(super) fn start(sites: &[Site]) -> Result<Server> {
        stay_on(Core::Server);
        let program = std::env::current_exe().context("can't tell where this program lies")?;
        let mut child = Command::new(program)
            .args(["crawl", "--role", "server", "--specification"])
            .arg(written(sites))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("can't start the server")?;
        let orders = child.stdin.take();
        let answers = child.stdout.take().context("the server has no output")?;
        let mut server = Server {
            child,
            orders,
            answers: BufReader::new(answers),
            origins: Vec::new(),
        };
        server.origins =
            serde_json::from_str(&server.line()?).context("the server does not say where it is")?;
        Ok(server)
    }

    /// The address of a site's first page.
    pub(super) fn home(&self, site: usize) -> String {
        format!("{}/", self.origins[site])
    }

    /// Resets a site for the next contestant.
    pub(super) fn clear(&mut self, site: usize) -> Result<()> {
        self.ask("clear", site).map(drop)
    }

    /// Requests since the last reset.
    pub(super) fn seen(&mut self, site: usize) -> Result<Seen> {
        Ok(serde_json::from_str(&self.ask("report", site)?)?)
    }

    fn ask(&mut self, order: &str, site: usize) -> Result<String> {
        let orders = self.orders.as_mut().context("the server was stopped")?;
        writeln!(orders, "{order} {site}").context("the server does not listen")?;
        self.line()
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers
            .read_line(&mut line)
            .context("the server says nothing")?;
        Ok(line)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends with its input; later output does not matter.
        self.orders = None;
        let _ = self.child.wait();
    }
}

/// Sites as an argument: `5000:8000,1000000:8000:announced`.
fn written(sites: &[Site]) -> String {
    let each = sites.iter().map(|site| {
        let announced = if site.announced { ":announced" } else { "" };
        format!("{}:{}{announced}", site.pages, site.bytes)
    });
    each.collect::<Vec<_>>().join(",")
}

/// Reads what [`written`] wrote.
pub(super) fn read(sites: &str) -> Result<Vec<Site>> {
    let each = sites.split(',').map(|site| {
        let mut parts = site.split(':');
        let mut number = || parts.next().and_then(|part| part.parse().ok());
        let (pages, bytes) = number().zip(number()).context("a site is PAGES:BYTES")?;
        Ok(Site {
            pages,
            bytes,
            announced: parts.next().is_some(),
        })
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_read_as_they_are_written() {
        let sites = [
            Site {
                pages: 5_000,
                bytes: 8_000,
                announced: false,
            },
            Site {
                pages: 1_000_000,
                bytes: 31_000,
                announced: true,
            },
        ];
        assert_eq!(read(&written(&sites)).unwrap(), sites);
        assert!(read("5000").is_err());
    }
}
