//! Measures the throughput of the server in pages a second on one core, over loopback.
//!
//! The server runs on one thread, clients on others. The CPU time of the server's thread is
//! measured, so that the work of the clients on the same machine does not distort the result. Run
//! with `--release`.

#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use magpie_lab::{PageKind, Size, Vertical, Web, WebSpec, WeekHandle, Weight, serve};

/// Pipelined requests on one connection.
const DEPTH: usize = 8;
const CLIENTS: usize = 4;
const SECONDS: u64 = 4;

fn main() {
    println!(
        "{:<28}{:>14}{:>14}{:>14}",
        "pages", "bytes/page", "pages/s", "pages/CPU-s"
    );
    for (name, weight, kinds) in [
        (
            "objects and stories, light",
            Weight::Light,
            &[PageKind::Detail, PageKind::Beside][..],
        ),
        ("all, light", Weight::Light, &[][..]),
        ("all, real weight", Weight::Real, &[][..]),
    ] {
        let spec = WebSpec {
            weight,
            hazards: false,
            ..WebSpec::new(Vertical::Events, Size::Paper, 1)
        };
        measure(name, Arc::new(Web::new(spec)), kinds);
    }
}

fn measure(name: &str, web: Arc<Web>, kinds: &[PageKind]) {
    let sites = web.sites().count() as u32;
    let pages = (0..sites).step_by(7).flat_map(|site| web.pages(site, 0));
    let wanted = pages.filter(|page| kinds.is_empty() || kinds.contains(&page.kind));
    let urls: Arc<Vec<String>> = Arc::new(wanted.map(|page| page.url).collect());
    let (address, stop, server) = start(web);
    let until = Instant::now() + Duration::from_secs(SECONDS);
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let urls = Arc::clone(&urls);
            std::thread::spawn(move || run(address, &urls, client * 997, until))
        })
        .collect();
    let counts = clients
        .into_iter()
        .map(|client| client.join().expect("clients do not fail"));
    let (pages, bytes) = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    drop(stop);
    let cpu = server.join().expect("the server does not fail");
    let wall = pages as f64 / SECONDS as f64;
    let per_cpu = cpu.map_or_else(
        || "-".to_owned(),
        |cpu| format!("{:.0}", pages as f64 / cpu.as_secs_f64()),
    );
    println!("{name:<28}{:>14}{wall:>14.0}{per_cpu:>14}", bytes / pages.max(1));
}

type Server = (
    SocketAddr,
    tokio::sync::oneshot::Sender<()>,
    std::thread::JoinHandle<Option<Duration>>,
);

fn start(web: Arc<Web>) -> Server {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (address_sender, address_receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime starts");
        runtime.block_on(async {
            let server = serve(web, WeekHandle::new(0), ([127, 0, 0, 1], 0).into())
                .await
                .expect("a port is free");
            address_sender.send(server.address()).expect("someone waits");
            let _ = stopped.await;
        });
        cpu_time()
    });
    (address_receiver.recv().expect("the server starts"), stop, thread)
}

/// Returns the CPU time of this thread, on systems that report it.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

/// Requests pages until the deadline, with several requests in flight on one connection.
fn run(address: SocketAddr, urls: &[String], start: usize, until: Instant) -> (u64, u64) {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_nodelay(true).expect("options can be set");
    let (mut buffer, mut filled) = (vec![0; 1 << 20], 0);
    let (mut pages, mut bytes, mut next) = (0, 0, start);
    while Instant::now() < until {
        let mut requests = String::new();
        for _ in 0..DEPTH {
            next += 1;
            let rest = &urls[next % urls.len()]["http://".len()..];
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            requests.push_str(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        }
        stream.write_all(requests.as_bytes()).expect("the server reads");
        let mut answers = 0;
        while answers < DEPTH {
            let Some(length) = answer(&buffer[..filled]) else {
                if filled == buffer.len() {
                    buffer.resize(filled * 2, 0);
                }
                filled += stream.read(&mut buffer[filled..]).expect("the server writes");
                continue;
            };
            buffer.copy_within(length..filled, 0);
            filled -= length;
            bytes += length as u64;
            answers += 1;
            pages += 1;
        }
    }
    (pages, bytes)
}

/// Returns the length of the response at the start of the buffer, if it is complete.
fn answer(buffer: &[u8]) -> Option<usize> {
    let head = buffer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&buffer[..head]).ok()?.to_ascii_lowercase();
    let length = text
        .split("content-length: ")
        .nth(1)
        .and_then(|rest| rest.split('\r').next()?.parse::<usize>().ok())?;
    (buffer.len() >= head + length).then_some(head + length)
}
