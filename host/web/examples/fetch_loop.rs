//! Measures the cost of a fetch beyond hyper itself: a page of 31 KB over a kept-alive connection,
//! by a bare loop of hyper and by [`Client`], in turns, in one process.
//!
//! `cargo run --release -p magpie-web --example fetch_loop -- [ROUNDS] [REQUESTS] [bare|ours]`
//!
//! The server runs on its own thread with prepared bytes. The figure is the CPU time of the
//! client's thread, which Linux reports in `/proc/thread-self/schedstat`.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example that measures and tells"
)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::TokioIo;
use magpie_web::{AddressPolicy, Client, ClientSettings, Request};
use url::Url;

const PAGE_BYTES: usize = 31 * 1024;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .take(2)
        .map(|argument| argument.parse().unwrap());
    let rounds: usize = arguments.next().unwrap_or(7);
    let requests: usize = arguments.next().unwrap_or(5000);
    let address = serve();
    // Each on a thread of its own: its CPU time is that of one side and nothing else.
    // To count instructions of one side with a profiler.
    if let Some(side) = std::env::args().nth(3) {
        let side = if side == "bare" { bare } else { ours };
        side(address, requests);
        return;
    }
    let run = |side: fn(SocketAddr, usize) -> Cost| {
        std::thread::spawn(move || side(address, requests))
            .join()
            .unwrap()
    };
    let mut ratios = Vec::new();
    for round in 0..=rounds {
        let (bare, ours) = (run(bare), run(ours));
        let ratio = bare.cpu.as_secs_f64() / ours.cpu.as_secs_f64();
        // The first round warms the caches up.
        if round > 0 {
            println!("bare {bare}   ours {ours}   bare/ours {ratio:.3}");
            ratios.push(ratio);
        }
    }
    ratios.sort_by(f64::total_cmp);
    println!("median bare/ours by CPU: {:.3}", ratios[ratios.len() / 2]);
}

struct Cost {
    cpu: Duration,
    wall: Duration,
    requests: usize,
}

impl std::fmt::Display for Cost {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let each = |time: Duration| time.as_secs_f64() * 1e6 / self.requests as f64;
        write!(
            formatter,
            "{:.1} µs CPU, {:.1} µs",
            each(self.cpu),
            each(self.wall)
        )
    }
}

/// Runs the work as a task, as a crawl does: waking the outermost future of a runtime costs a
/// system call.
fn measured(requests: usize, work: impl Future<Output = ()> + Send + 'static) -> Cost {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (cpu, wall) = (thread_cpu(), Instant::now());
    runtime.block_on(async { tokio::spawn(work).await.unwrap() });
    Cost {
        cpu: thread_cpu() - cpu,
        wall: wall.elapsed(),
        requests,
    }
}

fn bare(address: SocketAddr, requests: usize) -> Cost {
    measured(requests, async move {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(connection);
        for turn in 0..requests {
            sender.ready().await.unwrap();
            let url = Url::parse(&format!("http://{address}/page/{turn}")).unwrap();
            let request = http::Request::get(&url[url::Position::BeforePath..])
                .header("host", address.to_string())
                .header("user-agent", "bare")
                .header("accept", Request::ACCEPT)
                .header("accept-encoding", "gzip, br")
                .body(Empty::<Bytes>::new())
                .unwrap();
            let response = sender.send_request(request).await.unwrap();
            let body = response.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(body.len(), PAGE_BYTES);
        }
    })
}

fn ours(address: SocketAddr, requests: usize) -> Cost {
    measured(requests, async move {
        let client = Client::new(ClientSettings {
            addresses: AddressPolicy::allowing(["127.0.0.0/8".parse().unwrap()]),
            ..ClientSettings::default()
        })
        .unwrap();
        for turn in 0..requests {
            let url = Url::parse(&format!("http://{address}/page/{turn}")).unwrap();
            let exchange = client.fetch(&Request::new(url)).await.unwrap();
            assert_eq!(exchange.body().len(), PAGE_BYTES);
            assert!(exchange.truncated.is_none() && (turn == 0 || exchange.reused));
        }
    })
}

fn thread_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

/// Answers every request with the same page, as quickly as can be.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut response = format!(
        "HTTP/1.1 200 OK\r\nServer: loop\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\
         Content-Type: text/html; charset=utf-8\r\nContent-Length: {PAGE_BYTES}\r\nETag: \"abc\"\r\n\
         Cache-Control: max-age=60\r\nVary: Accept-Encoding\r\n\r\n"
    )
    .into_bytes();
    response.resize(response.len() + PAGE_BYTES, b'x');
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, response) = (stream.unwrap(), response.clone());
            std::thread::spawn(move || answer(stream, &response));
        }
    });
    address
}

fn answer(mut stream: TcpStream, response: &[u8]) {
    stream.set_nodelay(true).unwrap();
    let mut request = [0; 4096];
    let mut filled = 0;
    loop {
        match stream.read(&mut request[filled..]) {
            Ok(0) | Err(_) => return,
            Ok(read) => filled += read,
        }
        if request[..filled].ends_with(b"\r\n\r\n") {
            filled = 0;
            if stream.write_all(response).is_err() {
                return;
            }
        }
    }
}
