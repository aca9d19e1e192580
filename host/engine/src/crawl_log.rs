//! The log of a workspace: what happened when, one JSON object a line.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use magpie_model::json::Address;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::Clock;
use crate::crawl::{Ending, Event, Progress, SiteProgress, VerticalFailures};
use crate::settings::{Crawl, LogLevel};

/// The file, in the workspace.
const NAME: &str = "crawl.log";

/// Older ones that are kept: `crawl.log.1` is the newest of them.
const OLDER: u32 = 3;

/// The time between two lines of progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(60);

/// A log that is open.
#[derive(Debug)]
pub struct CrawlLog {
    path: PathBuf,
    file: File,
    bytes: u64,
    most: u64,
    level: LogLevel,
    progress_at: Instant,
    clock: Clock,
}

/// Returns the files of the log of a workspace that are there.
pub(crate) fn log_files(folder: &Path) -> Vec<PathBuf> {
    let older = (1..=OLDER).map(|number| folder.join(format!("{NAME}.{number}")));
    let all = std::iter::once(folder.join(NAME)).chain(older);
    all.filter(|path| path.is_file()).collect()
}

impl CrawlLog {
    /// Opens the log of a workspace. Returns `None` if the settings want none.
    pub fn open(folder: &Path, settings: &Crawl, clock: &Clock) -> io::Result<Option<CrawlLog>> {
        if settings.log == LogLevel::Nothing {
            return Ok(None);
        }
        let path = folder.join(NAME);
        let file = append_to(&path)?;
        Ok(Some(CrawlLog {
            bytes: file.metadata()?.len(),
            file,
            path,
            most: settings.log_bytes.0,
            level: settings.log,
            progress_at: Instant::now(),
            clock: clock.clone(),
        }))
    }

    /// Writes an event, if it is worth it.
    pub fn write(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Progress(_) if self.progress_at.elapsed() < PROGRESS_EVERY => Ok(()),
            Event::Progress(_) => {
                self.progress_at = Instant::now();
                self.line(&CrawlLine::of(event))
            }
            Event::Page(page)
                if self.level != LogLevel::All && page.problem.is_none() && page.failures.is_empty() =>
            {
                Ok(())
            }
            event => self.line(&CrawlLine::of(event)),
        }
    }

    /// Writes the last line of a crawl.
    pub fn end(&mut self, line: &CrawlLine) -> io::Result<()> {
        self.line(line)
    }

    fn line(&mut self, line: &CrawlLine) -> io::Result<()> {
        let mut value = serde_json::to_value(line)?;
        value["at"] = json!(self.clock.now().to_string());
        let line = format!("{value}\n");
        if self.bytes + line.len() as u64 > self.most && self.bytes > 0 {
            self.rotate()?;
        }
        self.bytes += line.len() as u64;
        // Each line is one write, so that a reader of the growing file never sees half of one.
        self.file.write_all(line.as_bytes())
    }

    fn rotate(&mut self) -> io::Result<()> {
        let older = |number: u32| self.path.with_file_name(format!("{NAME}.{number}"));
        for number in (1..OLDER).rev() {
            if older(number).exists() {
                std::fs::rename(older(number), older(number + 1))?;
            }
        }
        std::fs::rename(&self.path, older(1))?;
        self.file = append_to(&self.path)?;
        self.bytes = 0;
        Ok(())
    }
}

