use std::time::Duration;

use proptest::prelude::*;

use super::*;
use magpie_values::Timestamp;

const NOW: Timestamp = Timestamp::from_seconds(1_700_000_000);
const DAY: Duration = Duration::from_secs(86_400);

fn jar() -> CookieJar {
    CookieJar::new(CookieLimits::default())
}

/// Sets a cookie from one URL and asks what another is sent.
fn check(from: &str, field: &str, to: &str, expected: Option<&str>) {
    let mut jar = jar();
    jar.set(&Url::parse(from).unwrap(), field, NOW);
    let sent = jar.field(&Url::parse(to).unwrap(), NOW);
    assert_eq!(sent.as_deref(), expected, "{field} from {from} to {to}");
}

#[test]
fn a_cookie_goes_back_to_its_host_alone() {
    check(
        "http://a.example.org/",
        "b=c",
        "http://a.example.org/",
        Some("b=c"),
    );
    check("http://a.example.org/", "b=c", "http://example.org/", None);
    check("http://example.org/", "b=c", "http://a.example.org/", None);
    check(
        "http://example.org/",
        "b=c",
        "https://example.org:8443/",
        Some("b=c"),
    );
    check("http://192.0.2.1/", "b=c", "http://192.0.2.1/", Some("b=c"));
    check(
        "http://[2001:db8::1]/",
        "b=c; domain=[2001:db8::1]",
        "http://[2001:db8::1]/",
        Some("b=c"),
    );
}

#[test]
fn a_domain_widens_it_within_the_site() {
    check(
        "http://a.example.org/",
        "b=c; domain=example.org",
        "http://d.example.org/",
        Some("b=c"),
    );
    check(
        "http://a.example.org/",
        "b=c; Domain=.Example.ORG",
        "http://example.org/",
        Some("b=c"),
    );
    check(
        "http://a.example.org/",
        "b=c; domain=d.example.org",
        "http://d.example.org/",
        None,
    );
    check(
        "http://a.example.org/",
        "b=c; domain=other.org",
        "http://other.org/",
        None,
    );
    check(
        "http://notexample.org/",
        "b=c; domain=example.org",
        "http://example.org/",
        None,
    );
    check(
        "http://a.example.org/",
        "b=c; domain=",
        "http://a.example.org/",
        Some("b=c"),
    );
}

#[test]
fn public_suffixes_get_none() {
    check(
        "http://a.example.org/",
        "b=c; domain=org",
        "http://other.org/",
        None,
    );
    check(
        "http://shop.co.uk/",
        "b=c; domain=co.uk",
        "http://other.co.uk/",
        None,
    );
    check(
        "http://ann.github.io/",
        "b=c; domain=github.io",
        "http://bob.github.io/",
        None,
    );
    check(
        "http://shop.test/",
        "b=c; domain=test",
        "http://other.test/",
        None,
    );
    // A host that is a suffix itself keeps its own.
    check(
        "http://github.io/",
        "b=c; domain=github.io",
        "http://github.io/",
        Some("b=c"),
    );
    check(
        "http://github.io/",
        "b=c; domain=github.io",
        "http://bob.github.io/",
        None,
    );
}

#[test]
fn addresses_have_no_domains() {
    check("http://192.0.2.1/", "b=c; domain=2.1", "http://192.0.2.1/", None);
    check(
        "http://192.0.2.1/",
        "b=c; domain=192.0.2.1",
        "http://192.0.2.1/",
        Some("b=c"),
    );
}

#[test]
fn paths_are_whole_segments() {
    check("http://a.org/b/c", "d=e", "http://a.org/b/f", Some("d=e"));
    check("http://a.org/b/c", "d=e", "http://a.org/b", Some("d=e"));
    check("http://a.org/b/c", "d=e", "http://a.org/bc", None);
    check("http://a.org/b/c", "d=e; path=/", "http://a.org/", Some("d=e"));
    check("http://a.org/b", "d=e", "http://a.org/", Some("d=e"));
    check("http://a.org/", "d=e; path=/b/", "http://a.org/b", None);
    check(
        "http://a.org/b/",
        "d=e; path=nonsense",
        "http://a.org/b/",
        Some("d=e"),
    );
}

