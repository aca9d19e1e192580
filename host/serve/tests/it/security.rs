//! The rules that every request passes.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::support::{Served, empty_workspace};

#[test]
fn other_names_than_ours_are_refused_on_every_path() {
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let served = Served::new(folder.path(), "[serve]\nhosts = [\"magpie.example\"]");
    let port = served.address.port();
    for path in ["/", "/metrics", "/-/healthy", "/nothing"] {
        for host in [
            "evil.example".to_owned(),
            format!("evil.example:{port}"),
            format!("127.0.0.1.evil.example:{port}"),
            format!("user@127.0.0.1:{port}"),
            "127.0.0.1".to_owned(),
            String::new(),
        ] {
            let answer = served.send(&format!("GET {path}"), &[&format!("Host: {host}")], "");
            assert_eq!(answer.status, 421, "{path} asked of {host}");
        }
    }
    let twice = format!("Host: 127.0.0.1:{port}");
    assert_ne!(
        served.send("GET /", &[&twice, "Host: evil.example"], "").status,
        200
    );
    let absolute = served.send("GET http://evil.example/", &[&twice], "");
    assert_eq!(absolute.status, 421);
    for host in [format!("localhost:{port}"), "magpie.example".to_owned()] {
        let answer = served.send("GET /", &[&format!("Host: {host}")], "");
        assert_eq!(answer.status, 200, "{host}: {}", answer.body);
    }
}

#[test]
fn requests_of_one_connection_pass_the_rules_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let served = Served::new(folder.path(), "");
    let own = served.address.to_string();
    let post = format!(
        "POST /-/act HTTP/1.1\r\nHost: {own}\r\nOrigin: http://evil.example\r\nConnection: close\r\nContent-Length: 9\r\n\r\nact=pause"
    );
    let get = |host: &str, more: &str| format!("GET /-/healthy HTTP/1.1\r\nHost: {host}\r\n{more}\r\n");
    let forged = "X-Forwarded-Host: evil.example\r\nForwarded: host=evil.example;for=10.0.0.1\r\n";
    let mut requests = vec![get(&own, ""), get("evil.example", ""), get(&own, forged)];
    requests.extend((0..100).map(|_| get(&own, "")));
    requests.push(post);
    let mut stream = TcpStream::connect(served.address).unwrap();
    stream.write_all(requests.concat().as_bytes()).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    let statuses: Vec<&str> = answers
        .split("HTTP/1.1 ")
        .skip(1)
        .map(|answer| &answer[..3])
        .collect();
    assert_eq!(statuses[..3], ["200", "421", "200"], "{answers}");
    assert_eq!(statuses[3..103], ["200"; 100]);
    assert_eq!(statuses[103..], ["403"]);
    assert!(!answers.contains("evil.example"), "{answers}");
}

#[test]
fn posts_from_elsewhere_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let served = Served::new(folder.path(), "");
    let own = format!("Origin: http://{}", served.address);
    let cases: [(&[&str], bool); 9] = [
        (&["Sec-Fetch-Site: cross-site"], false),
        (&["Sec-Fetch-Site: same-site"], false),
        (
            &["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"],
            false,
        ),
        (&["Sec-Fetch-Site: same-origin"], true),
        (&["Origin: http://evil.example"], false),
        (&["Origin: null"], false),
        (&["Cookie: magpie_session=guess"], false),
        (&[&own], true),
        (&[], true),
    ];
    for (fields, passes) in cases {
        let answer = served.post("/", fields, "a=b");
        // What passes is refused since this server only reads.
        let sentence = if passes { "only reads" } else { "from another site" };
        assert_eq!(answer.status, 403, "{fields:?}");
        assert!(answer.body.contains(sentence), "{fields:?}: {}", answer.body);
    }
    let strange = served.send("POST /", &["Content-Type: text/xml"], "a");
    assert_eq!(strange.status, 415);
    assert_eq!(served.send("DELETE /", &[], "").status, 405);
}

#[test]
fn every_answer_forbids_what_a_page_does_not_need() {
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let served = Served::new(folder.path(), "");
    for path in ["/", "/nothing", "/-/healthy"] {
        let answer = served.get(path);
        let policy = answer.field("Content-Security-Policy");
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.field("X-Content-Type-Options"), "nosniff");
        assert_eq!(answer.field("Referrer-Policy"), "same-origin");
        assert_eq!(answer.field("Cross-Origin-Resource-Policy"), "same-origin");
        assert_eq!(answer.field("Cache-Control"), "no-store");
    }
    let page = served.get("/");
    let script = page.body.split('"').find(|part| part.ends_with(".js")).unwrap();
    assert!(served.get(script).field("Cache-Control").contains("immutable"));
}

#[test]
fn too_long_addresses_and_heads_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let served = Served::new(folder.path(), "");
    assert_eq!(served.get(&format!("/?q={}", "a".repeat(9_000))).status, 414);
    assert_eq!(served.get(&format!("/?q={}", "a".repeat(60_000))).status, 431);
    assert_eq!(served.get(&format!("/?q={}", "a".repeat(7_000))).status, 200);
}

#[test]
fn a_workspace_that_goes_away_is_told_and_comes_back() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("workspace");
    empty_workspace(&folder);
    let served = Served::new(&folder, "");
    assert_eq!(served.get("/-/ready").status, 200);
    std::fs::rename(&folder, parent.path().join("elsewhere")).unwrap();
    let gone = served.get("/");
    assert_eq!(gone.status, 503);
    assert!(gone.body.contains("is not a workspace"), "{}", gone.body);
    assert_eq!(served.get("/-/ready").status, 503);
    assert_eq!(served.get("/-/healthy").status, 200);
    empty_workspace(&folder);
    assert_eq!(served.get("/-/ready").status, 200);
}
