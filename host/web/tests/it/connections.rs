//! Connections are kept, bounded, and let go.

use std::time::Duration;

use magpie_web::Request;
use tokio::io::AsyncWriteExt;

use crate::support::{Asked, Server, Stream, client, client_with, get, handler, page, respond};

fn connections(server: &Server) -> Vec<usize> {
    server.asked().iter().map(|asked| asked.connection).collect()
}

#[tokio::test]
async fn one_connection_serves_one_page_after_the_other() {
    let server = Server::always(page("", "x".repeat(40_000))).await;
    let client = client();
    for turn in 0..5 {
        assert_eq!(get(&client, server.url("/")).await.reused, turn > 0);
    }
    assert_eq!(connections(&server), [0; 5]);
    assert_eq!(client.idle_connections(), 1);
    client.close_idle();
    assert_eq!(client.idle_connections(), 0);
    assert!(!get(&client, server.url("/")).await.reused);
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_replaced() {
    // Announced as kept, then closed.
    let server = Server::start(handler(|_: &Asked, stream: &mut dyn Stream| {
        respond(stream, page("", "a"), false)
    }))
    .await;
    let client = client();
    for _ in 0..5 {
        assert_eq!(get(&client, server.url("/")).await.body(), b"a");
    }
    assert_eq!(server.asked().len(), 5);
}

#[tokio::test]
async fn a_connection_that_closes_under_the_request_is_replaced_once() {
    // Reads the second request of each connection and closes without a word.
    let server = Server::start(handler(|asked: &Asked, stream: &mut dyn Stream| {
        let is_second = asked.target == "/second";
        Box::pin(async move {
            if is_second {
                return Ok(false);
            }
            stream.write_all(&page("", "a")).await?;
            Ok(true)
        })
    }))
    .await;
    let client = client();
    get(&client, server.url("/first")).await;
    let error = client
        .fetch(&Request::new(server.url("/second")))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server closed the connection without a response"
    );
    assert_eq!(connections(&server), [0, 0, 1]);
}

#[tokio::test]
async fn connections_that_end_are_not_kept() {
    for response in [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na",
        "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
    ] {
        let server = Server::always(response).await;
        let client = client();
        assert_eq!(get(&client, server.url("/")).await.body(), b"a");
        assert_eq!(client.idle_connections(), 0, "{response}");
        get(&client, server.url("/")).await;
        assert_eq!(connections(&server), [0, 1]);
    }
}

#[tokio::test]
async fn idle_connections_are_bounded_per_host_and_in_all() {
    let server = Server::start(handler(|_: &Asked, stream: &mut dyn Stream| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            stream.write_all(&page("", "a")).await?;
            Ok(true)
        })
    }))
    .await;
    let client = client_with(|settings| {
        settings.connections.idle_per_host = 2;
        settings.connections.idle_total = 3;
        settings.dns.overrides = ["a.test", "b.test", "c.test"]
            .map(|host| format!("{host}:*:127.0.0.1").parse().unwrap())
            .to_vec();
    });
    let url = |host: &str| url::Url::parse(&format!("http://{host}:{}/", server.address.port())).unwrap();
    let (one, two, three) = tokio::join!(
        get(&client, url("a.test")),
        get(&client, url("a.test")),
        get(&client, url("a.test"))
    );
    assert!(!one.reused && !two.reused && !three.reused);
    assert_eq!(client.idle_connections(), 2);
    get(&client, url("b.test")).await;
    get(&client, url("c.test")).await;
    assert_eq!(client.idle_connections(), 3);
    // The oldest, one of a's, went.
    assert!(get(&client, url("b.test")).await.reused);
    assert!(get(&client, url("c.test")).await.reused);
    assert!(get(&client, url("a.test")).await.reused);
}

#[tokio::test]
async fn idle_connections_end_by_themselves() {
    let server = Server::always(page("", "a")).await;
    let client = client_with(|settings| settings.connections.idle_time = Duration::from_millis(200));
    get(&client, server.url("/")).await;
    assert_eq!(client.idle_connections(), 1);
    while client.idle_connections() > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!get(&client, server.url("/")).await.reused);
}

#[tokio::test]
async fn nothing_is_kept_when_nothing_may_be() {
    let server = Server::always(page("", "a")).await;
    let client = client_with(|settings| settings.connections.idle_per_host = 0);
    get(&client, server.url("/")).await;
    assert!(!get(&client, server.url("/")).await.reused);
}

#[tokio::test]
async fn a_response_nobody_asked_for_ends_the_connection() {
    let twice = [page("", "mine"), page("", "not asked for")].concat();
    let server = Server::always(twice).await;
    let client = client();
    for _ in 0..3 {
        assert_eq!(get(&client, server.url("/")).await.body(), b"mine");
    }
    assert_eq!(connections(&server), [0, 1, 2]);
}

#[tokio::test]
async fn a_fetch_that_is_given_up_leaves_no_connection() {
    let server = Server::start(handler(|_: &Asked, stream: &mut dyn Stream| {
        Box::pin(async move {
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
                .await?;
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(false)
        })
    }))
    .await;
    let client = client();
    let request = Request::new(server.url("/"));
    let fetch = client.fetch(&request);
    assert!(
        tokio::time::timeout(Duration::from_millis(100), fetch)
            .await
            .is_err()
    );
    assert_eq!(client.idle_connections(), 0);
}
