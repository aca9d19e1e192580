//! Accounts: who must log in, what their roles allow, and what is written down about it.

use std::path::Path;
use std::sync::{Arc, Mutex};

use magpie_engine::Clock;
use magpie_serve::{
    BindError, Limits, Role, Server, ServerOptions, add_account, make_account_key, make_feed_key,
    remove_account,
};
use magpie_values::Timestamp;
use serde_json::Value;

use crate::pages::Noted;
use crate::support::{Answer, Served, empty_workspace, open_to_others, settings};

const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
const PASSWORD: &str = "correct horse battery";

/// A workspace with an operator, a reader, and a key of each role.
fn workspace() -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    empty_workspace(path);
    add_account(path, "ada", Role::Operator, PASSWORD, NOW).unwrap();
    add_account(path, "rita", Role::Reader, PASSWORD, NOW).unwrap();
    let operator = make_account_key(path, "deployer", Role::Operator, NOW).unwrap();
    let reader = make_account_key(path, "exporter", Role::Reader, NOW).unwrap();
    (folder, operator, reader)
}

fn bearer(key: &str) -> String {
    format!("Authorization: Bearer {key}")
}

/// Sends the form of the page to log in.
fn log_in(served: &Served, fields: &[&str], name: &str, password: &str) -> Answer {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("next", "/sites?x=1");
    form.append_pair("name", name).append_pair("password", password);
    served.post("/-/login", fields, &form.finish())
}

/// Logs in, and returns the field that browsers then send.
fn session(served: &Served, name: &str) -> String {
    let answer = log_in(served, &[], name, PASSWORD);
    assert_eq!(answer.status, 303, "{}", answer.body);
    format!(
        "Cookie: {}",
        answer.field("Set-Cookie").split(';').next().unwrap()
    )
}

/// The lines of the audit, without their times.
fn audit(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("audit.jsonl")).unwrap_or_default();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let show = |line: Value| {
        let field = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
        let outcome = if line["refused"].is_null() {
            "done"
        } else {
            "refused"
        };
        let about = &line["about"];
        format!(
            "{} {} {} {about} {outcome}",
            field("account"),
            field("via"),
            field("act")
        )
    };
    lines.map(show).collect()
}