/// A line of the output of a crawl, and of its log. The log adds `at`, the time of the event.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum CrawlLine {
    /// A site whose crawl begins.
    Site {
        /// Key of the site.
        site: String,
        /// Number of queued URLs.
        queued: u64,
    },
    /// A page that was fetched, or could not be.
    Page {
        /// URL of the page.
        url: Address,
        /// Status of the response, null without one.
        status: Option<u16>,
        /// Size of the decoded body.
        bytes: u64,
        /// Duration of the request.
        seconds: f64,
        /// Number of new URLs on the page.
        found: u64,
        /// Number of records on the page.
        objects: u64,
        /// Verticals that failed on the page.
        failures: Vec<VerticalFailure>,
        /// Code of the problem, or null.
        problem: Option<String>,
        /// Sentence about the problem.
        detail: Option<String>,
        /// Time in a browser, null if none was asked.
        rendered_seconds: Option<f64>,
    },
    /// A notice for the operator.
    Notice {
        /// Key of the site, null if the notice is about no site.
        site: Option<String>,
        /// The notice.
        text: String,
    },
    /// Figures of the running crawl, each second.
    Progress {
        /// Figures until now.
        #[serde(flatten)]
        counts: CrawlCounts,
    },
    /// Figures of the whole crawl, in the last line.
    End {
        /// Reason why the crawl ended.
        ending: Ending,
        /// Figures of the crawl.
        #[serde(flatten)]
        counts: CrawlCounts,
    },
}

/// A vertical that failed on a page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerticalFailure {
    /// Name of the vertical.
    vertical: String,
    /// Stable code.
    code: String,
    /// Sentence about the failure.
    detail: String,
}

/// The first page on which a vertical failed for a reason.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct FirstFailure {
    /// URL of the page.
    url: Address,
    /// Sentence about the failure.
    detail: String,
}

/// Figures of a crawl.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CrawlCounts {
    /// Number of pages with a response.
    pages: u64,
    /// Number of requests, including robots.txt and sitemaps.
    requests: u64,
    /// Bytes received.
    bytes: u64,
    /// Number of queued URLs.
    queued: u64,
    /// Number of open requests.
    in_flight: u64,
    /// Number of known URLs.
    known: u64,
    /// Number of records.
    objects: u64,
    /// Failures of verticals, by vertical and code.
    failures: BTreeMap<String, u64>,
    /// The first page of each of these failures, and its cause.
    first_failures: BTreeMap<String, FirstFailure>,
    /// Seconds since the start.
    seconds: f64,
    /// Responses by class of their status: `2` for 200 to 299.
    #[schemars(with = "BTreeMap<String, u64>")]
    statuses: BTreeMap<u16, u64>,
    /// Problems of pages, by code.
    problems: BTreeMap<String, u64>,
    /// URLs that are not fetched, by the code of the reason.
    refused: BTreeMap<String, u64>,
    /// Sites that never answered, each with the cause.
    unreached: BTreeMap<String, String>,
    /// Pages that a browser was asked to show.
    rendered: RenderedCounts,
    /// Number of sites that are finished in this run.
    sites_finished: u64,
    /// Number of sites that wait for their turn.
    sites_waiting: u64,
    /// Sites that are being crawled.
    sites: Vec<SiteCounts>,
}

/// Figures of pages in a browser.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct RenderedCounts {
    /// Number of pages that it showed.
    pages: u64,
    /// Pages that it could not show, by the code of the reason.
    #[schemars(with = "BTreeMap<String, u64>")]
    failures: BTreeMap<&'static str, u64>,
    /// Number of answered requests of their scripts.
    requests: u64,
    /// Time that the pages took.
    seconds: f64,
    /// CPU time of the browser.
    cpu_seconds: f64,
}

/// Figures of a site in a running crawl.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SiteCounts {
    /// Key of the site.
    site: String,
    /// Number of pages with a response in this run.
    pages: u64,
    /// Number of queued URLs.
    queued: u64,
    /// Activity of the site, in words.
    state: String,
}

