//! Browsers: found, missing, killed, not one.

use std::fs::File;
use std::process::Command;

use magpie_render::{BrowserChoice, PageAnswer, RenderError, RenderSettings};
use magpie_test_support::server::{Reply, Site, Wire};

use crate::support::{Tester, html, patient};

#[test]
fn a_browser_that_is_killed_costs_one_page() {
    let Some(tester) = Tester::start(patient()) else {
        return;
    };
    let killed = tester.render("http://site.test/", |_| {
        let children = Command::new("pkill")
            .args(["-KILL", "-P", &std::process::id().to_string()])
            .status();
        assert!(children.unwrap().success());
        html("<p>too late")
    });
    assert_eq!(killed.code(), "crashed");
    let next = tester.page("<p>next");
    assert!(next.document().html.contains("next"));
}

#[test]
fn what_is_no_browser_is_said_to_be_none() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let said = |browser: BrowserChoice| {
        let settings = RenderSettings { browser, ..patient() };
        let renderer = magpie_render::Renderer::new(settings);
        let url = "http://site.test/".parse().unwrap();
        let rendered = runtime.block_on(renderer.render(&url, std::sync::Arc::new(Nothing)));
        match rendered.document {
            Err(error @ RenderError::Browser(_)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let server = Site::start(|_| Reply::text("I am a teapot"));
    let endpoint = |url: &str| said(BrowserChoice::Endpoint(url.parse().unwrap()));
    let teapot = endpoint(&server.url("/"));
    assert!(
        teapot.ends_with("it does not answer as a browser does"),
        "{teapot}"
    );
    let other = endpoint("http://192.0.2.1:9222");
    assert!(other.contains("expected a URL of this machine"), "{other}");
    let file = said(BrowserChoice::Program("/no/such/browser".into()));
    assert!(file.starts_with("can't start /no/such/browser"), "{file}");
    let ends = said(BrowserChoice::Program("true".into()));
    assert!(ends.starts_with("can't start true: the browser ended"), "{ends}");
}

/// Programs on this machine that answer as a browser does at first.
#[test]
fn a_hostile_endpoint_ends_with_a_reason() {
    type Script = fn(&mut Wire) -> Option<()>;
    let scripts: [(&str, Script); 4] = [
        ("huge frame", |wire| {
            wire.send([&[0x81, 127][..], &u64::MAX.to_be_bytes()].concat())
        }),
        ("huge ping", |wire| {
            wire.send([&[0x89, 127][..], &(1_u64 << 27).to_be_bytes()].concat())
        }),
        ("no JSON", |wire| wire.send([0x81, 4, b'n', b'o', b'p', b'e'])),
        ("wrong numbers, and pings that are not waited for", |wire| {
            let answer = br#"{"id":999999999,"result":{}}"#;
            let frame = [&[0x81, answer.len() as u8], &answer[..], &[0x89, 1, b'p']].concat();
            wire.send(frame.repeat(1_000))?;
            None
        }),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for (name, script) in scripts {
        let server = Site::start(move |path| match path {
            "/json/version" => Reply::json(r#"{"webSocketDebuggerUrl": "ws://127.0.0.1/devtools"}"#),
            _ => Reply::script(move |wire| {
                wire.send("HTTP/1.1 101 Switching Protocols\r\n\r\n")?;
                script(wire)
            }),
        });
        let settings = RenderSettings {
            browser: BrowserChoice::Endpoint(server.url("/").parse().unwrap()),
            ..patient()
        };
        let url = "http://site.test/".parse().unwrap();
        let renderer = magpie_render::Renderer::new(settings);
        let rendered = runtime.block_on(renderer.render(&url, std::sync::Arc::new(Nothing)));
        // It is given up at once, and not when a call has taken too long.
        let error = rendered.document.unwrap_err();
        assert_eq!(error.code(), "crashed", "{name}: {error}");
    }
}

/// A process that was killed leaves its folder, with a lock that is free again.
#[test]
fn a_start_removes_folders_of_killed_processes_only() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let folder = || {
        let folder = tempfile::Builder::new().prefix("magpie-browser-").tempdir();
        folder.unwrap()
    };
    let (killed, running, unlocked, linked) = (folder(), folder(), folder(), folder());
    let lock = |folder: &tempfile::TempDir| File::create(folder.path().join("magpie.lock")).unwrap();
    let held = lock(&running);
    held.lock().unwrap();
    let target = tempfile::tempdir().unwrap();
    drop(lock(&target));
    let link = linked.path().with_extension("link");
    #[cfg(unix)]
    std::os::unix::fs::symlink(target.path(), &link).unwrap();
    drop(lock(&killed));

    let settings = RenderSettings {
        browser: BrowserChoice::Program("true".into()),
        ..patient()
    };
    let url = "http://site.test/".parse().unwrap();
    let renderer = magpie_render::Renderer::new(settings);
    let _ = runtime.block_on(renderer.render(&url, std::sync::Arc::new(Nothing)));

    assert!(!killed.path().exists());
    assert!(running.path().exists(), "its lock is held");
    assert!(unlocked.path().exists(), "it may be about to be locked");
    assert!(target.path().exists(), "links are not followed");
    let _ = std::fs::remove_file(link);
}

pub(crate) struct Nothing;

impl magpie_render::Answers for Nothing {
    fn answer(&self, _: magpie_render::PageRequest) -> magpie_render::Answering<'_> {
        Box::pin(async {
            PageAnswer::Failed {
                reason: "nothing is there".to_owned(),
            }
        })
    }
}

#[test]
fn a_browser_that_runs_is_used_by_its_endpoint() {
    if Tester::start(patient()).is_none() {
        return;
    }
    let profile = tempfile::tempdir().unwrap();
    let mut browser = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--no-first-run",
            "--remote-debugging-port=0",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let port = loop {
        let text = std::fs::read_to_string(profile.path().join("DevToolsActivePort")).unwrap_or_default();
        if let Some(port) = text.lines().next().and_then(|port| port.parse::<u16>().ok()) {
            break port;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    let endpoint = format!("http://127.0.0.1:{port}").parse().unwrap();
    let settings = RenderSettings {
        browser: BrowserChoice::Endpoint(endpoint),
        ..patient()
    };
    let tester = Tester::start(settings).unwrap();
    // Longer than a frame of the smallest kinds.
    let outcome = tester.page("<p id=text></p><script>text.textContent = 'long '.repeat(30000)</script>");
    let html = &outcome.document().html;
    assert!(html.len() > 150_000, "{}", html.len());
    browser.kill().unwrap();
    browser.wait().unwrap();
}
