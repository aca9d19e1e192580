//! Names, addresses, and what may be connected to.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magpie_test_support::server::Site;
use magpie_web::{
    AddressPolicy, Client, ClientSettings, Request, Resolution, Resolve, ResolveError, Resolving,
};
use url::Url;

use crate::client::{client_with, fail, get, page};

/// Resolves each name to the addresses in it: `8-8-8-8.127-0-0-1.test`; after `then` the next ones
/// in turn.
struct FromName {
    turn: AtomicUsize,
}

impl Resolve for FromName {
    fn resolve(&self, host: &str) -> Resolving {
        let turns: Vec<&str> = host.trim_end_matches(".test").split(".then.").collect();
        let turn = self.turn.fetch_add(1, Ordering::SeqCst).min(turns.len() - 1);
        let addresses: Vec<IpAddr> = turns[turn]
            .split('.')
            .filter_map(|label| label.replace('-', ".").parse().ok())
            .collect();
        let host = host.to_owned();
        Box::pin(async move {
            if addresses.is_empty() {
                return Err(ResolveError::NoAddress {
                    host,
                    reason: "no such name".to_owned(),
                });
            }
            Ok(Resolution {
                addresses,
                lifetime: Some(Duration::ZERO),
            })
        })
    }
}

fn client(allowed: &[&str]) -> Client {
    let mut settings = ClientSettings {
        addresses: AddressPolicy::allowing(allowed.iter().map(|range| range.parse().unwrap())),
        ..ClientSettings::default()
    };
    settings.dns.resolver = Some(Arc::new(FromName {
        turn: AtomicUsize::new(0),
    }));
    (settings.dns.shortest, settings.dns.longest) = (Duration::ZERO, Duration::ZERO);
    settings.connections.idle_per_host = 0;
    settings.timeouts.connect = Duration::from_secs(2);
    Client::new(settings).unwrap()
}

fn at(host: &str, server: &Site) -> Url {
    Url::parse(&format!("http://{host}:{}/", server.address.port())).unwrap()
}

#[tokio::test]
async fn names_of_private_addresses_are_refused() {
    let server = Site::always(page("", ""));
    let error = fail(&client(&[]), at("127-0-0-1.test", &server)).await;
    assert_eq!(
        error.to_string(),
        "127-0-0-1.test is refused: 127.0.0.1 is in 127.0.0.0/8 (loopback: this machine), outside the public internet; \
         --set network.allow_addresses=127.0.0.0/8 would allow it"
    );
    assert!(!error.is_retryable());
    assert!(server.log().is_empty());
    assert_eq!(
        get(&client(&["127.0.0.0/8"]), at("127-0-0-1.test", &server))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn of_several_addresses_only_the_allowed_are_used() {
    let server = Site::always(page("", ""));
    // 10.0.0.1 comes first and is passed over.
    let exchange = get(&client(&["127.0.0.0/8"]), at("10-0-0-1.127-0-0-1.test", &server)).await;
    assert_eq!(exchange.remote, server.address);
}

#[tokio::test]
async fn an_address_that_changes_is_judged_each_time() {
    let server = Site::always(page("", ""));
    let client = client(&["127.0.0.1/32"]);
    let url = at("127-0-0-1.then.127-0-0-2.test", &server);
    assert_eq!(get(&client, url.clone()).await.status, 200);
    let error = fail(&client, url).await;
    assert_eq!(error.kind().code(), "refused-address");
    assert!(
        error.to_string().contains("127.0.0.2 is in 127.0.0.0/8"),
        "{error}"
    );
}

#[tokio::test]
async fn the_next_address_is_tried() {
    let server = Site::always(page("", ""));
    // The first address has no listener.
    let exchange = get(&client(&["127.0.0.0/8"]), at("127-9-9-9.127-0-0-1.test", &server)).await;
    assert_eq!(exchange.remote, server.address);
}

#[tokio::test]
async fn names_without_address_are_told() {
    let server = Site::always(page("", ""));
    let error = fail(&client(&[]), at("nothing.test", &server)).await;
    assert_eq!(
        error.to_string(),
        "there is no address for nothing.test: no such name"
    );
    assert_eq!((error.kind().code(), error.is_retryable()), ("dns", false));
}

/// Never answers.
struct Silent;

impl Resolve for Silent {
    fn resolve(&self, _: &str) -> Resolving {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn look_ups_end() {
    let client = client_with(|settings| {
        settings.timeouts.dns = Duration::from_millis(50);
        settings.dns.resolver = Some(Arc::new(Silent));
    });
    let error = fail(&client, Url::parse("http://silent.test/").unwrap()).await;
    assert_eq!(error.to_string(), "looking the name up took longer than 50 ms");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn overrides_are_used_and_judged() {
    let server = Site::always(page("", ""));
    let override_ = || {
        format!("shop.test:80:127.0.0.1:{}", server.address.port())
            .parse()
            .unwrap()
    };
    let client = client_with(|settings| settings.dns.overrides = vec![override_()]);
    let exchange = get(&client, Url::parse("http://shop.test/a").unwrap()).await;
    assert_eq!(exchange.remote, server.address);
    assert_eq!(server.log()[0].field("host"), Some("shop.test"));
    let strict = client_with(|settings| {
        settings.dns.overrides = vec![override_()];
        settings.addresses = AddressPolicy::default();
    });
    let request = Request::new(Url::parse("http://shop.test/").unwrap());
    assert_eq!(
        strict.fetch(&request).await.unwrap_err().kind().code(),
        "refused-address"
    );
}
