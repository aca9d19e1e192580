//! Tests of the server over loopback.

use std::net::SocketAddr;

use magpie_lab::{PageKind, Vertical, WeekHandle, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends a raw request and reads the whole response.
pub(crate) async fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut answer = Vec::new();
    stream
        .read_to_end(&mut answer)
        .await
        .expect("it answers and closes");
    String::from_utf8(answer).expect("answers are text")
}

fn get(host: &str, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
}

#[tokio::test]
async fn sites_are_selected_by_host_and_the_week_changes() {
    let web = crate::support::calm(Vertical::Events, 4);
    let week = WeekHandle::new(0);
    let server = serve(
        std::sync::Arc::clone(&web),
        week.clone(),
        ([127, 0, 0, 1], 0).into(),
    )
    .await
    .expect("a port is free");
    server.take_arrivals();
    let address = server.address();
    let sites: Vec<_> = web.sites().collect();
    for site in &sites {
        let path = site
            .home
            .strip_prefix(&format!("http://{}", site.host))
            .expect("home is on the main host");
        let answer = ask(address, &get(&site.host, path)).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.contains("text/html"));
    }
    let page = web
        .pages(0, 0)
        .find(|page| page.kind == PageKind::Home)
        .expect("sites have homes")
        .url;
    let path = page
        .strip_prefix(&format!("http://{}", sites[0].host))
        .expect("home is on the main host")
        .to_owned();
    let first = ask(address, &get(&sites[0].host, &path)).await;
    week.set(30);
    let later = ask(address, &get(&sites[0].host, &path)).await;
    assert_ne!(first.split("\r\n\r\n").nth(1), later.split("\r\n\r\n").nth(1));
    assert!(
        ask(address, &get("nowhere.test", "/"))
            .await
            .starts_with("HTTP/1.1 404")
    );
    // A request to a proxy has the host in its request line.
    let proxied = format!(
        "GET http://{}/robots.txt HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n",
        sites[1].host
    );
    assert!(ask(address, &proxied).await.contains("User-agent"));
    let traffic = server.traffic();
    assert_eq!(traffic[&sites[0].host].requests, 3);
    assert!(traffic[&sites[0].host].bytes > 1_000);
    assert_eq!(server.requests(), sites.len() as u64 + 4);
    let arrivals = server.take_arrivals();
    assert_eq!(arrivals.len() as u64, server.requests());
    assert_eq!(arrivals[0].host, sites[0].host);
    assert!(arrivals.is_sorted_by_key(|arrival| arrival.at));
    assert_eq!(server.take_arrivals(), []);
    server.shutdown().await;
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn one_connection_carries_many_requests_and_heads_have_no_body() {
    let web = crate::support::calm(Vertical::Books, 4);
    let host = web.sites().next().expect("there are sites").host;
    let server = serve(web, WeekHandle::default(), ([127, 0, 0, 1], 0).into())
        .await
        .expect("a port is free");
    let one = format!("GET /robots.txt HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let head = format!("HEAD /robots.txt HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let answers = ask(server.address(), &format!("{one}{one}{head}")).await;
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 3);
    assert_eq!(answers.matches("User-agent").count(), 2);
}
