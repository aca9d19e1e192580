//! Measures cheap pages of a workspace alone, and among two hundred hostile clients.
//!
//! ```sh
//! cargo run --release -p magpie-sqlite --example search_speed -- 120000 FOLDER
//! cargo run --release -p magpie-serve --example hostile_clients -- FOLDER things
//! ```
//!
//! The second argument is a vertical of the workspace. Clients whose connection ends begin again.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, and ends where something fails"
)]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use magpie_engine::settings::Resolved;
use magpie_engine::{Clock, Stop};
use magpie_serve::{Limits, Server, ServerOptions};

/// Hostile clients of each of five kinds.
const OF_A_KIND: usize = 40;

/// Requests for each page.
const ASKED: usize = 100;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (folder, vertical) = arguments.next().zip(arguments.next()).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let server = Server::bind(ServerOptions {
        folder: folder.into(),
        settings: Arc::new(Resolved::new(&[]).unwrap()),
        listen: Some("127.0.0.1:0".to_owned()),
        clock: Clock::default(),
        actions: None,
        log: None,
        limits: Limits::default(),
    });
    let server = runtime.block_on(server).unwrap();
    let address = server.addresses()[0];
    let stop = Stop::default();
    runtime.spawn(server.run(stop.receiver()));
    let pages = ["/", "/-/ready", "/sites", "/object/1", "/object/1000"];
    // The first requests open readers.
    let _opened = pages.map(|page| asked(address, page));
    let alone = pages.map(|page| asked(address, page));
    attack(address, &vertical);
    std::thread::sleep(Duration::from_secs(5));
    let among = pages.map(|page| asked(address, page));
    println!("page            alone p50 / p95 ms      among p50 / p95 ms      ratio");
    for (page, (alone, among)) in pages.iter().zip(alone.iter().zip(&among)) {
        let [low, high] = [alone, among].map(|times| [times[times.len() / 2], times[times.len() * 95 / 100]]);
        let [middle, slow] = [0, 1].map(|at| high[at] / low[at]);
        println!(
            "{page:14} {:10.1} / {:7.1} {:14.1} / {:7.1} {middle:10.1} / {slow:.1}",
            low[0], low[1], high[0], high[1]
        );
    }
}

/// Returns the milliseconds of requests for a page, the least first.
fn asked(address: SocketAddr, page: &str) -> Vec<f64> {
    let mut times: Vec<f64> = (0..ASKED)
        .map(|_| {
            let begun = Instant::now();
            let mut stream = TcpStream::connect(address).unwrap();
            let request = format!("GET {page} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).unwrap();
            let head = String::from_utf8_lossy(&answer[..answer.len().min(15)]).into_owned();
            assert!(head.contains(" 200 "), "{page}: {head}");
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Starts clients that send no body or no head, take no answer, ask for much, or follow events.
fn attack(address: SocketAddr, vertical: &str) {
    let letters: Vec<String> = ('a'..='z').map(|letter| format!("{letter}*")).collect();
    let kinds = [
        (
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n".to_owned(),
            "\r\n{",
        ),
        ("GET / HTTP/1.1\r\n".to_owned(), ""),
        (format!("GET /{vertical}.ics HTTP/1.1\r\n"), "\r\n"),
        (
            format!("GET /{vertical}?q={} HTTP/1.1\r\n", letters.join("%20OR%20")),
            "\r\n",
        ),
        ("GET /-/live HTTP/1.1\r\n".to_owned(), "\r\n"),
    ];
    for (at, (first, end)) in kinds.into_iter().enumerate() {
        for _ in 0..OF_A_KIND {
            let request = format!("{first}Host: {address}\r\n{end}");
            let takes = at != 2;
            std::thread::spawn(move || {
                loop {
                    let Ok(mut stream) = TcpStream::connect(address) else {
                        continue;
                    };
                    let _refused = stream.write_all(request.as_bytes());
                    if !takes {
                        std::thread::sleep(Duration::from_secs(60));
                        continue;
                    }
                    let _closed = stream.read_to_end(&mut Vec::new());
                }
            });
        }
    }
}
