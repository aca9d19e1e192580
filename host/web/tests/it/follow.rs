//! Chains of redirects.

use magpie_test_support::server::{Asked, Reply, Site};
use magpie_web::{Credentials, Followed, Request, follow};
use url::Url;

use crate::client::{client, client_with, page, url_of};

/// `/1` leads to `/2` and so on up to `/end`; other paths do as they are called.
fn server() -> Site {
    Site::asked(|asked| match asked.path.as_str() {
        "/end" => page("", "the end"),
        "/circle" => Reply::redirect("/round"),
        "/round" => Reply::redirect("/circle#x"),
        "/nowhere" => Reply::status(302),
        "/metadata" => Reply::redirect("http://169.254.169.254/latest/meta-data/"),
        "/decimal" => Reply::redirect("http://2130706433:9/"),
        "/cookie" if asked.field("cookie").is_some() => page("", "welcome"),
        "/cookie" => Reply::redirect("/cookie").with("Set-Cookie", "a=b"),
        "/chain/9" => Reply::redirect("/end"),
        path => match path.strip_prefix("/chain/").map(str::parse::<u32>) {
            Some(Ok(turn)) => Reply::redirect(&format!("/chain/{}", turn + 1)),
            _ => Reply::redirect(path.strip_prefix("/to/").unwrap_or("/end")),
        },
    })
}

async fn followed(server: &Site, path: &str, limit: usize) -> Followed<String> {
    follow(&client(), Request::new(url_of(server, path)), limit, async |_| {
        Ok::<(), String>(())
    })
    .await
}

async fn check(path: &str, limit: usize, hops: usize, problem: &str) {
    let server = server();
    let followed = followed(&server, path, limit).await;
    let told = followed
        .problem
        .map(|problem| problem.to_string())
        .unwrap_or_default();
    let told = told.replace(&server.address.to_string(), "HOST");
    assert_eq!(
        (followed.exchanges.len(), told.as_str()),
        (hops, problem),
        "{path}"
    );
}

#[tokio::test]
async fn chains_end_at_the_page() {
    check("/end", 0, 1, "").await;
    check("/chain/7", 10, 4, "").await;
    check("/cookie", 10, 2, "").await;
}

#[tokio::test]
async fn chains_that_do_not_end_are_cut() {
    check(
        "/circle",
        10,
        2,
        "the redirects form a loop: they return to http://HOST/circle#x",
    )
    .await;
    check("/chain/0", 3, 4, "there are more than 3 redirects").await;
    check("/nowhere", 10, 1, "the redirect has no location").await;
}

#[tokio::test]
async fn redirects_to_private_addresses_are_refused() {
    check(
        "/metadata",
        10,
        1,
        "http://169.254.169.254/latest/meta-data/: 169.254.169.254 is refused: 169.254.169.254 is in 169.254.169.254/32 \
         (a cloud's metadata service), outside the public internet; --set network.allow_addresses=169.254.169.254/32 would allow it",
    )
    .await;
}

#[tokio::test]
async fn addresses_in_disguise_are_judged() {
    let server = server();
    // 127.0.0.1 as one number. Only the server's own address is allowed, which is another one of
    // loopback.
    let client = client_with(|settings| {
        settings.addresses = magpie_web::AddressPolicy::allowing(["127.0.0.2/32".parse().unwrap()]);
        settings.dns.overrides = vec![
            format!("start.test:80:127.0.0.2:{}", server.address.port())
                .parse()
                .unwrap(),
        ];
    });
    for url in [
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://[::ffff:127.0.0.1]/",
        "http://localhost/",
    ] {
        let error = client
            .fetch(&Request::new(Url::parse(url).unwrap()))
            .await
            .unwrap_err();
        assert_eq!(error.kind().code(), "refused-address", "{url}: {error}");
        assert!(error.to_string().contains("network.allow_addresses"), "{error}");
    }
}

#[tokio::test]
async fn the_judge_is_asked_about_every_hop() {
    let server = server();
    let mut asked = Vec::new();
    let request = Request::new(url_of(&server, "/chain/8"));
    let followed = follow(&client(), request, 10, async |url: &Url| {
        asked.push(url.path().to_owned());
        if url.path() == "/end" {
            Err("it is enough")
        } else {
            Ok(())
        }
    })
    .await;
    assert_eq!(asked, ["/chain/8", "/chain/9", "/end"]);
    assert_eq!(followed.exchanges.len(), 2);
    let problem = followed.problem.unwrap().to_string();
    assert!(
        problem.ends_with("/end is not fetched: it is enough"),
        "{problem}"
    );
}

#[tokio::test]
async fn another_origin_gets_no_credentials() {
    let (first, second) = (server(), server());
    let mut request = Request::new(url_of(&first, &format!("/to/{}", url_of(&second, "/end"))));
    request.credentials = Some(Credentials::new("ann", "secret"));
    request.headers = vec![("X-Token".to_owned(), "secret".to_owned())];
    let mut same = request.clone();
    same.url = url_of(&first, "/chain/9");
    same.credentials = None;
    same.url.set_username("ann").unwrap();
    let allow = async |_: &Url| Ok::<(), String>(());
    follow(&client(), request, 10, allow).await;
    follow(&client(), same, 10, allow).await;
    let sent = |server: &Site| -> Vec<bool> {
        let both = |asked: &Asked| {
            (
                asked.field("authorization").is_some(),
                asked.field("x-token").is_some(),
            )
        };
        server
            .log()
            .iter()
            .map(|asked| both(asked) == (true, true))
            .collect()
    };
    assert_eq!(sent(&first), [true, true, true]);
    assert_eq!(second.log()[0].field("authorization"), None);
    assert_eq!(second.log()[0].field("x-token"), None);
}