#[test]
fn strangers_are_led_to_the_login_and_roles_decide() {
    let (folder, operator, reader) = workspace();
    let noted = Arc::new(Noted::default());
    let served = open_to_others(folder.path(), "", Some(noted.clone()));
    assert_eq!(served.entrance, "", "the watch prints no link that lets one act");
    let page = served.get("/sites?x=1");
    assert_eq!(
        (page.status, page.field("Location")),
        (303, "/-/login?next=%2Fsites%3Fx%3D1")
    );
    let form = served.get(page.field("Location"));
    assert_eq!(form.status, 200, "{}", form.body);
    assert!(form.body.contains("type=\"password\"") && !form.body.contains("href=\"/plan\""));
    for path in [
        "/api/v1/objects",
        "/sites.json",
        "/metrics",
        "/-/ready",
        "/events.atom",
    ] {
        let refused = served.get(path);
        assert_eq!(
            (refused.status, refused.field("WWW-Authenticate")),
            (401, "Bearer"),
            "{path}"
        );
    }
    let problem = served.get("/api/v1/sites");
    assert_eq!(problem.field("Content-Type"), "application/problem+json");
    assert_eq!(served.get("/-/healthy").status, 200);
    assert_eq!(served.post("/-/act", &[], "act=pause").status, 401);

    let own = format!("Origin: http://{}", served.address);
    let entered = log_in(&served, &[&own], "ada", PASSWORD);
    assert_eq!((entered.status, entered.field("Location")), (303, "/sites?x=1"));
    let cookie = entered.field("Set-Cookie");
    assert!(
        cookie.contains("HttpOnly; SameSite=Lax") && !cookie.contains("Secure"),
        "{cookie}"
    );
    let (ada, rita) = (session(&served, "ada"), session(&served, "rita"));
    let get = |path: &str, field: &str| served.send(&format!("GET {path}"), &[field], "");
    let act = |field: &str, body: &str| served.post("/-/act", &[&own, field], body).status;
    for (who, may_act) in [
        (&ada, true),
        (&rita, false),
        (&bearer(&operator), true),
        (&bearer(&reader), false),
    ] {
        let sites = get("/sites", who);
        assert_eq!(sites.status, 200, "{who}: {}", sites.body);
        assert_eq!(sites.body.contains("Pause all sites"), may_act, "{who}");
        assert_eq!(get("/api/v1/sites", who).status, 200, "{who}");
        assert_eq!(
            get("/audit", who).status,
            if may_act { 200 } else { 403 },
            "{who}"
        );
        assert_eq!(act(who, "act=pause"), if may_act { 303 } else { 403 }, "{who}");
        // Any path that is posted to is an act, also one that does not exist yet.
        assert_eq!(
            served.post("/new", &[&own, who], "a=b").status,
            if may_act { 405 } else { 403 }
        );
        assert_eq!(
            noted.0.lock().unwrap().drain(..).count(),
            usize::from(may_act),
            "{who}"
        );
    }
    for bad in ["wrong", "", &operator[1..], &operator.to_uppercase(), PASSWORD] {
        assert_eq!(get("/api/v1/sites", &bearer(bad)).status, 401, "{bad}");
    }
    let basic = "Authorization: Basic YWRhOmNvcnJlY3QgaG9yc2UgYmF0dGVyeQ==";
    assert_eq!(get("/api/v1/sites", basic).status, 401);
    assert_eq!(get("/sites", "Cookie: \u{ff};;=;magpie_session").status, 303);

    // Forms from elsewhere are refused, whoever is logged in.
    let elsewhere = ["Sec-Fetch-Site: cross-site", ada.as_str()];
    assert_eq!(served.post("/-/act", &elsewhere, "act=pause").status, 403);
    assert_eq!(
        log_in(&served, &["Origin: http://evil.example"], "ada", PASSWORD).status,
        403
    );
    assert!(noted.0.lock().unwrap().is_empty());

    assert_eq!(served.post("/-/logout", &[&own, &ada], "").status, 303);
    assert_eq!(get("/sites", &ada).status, 303, "the session has ended");
    assert_eq!(get("/sites", &rita).status, 200, "and no other");
    remove_account(folder.path(), "rita", NOW).unwrap();
    remove_account(folder.path(), "deployer", NOW).unwrap();
    assert_eq!(get("/sites", &rita).status, 303);
    assert_eq!(get("/sites.json", &bearer(&operator)).status, 401);
    add_account(
        folder.path(),
        "rita",
        Role::Operator,
        PASSWORD,
        Timestamp::from_seconds(1_900_000_000),
    )
    .unwrap();
    assert_eq!(
        get("/sites", &rita).status,
        303,
        "a new account of an old name has no session"
    );
}

