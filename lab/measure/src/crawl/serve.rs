//! The server's process: all sites, each at its own address, on one thread.
//!
//! It is hand-written, since it shares the machine with the measured programs: a page is made in
//! one buffer and written with one call. Orders come by stdin, one a line (`clear N`, `report N`),
//! answers go to stdout as JSON.
#![expect(clippy::print_stdout, reason = "stdout is how the benchmark talks to it")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::ledger::Ledger;
use super::site::{Place, Site};
use super::words::Words;

/// The longest head of a request.
const HEAD: usize = 16 * 1024;

/// Longer than any head of an answer.
const ROOM_FOR_HEAD: usize = 256;

struct Host {
    site: Site,
    origin: String,
    words: Arc<Words>,
    ledger: Mutex<Ledger>,
}

/// Serves the sites until stdin ends.
pub(super) fn run(sites: &[Site]) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(async {
        let words = Arc::new(Words::new());
        let mut hosts = Vec::new();
        for (number, site) in (0u8..).zip(sites) {
            let listener = listen(number).await?;
            let origin = format!("http://{}", listener.local_addr()?);
            let host = Arc::new(Host {
                site: *site,
                origin,
                words: Arc::clone(&words),
                ledger: Mutex::new(Ledger::new(site.pages)),
            });
            hosts.push(Arc::clone(&host));
            tokio::spawn(accept(listener, host));
        }
        let origins: Vec<&str> = hosts.iter().map(|host| host.origin.as_str()).collect();
        println!("{}", serde_json::to_string(&origins)?);
        let orders = tokio::task::spawn_blocking(move || obey(&hosts));
        orders.await?
    })
}

/// Every site has an address of its own: 127.0.0.10 and so on, where the system has these.
async fn listen(number: u8) -> Result<TcpListener> {
    let own = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 10 + number));
    if let Ok(listener) = TcpListener::bind(SocketAddr::new(own, 0)).await {
        return Ok(listener);
    }
    let common = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
    TcpListener::bind(common).await.context("can't listen on a port")
}

fn obey(hosts: &[Arc<Host>]) -> Result<()> {
    for line in std::io::stdin().lines() {
        let line = line?;
        let (order, number) = line.split_once(' ').context("an order has two words")?;
        let host = hosts
            .get(number.parse::<usize>()?)
            .context("there is no such site")?;
        match order {
            "clear" => {
                host.ledger().clear();
                println!("{{}}");
            }
            _ => println!("{}", serde_json::to_string(&host.ledger().seen())?),
        }
    }
    Ok(())
}

async fn accept(listener: TcpListener, host: Arc<Host>) {
    while let Ok((stream, _)) = listener.accept().await {
        let host = Arc::clone(&host);
        tokio::spawn(async move {
            // Who hangs up is not interested in the reason.
            let _ = converse(stream, &host).await;
        });
    }
}

async fn converse(mut stream: TcpStream, host: &Host) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut read = Vec::with_capacity(HEAD);
    let mut answer = Vec::with_capacity(64 * 1024);
    loop {
        let Some(end) = find_end(&read) else {
            if read.len() > HEAD || stream.read_buf(&mut read).await? == 0 {
                return Ok(());
            }
            continue;
        };
        let head = String::from_utf8_lossy(&read[..end]).into_owned();
        read.drain(..end);
        let start = host.answer(&head, &mut answer);
        stream.write_all(&answer[start..]).await?;
        if head.contains("HTTP/1.0") || contains_field(&head, "connection: close") {
            return Ok(());
        }
    }
}

fn find_end(read: &[u8]) -> Option<usize> {
    let end = read.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some(end + 4)
}

fn contains_field(head: &str, field: &str) -> bool {
    head.lines().any(|line| line.eq_ignore_ascii_case(field))
}

impl Host {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the answer to a request and returns the offset at which it begins. The head is
    /// written after the body, when its length is known, into reserved room.
    fn answer(&self, head: &str, into: &mut Vec<u8>) -> usize {
        let target = head.split(' ').nth(1).unwrap_or("/");
        let path = target.split('#').next().unwrap_or("/");
        let place = self.site.place(&self.words, path);
        self.ledger().count(place, path);
        let (status, kind) = match place {
            Place::Robots => ("200 OK", "text/plain"),
            Place::Sitemap(_) => ("200 OK", "application/xml"),
            Place::Style => ("200 OK", "text/css"),
            Place::Nowhere => ("404 Not Found", "text/html; charset=utf-8"),
            Place::Page(_) | Place::Forbidden => ("200 OK", "text/html; charset=utf-8"),
        };
        into.clear();
        into.resize(ROOM_FOR_HEAD, 0);
        self.body(place, into);
        let length = into.len() - ROOM_FOR_HEAD;
        let fields = format!(
            "HTTP/1.1 {status}\r\nServer: bench\r\nDate: Sun, 01 Nov 2026 08:49:37 GMT\r\nContent-Type: {kind}\r\n\
             Content-Length: {length}\r\n\r\n"
        );
        let start = ROOM_FOR_HEAD - fields.len();
        into[start..ROOM_FOR_HEAD].copy_from_slice(fields.as_bytes());
        if head.starts_with("HEAD ") {
            into.truncate(ROOM_FOR_HEAD);
        }
        start
    }

    fn body(&self, place: Place, into: &mut Vec<u8>) {
        match place {
            Place::Page(page) => self.site.write(&self.words, &self.origin, page, into),
            Place::Forbidden => into.extend_from_slice(b"<title>Basket</title><p>Your basket is empty."),
            Place::Robots => into.extend_from_slice(self.site.robots(&self.origin).as_bytes()),
            Place::Sitemap(number) => {
                into.extend_from_slice(&self.site.sitemap(&self.words, &self.origin, number));
            }
            Place::Style => into.extend_from_slice(b"body { margin: 0 }"),
            Place::Nowhere => into.extend_from_slice(b"<title>Not found</title><p>There is no such page."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> Host {
        Host {
            site: Site {
                pages: 3,
                bytes: 8_000,
                announced: false,
            },
            origin: "http://127.0.0.1:1".to_owned(),
            words: Arc::new(Words::new()),
            ledger: Mutex::new(Ledger::new(3)),
        }
    }

    fn answer(request: &str) -> String {
        let mut answer = Vec::new();
        let start = host().answer(request, &mut answer);
        String::from_utf8(answer.split_off(start)).unwrap()
    }

    #[test]
    fn answers_say_how_long_they_are() {
        let page = answer("GET / HTTP/1.1\r\n\r\n");
        let (head, body) = page.split_once("\r\n\r\n").unwrap();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("Content-Length: "));
        assert_eq!(length.unwrap().trim().parse::<usize>().unwrap(), body.len());
        assert!(body.ends_with("</html>\n"));
    }

    #[test]
    fn heads_come_without_bodies() {
        assert!(answer("HEAD / HTTP/1.1\r\n\r\n").ends_with("\r\n\r\n"));
        assert!(answer("GET /nowhere HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    }
}
