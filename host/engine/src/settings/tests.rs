use std::path::PathBuf;
use std::time::Duration;

use super::*;

fn file(text: &str) -> Layer {
    Layer::file(&origin(), text).unwrap()
}

fn origin() -> Origin {
    Origin::Workspace(PathBuf::from("magpie.toml"))
}

fn refused(text: &str) -> String {
    let layer = Layer::file(&origin(), text);
    layer
        .and_then(|layer| Resolved::new(&[layer]))
        .unwrap_err()
        .to_string()
}

#[test]
fn later_layers_win_and_are_named() {
    let user = Layer::file(
        &Origin::User(PathBuf::from("user.toml")),
        "[politeness]\ndelay = \"3s\"\nrequests = 2\n",
    );
    let variables = [
        ("MAGPIE_POLITENESS_DELAY", "250ms"),
        ("MAGPIE_CACHE_DIR", "/tmp"),
        ("HOME", "/root"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut flags = Layer::default();
    flags.flag("--pages", "scope.pages", Raw::Text("7".to_owned()));
    let workspace = file("[politeness]\ndelay = \"2s\"\n[scope]\nsite = \"domain\"\n");
    let resolved = Resolved::new(&[user.unwrap(), workspace, Layer::environment(variables), flags]).unwrap();

    let settings = &resolved.settings;
    assert_eq!(settings.politeness.delay, Duration::from_millis(250));
    assert_eq!(settings.politeness.requests, 2);
    assert_eq!(settings.scope.site, SiteBoundary::Domain);
    assert_eq!(settings.scope.pages, 7);
    let place = |key: &str| {
        let shown = resolved
            .list()
            .into_iter()
            .find(|shown| shown.definition.key() == key);
        shown.unwrap().place.to_string()
    };
    assert_eq!(place("politeness.delay"), "$MAGPIE_POLITENESS_DELAY");
    assert_eq!(place("politeness.requests"), "user.toml, line 3");
    assert_eq!(place("scope.site"), "magpie.toml, line 4");
    assert_eq!(place("scope.pages"), "--pages");
    assert_eq!(place("scope.depth"), "default");
}

#[test]
fn the_proxy_comes_from_the_variables_of_other_programs_unless_a_setting_names_one() {
    let of = |pairs: &[(&str, &str)], text: &str| {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let layers = [Layer::proxy_environment(pairs), file(text)];
        Resolved::new(&layers).map(|resolved| resolved.settings.network)
    };
    let proxy = |pairs: &[(&str, &str)]| of(pairs, "").unwrap().proxy;
    assert_eq!(proxy(&[("http_proxy", "http://a:1")]), "http://a:1");
    assert_eq!(proxy(&[("HTTP_PROXY", "http://a:1")]), "");
    assert_eq!(
        proxy(&[("http_proxy", "http://a:1"), ("HTTPS_PROXY", "b:2")]),
        "http://b:2"
    );
    assert_eq!(
        proxy(&[("https_proxy", " "), ("ALL_PROXY", "socks5h://c:3")]),
        "socks5h://c:3"
    );

    let network = of(
        &[("https_proxy", "b:2"), ("no_proxy", "localhost, 10.0.0.0/8")],
        "",
    )
    .unwrap();
    assert_eq!(network.no_proxy, ["localhost", "10.0.0.0/8"]);
    let own = "network.proxy = \"http://own:4\"";
    assert_eq!(of(&[("https_proxy", "b:2")], own).unwrap().proxy, "http://own:4");
    assert_eq!(
        of(&[("https_proxy", "b:2")], "network.proxy = \"\"")
            .unwrap()
            .proxy,
        ""
    );
    let error = of(&[("https_proxy", "gopher://b:2")], "")
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("$https_proxy: `network.proxy`: "), "{error}");
}

#[test]
fn lists_come_with_commas_or_as_in_a_file_and_patterns_may_begin_with_a_bracket() {
    let cases: [(&str, &[&str]); 6] = [
        ("", &[]),
        ("*/a/*, */b/*", &["*/a/*", "*/b/*"]),
        (r#"["*/a,b/*", "*/c/*"]"#, &["*/a,b/*", "*/c/*"]),
        (r#" ["*/a/*"] "#, &["*/a/*"]),
        ("[0-9]+", &["[0-9]+"]),
        ("[7]", &["[7]"]),
    ];
    for (text, expected) in cases {
        let read: Option<Vec<String>> = Value::read(&Raw::Text(text.to_owned()));
        assert_eq!(read.expect(text), expected, "{text}");
    }
}

#[test]
fn a_flag_without_a_group_is_named_as_it_was_written() {
    for key in ["politeness", "nope"] {
        let mut flags = Layer::default();
        flags.flag("--set", key, Raw::Text("1".to_owned()));
        let refused = Resolved::new(&[flags]).unwrap_err().to_string();
        let expected = format!("--set: there is no setting `{key}`; `magpie config` lists all settings");
        assert_eq!(refused, expected);
    }
    for (key, group) in [
        ("site.\"a.example\".access.user", "site"),
        ("vertical.books.x", "vertical"),
    ] {
        let mut flags = Layer::default();
        flags.flag("--set", key, Raw::Text("1".to_owned()));
        let refused = Resolved::new(&[flags]).unwrap_err().to_string();
        let expected = format!(
            "--set: `{key}` can't be set by a flag: it is for one {group}; set it in magpie.toml, below `[{group}.\"NAME\"]`"
        );
        assert_eq!(refused, expected);
    }
}

#[test]
fn a_site_has_its_own_and_shares_the_rest() {
    let resolved = Resolved::new(&[
        file("[site.\"Example.org\".politeness]\ndelay = \"5s\"\n[site.\"shop.example.org\".access]\nuser = \"me\"\n"),
        file("[politeness]\nrequests = 3\n"),
    ])
    .unwrap();
    let at = |host: &str| resolved.for_host(host).politeness.clone();
    assert_eq!(at("www.example.org").delay, Duration::from_secs(5));
    assert_eq!(
        at("www.example.org").requests,
        3,
        "a site has the common value of what it does not set"
    );
    assert_eq!(at("example.net").delay, Duration::from_secs(1));
    assert_eq!(resolved.for_host("shop.example.org").access.user, "me");
    assert_eq!(resolved.for_host("example.org").access.user, "");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let cases = [
        (
            "[politness]\ndelay = \"1s\"",
            "magpie.toml, line 2: there is no setting `politness.delay`; did you mean `politeness.delay`?",
        ),
        (
            "delay = \"1s\"",
            "magpie.toml, line 1: there is no setting `delay`; did you mean `politeness.delay`?",
        ),
        (
            "[crawl]\nfrobnicate = 1",
            "magpie.toml, line 2: there is no setting `crawl.frobnicate`; `magpie config` lists all settings",
        ),
        (
            "[politeness]\nmost_delay = \"1m\"",
            "magpie.toml, line 2: `politeness.most_delay` was renamed to `politeness.max_delay`; use the new name",
        ),
        (
            "[politeness]\n\ndelay = 5",
            "magpie.toml, line 3: invalid value `5` for `politeness.delay`: expected a duration with a unit, such as \"250ms\", \
             \"1.5s\", \"10m\", \"2h\" or \"7d\"",
        ),
        (
            "[politeness]\nrequests = 0",
            "magpie.toml, line 2: invalid value `0` for `politeness.requests`: expected 1 to 256",
        ),
        (
            "[politeness]\nrobots = \"maybe\"",
            "magpie.toml, line 2: invalid value `maybe` for `politeness.robots`: expected \"obey\" or \"ignore\"",
        ),
        (
            "[network]\nallow_addresses = [\"127.0.0.0/8\", \"home\"]",
            "magpie.toml, line 2: invalid value `home` for `network.allow_addresses`: expected an address range, such as \
             \"127.0.0.0/8\" or \"::1/128\"",
        ),
        (
            "[network]\n\nproxy = \"gopher://a.example\"",
            "magpie.toml, line 3: `network.proxy`: invalid proxy scheme `gopher`: expected http, https or socks5",
        ),
        (
            "[network]\nresolve = [\"a.example\"]",
            "magpie.toml, line 2: `network.resolve`: invalid value `a.example`: expected host:port:address, such as \
             example.org:443:127.0.0.1",
        ),
        (
            "[access]\nuser = \"me\"",
            "magpie.toml, line 2: `access.user` is for one site; set it below `[site.\"example.org\".access]`",
        ),
        (
            "[site.\"a.example\".network]\nconnections = 1",
            "magpie.toml, line 2: `network.connections` can't differ between sites; set it outside of `[site.…]`",
        ),
        (
            "[site.\"a.example\".watch]\ninterval = \"1m\"",
            "magpie.toml, line 2: `watch.interval` can't differ between sites; set it outside of `[site.…]`",
        ),
        (
            "[site]\nexample = 1",
            "magpie.toml, line 2: `site.example` is not a table; write `[site.\"example\".politeness]` and the settings below it",
        ),
        (
            "[site.\"a.example\".access]\npassword = 12345",
            "magpie.toml, line 2: invalid value for `access.password`: expected a text in quotes",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refused(text), expected, "{text}");
    }
    let known = Settings::definitions();
    for (old, new) in RENAMED {
        assert!(known.iter().any(|setting| setting.key() == new), "{new}");
        assert!(known.iter().all(|setting| setting.key() != old), "{old}");
    }
    // The rest of each message is worded by the parsers.
    let begins = [
        ("[politeness\ndelay = 1", "magpie.toml, line 1: "),
        (
            "[scope]\nexclude = [\"(\"]",
            "magpie.toml, line 2: `scope.exclude`: invalid exclude pattern: ",
        ),
        (
            "[scope]\ninclude = [\"/a\"]\n[site.\"a.example\".scope]\ninclude = [\"(\"]",
            "magpie.toml, line 4: `scope.include`: invalid include pattern: ",
        ),
    ];
    for (text, expected) in begins {
        let refused = refused(text);
        assert!(refused.starts_with(expected), "{refused}");
    }
}

#[test]
fn a_variable_that_is_no_setting_is_noticed() {
    let names = [
        "MAGPIE_POLITENES_DELAY",
        "MAGPIE_POLITENESS_DELAY",
        "MAGPIE_WORKSPACES",
        "MAGPIE_WORKSPACE",
        "MAGPIE_COLOUR_OF_THE_BIRD",
        "HOME",
    ];
    let strange = strange_variables(names.map(str::to_owned), &["MAGPIE_WORKSPACE"]);
    let expected = [
        ("MAGPIE_POLITENES_DELAY", Some("MAGPIE_POLITENESS_DELAY")),
        ("MAGPIE_WORKSPACES", Some("MAGPIE_WORKSPACE")),
        ("MAGPIE_COLOUR_OF_THE_BIRD", None),
    ];
    let expected = expected.map(|(name, similar)| (name.to_owned(), similar.map(str::to_owned)));
    assert_eq!(strange, expected);
}

#[test]
fn a_site_can_have_a_budget_of_its_own() {
    let resolved =
        Resolved::new(&[file("[site.\"slow.example\".watch]\nsite_budget = \"100/day\"\n")]).unwrap();
    let budget = |host: &str| resolved.for_host(host).watch.site_budget;
    assert_eq!(
        budget("www.slow.example"),
        Some(Budget::pages(100.0, Duration::from_secs(86_400)))
    );
    assert_eq!(budget("quick.example"), Settings::default().watch.site_budget);
    let resolved = Resolved::new(&[file("[watch]\nsite_budget = \"\"\n")]).unwrap();
    assert_eq!(resolved.for_host("quick.example").watch.site_budget, None);
}

#[test]
fn passwords_are_never_shown() {
    let resolved = Resolved::new(&[file(
        "[site.\"a.example\".access]\npassword = \"hunter2\"\ncookies = { id = \"hunter2\" }\n\
         [fetch]\nheaders = { Authorization = \"hunter2\" }\n[network]\nproxy = \"http://me:hunter2@proxy:1\"\n",
    )])
    .unwrap();
    let shown: Vec<_> = resolved.list().into_iter().map(|shown| shown.value).collect();
    assert!(shown.iter().any(|value| value == "(hidden)"), "{shown:?}");
    assert!(!shown.iter().any(|value| value.contains("hunter2")), "{shown:?}");
}

#[test]
fn every_default_is_within_its_bounds_and_can_be_read_back() {
    for definition in Settings::definitions() {
        let text = match definition.group {
            "access" => format!(
                "[site.\"a.example\".{}]\n{} = {}",
                definition.group, definition.name, definition.default
            ),
            group => format!("[{group}]\n{} = {}", definition.name, definition.default),
        };
        let resolved = Resolved::new(&[file(&text)]).unwrap();
        assert_eq!(resolved.settings, Settings::default(), "{text}");
        assert_eq!(*resolved.for_host("a.example"), Settings::default(), "{text}");
    }
}

#[test]
fn the_shipped_file_changes_nothing_and_says_all() {
    let text = shipped_file();
    let resolved = Resolved::new(&[file(&text)]).unwrap();
    assert_eq!(resolved.settings, Settings::default());

    // With every setting's line uncommented it is still valid and means the same.
    let is_setting = |line: &&str| {
        let setting = line
            .strip_prefix('#')
            .filter(|rest| !rest.starts_with([' ', '[']));
        setting.is_some_and(|rest| rest.contains(" = "))
    };
    let all: Vec<_> = text
        .lines()
        .map(|line| match line {
            line if is_setting(&line) || line.starts_with("#[") => &line[1..],
            line => line,
        })
        .collect();
    let uncommented = Resolved::new(&[file(&all.join("\n"))]).unwrap();
    assert_eq!(uncommented.settings, Settings::default());
    let settings = text.lines().filter(is_setting).count();
    assert_eq!(
        settings,
        Settings::definitions().len() + 2,
        "each once, one as an example for a site, and one for a vertical"
    );
}

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

#[test]
fn webhooks_are_read_and_replaced_by_name() {
    let user = file(&format!(
        "[[webhook]]\nurl = 'https://a.example/x'\nsecret = '{SECRET}'\n\
         [[webhook]]\nname = 'b'\nurl = 'https://b.example/'\nsecret = '{SECRET}'\non = ['object.new']\n"
    ));
    let mut workspace = file(&format!(
        "[[webhook]]\nname = 'b'\nurl = 'http://c.example/'\nsecret = '{SECRET}'\nwhere = 'price<20'\n"
    ));
    workspace.webhooks[0].place.origin = Origin::Workspace(PathBuf::from("other.toml"));
    let resolved = Resolved::new(&[user, workspace]).unwrap();
    let [first, second] = resolved.webhooks() else {
        panic!("{:?}", resolved.webhooks());
    };
    assert_eq!(
        (first.name.as_str(), &first.on[..]),
        ("https://a.example/x", &Topic::ALL[..])
    );
    assert_eq!(
        (second.url.as_str(), second.condition.as_str()),
        ("http://c.example/", "price<20")
    );
    assert!(!format!("{:?} {}", resolved.webhooks(), resolved.to_json()).contains(SECRET));
}

#[test]
fn a_webhook_that_cannot_be_used_is_refused_with_its_line() {
    for (text, why) in [
        ("url = 'https://a.example/'", "`secret` is missing"),
        (
            "secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'",
            "`url` is missing",
        ),
        (
            "url = 'file:///etc'\nsecret = 'x'",
            "`url` is no URL that begins with https:// or http://",
        ),
        (
            "url = 'https://a.example/'\nsecret = 'password'",
            "`secret` is not `whsec_`",
        ),
        (
            "url = 'https://a.example/'\nsecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'\non = ['x']",
            "there is no topic `x`",
        ),
        (
            "url = 'https://a.example/'\nsecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'\non = []",
            "`on` is no list of topics",
        ),
        ("urls = 'x'", "there is no key `urls`"),
    ] {
        let refused = refused(&format!("\n[[webhook]]\n{text}\n"));
        assert!(
            refused.contains("line 2: `[[webhook]]`: ") && refused.contains(why),
            "{refused}"
        );
    }
    assert!(refused("[webhook]\nurl = 'x'\n").contains("write `[[webhook]]`"));
}

#[test]
fn settings_of_a_site_hold_for_all_its_ports() {
    for (key, host) in [
        ("example.org", "example.org"),
        ("http://127.0.0.1:8399", "127.0.0.1"),
        ("https://shop.example:8443", "shop.example"),
        ("http://[::1]:80", "[::1]"),
        ("http://[::1]", "[::1]"),
    ] {
        assert_eq!(host_of_site(key), host);
    }
    let text = "[site.\"127.0.0.1\".watch]\npause = true\n";
    let layer = Layer::file(&Origin::Workspace("magpie.toml".into()), text).unwrap();
    let resolved = Resolved::new(&[layer]).unwrap();
    assert!(resolved.for_site("http://127.0.0.1:8399").watch.pause);
    assert!(!resolved.for_site("http://127.0.0.2:8399").watch.pause);
}
