//! Servers and registries that are slow to understand, broken or not honest.

use std::sync::{Arc, Mutex};

use magpie_runtime::Sha256;
use magpie_test_support::server::{Asked, Reply, Site};
use serde_json::{Value, json};

use super::{Desk, changed, ordinary, with_version};

pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub(crate) const CONFIG: &str = "application/vnd.wasm.config.v0+json";
pub(crate) const LAYER: &str = "application/wasm";

/// The config of a component, as `wkg` writes it.
pub(crate) fn config(component: &[u8]) -> Vec<u8> {
    let config = json!({
        "created": "2026-11-01T00:00:00Z",
        "author": null,
        "architecture": "wasm",
        "os": "wasip2",
        "layerDigests": [Sha256::of(component)],
        "component": {
            "exports": ["magpie:vertical/description@0.1.0", "magpie:vertical/extraction@0.1.0"],
            "imports": ["magpie:vertical/pages@0.1.0"],
            "target": null,
        },
    });
    config.to_string().into_bytes()
}

/// The manifest of a component, as `wkg` writes it.
pub(crate) fn manifest(component: &[u8]) -> Value {
    let config = config(component);
    json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": {
            "mediaType": CONFIG,
            "digest": Sha256::of(&config),
            "size": config.len(),
        },
        "layers": [{
            "mediaType": LAYER,
            "digest": Sha256::of(component),
            "size": component.len(),
            "annotations": {"org.opencontainers.image.title": "ordinary.wasm"},
        }],
    })
}

/// A registry with the manifest of a test, and the component `ordinary`.
fn registry(manifest: impl Fn() -> Reply + Send + Sync + 'static) -> Site {
    Site::start(move |path| match path {
        "/v2/test/ordinary/manifests/1.2.3" => manifest(),
        path if path.starts_with("/v2/test/ordinary/blobs/") => Reply::of(LAYER, ordinary()),
        _ => Reply::status(404),
    })
}

fn reference(site: &Site, tag: &str) -> String {
    format!("oci://{}/test/ordinary:{tag}", site.address)
}

/// Adds from a source that must be refused for a reason.
#[track_caller]
fn refused(desk: &Desk, source: &str, code: i32, reason: &str) {
    let refused = desk.add(source).ends(code);
    let text = refused.says([reason, "hint:"]).lacks(["\x1b"]).text();
    let component = desk.path("ws/verticals/ordinary.wasm");
    assert!(!component.exists() && desk.lock().is_empty(), "{text}");
}

/// The answer of a registry to a request: the manifest of a component, or the component.
fn answer(path: &str, component: &[u8]) -> Reply {
    match path.contains("/manifests/") {
        true => Reply::of(MANIFEST, manifest(component).to_string()),
        false => Reply::of(LAYER, component.to_vec()),
    }
}

#[test]
fn manifests_that_are_not_those_of_a_component_are_refused() {
    let desk = Desk::new();
    let set = |pointer: &str, value: Value| {
        let mut manifest = manifest(&ordinary());
        *manifest.pointer_mut(pointer).expect("a field") = value;
        manifest.to_string()
    };
    let index = "application/vnd.oci.image.index.v1+json";
    let image = |kind: &str| json!(format!("application/vnd.oci.image.{kind}"));
    let fields = [
        ("/schemaVersion", json!(1), "its schema version is 1"),
        ("/mediaType", json!(index), "the media type of the manifest is"),
        (
            "/config/mediaType",
            image("config.v1+json"),
            "the media type of its config is",
        ),
        (
            "/layers/0/mediaType",
            image("layer.v1.tar+gzip"),
            "the media type of its layer is",
        ),
        ("/layers", json!([]), "it has 0 layers"),
        (
            "/layers/0/size",
            json!(u64::MAX),
            "more than the 134217728 a component may have",
        ),
        (
            "/layers/0/digest",
            json!("sha256:../../../../etc/passwd"),
            "is not a SHA-256 digest",
        ),
        (
            "/layers/0/digest",
            json!(Sha256::of(b"another")),
            "the component that the registry sent has the digest",
        ),
        ("/layers/0/size", json!(ordinary().len() + 1), "bytes instead of"),
    ];
    let fields = fields.map(|(pointer, value, words)| (MANIFEST, set(pointer, value), words));
    let others = [
        (
            index,
            set("/mediaType", json!(index)),
            "the media type of the answer is",
        ),
        (
            "text/html",
            "<title>\x1b[31mLogin</title>".to_owned(),
            "the media type of the answer is",
        ),
        (MANIFEST, "\x1b[31m".to_owned(), "can't be parsed"),
        (MANIFEST, "[".repeat(200_000), "can't be parsed"),
        (MANIFEST, " ".repeat(300_000), "has more than 262144 bytes"),
    ];
    for (content_type, body, words) in fields.into_iter().chain(others) {
        let site = registry(move || Reply::of(content_type, body.clone()));
        refused(&desk, &reference(&site, "1.2.3"), 4, words);
    }
}