impl CrawlLine {
    /// Returns the line of an event.
    pub fn of(event: &Event) -> CrawlLine {
        match event {
            Event::Site { site, queued } => CrawlLine::Site {
                site: site.clone(),
                queued: *queued,
            },
            Event::Notice { site, notice } => CrawlLine::Notice {
                site: site.clone(),
                text: notice.to_string(),
            },
            Event::Page(page) => {
                let failure = |(vertical, code, detail): &(String, String, String)| VerticalFailure {
                    vertical: vertical.clone(),
                    code: code.clone(),
                    detail: detail.clone(),
                };
                CrawlLine::Page {
                    url: Address::new(&page.url),
                    status: page.status,
                    bytes: page.bytes,
                    seconds: page.took.as_secs_f64(),
                    found: page.found,
                    objects: page.objects,
                    failures: page.failures.iter().map(failure).collect(),
                    problem: page.problem.as_ref().map(|(code, _)| code.to_string()),
                    detail: page.problem.as_ref().map(|(_, detail)| detail.clone()),
                    rendered_seconds: page.rendered.map(|took| took.as_secs_f64()),
                }
            }
            Event::Progress(progress) => CrawlLine::Progress {
                counts: CrawlCounts::of(progress),
            },
        }
    }

    /// Returns the last line of a crawl.
    pub fn end(ending: Ending, progress: &Progress) -> CrawlLine {
        CrawlLine::End {
            ending,
            counts: CrawlCounts::of(progress),
        }
    }
}

impl CrawlCounts {
    fn of(progress: &Progress) -> CrawlCounts {
        let rendered = &progress.rendered;
        let site = |site: &SiteProgress| SiteCounts {
            site: site.site.clone(),
            pages: site.pages,
            queued: site.queued,
            state: site.activity.to_string(),
        };
        let failures = progress.failures.iter();
        let first = |(what, failures): (&String, &VerticalFailures)| {
            let first = FirstFailure {
                url: Address::new(&failures.first),
                detail: failures.detail.clone(),
            };
            (what.clone(), first)
        };
        CrawlCounts {
            pages: progress.pages,
            requests: progress.requests,
            bytes: progress.bytes,
            queued: progress.queued,
            in_flight: progress.in_flight,
            known: progress.known,
            objects: progress.objects,
            failures: failures
                .map(|(what, failures)| (what.clone(), failures.pages))
                .collect(),
            first_failures: progress.failures.iter().map(first).collect(),
            seconds: progress.elapsed.as_secs_f64(),
            statuses: progress.statuses.clone(),
            problems: progress.problems.clone(),
            refused: progress.refused.clone(),
            unreached: progress.unreached.clone(),
            rendered: RenderedCounts {
                pages: rendered.pages,
                failures: rendered.failures.clone(),
                requests: rendered.requests,
                seconds: rendered.took.as_secs_f64(),
                cpu_seconds: rendered.cpu.as_secs_f64(),
            },
            sites_finished: progress.sites_finished,
            sites_waiting: progress.sites_waiting,
            sites: progress.sites.iter().map(site).collect(),
        }
    }
}

fn append_to(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // URLs may have secrets of a site that is crawled with an account.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.create(true).append(true).open(path)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::crawl::Notice;

    use super::*;

    fn notice(number: u32) -> Event {
        Event::Notice {
            site: None,
            notice: Notice::Vertical(format!("notice {number}")),
        }
    }

    fn lines(path: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn the_log_continues_and_turns_over() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Crawl::default();
        settings.log_bytes.0 = 200;
        for number in 0..20 {
            // Opened again each time, as by separate runs.
            let mut log = CrawlLog::open(folder.path(), &settings, &Clock::default())
                .unwrap()
                .unwrap();
            log.write(&notice(number)).unwrap();
        }
        #[cfg(unix)]
        for name in [NAME, "crawl.log.1"] {
            let metadata = std::fs::metadata(folder.path().join(name)).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        let newest = lines(&folder.path().join(NAME));
        assert_eq!(newest.last().unwrap()["text"], "notice 19");
        let before = lines(&folder.path().join("crawl.log.1"));
        assert!(before.len() == 2 && before[0]["at"].is_string(), "{before:?}");
        assert!(folder.path().join("crawl.log.3").exists());
        assert!(!folder.path().join("crawl.log.4").exists());
    }
}
