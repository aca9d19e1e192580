//! The log of a workspace: what happened when, one JSON object a line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Clock;
use crate::crawl::{Event, Progress};
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
            Event::Progress(progress) => {
                self.progress_at = Instant::now();
                self.line(progress_json("progress", progress))
            }
            Event::Page(page)
                if self.level != LogLevel::All && page.problem.is_none() && page.failures.is_empty() =>
            {
                Ok(())
            }
            event => event_json(event).map_or(Ok(()), |value| self.line(value)),
        }
    }

    /// Writes how the crawl ended.
    pub fn end(&mut self, value: Value) -> io::Result<()> {
        self.line(value)
    }

    fn line(&mut self, mut value: Value) -> io::Result<()> {
        value["at"] = json!(self.clock.now().to_string());
        let line = format!("{value}\n");
        if self.bytes + line.len() as u64 > self.most && self.bytes > 0 {
            self.rotate()?;
        }
        self.bytes += line.len() as u64;
        // A line at once and whole, so that whoever follows the file never sees half of one.
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

/// Returns an event as JSON. Progress is no event of its own.
pub fn event_json(event: &Event) -> Option<Value> {
    Some(match event {
        Event::Site { site, queued } => json!({"event": "site", "site": site, "queued": queued}),
        Event::Notice { site, notice } => {
            json!({"event": "notice", "site": site, "text": notice.to_string()})
        }
        Event::Page(page) => json!({
            "event": "page",
            "url": page.url,
            "status": page.status,
            "bytes": page.bytes,
            "seconds": page.took.as_secs_f64(),
            "found": page.found,
            "objects": page.objects,
            "failures": page.failures.iter().map(|(vertical, code, detail)| json!({
                "vertical": vertical, "code": code, "detail": detail,
            })).collect::<Vec<_>>(),
            "problem": page.problem.as_ref().map(|(code, _)| code),
            "detail": page.problem.as_ref().map(|(_, detail)| detail),
            "rendered_seconds": page.rendered.map(|took| took.as_secs_f64()),
        }),
        Event::Progress(_) => return None,
    })
}

/// Returns the figures of a crawl as JSON, as an event of a name.
pub fn progress_json(event: &str, progress: &Progress) -> Value {
    json!({
        "event": event,
        "pages": progress.pages,
        "requests": progress.requests,
        "bytes": progress.bytes,
        "queued": progress.queued,
        "in_flight": progress.in_flight,
        "known": progress.known,
        "objects": progress.objects,
        "failures": progress.failures,
        "seconds": progress.elapsed.as_secs_f64(),
        "statuses": progress.statuses,
        "problems": progress.problems,
        "refused": progress.refused,
        "unreached": progress.unreached,
        "rendered": {
            "pages": progress.rendered.pages,
            "failures": progress.rendered.failures,
            "requests": progress.rendered.requests,
            "seconds": progress.rendered.took.as_secs_f64(),
            "cpu_seconds": progress.rendered.cpu.as_secs_f64(),
        },
        "sites_finished": progress.sites_finished,
        "sites_waiting": progress.sites_waiting,
        "sites": progress.sites.iter().map(|site| json!({
            "site": site.site, "pages": site.pages, "queued": site.queued, "state": site.activity.to_string(),
        })).collect::<Vec<_>>(),
    })
}

fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

#[cfg(test)]
mod tests {
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
        let newest = lines(&folder.path().join(NAME));
        assert_eq!(newest.last().unwrap()["text"], "notice 19");
        let before = lines(&folder.path().join("crawl.log.1"));
        assert!(before.len() == 2 && before[0]["at"].is_string(), "{before:?}");
        assert!(folder.path().join("crawl.log.3").exists());
        assert!(!folder.path().join("crawl.log.4").exists());
    }
}