#[test]
fn digests_that_the_user_or_the_registry_states_are_verified() {
    let desk = Desk::new();
    let wrong = Sha256::of(b"another").to_string();
    let stated = wrong.clone();
    let site = registry(move || {
        Reply::of(MANIFEST, manifest(&ordinary()).to_string()).with("Docker-Content-Digest", &stated)
    });
    let other_manifest = "the manifest that the registry sent has the digest";
    refused(&desk, &reference(&site, "1.2.3"), 4, other_manifest);

    let site = Site::start(|path| match path.contains("/manifests/") {
        true => answer(path, &ordinary()),
        false => Reply::of(LAYER, ordinary().repeat(10)),
    });
    let too_long = "has more than 65536 bytes";
    refused(&desk, &reference(&site, "1.2.3"), 4, too_long);

    let site = Site::start(|path| answer(path, &ordinary()));
    let pinned = |digest: &str| format!("oci://{}/test/ordinary@{digest}", site.address);
    refused(&desk, &pinned(&wrong), 4, other_manifest);
    let right = Sha256::of(manifest(&ordinary()).to_string().as_bytes()).to_string();
    desk.add(&pinned(&right)).ends(0);
    let lock = desk.lock();
    assert!(lock.contains(&format!("manifest = \"{right}\"")), "{lock}");
}

#[test]
fn a_version_whose_content_moves_is_refused_and_a_tag_may_move() {
    let desk = Desk::new();
    let content = Arc::new(Mutex::new(ordinary()));
    let served = Arc::clone(&content);
    let site = Site::start(move |path| answer(path, &served.lock().expect("no panic")));
    let serve = |component: Vec<u8>| *content.lock().expect("no panic") = component;
    desk.add(&reference(&site, "1.2.3")).ends(0);
    // A published version must not change, even if the component declares another one.
    for other in [changed(&ordinary()), with_version(&ordinary(), b"1.3.0")] {
        serve(other);
        let update = desk.plugin("update").ends(3);
        update.says(["has changed, but not its version"]);
        assert_eq!(desk.component(), ordinary());
    }
    desk.plugin("update --accept-changed").ends(0);
    assert_eq!(desk.component(), with_version(&ordinary(), b"1.3.0"));

    desk.add(&reference(&site, "latest")).ends(0);
    serve(with_version(&ordinary(), b"1.4.0"));
    desk.plugin("update").says(["replaced 1.3.0 by ordinary 1.4.0"]);
    assert_eq!(desk.list()[0]["manifest"].as_str().map(str::len), Some(71));
}

