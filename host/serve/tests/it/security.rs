//! The rules that every request passes.

use magpie_engine::Clock;
use magpie_serve::{BindError, Server, ServerOptions};
use std::sync::Arc;

use crate::support::{Served, empty_workspace, settings};

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
fn posts_from_elsewhere_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let served = Served::new(folder.path(), "");
    let own = format!("Origin: http://{}", served.address);
    // Nothing is posted to this path, so that what passes is refused for its method.
    let cases: [(&[&str], u16); 9] = [
        (&["Sec-Fetch-Site: cross-site"], 403),
        (&["Sec-Fetch-Site: same-site"], 403),
        (
            &["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"],
            403,
        ),
        (&["Sec-Fetch-Site: same-origin"], 405),
        (&["Origin: http://evil.example"], 403),
        (&["Origin: null"], 403),
        (&["Cookie: magpie_session=guess"], 403),
        (&[&own], 405),
        (&[], 405),
    ];
    for (fields, status) in cases {
        assert_eq!(served.post("/", fields, "a=b").status, status, "{fields:?}");
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
        assert_eq!(answer.field("Referrer-Policy"), "no-referrer");
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
fn other_machines_are_served_only_with_a_token() {
    let folder = tempfile::tempdir().unwrap();
    empty_workspace(folder.path());
    let options = |toml: &str| ServerOptions {
        folder: folder.path().to_owned(),
        settings: Arc::new(settings(toml)),
        listen: Some("0.0.0.0:0".to_owned()),
        clock: Clock::default(),
        actions: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let refused = |toml: &str| runtime.block_on(Server::bind(options(toml))).err().unwrap();
    assert!(matches!(refused(""), BindError::Open(_)));
    let with_token = "[serve]\ntoken_file = \"token\"";
    assert!(matches!(refused(with_token), BindError::TokenFile { .. }));
    let file = folder.path().join("token");
    std::fs::write(&file, "a-long-and-random-token\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let set = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        set(0o644);
        assert!(matches!(refused(with_token), BindError::TokenFileIsOpen(_)));
        set(0o600);
    }
    let mut served = Served::with(options(with_token));
    served.address.set_ip([127, 0, 0, 1].into());
    assert_eq!(served.get("/").status, 401);
    assert_eq!(served.get("/-/ready").status, 401);
    assert_eq!(served.get("/-/healthy").status, 200);
    let bearer = |token: &str| format!("Authorization: Bearer {token}");
    assert_eq!(served.send("GET /", &[&bearer("wrong")], "").status, 401);
    assert_eq!(
        served
            .send("GET /", &[&bearer("a-long-and-random-token")], "")
            .status,
        200
    );
    let entered = served.get("/-/enter?token=a-long-and-random-token");
    let cookie = entered.field("Set-Cookie");
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    let session = format!("Cookie: {}", cookie.split(';').next().unwrap());
    assert_eq!(served.send("GET /", &[&session], "").status, 200);
    assert_eq!(served.get("/-/enter?token=guess").status, 403);
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
