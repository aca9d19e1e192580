//! Encrypted connections.

use std::io::Write as _;

use magpie_test_support::server::{Asked, Reply, Site, Stream};
use magpie_test_support::tls::{Authority, Flaw, accept, self_signed};
use magpie_web::{Client, Request, TlsSettings};
use url::Url;

use crate::client::{client_with, fail, get, page};

fn secret(_: &Asked) -> Reply {
    page("", "secret")
}

fn trusting(authority: &Authority) -> Client {
    with_tls(TlsSettings {
        ca_files: vec![authority.path().to_owned()],
        insecure: false,
    })
}

fn with_tls(tls: TlsSettings) -> Client {
    client_with(|settings| {
        settings.tls = tls;
        settings.dns.overrides = vec!["shop.test:*:127.0.0.1".parse().unwrap()];
    })
}

fn at(host: &str, server: &Site) -> Url {
    Url::parse(&format!("https://{host}:{}/", server.address.port())).unwrap()
}

#[tokio::test]
async fn known_authorities_are_trusted() {
    let authority = Authority::new();
    for name in ["shop.test", "127.0.0.1"] {
        let server = Site::over(accept(authority.server(name, &["http/1.1"])), secret);
        let client = trusting(&authority);
        assert_eq!(get(&client, at(name, &server)).await.body(), b"secret");
        assert!(get(&client, at(name, &server)).await.reused);
    }
}

#[tokio::test]
async fn others_are_not() {
    let authority = Authority::new();
    let cases = [
        (
            self_signed("shop.test"),
            "its certificate is signed by no trusted authority",
        ),
        (
            Authority::new().server("shop.test", &[]),
            "its certificate is signed by no trusted authority",
        ),
        (
            authority.server("other.test", &[]),
            "its certificate is for another name",
        ),
        (
            authority.unfit("shop.test", Flaw::Expired),
            "its certificate has expired",
        ),
        (
            authority.unfit("shop.test", Flaw::NotValidYet),
            "its certificate is not valid yet; if it should be, check the clock of this machine",
        ),
        (
            authority.unfit("shop.test", Flaw::Authority),
            "its certificate is that of an authority, which may sign others but not serve",
        ),
        (
            authority.unfit("shop.test", Flaw::ForClients),
            "its certificate is not for servers",
        ),
    ];
    for (config, reason) in cases {
        let server = Site::over(accept(config), secret);
        let error = fail(&trusting(&authority), at("shop.test", &server)).await;
        assert_eq!(
            error.to_string(),
            format!("can't establish a secure connection to shop.test: {reason}")
        );
        assert_eq!((error.kind().code(), error.is_retryable()), ("tls", false));
        assert!(server.log().is_empty());
        let insecure = with_tls(TlsSettings {
            insecure: true,
            ..TlsSettings::default()
        });
        assert_eq!(get(&insecure, at("shop.test", &server)).await.body(), b"secret");
    }
}

#[tokio::test]
async fn servers_without_tls_are_told() {
    let server = Site::always(page("", ""));
    // The server does not answer a handshake as a request, so it answers at once here.
    let greet = |mut stream: std::net::TcpStream| {
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").ok()?;
        Some(Box::new(stream) as Box<dyn Stream>)
    };
    let plain = Site::over(greet, secret);
    let client = client_with(|settings| settings.timeouts.tls = std::time::Duration::from_millis(300));
    let error = fail(&client, at("127.0.0.1", &plain)).await;
    assert_eq!(
        error.to_string(),
        "can't establish a secure connection to 127.0.0.1: the server does not speak TLS"
    );
    let error = fail(&client, at("127.0.0.1", &server)).await;
    assert_eq!(error.to_string(), "the TLS handshake took longer than 300 ms");
}

/// A server answers the handshake with an alert (RFC 8446, 6.2).
#[tokio::test]
async fn alerts_are_told_in_words() {
    for (alert, reason) in [
        (40, "the server has no encryption in common with Magpie"),
        (
            70,
            "the server only has versions of TLS before 1.2, which are not safe",
        ),
        (112, "the server does not know this name"),
        (
            116,
            "the server demands a certificate from Magpie, which has none",
        ),
        (120, "the server speaks neither HTTP/1.1 nor HTTP/2"),
        (50, "the server refused the handshake with alert 50"),
    ] {
        let refuse = move |mut stream: std::net::TcpStream| {
            stream.write_all(&[21, 3, 3, 0, 2, 2, alert]).ok()?;
            Some(Box::new(stream) as Box<dyn Stream>)
        };
        let server = Site::over(refuse, secret);
        let error = fail(&with_tls(TlsSettings::default()), at("shop.test", &server)).await;
        let expected = format!("can't establish a secure connection to shop.test: {reason}");
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn files_without_authorities_are_told() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for path in [file.path().to_owned(), "/nonexistent/ca.pem".into()] {
        let mut settings = magpie_web::ClientSettings::default();
        settings.tls.ca_files = vec![path.clone()];
        let error = Client::new(settings).unwrap_err().to_string();
        assert!(error.contains(&path.display().to_string()), "{error}");
    }
}

#[tokio::test]
async fn secure_cookies_are_kept_for_secure_connections() {
    let authority = Authority::new();
    let server = Site::over(accept(authority.server("shop.test", &[])), |_| {
        page("Set-Cookie: a=b; Secure\r\n", "")
    });
    let client = trusting(&authority);
    for _ in 0..2 {
        client
            .fetch(&Request::new(at("shop.test", &server)))
            .await
            .unwrap();
    }
    assert_eq!(server.log()[1].field("cookie"), Some("a=b"));
}