#[test]
fn a_registry_that_wants_a_token_gets_one_for_anonymous_users() {
    let desk = Desk::new();
    let own = Arc::new(Mutex::new(String::new()));
    let url = Arc::clone(&own);
    let site = Site::asked(move |asked: &Asked| {
        let realm = url.lock().expect("no panic").clone();
        if asked.path.starts_with("/token?") {
            let wanted = "/token?service=test&scope=repository%3Atest%2Fordinary%3Apull";
            assert_eq!(asked.path, wanted);
            assert_eq!(asked.field("authorization"), None);
            return Reply::of("application/json", r#"{"token":"abc","expires_in":60}"#);
        }
        if asked.field("authorization") != Some("Bearer abc") {
            let challenge = format!("Bearer realm=\"{realm}token\",service=\"test\"");
            return Reply::status(401).with("WWW-Authenticate", &challenge);
        }
        answer(&asked.path, &ordinary())
    });
    *own.lock().expect("no panic") = site.url("/");
    desk.add(&reference(&site, "1.2.3")).ends(0);
    assert_eq!(desk.component(), ordinary());
}

#[test]
fn registries_that_give_no_token_are_refused() {
    let desk = Desk::new();
    let control = "\\u000d\\u000aHost: other";
    for (challenge, token, words) in [
        ("Basic realm=\"x\"", "", "refuses anonymous access"),
        ("", "", "refuses anonymous access"),
        ("Bearer realm=\"/token\"", "", "names no token server"),
        (
            "Bearer realm=\"http://example.org/token\"",
            "",
            "which is not encrypted",
        ),
        ("Bearer realm=\"{own}token\"", "{}", "issued no token"),
        ("Bearer realm=\"{own}token\"", "<html>", "issued no token"),
        (
            "Bearer realm=\"{own}token\"",
            &format!("{{\"token\":\"a{control}\"}}"),
            "issued no token",
        ),
        (
            "Bearer realm=\"{own}token\"",
            "{\"token\":\"a\"}",
            "refuses anonymous access",
        ),
    ] {
        let own = Arc::new(Mutex::new(String::new()));
        let url = Arc::clone(&own);
        let (challenge, token) = (challenge.to_owned(), token.to_owned());
        let site = Site::start(move |path| {
            if path.starts_with("/token") {
                return Reply::of("application/json", token.clone());
            }
            let own = url.lock().expect("no panic").clone();
            Reply::status(401).with("WWW-Authenticate", &challenge.replace("{own}", &own))
        });
        *own.lock().expect("no panic") = site.url("/");
        refused(&desk, &reference(&site, "1.2.3"), 4, words);
        assert!(site.requests().len() <= 3, "{:?}", site.requests());
    }
}

#[test]
fn a_token_is_not_passed_on_by_a_redirect() {
    let desk = Desk::new();
    // As content delivery networks behind registries: they refuse a token of the registry.
    let delivery = Site::asked(|asked| match asked.field("authorization") {
        Some(_) => Reply::status(400),
        None => Reply::of(LAYER, ordinary()),
    });
    let (blob, own) = (delivery.url("/blob"), Arc::new(Mutex::new(String::new())));
    let url = Arc::clone(&own);
    let site = Site::asked(move |asked| {
        if asked.path.starts_with("/token") {
            return Reply::of("application/json", r#"{"access_token":"abc"}"#);
        }
        if asked.field("authorization") != Some("Bearer abc") {
            let own = url.lock().expect("no panic").clone();
            return Reply::status(401).with("WWW-Authenticate", &format!("Bearer realm={own}token"));
        }
        match asked.path.contains("/manifests/") {
            true => Reply::of(MANIFEST, manifest(&ordinary()).to_string()),
            false => Reply::redirect(&blob),
        }
    });
    *own.lock().expect("no panic") = site.url("/");
    desk.add(&reference(&site, "1.2.3")).ends(0);
}

#[test]
fn urls_are_downloaded_within_limits() {
    let desk = Desk::new();
    let site = Site::start(|path| match path {
        "/ordinary.wasm" | "/moved.wasm" => Reply::of("application/octet-stream", ordinary()),
        "/redirect" => Reply::redirect("/moved.wasm"),
        "/circle" => Reply::redirect("/circle"),
        "/out" => Reply::redirect("file:///etc/passwd"),
        "/private" => Reply::redirect("http://10.1.2.3/ordinary.wasm"),
        "/page" => Reply::html("<title>Login</title>"),
        "/large" => Reply::of("application/wasm", vec![0; (128 << 20) + 1]),
        "/forbidden" => Reply::status(403),
        "/busy" => Reply::status(503),
        _ => Reply::status(404),
    });
    for (path, code, words) in [
        ("/missing", 4, "answered with status 404"),
        ("/forbidden", 4, "only public files"),
        ("/busy", 4, "try again later"),
        ("/circle", 4, "form a loop"),
        ("/out", 4, "only http and https are followed"),
        ("/private", 4, "network.allow_addresses"),
        ("/page", 3, "this is not a WebAssembly file"),
        ("/large", 4, "has more than 134217728 bytes"),
    ] {
        refused(&desk, &site.url(path), code, words);
    }
    // The addresses that settings allow are for downloads too.
    desk.fails(4, &format!("plugin add {} -w ws", site.url("/ordinary.wasm")))
        .says(["is refused", "network.allow_addresses"]);

    let added = desk
        .add(&format!("{} --json", site.url("/redirect")))
        .ends(0)
        .last();
    assert_eq!(added["change"], "added");
    assert_eq!(added["source"], site.url("/redirect"));
    assert_eq!(desk.component(), ordinary());
}
