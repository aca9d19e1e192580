//! Lower bound on the cost: a crawl that fetches, finds links, recognises new ones, and does
//! nothing else.
//!
//! hyper over persistent connections, lol_html fed as the bytes arrive, `url` to resolve, a set of
//! hashes. It reads no robots.txt, keeps no order, decodes no entities, has no limits and does not
//! survive a crash.

use std::cell::RefCell;
use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use anyhow::{Context, Result};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use lol_html::{HtmlRewriter, Settings, element};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64;

pub(super) fn run(home: &str, connections: usize) -> Result<()> {
    let home = Url::parse(home)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let local = LocalSet::new();
    local.block_on(&runtime, crawl(home, connections))
}

/// State that all connections share.
struct Frontier {
    home: Url,
    known: RefCell<HashSet<u64, BuildHasherDefault<AsItIs>>>,
    queue: RefCell<VecDeque<Url>>,
    busy: RefCell<usize>,
    /// Rung when there is something in the queue again, or when all is done.
    news: tokio::sync::Notify,
}

async fn crawl(home: Url, connections: usize) -> Result<()> {
    let frontier = Rc::new(Frontier {
        home: home.clone(),
        known: RefCell::default(),
        queue: RefCell::default(),
        busy: RefCell::default(),
        news: tokio::sync::Notify::new(),
    });
    frontier.offer(home);
    let workers: Vec<_> = (0..connections)
        .map(|_| tokio::task::spawn_local(work(Rc::clone(&frontier))))
        .collect();
    for worker in workers {
        worker.await??;
    }
    Ok(())
}

async fn work(frontier: Rc<Frontier>) -> Result<()> {
    let mut connection = connect(&frontier.home).await?;
    while let Some(url) = frontier.next().await {
        let found = fetch(&frontier, &mut connection, &url).await;
        *frontier.busy.borrow_mut() -= 1;
        found?.into_iter().for_each(|url| frontier.offer(url));
        frontier.news.notify_waiters();
    }
    Ok(())
}

async fn connect(home: &Url) -> Result<SendRequest<Empty<Bytes>>> {
    let address = home.socket_addrs(|| None)?;
    let stream = TcpStream::connect(address.first().context("the site has no address")?).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::task::spawn_local(connection);
    Ok(sender)
}

/// Fetches a page; the links of its site that stand on it and are new.
async fn fetch(
    frontier: &Frontier,
    connection: &mut SendRequest<Empty<Bytes>>,
    url: &Url,
) -> Result<Vec<Url>> {
    connection.ready().await?;
    let request = http::Request::get(&url[Position::BeforePath..])
        .header("host", &url[Position::BeforeHost..Position::AfterPort])
        .header("user-agent", "bare")
        .header("accept", "text/html")
        .body(Empty::new())?;
    let mut body = connection.send_request(request).await?.into_body();
    let found = RefCell::new(Vec::new());
    let anchors = element!("a[href]", |anchor| {
        let href = anchor.get_attribute("href");
        let link = href.and_then(|href| frontier.resolve(url, &href));
        found.borrow_mut().extend(link);
        Ok(())
    });
    let settings = Settings::new().append_element_content_handler(anchors);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| ());
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            rewriter.write(&data)?;
        }
    }
    rewriter.end()?;
    Ok(found.into_inner())
}

impl Frontier {
    /// A link that leads to a page of the site which is not known yet.
    fn resolve(&self, base: &Url, href: &str) -> Option<Url> {
        let mut url = base.join(href).ok()?;
        url.set_fragment(None);
        let is_new = url[..Position::BeforePath] == self.home[..Position::BeforePath]
            && !self.known.borrow().contains(&xxh3_64(url.as_str().as_bytes()));
        is_new.then_some(url)
    }

    fn offer(&self, url: Url) {
        if self.known.borrow_mut().insert(xxh3_64(url.as_str().as_bytes())) {
            self.queue.borrow_mut().push_back(url);
        }
    }

    /// Returns the next URL; `None` if none is queued and no connection is working that could find
    /// more.
    async fn next(&self) -> Option<Url> {
        loop {
            if let Some(url) = self.queue.borrow_mut().pop_front() {
                *self.busy.borrow_mut() += 1;
                return Some(url);
            }
            if *self.busy.borrow() == 0 {
                self.news.notify_waiters();
                return None;
            }
            self.news.notified().await;
        }
    }
}

/// Fingerprints are hashes already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}
