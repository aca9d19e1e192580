//! Requests through proxies.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use magpie_test_support::server::Site;
use magpie_test_support::tls::{Authority, accept};
use magpie_web::{Client, ClientSettings, TlsSettings};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use url::Url;

use crate::client::{fail, get, page};

/// Returns a client that refuses addresses of this machine, except for a proxy on it.
fn client(proxy: &str, authority: Option<&Authority>) -> Client {
    let settings = ClientSettings {
        proxy: Some(proxy.parse().unwrap()),
        no_proxy: vec!["direct.test".to_owned()],
        tls: TlsSettings {
            ca_files: authority
                .map(|authority| authority.path().to_owned())
                .into_iter()
                .collect(),
            insecure: false,
        },
        ..ClientSettings::default()
    };
    Client::new(settings).unwrap()
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

#[tokio::test]
async fn plain_http_is_asked_of_the_proxy() {
    let proxy = Site::always(page("", "by proxy"));
    let client = client(&format!("http://ann:secret@{}", proxy.address), None);
    let exchange = get(&client, url("http://shop.test/a?b#c")).await;
    assert_eq!(exchange.body(), b"by proxy");
    let asked = proxy.log().remove(0);
    assert_eq!(asked.path, "http://shop.test/a?b");
    assert_eq!(asked.field("host"), Some("shop.test"));
    assert_eq!(asked.field("proxy-authorization"), Some("Basic YW5uOnNlY3JldA=="));
    assert!(!String::from_utf8_lossy(&exchange.request()).contains("YW5u"));
    assert!(get(&client, url("http://shop.test/")).await.reused);
}

/// Makes tunnels to one server, whatever is asked for, and keeps the heads of the requests.
async fn tunnelling(to: SocketAddr, answer: &'static str) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let heads: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&heads);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let kept = Arc::clone(&kept);
            tokio::spawn(async move {
                let head = read_head(&mut stream).await;
                kept.lock().unwrap().push(head);
                stream.write_all(answer.as_bytes()).await.unwrap();
                if answer.starts_with("HTTP/1.1 200") {
                    let mut server = TcpStream::connect(to).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
                }
            });
        }
    });
    (address, heads)
}

fn secure_server(authority: &Authority) -> Site {
    Site::over(accept(authority.server("shop.test", &[])), |_| {
        page("", "through")
    })
}

async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

#[tokio::test]
async fn https_goes_through_a_tunnel() {
    let authority = Authority::new();
    let server = secure_server(&authority);
    let (proxy, heads) = tunnelling(server.address, "HTTP/1.1 200 OK\r\nVia: x\r\n\r\n").await;
    let client = client(&format!("http://ann:secret@{proxy}"), Some(&authority));
    let exchange = get(&client, url("https://shop.test/")).await;
    assert_eq!((exchange.body(), exchange.remote), (&b"through"[..], proxy));
    assert_eq!(
        heads.lock().unwrap()[0],
        "CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test:443\r\nProxy-Authorization: Basic YW5uOnNlY3JldA==\r\n\r\n"
    );
    assert_eq!(server.log()[0].field("proxy-authorization"), None);
}

#[tokio::test]
async fn tunnels_may_be_encrypted_themselves() {
    let authority = Authority::new();
    let server = secure_server(&authority);
    let to = server.address;
    let acceptor = TlsAcceptor::from(authority.server("127.0.0.1", &[]));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = acceptor.accept(stream).await.unwrap();
        read_head(&mut stream).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        let mut server = TcpStream::connect(to).await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
    });
    let client = client(&format!("https://{proxy}"), Some(&authority));
    assert_eq!(get(&client, url("https://shop.test/")).await.body(), b"through");
}

#[tokio::test]
async fn refusals_are_told_without_the_password() {
    let cases = [
        (
            "HTTP/1.1 407 No\r\n\r\n",
            "it requires a user name and password, or rejected the given ones",
            false,
        ),
        (
            "HTTP/1.1 502 Bad Gateway\r\n\r\nx",
            "it answered the CONNECT request with status 502",
            true,
        ),
        (
            "HTTP/1.1 403 No\r\n\r\n",
            "it answered the CONNECT request with status 403",
            false,
        ),
        (
            "nonsense\r\n\r\n",
            "its response is neither HTTP nor SOCKS",
            false,
        ),
    ];
    for (answer, reason, retryable) in cases {
        let (proxy, _) = tunnelling(([127, 0, 0, 1], 9).into(), answer).await;
        let error = fail(
            &client(&format!("http://ann:secret@{proxy}"), None),
            url("https://shop.test/"),
        )
        .await;
        assert_eq!(
            error.to_string(),
            format!("the proxy http://***@{proxy}/: {reason}")
        );
        assert_eq!((error.kind().code(), error.is_retryable()), ("proxy", retryable));
        assert!(!format!("{error:?}").contains("secret"));
    }
}

