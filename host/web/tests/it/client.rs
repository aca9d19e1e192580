//! A client that may talk to this machine.

use std::time::Duration;

use magpie_test_support::server::{Reply, Site};
use magpie_web::{AddressPolicy, Client, ClientSettings, Exchange, FetchError, Request, Timeouts};
use url::Url;

/// A response with these fields, each with its line break, and a body.
pub(crate) fn page(fields: &str, body: impl AsRef<[u8]>) -> Reply {
    let body = body.as_ref();
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n{fields}\r\n");
    Reply::bytes([head.as_bytes(), body].concat())
}

pub(crate) fn url_of(site: &Site, path: &str) -> Url {
    Url::parse(&site.url(path)).unwrap()
}

pub(crate) fn client() -> Client {
    client_with(|_| ())
}

pub(crate) fn client_with(change: impl FnOnce(&mut ClientSettings)) -> Client {
    let mut settings = ClientSettings {
        addresses: AddressPolicy::allowing(["127.0.0.0/8".parse().unwrap()]),
        ..ClientSettings::default()
    };
    change(&mut settings);
    Client::new(settings).unwrap()
}

/// Short timeouts for tests, with room for a busy machine where something must succeed within them.
pub(crate) fn short_timeouts() -> Timeouts {
    Timeouts {
        dns: Duration::from_secs(3),
        connect: Duration::from_secs(3),
        tls: Duration::from_secs(3),
        first_byte: Duration::from_secs(3),
        idle: Duration::from_secs(2),
        whole: Duration::from_secs(5),
        minimum_rate: 1000,
        rate_grace: Duration::from_secs(3),
    }
}

pub(crate) async fn get(client: &Client, url: Url) -> Exchange {
    client.fetch(&Request::new(url)).await.unwrap()
}

pub(crate) async fn fail(client: &Client, url: Url) -> FetchError {
    client.fetch(&Request::new(url)).await.unwrap_err()
}
