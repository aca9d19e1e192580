//! Browsers, kept from page to page.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use url::Url;

use crate::browser::Browser;
use crate::outcome::Rendered;
use crate::{Answers, RenderError, RenderSettings, page};

/// Pages that one browser shows before it is replaced, so that what it loses does not grow.
const MAX_PAGES: u32 = 200;

/// Renders pages in browsers that it starts when they are needed.
pub struct Renderer {
    settings: RenderSettings,
    turns: Semaphore,
    idle: Mutex<Vec<(Browser, u32)>>,
    lacks_sandbox: AtomicBool,
}

impl Renderer {
    /// A renderer that has no browser yet.
    pub fn new(settings: RenderSettings) -> Renderer {
        Renderer {
            turns: Semaphore::new(settings.browsers.max(1)),
            settings,
            idle: Mutex::new(Vec::new()),
            lacks_sandbox: AtomicBool::new(false),
        }
    }

    /// Opens a page, waits until it is at rest, and reads it. The caller answers its requests.
    pub async fn render(&self, url: &Url, answers: Arc<dyn Answers>) -> Rendered {
        // The semaphore is never closed; without a turn the page would only be rendered sooner.
        let _turn = self.turns.acquire().await;
        let (browser, pages) = match self.browser().await {
            Ok(browser) => browser,
            Err(error) => return failed(error),
        };
        let (rendered, is_fit) = page::render(&browser, url, answers, &self.settings).await;
        if is_fit && pages + 1 < MAX_PAGES {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push((browser, pages + 1));
        }
        rendered
    }

    /// Returns `true` if a browser was started without its sandbox: as root, or because the system
    /// does not allow it.
    pub fn lacks_sandbox(&self) -> bool {
        self.lacks_sandbox.load(Ordering::Relaxed)
    }

    async fn browser(&self) -> Result<(Browser, u32), RenderError> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some((browser, pages)) = idle else { break };
            // A browser may have ended while it was idle. The page must not pay for that.
            if browser.is_alive().await {
                return Ok((browser, pages));
            }
        }
        let browser = Browser::open(&self.settings).await?;
        if !browser.has_sandbox() {
            self.lacks_sandbox.store(true, Ordering::Relaxed);
        }
        Ok((browser, 0))
    }
}

fn failed(error: RenderError) -> Rendered {
    Rendered {
        document: Err(error),
        requests: Vec::new(),
        refused: Vec::new(),
        cpu: Duration::ZERO,
        bytes: 0,
        took: Duration::ZERO,
    }
}