#[test]
fn acts_and_logins_are_written_down() {
    let (folder, operator, reader) = workspace();
    let log = Arc::new(Mutex::new(String::new()));
    let copy = Arc::clone(&log);
    let served = Served::with(ServerOptions {
        folder: folder.path().to_owned(),
        settings: Arc::new(settings("")),
        listen: Some("127.0.0.1:0".to_owned()),
        clock: Clock::default(),
        actions: Some(Arc::new(Noted::default())),
        log: Some(Arc::new(move |line: &str| copy.lock().unwrap().push_str(line))),
        limits: Limits::default(),
    });
    assert_eq!(
        served.get("/").status,
        303,
        "with accounts, loopback asks as well"
    );
    assert_eq!(log_in(&served, &[], "ada", "wrong password").status, 401);
    assert_eq!(log_in(&served, &[], "s3cret-in-the-wrong-field", "x").status, 401);
    let ada = session(&served, "ada");
    let own = format!("Origin: http://{}", served.address);
    let post = |path: &str, field: &str, body: &str| served.post(path, &[&own, field], body).status;
    assert_eq!(post("/-/act", &ada, "act=pause"), 303);
    assert_eq!(
        post("/-/act", &ada, "act=pause&site=https%3A%2F%2Fa.example"),
        404
    );
    assert_eq!(post("/-/act", &ada, "act=drop"), 400);
    assert_eq!(post("/-/act", &bearer(&reader), "act=resume"), 403);
    assert_eq!(post("/feeds", &bearer(&operator), "act=make&name=phone"), 200);
    assert_eq!(
        post("/-/act", &ada, &format!("act=add&value={}", "x".repeat(70_000))),
        413
    );
    assert_eq!(
        served.post("/-/act", &[], "act=pause").status,
        401,
        "it has no line"
    );
    assert_eq!(post("/-/logout", &ada, ""), 303);
    let lines = [
        "ada login log in {} refused",
        "- login log in {} refused",
        "ada login log in {} done",
        "ada login pause {} done",
        r#"ada login pause {"site":"https://a.example"} refused"#,
        "ada login drop {} refused",
        "exporter key resume {} refused",
        r#"deployer key /feeds make {"name":"phone"} done"#,
        "ada login log out {} done",
    ];
    assert_eq!(audit(folder.path()), lines);
    let text = std::fs::read_to_string(folder.path().join("audit.jsonl")).unwrap();
    let log = log.lock().unwrap().clone();
    for secret in [
        PASSWORD,
        "wrong password",
        "s3cret",
        operator.as_str(),
        reader.as_str(),
    ] {
        assert!(
            !text.contains(secret) && !log.contains(secret),
            "{secret}: {text}{log}"
        );
    }
    assert_eq!(log.matches("audit: {").count(), lines.len(), "{log}");
    let shown = served.send("GET /audit", &[&bearer(&operator)], "").body;
    assert!(
        shown.contains("the form has no site") && shown.contains("site https://a.example"),
        "{shown}"
    );
    let data = served.send("GET /audit.jsonl", &[&bearer(&operator)], "").body;
    assert_eq!(data.lines().count(), lines.len(), "{data}");
}

#[test]
fn logins_that_fail_are_delayed() {
    let (folder, ..) = workspace();
    let served = Served::new(folder.path(), "[serve]\ntrusted_proxies = [\"127.0.0.1\"]\n");
    let from = |address: &str| format!("X-Forwarded-For: 127.0.0.9, {address}");
    let attempt =
        |address: &str, name: &str| log_in(&served, &[&from(address)], name, "wrong password").status;
    for _ in 0..4 {
        assert_eq!(attempt("10.0.0.1", "ada"), 401);
    }
    let refused = log_in(&served, &[&from("10.0.0.1")], "ada", PASSWORD);
    assert_eq!(refused.status, 429, "also with the right password");
    assert!(refused.field("Retry-After").parse::<u64>().unwrap() > 0);
    assert_eq!(attempt("10.0.0.1", "rita"), 429, "the same address");
    assert_eq!(attempt("10.0.0.2", "ada"), 429, "the same name");
    assert_eq!(attempt("10.0.0.2", "nobody"), 401);
    let text = std::fs::read_to_string(folder.path().join("audit.jsonl")).unwrap();
    assert_eq!(text.matches("\"address\":\"10.0.0.1\"").count(), 4, "{text}");
    // The proxy says that the browser speaks https to it, or the browser does.
    let secure = |fields: &[&str]| {
        let answer = log_in(&served, fields, "rita", PASSWORD);
        assert_eq!(answer.status, 303, "{}", answer.body);
        answer.field("Set-Cookie").ends_with("; Secure")
    };
    assert!(secure(&["X-Forwarded-Proto: https"]));
    assert!(secure(&[&format!("Origin: https://{}", served.address)]));
    assert!(!secure(&["X-Forwarded-Proto: http"]));

    for (body, status) in [
        ("", 400),
        ("name=ada", 400),
        ("name=ada&name=eve&password=x", 400),
        ("name=%ff&password=x", 400),
        (&format!("name=a&password={}", "x".repeat(70_000)), 413),
    ] {
        assert_eq!(served.post("/-/login", &[], body).status, status, "{body:.20}");
    }
    let odd = served.get("/-/login?next=https://evil.example/");
    assert!(odd.body.contains("name=\"next\" value=\"/\""), "{}", odd.body);
}

