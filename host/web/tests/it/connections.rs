//! Connections are kept, bounded, and let go.

use std::time::Duration;

use magpie_test_support::server::{Reply, Site};
use magpie_web::Request;

use crate::client::{client, client_with, get, page, url_of};

fn connections(server: &Site) -> Vec<usize> {
    server.log().iter().map(|asked| asked.connection).collect()
}

#[tokio::test]
async fn one_connection_serves_one_page_after_the_other() {
    let server = Site::always(page("", "x".repeat(40_000)));
    let client = client();
    for turn in 0..5 {
        assert_eq!(get(&client, url_of(&server, "/")).await.reused, turn > 0);
    }
    assert_eq!(connections(&server), [0; 5]);
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_replaced() {
    // Announced as kept, then closed.
    let server = Site::always(page("", "a").and_close());
    let client = client();
    for _ in 0..5 {
        assert_eq!(get(&client, url_of(&server, "/")).await.body(), b"a");
    }
    assert_eq!(server.log().len(), 5);
}

#[tokio::test]
async fn a_connection_that_closes_under_the_request_is_replaced_once() {
    // Reads the second request of each connection and closes without a word.
    let server = Site::start(|path| match path {
        "/second" => Reply::close(),
        _ => page("", "a"),
    });
    let client = client();
    get(&client, url_of(&server, "/first")).await;
    let error = client
        .fetch(&Request::new(url_of(&server, "/second")))
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
        let server = Site::always(Reply::bytes(response));
        let client = client();
        assert_eq!(get(&client, url_of(&server, "/")).await.body(), b"a");
        get(&client, url_of(&server, "/")).await;
        assert_eq!(connections(&server), [0, 1], "{response}");
    }
}

#[tokio::test]
async fn idle_connections_are_bounded_per_host_and_in_all() {
    let server = Site::start(|_| {
        std::thread::sleep(Duration::from_millis(50));
        page("", "a")
    });
    let client = client_with(|settings| {
        settings.connections.idle_per_host = 2;
        settings.connections.idle_total = 3;
        settings.dns.overrides = ["a.test", "b.test", "c.test"]
            .map(|host| format!("{host}:*:127.0.0.1").parse().unwrap())
            .to_vec();
    });
    let url = |host: &str| url::Url::parse(&format!("http://{host}:{}/", server.address.port())).unwrap();
    // Returns how many of three requests at the same time reuse a connection.
    let reused = async || {
        let fetched = tokio::join!(
            get(&client, url("a.test")),
            get(&client, url("a.test")),
            get(&client, url("a.test"))
        );
        [fetched.0, fetched.1, fetched.2]
            .iter()
            .filter(|exchange| exchange.reused)
            .count()
    };
    assert_eq!(reused().await, 0);
    assert_eq!(reused().await, 2);
    get(&client, url("b.test")).await;
    get(&client, url("c.test")).await;
    // The oldest, one of a's, went.
    assert!(get(&client, url("b.test")).await.reused);
    assert!(get(&client, url("c.test")).await.reused);
    assert_eq!(reused().await, 1);
}

#[tokio::test]
async fn idle_connections_end_by_themselves() {
    let server = Site::always(page("", "a"));
    let client = client_with(|settings| settings.connections.idle_time = Duration::from_millis(200));
    get(&client, url_of(&server, "/")).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert!(!get(&client, url_of(&server, "/")).await.reused);
}

#[tokio::test]
async fn nothing_is_kept_when_nothing_may_be() {
    let server = Site::always(page("", "a"));
    let client = client_with(|settings| settings.connections.idle_per_host = 0);
    get(&client, url_of(&server, "/")).await;
    assert!(!get(&client, url_of(&server, "/")).await.reused);
}

#[tokio::test]
async fn a_response_nobody_asked_for_ends_the_connection() {
    let server = Site::always(Reply::bytes(
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine\
         HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nnot asked for",
    ));
    let client = client();
    for _ in 0..3 {
        assert_eq!(get(&client, url_of(&server, "/")).await.body(), b"mine");
    }
    assert_eq!(connections(&server), [0, 1, 2]);
}

#[tokio::test]
async fn a_fetch_that_is_given_up_leaves_no_connection() {
    let server = Site::always(Reply::bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"));
    let client = client();
    let request = Request::new(url_of(&server, "/"));
    for _ in 0..2 {
        let fetch = client.fetch(&request);
        assert!(
            tokio::time::timeout(Duration::from_millis(100), fetch)
                .await
                .is_err()
        );
    }
    assert_eq!(connections(&server), [0, 1]);
}
