//! Published cases of resolving and normalising URLs, beyond those of `canonical.rs`: those of
//! browsers and of two crawlers.

use magpie_discovery::{CanonicalSettings, Canonicaliser, LinkBase, LinkCache};
use serde_json::Value;
use url::Url;

/// A canonicaliser that changes only the spelling of URLs.
fn canonicaliser() -> Canonicaliser {
    Canonicaliser::new(&CanonicalSettings {
        drop_tracking: false,
        drop_session_ids: false,
        order_keys: false,
        ..CanonicalSettings::default()
    })
}

fn canonical(text: &str, base: Option<&Url>) -> Option<String> {
    let canonical = canonicaliser().canonicalise_text(text, base).ok()?;
    Some(canonical.url.to_string())
}

fn json(folder: &std::path::Path, file: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(file)).expect("readable");
    serde_json::from_str(&text).expect("JSON")
}

/// A link and the URL that browsers make of it have the same canonical form, also through the
/// cache. URLs that browsers refuse have none.
#[test]
fn browsers_addresses() {
    let Some(folder) = magpie_test_support::data::find("url-tests") else {
        return;
    };
    let (mut passed, mut refused, mut failed) = (0, 0, Vec::new());
    for case in json(&folder, "wpt/urltestdata.json").as_array().expect("a list") {
        let Some(input) = case["input"].as_str() else {
            continue;
        };
        let base = case["base"].as_str().and_then(|base| Url::parse(base).ok());
        let expected = case["href"].as_str().and_then(|href| canonical(href, None));
        let found = canonical(input, base.as_ref());
        // Browsers treat any number of slashes as two. The parser used here does so after a scheme;
        // without one it finds no host.
        let is_refused = input.starts_with("///") && found.is_none();
        if found == expected {
            passed += 1;
        } else if is_refused {
            refused += 1;
        } else {
            failed.push(format!("{input:?} on {base:?}: {found:?}, not {expected:?}"));
        }
        if let Some(base) = base.filter(|base| !base.cannot_be_a_base()) {
            let cached = LinkCache::new(8).resolve(input, &LinkBase::new(base), &canonicaliser());
            let found = found.map(|url| magpie_model::UrlFingerprint::of(&url));
            assert_eq!(cached.ok().map(|cached| cached.fingerprint()), found, "{input:?}");
        }
    }
    println!("wpt: {passed} addresses passed, {refused} with three slashes refused, failed {failed:#?}");
    // A known fault. This assertion fails when the parser is mended.
    assert_eq!(refused, 7);
    assert!(failed.is_empty());
}

#[test]
fn links_of_another_crawler() {
    let Some(folder) = magpie_test_support::data::find("url-tests") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("crawler-commons/url-resolve.csv")).expect("readable");
    let rows = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let mut passed = 0;
    for row in rows {
        let fields: Vec<&str> = row
            .split(", ")
            .map(|field| field.trim().trim_matches('"'))
            .collect();
        let [input, base, expected] = fields[..] else {
            panic!("{row:?} has no three fields");
        };
        let base = Url::parse(base).ok();
        assert_eq!(
            canonical(input, base.as_ref()),
            canonical(expected, None),
            "{row:?}"
        );
        passed += 1;
    }
    println!("crawler-commons: {passed} links passed");
    assert!(passed > 20);
}

#[test]
fn dots_in_paths_and_numbers_as_hosts() {
    let Some(folder) = magpie_test_support::data::find("url-tests") else {
        return;
    };
    let (mut passed, mut failed) = (0, Vec::new());
    let mut check = |written: String, expected: Option<String>| {
        let found = canonical(&written, None);
        if found == expected {
            passed += 1;
        } else {
            failed.push(format!("{written:?}: {found:?}, not {expected:?}"));
        }
    };
    let dots = json(&folder, "urlcanon/path_dots.json");
    let is_plain = |path: &str| !path.contains('\\');
    // Theirs are taken as slashes in another step than that for dots, ours in the same.
    let dots = dots["special"]
        .as_object()
        .expect("an object")
        .iter()
        .filter(|(path, _)| is_plain(path));
    for (path, expected) in dots {
        let expected = format!("http://a.example{}", expected.as_str().expect("a text"));
        check(format!("http://a.example{path}"), Some(expected));
    }
    let hosts = json(&folder, "urlcanon/funky_ipv4.json");
    for (host, expected) in hosts.as_object().expect("an object") {
        // What is no address is a name, unless it ends in a number: then it is nothing.
        let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
        let is_number = last.starts_with("0x") || last.bytes().all(|byte| byte.is_ascii_digit());
        let name = Some(host.as_str()).filter(|_| !is_number);
        let expected = expected.as_str().or(name).map(|host| format!("http://{host}/"));
        check(format!("http://{host}/"), expected);
    }
    println!("urlcanon: {passed} passed, failed {failed:#?}");
    assert!(failed.is_empty());
}