#[test]
fn other_machines_are_served_only_with_accounts_or_by_choice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    empty_workspace(path);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let refused = || {
        let options = ServerOptions {
            folder: path.to_owned(),
            settings: Arc::new(settings("")),
            listen: Some("0.0.0.0:0".to_owned()),
            clock: Clock::default(),
            actions: None,
            log: None,
            limits: Limits::default(),
        };
        runtime.block_on(Server::bind(options)).err().unwrap()
    };
    assert!(matches!(refused(), BindError::Open(_)));
    make_feed_key(path, "phone", NOW).unwrap();
    assert!(
        matches!(refused(), BindError::Open(_)),
        "a key of feeds is no account"
    );

    let public = open_to_others(
        path,
        "[serve]\nreaders = \"everybody\"",
        Some(Arc::new(Noted::default())),
    );
    assert_eq!(public.entrance, "");
    assert_eq!(public.get("/").status, 200);
    assert_eq!(public.get("/-/login").status, 404);
    assert_eq!(public.get("/audit").status, 403);
    assert_eq!(public.post("/-/act", &[], "act=pause").status, 403);
    add_account(path, "ada", Role::Operator, PASSWORD, NOW).unwrap();
    assert!(
        public.get("/").body.contains("href=\"/-/login\""),
        "who may act logs in"
    );
    assert_eq!(
        public
            .post("/-/act", &[&session(&public, "ada")], "act=pause")
            .status,
        403,
        "no origin"
    );
    let own = format!("Origin: http://{}", public.address);
    assert_eq!(
        public
            .post("/-/act", &[&own, &session(&public, "ada")], "act=pause")
            .status,
        303
    );

    // A damaged file opens nothing, neither at the start nor later.
    let local = Served::new(path, "");
    std::fs::write(path.join("accounts.jsonl"), "{}\n").unwrap();
    let damaged = refused().to_string();
    assert!(
        damaged.starts_with("line 1 of ") && damaged.contains("accounts.jsonl"),
        "{damaged}"
    );
    for served in [&local, &public] {
        for page in ["/", "/sites.json", "/-/login", "/-/ready", "/-/enter?token=x"] {
            assert_eq!(served.get(page).status, 503, "{page}");
        }
        assert_eq!(served.post("/-/act", &[], "act=pause").status, 503);
        assert_eq!(served.get("/-/healthy").status, 200);
    }
    std::fs::remove_file(path.join("accounts.jsonl")).unwrap();
    assert_eq!(local.get("/").status, 401, "a page that was closed stays closed");
}

#[test]
fn the_link_is_void_once_there_are_accounts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    empty_workspace(path);
    let served = Served::new(path, "");
    assert_eq!(served.get("/").status, 200);
    let link = &served.entrance[served.entrance.find("/-/").unwrap()..];
    let [host, cookie, _] = served.enter();
    assert_eq!(served.send("GET /audit", &[&host, &cookie], "").status, 200);
    add_account(path, "ada", Role::Reader, PASSWORD, NOW).unwrap();
    assert_eq!(served.get("/").status, 303);
    assert_eq!(served.send("GET /audit", &[&host, &cookie], "").status, 303);
    assert_eq!(served.send(&format!("GET {link}"), &[&host], "").status, 403);
}

#[test]
fn a_proxy_gives_its_readers_the_roles_of_their_accounts() {
    let (folder, ..) = workspace();
    let toml = "[serve]\ntrusted_header = \"X-User\"\ntrusted_proxies = [\"127.0.0.1\"]\n";
    let served = open_to_others(folder.path(), toml, Some(Arc::new(Noted::default())));
    let own = format!("Origin: http://{}", served.address);
    for (name, status) in [("ada", 303), ("rita", 403), ("somebody", 403)] {
        let user = format!("X-User: {name}");
        assert_eq!(served.send("GET /sites", &[&user], "").status, 200, "{name}");
        assert_eq!(
            served.post("/-/act", &[&own, &user], "act=pause").status,
            status,
            "{name}"
        );
    }
    assert_eq!(audit(folder.path())[0], "ada proxy pause {} done");
}