#[test]
fn secure_cookies_stay_encrypted() {
    check("https://a.org/", "b=c; Secure", "https://a.org/", Some("b=c"));
    check("https://a.org/", "b=c; Secure", "http://a.org/", None);
    check("http://a.org/", "b=c; Secure", "https://a.org/", None);
    let mut jar = jar();
    let (safe, unsafe_) = (
        Url::parse("https://a.org/").unwrap(),
        Url::parse("http://a.org/").unwrap(),
    );
    assert!(jar.set(&safe, "b=c; secure", NOW));
    assert!(!jar.set(&unsafe_, "b=evil", NOW));
    assert_eq!(jar.field(&safe, NOW).as_deref(), Some("b=c"));
}

#[test]
fn names_that_promise_are_held_to_it() {
    check("https://a.org/", "__Secure-b=c", "https://a.org/", None);
    check(
        "https://a.org/",
        "__Secure-b=c; secure",
        "https://a.org/",
        Some("__Secure-b=c"),
    );
    check(
        "https://a.org/",
        "__Host-b=c; secure; path=/",
        "https://a.org/",
        Some("__Host-b=c"),
    );
    check(
        "https://a.org/",
        "__Host-b=c; secure; path=/; domain=a.org",
        "https://a.org/",
        None,
    );
    check(
        "https://a.org/",
        "=__Host-b=c; secure; path=/",
        "https://a.org/",
        None,
    );
}

#[test]
fn lifetimes_end() {
    let url = Url::parse("http://a.org/").unwrap();
    let mut jar = jar();
    jar.set(&url, "a=1; max-age=10", NOW);
    jar.set(&url, "b=2; expires=Wed, 15 Nov 2023 00:00:00 GMT", NOW);
    jar.set(
        &url,
        "c=3; expires=Wed, 15 Nov 2023 00:00:00 GMT; max-age=99999999999999999999",
        NOW,
    );
    jar.set(&url, "d=4; expires=nonsense; max-age=soon", NOW);
    assert_eq!(
        jar.field(&url, NOW + Duration::from_millis(9999)).as_deref(),
        Some("a=1; b=2; c=3; d=4")
    );
    assert_eq!(
        jar.field(&url, NOW + Duration::from_secs(10)).as_deref(),
        Some("b=2; c=3; d=4")
    );
    assert_eq!(jar.field(&url, NOW + DAY * 7).as_deref(), Some("c=3; d=4"));
    assert_eq!(jar.field(&url, NOW + DAY * 401).as_deref(), Some("d=4"));
    for (field, left) in [
        ("a=1; max-age=0", 3),
        ("c=3; max-age=-1", 2),
        ("b=; expires=Thu, 01 Jan 1970 00:00:00 GMT", 1),
    ] {
        assert!(!jar.set(&url, field, NOW));
        assert_eq!(jar.len(), left, "{field}");
    }
}

#[test]
fn longer_paths_and_older_cookies_come_first() {
    let url = Url::parse("http://a.org/b/c").unwrap();
    let mut jar = jar();
    jar.set(&url, "one=1; path=/", NOW);
    jar.set(&url, "two=2; path=/b", NOW + Duration::from_millis(1));
    jar.set(&url, "three=3; path=/", NOW + Duration::from_millis(2));
    jar.set(&url, "one=4; path=/", NOW + Duration::from_millis(3));
    assert_eq!(
        jar.field(&url, NOW + Duration::from_millis(4)).as_deref(),
        Some("two=2; one=4; three=3")
    );
}