/// A SOCKS 5 proxy for one connection; gives what was asked for.
async fn socks(
    to: SocketAddr,
    password: Option<&'static str>,
    code: u8,
) -> (SocketAddr, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let [version, count] = read(&mut stream).await;
        let mut methods = vec![0; usize::from(count)];
        stream.read_exact(&mut methods).await.unwrap();
        assert_eq!(version, 5);
        match password {
            None => stream.write_all(&[5, 0]).await.unwrap(),
            Some(password) => {
                assert!(methods.contains(&2));
                stream.write_all(&[5, 2]).await.unwrap();
                let [_] = read(&mut stream).await;
                let name = text(&mut stream).await;
                let accepted = text(&mut stream).await == password && name == "ann";
                stream.write_all(&[1, u8::from(!accepted)]).await.unwrap();
                if !accepted {
                    return String::new();
                }
            }
        }
        let [_, command, _, kind] = read(&mut stream).await;
        assert_eq!((command, kind), (1, 3), "a name, which the proxy resolves");
        let name = text(&mut stream).await;
        let port = u16::from_be_bytes(read(&mut stream).await);
        stream
            .write_all(&[5, code, 0, 1, 0, 0, 0, 0, 0, 0])
            .await
            .unwrap();
        if code == 0 {
            let mut server = TcpStream::connect(to).await.unwrap();
            let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
        }
        format!("{name}:{port}")
    });
    (address, asked)
}

async fn read<const LENGTH: usize>(stream: &mut TcpStream) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    stream.read_exact(&mut bytes).await.unwrap();
    bytes
}

async fn text(stream: &mut TcpStream) -> String {
    let [length] = read(stream).await;
    let mut bytes = vec![0; usize::from(length)];
    stream.read_exact(&mut bytes).await.unwrap();
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn socks_proxies_resolve_and_connect() {
    let server = Site::always(page("", "through"));
    for (credentials, password) in [("", None), ("ann:s%40cret@", Some("s@cret"))] {
        let (proxy, asked) = socks(server.address, password, 0).await;
        let client = client(&format!("socks5://{credentials}{proxy}"), None);
        assert_eq!(
            get(&client, url("http://shop.test:8080/a")).await.body(),
            b"through"
        );
        drop(client);
        assert_eq!(asked.await.unwrap(), "shop.test:8080");
    }
    assert_eq!(server.log()[0].path, "/a");
}

#[tokio::test]
async fn refusals_of_socks_proxies_are_told() {
    let nowhere = ([127, 0, 0, 1], 9).into();
    let (proxy, _asked) = socks(nowhere, None, 5).await;
    let error = fail(
        &client(&format!("socks5://{proxy}"), None),
        url("http://shop.test/"),
    )
    .await;
    assert_eq!(
        error.to_string(),
        format!("the proxy socks5://{proxy}: it can't connect: the connection was refused")
    );
    assert!(error.is_retryable());
    let (proxy, _asked) = socks(nowhere, Some("right"), 0).await;
    let error = fail(
        &client(&format!("socks5://ann:wrong@{proxy}"), None),
        url("http://shop.test/"),
    )
    .await;
    assert!(
        error
            .to_string()
            .ends_with("it requires a user name and password, or rejected the given ones"),
        "{error}"
    );
}

#[tokio::test]
async fn addresses_are_judged_although_there_is_a_proxy() {
    let proxy = Site::always(page("", ""));
    let client = client(&format!("http://{}", proxy.address), None);
    let error = fail(&client, url("http://169.254.169.254/")).await;
    assert_eq!(error.kind().code(), "refused-address");
    assert!(proxy.log().is_empty());
}

#[tokio::test]
async fn some_hosts_are_reached_directly() {
    let proxy = Site::always(page("", ""));
    let mut settings = client(&format!("http://{}", proxy.address), None)
        .settings()
        .clone();
    settings.dns.overrides = vec!["www.direct.test:*:127.0.0.1".parse().unwrap()];
    let error = fail(&Client::new(settings).unwrap(), url("http://www.direct.test/")).await;
    assert_eq!(error.kind().code(), "refused-address");
    assert!(proxy.log().is_empty());
}
