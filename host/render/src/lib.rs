//! Pages as a browser shows them.
//!
//! [`Renderer::render`] opens a page in Chromium, waits until its scripts have come to rest, and
//! returns the document. The browser has no network: every request of a page is handed to the
//! caller's [`Answers`], which decides about addresses, robots.txt, politeness and budgets. What a
//! crawler has no use for is refused here and recorded with a [`Refusal`]: images, fonts, media,
//! trackers, frames, POST, downloads, windows, workers, sockets, permissions.
//!
//! Three things keep a page from reaching an address by itself. Requests are intercepted by the
//! DevTools protocol. The browser is set to use a proxy whose name has no address, so that other
//! requests (sockets, prefetches, look-ups) end there. Its resolver knows no name.
//!
//! A browser shows one page at a time, in a context of its own without cookies or storage from
//! another. A browser that hangs or dies is replaced; the page ends with a [`RenderError`].

mod answers;
mod browser;
mod outcome;
mod page;
mod pool;
mod probe;
mod settings;
mod trackers;

pub use answers::{Answering, Answers, AskedOfClient, PageAnswer, PageRequest, Resource};
pub use browser::BrowserError;
pub use outcome::{
    Document, ProbedLink, Refusal, Refused, RenderError, Rendered, RequestOutcome, SentRequest,
};
#[doc(hidden)]
pub use page::{Heard, hear};
pub use pool::Renderer;
pub use settings::{BrowserChoice, ProbeLimits, RenderLimits, RenderSettings};