#[test]
fn fields_that_are_no_cookies_are_left_out() {
    for field in [
        "",
        "=",
        ";a=b",
        "a=b\x01",
        "a\x7f=b",
        &format!("a={}", "b".repeat(4096)),
    ] {
        check("http://a.org/", field, "http://a.org/", None);
    }
    check("http://a.org/", "just text", "http://a.org/", Some("just text"));
    check(
        "http://a.org/",
        " a = b c = d ;",
        "http://a.org/",
        Some("a=b c = d"),
    );
    check("http://a.org/", "a=", "http://a.org/", Some("a="));
}

#[test]
fn cookies_without_end_push_out_the_oldest() {
    let url = Url::parse("http://a.org/").unwrap();
    let mut jar = jar();
    for turn in 0..10_000 {
        jar.set(
            &url,
            &format!("name{turn}=value"),
            NOW + Duration::from_millis(turn),
        );
    }
    assert_eq!(jar.len(), CookieLimits::PER_SITE);
    let field = jar.field(&url, NOW).unwrap();
    assert!(field.starts_with("name9950=value; ") && field.ends_with("name9999=value"));
    for turn in 0..100 {
        jar.set(&url, &format!("large{turn}={}", "v".repeat(4000)), NOW);
    }
    assert!(jar.field(&url, NOW).unwrap().len() <= CookieLimits::SITE_BYTES + 200);
}

#[test]
fn sites_without_end_push_out_the_oldest() {
    let mut jar = CookieJar::new(CookieLimits {
        total: 100,
        ..CookieLimits::default()
    });
    let url = |turn: usize| Url::parse(&format!("http://site{turn}.org/")).unwrap();
    for turn in 0..1000 {
        jar.set(&url(turn), "a=b", NOW);
    }
    assert_eq!(jar.len(), 100);
    assert_eq!(jar.field(&url(899), NOW), None);
    assert_eq!(jar.field(&url(900), NOW).as_deref(), Some("a=b"));
}

#[test]
fn rows_bring_everything_back() {
    let url = Url::parse("https://shop.example.org/a/b").unwrap();
    let mut jar = jar();
    for field in ["a=1", "b=2; domain=example.org; path=/; secure", "c=3; max-age=5"] {
        jar.set(&url, field, NOW);
    }
    let mut again = CookieJar::new(CookieLimits::default());
    again.import(jar.export(NOW), NOW);
    assert_eq!(again.export(NOW), jar.export(NOW));
    assert_eq!(again.field(&url, NOW), jar.field(&url, NOW));
    assert_eq!(jar.export(NOW + Duration::from_secs(5)).len(), 2);
    assert!(!format!("{again:?}").contains("value: "), "values are not shown");
}

proptest! {
    #[test]
    fn the_jar_counts_right_whatever_comes(fields in prop::collection::vec(
        ("[a-c]{0,2}", "[a-z=; ]{0,40}", prop::sample::select(vec![
            "", "; domain=example.org", "; path=/a", "; secure", "; max-age=0", "; max-age=9",
        ]), 0..4usize), 0..80)) {
        let limits = CookieLimits { per_site: 3, site_bytes: 60, total: 5, total_bytes: 100 };
        let mut jar = CookieJar::new(limits);
        let urls = ["http://example.org/a/b", "https://a.example.org/", "http://other.org/", "http://192.0.2.1/"];
        for (turn, (name, value, attribute, which)) in fields.iter().enumerate() {
            let url = Url::parse(urls[*which]).unwrap();
            jar.set(&url, &format!("{name}={value}{attribute}"), NOW + Duration::from_secs(turn as u64));
            let kept: Vec<&Cookie> = jar.sites.values().flat_map(|site| &site.cookies).collect();
            prop_assert_eq!(kept.len(), jar.len());
            prop_assert_eq!(kept.iter().map(|cookie| cookie.bytes()).sum::<usize>(), jar.bytes);
            prop_assert!(jar.len() <= 5 && jar.bytes <= 100);
            prop_assert!(jar.sites.values().all(|site| !site.cookies.is_empty() && site.cookies.len() <= 3));
        }
    }
}
