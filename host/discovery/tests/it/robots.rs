//! robots.txt: the cases of the standard and of Google in an own table, the shared sets, and
//! hostile files.

use std::time::Duration;

use magpie_discovery::{ROBOTS_BYTES, Robots, RobotsProblem};
use magpie_test_support::cost::assert_linear;
use proptest::prelude::*;

/// The path and query that a URL asks for.
fn request_of(url: &str) -> String {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    match after_scheme.find('/') {
        Some(at) => after_scheme[at..]
            .split('#')
            .next()
            .unwrap_or_default()
            .to_owned(),
        None => "/".to_owned(),
    }
}

#[test]
fn our_table() {
    let table = include_str!("data/robots-cases.txt");
    let (mut asked, mut cases) = (0, 0);
    for case in table.split("\n> ").skip(1) {
        let (name, lines) = case.split_once('\n').expect("a case has lines");
        let file: Vec<&str> = lines
            .lines()
            .filter_map(|line| line.strip_prefix('|'))
            .map(str::trim)
            .collect();
        let file = file.join("\n").replace("\\u{30C4}", "\u{30C4}");
        let robots = Robots::parse(file.as_bytes());
        cases += 1;
        for line in lines.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            if let [word @ ("yes" | "no"), agent, path] = words[..] {
                let rules = robots.rules(agent);
                let verdict = rules.judge(path);
                assert_eq!(
                    verdict.allowed,
                    word == "yes",
                    "{name}: {agent} {path}: {verdict}"
                );
                asked += 1;
            }
        }
    }
    assert!(
        cases > 50 && asked > 150,
        "{cases} cases, {asked} questions: the table was not read"
    );
}

#[test]
fn line_numbers_explain() {
    let file = "User-agent: *\r\n# a comment\r\nDisallow: /private # not yours\r\rAllow: /private/door\n";
    let rules = Robots::parse(file.as_bytes()).rules("magpie");
    assert_eq!(
        rules.judge("/private/x").to_string(),
        "robots.txt forbids it in line 3 (Disallow: /private)"
    );
    assert_eq!(
        rules.judge("/private/door").to_string(),
        "robots.txt allows it in line 5 (Allow: /private/door)"
    );
    assert_eq!(rules.judge("/").to_string(), "no rule of robots.txt matches it");
}

#[test]
fn delays_and_sitemaps() {
    let file = "Sitemap: https://a.example/1.xml\nuser-agent: a\ncrawl-delay: 2.5\nuser-agent: *\ncrawl-delay: 1e99\n\
                disallow: /x\nsitemap:/2.xml\nSITEMAP: https://a.example/1.xml\n";
    let robots = Robots::parse(file.as_bytes());
    assert_eq!(robots.sitemaps(), ["https://a.example/1.xml", "/2.xml"]);
    assert_eq!(robots.rules("a").crawl_delay(), Some(Duration::from_secs(86_400)));
    for wrong in ["-1", "NaN", "soon", ""] {
        let file = format!("user-agent: *\ncrawl-delay: {wrong}\n");
        assert_eq!(
            Robots::parse(file.as_bytes()).rules("a").crawl_delay(),
            None,
            "{wrong}"
        );
    }
}

#[test]
fn byte_order_marks_and_binary_junk() {
    let file = "\u{feff}User-agent: *\nDisallow: /x\n";
    assert!(!Robots::parse(file.as_bytes()).rules("a").allows("/x"));
    for swap in [false, true] {
        let units = file.encode_utf16().flat_map(|unit| {
            if swap {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        });
        assert!(!Robots::parse(&units.collect::<Vec<u8>>()).rules("a").allows("/x"));
    }
    let junk: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    assert!(Robots::parse(&junk).rules("a").allows("/x"));
    let mut mixed = b"user-agent: *\ndisallow: /\xff\xfe\ndisallow: /y\n".to_vec();
    mixed.extend(&junk);
    let rules = Robots::parse(&mixed).rules("a");
    assert!(!rules.allows("/y") && !rules.allows("/%FF%FEz") && rules.allows("/x"));
}

#[test]
fn what_is_beyond_the_limit_does_not_count() {
    let mut file = b"user-agent: *\ndisallow: /early\n".to_vec();
    file.resize(ROBOTS_BYTES - 8, b'\n');
    file.extend(b"disallow: /late\n");
    let robots = Robots::parse(&file);
    assert!(!robots.rules("a").allows("/early"));
    assert!(robots.rules("a").allows("/late"));
    assert!(
        robots.rules("a").allows("/other"),
        "a line that the limit cuts is no rule"
    );
    assert_eq!(robots.problems(), [RobotsProblem::TooLong(file.len())]);
}

#[test]
fn a_web_page_is_noticed() {
    let robots = Robots::parse(b"\n<!doctype html><title>User-agent: *</title>\nDisallow: /\n");
    assert!(robots.rules("a").allows("/"));
    assert!(robots.problems().contains(&RobotsProblem::LooksLikeHtml));
}

#[test]
fn hostile_files_take_linear_time() {
    let path = format!("/{}", "a".repeat(2_000));
    for (start, repeated) in [
        ("", "user-agent: *\n"),
        ("", "user-agent: a\ndisallow: /\n"),
        ("user-agent: *\n", "disallow: /a*b*c*d$\n"),
        ("user-agent: *\ndisallow: /", "*a"),
        ("", "sitemap: https://a.example/\n"),
        ("", "sitemap: /#\n"),
        ("", "\r"),
        ("", ":"),
        ("", "#"),
    ] {
        assert_linear(repeated, |size| {
            let times = ROBOTS_BYTES * size / 8 / repeated.len();
            let numbered = (0..times).map(|number| repeated.replace("/#", &format!("/{number}")));
            let file: String = std::iter::once(start.to_owned()).chain(numbered).collect();
            let robots = Robots::parse(file.as_bytes());
            let rules = robots.rules("a");
            for _ in 0..3 {
                let _ = rules.judge(&path);
            }
        });
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..2_000), path in ".*") {
        let robots = Robots::parse(&bytes);
        let _ = robots.rules("magpie").judge(&path).to_string();
    }

    /// The greedy matcher agrees with one that tries everything.
    #[test]
    fn wildcards_mean_what_they_say(pattern in "/[ab*]{0,8}\\$?", path in "/[ab]{0,10}") {
        let file = format!("user-agent: *\ndisallow: {pattern}\n");
        let allowed = Robots::parse(file.as_bytes()).rules("magpie").allows(&path);
        prop_assert_eq!(!allowed, matches_slowly(pattern.as_bytes(), path.as_bytes()), "{} {}", pattern, path);
    }
}

/// Keeps every place of the path that the pattern so far can end at.
fn matches_slowly(pattern: &[u8], path: &[u8]) -> bool {
    let mut ends = vec![false; path.len() + 1];
    ends[0] = true;
    for (at, letter) in pattern.iter().enumerate() {
        ends = match letter {
            b'$' if at + 1 == pattern.len() => return ends[path.len()],
            b'*' => (0..=path.len()).map(|end| ends[..=end].contains(&true)).collect(),
            _ => (0..=path.len())
                .map(|end| end > 0 && ends[end - 1] && path[end - 1] == *letter)
                .collect(),
        };
    }
    ends.contains(&true)
}

/// Cases of Google's matcher that the standard decides otherwise, or that are specific to Google,
/// each with its reason.
const DEVIATIONS: [(&str, &str); 4] = [
    (
        "ID_Encoding#3",
        "an unescaped character beyond ASCII is the same as its escape (section 2.2.2)",
    ),
    (
        "ID_Encoding#5",
        "an unescaped character beyond ASCII is the same as its escape (section 2.2.2)",
    ),
    (
        "ID_Encoding#6",
        "an escape of a letter is the same as the letter (section 2.2.2)",
    ),
    (
        "GoogleOnly_IndexHTMLisDirectory",
        "a rule about index.html is not about its folder",
    ),
];

#[test]
fn published_cases() {
    let Some(folder) = magpie_test_support::data::find("robots-cases") else {
        return;
    };
    for file in ["robots-google.json", "robots-rfc9309.json"] {
        let text = std::fs::read_to_string(folder.join(file)).expect("readable");
        let rows: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
        let (mut passed, mut deviating) = (0, Vec::new());
        for row in &rows {
            let field = |name: &str| row[name].as_str().unwrap_or_default();
            let name = field("name");
            let rules = Robots::parse(field("robots_txt").as_bytes()).rules(field("agent"));
            let verdict = rules.judge(&request_of(field("url")));
            if Some(verdict.allowed) == row["allowed"].as_bool() {
                passed += 1;
            } else {
                deviating.push(name.to_owned());
            }
        }
        println!(
            "{file}: {passed} of {} cases passed, accepted deviations {deviating:?}",
            rows.len()
        );
        for name in &deviating {
            let is_accepted = DEVIATIONS.iter().any(|(known, _)| name.starts_with(known));
            assert!(is_accepted, "{file}: {name}");
        }
    }
}

#[test]
fn real_files_are_read() {
    let Some(folder) = magpie_test_support::data::find("robots-real") else {
        return;
    };
    let files = magpie_test_support::data::files(&folder, ".txt");
    let (mut rules, mut sitemaps, mut delays) = (0, 0, 0);
    for path in &files {
        let bytes = std::fs::read(path).expect("readable");
        let robots = Robots::parse(&bytes);
        let ours = robots.rules("magpie");
        for path in ["/", "/a/b/c?d=e", "/index.php?option=com&view=category&id=7"] {
            let _ = ours.judge(path);
        }
        rules += ours.len();
        sitemaps += robots.sitemaps().len();
        delays += usize::from(ours.crawl_delay().is_some());
    }
    println!(
        "robots-real: {} files, {rules} rules for us, {sitemaps} sitemaps, {delays} delays",
        files.len()
    );
    assert!(rules > files.len(), "most files have rules");
}

/// Cases of the matcher's own tests other than verdicts: lines, byte order marks, sitemaps.
#[test]
fn published_files() {
    let Some(folder) = magpie_test_support::data::find("robots-cases") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("robots-google-extra.json")).expect("readable");
    let cases: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let files = cases["parse"].as_array().expect("a list");
    for case in files {
        let hex = case["robots_txt_hex"].as_str().expect("a file");
        let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal");
        let file: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
        let robots = Robots::parse(&file);
        let shown = file.escape_ascii().to_string();
        if let Some(line) = case["last_line_seen"].as_u64() {
            let rules = robots.rules("bar");
            let last = rules.judge("/").rule.map(|rule| u64::from(rule.line));
            assert_eq!(last, Some(line), "{shown}");
        }
        if let Some(sitemap) = case["sitemap"].as_str() {
            assert_eq!(robots.sitemaps(), [sitemap], "{shown}");
        }
    }
    let escapes = cases["escape_pattern"].as_array().expect("a list");
    for case in escapes {
        let field = |name: &str| case[name].as_str().unwrap_or_default();
        let file = format!("User-agent: *\nDisallow: /{}\n", field("pattern"));
        assert!(
            !Robots::parse(file.as_bytes())
                .rules("a")
                .allows(&format!("/{}", field("escaped")))
        );
    }
    println!(
        "robots-google-extra: {} files and {} patterns passed",
        files.len(),
        escapes.len()
    );
}

/// A rule of the simple reading below: whether it allows, and its pattern.
type SimpleRule = (bool, Vec<u8>);

/// RFC 9309 implemented literally, line by line and without the tolerance of `Robots::parse`: the
/// rules of the groups for all robots.
fn rules_for_all(text: &str) -> Vec<SimpleRule> {
    let (mut rules, mut names_agents, mut is_for_all) = (Vec::new(), false, false);
    for line in text.split(['\r', '\n']) {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let value = value.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "user-agent" => {
                is_for_all = value == "*" || (names_agents && is_for_all);
                names_agents = true;
            }
            rule @ ("allow" | "disallow") => {
                names_agents = false;
                if is_for_all && !value.is_empty() {
                    rules.push((rule == "allow", value.as_bytes().to_vec()));
                }
            }
            _ => {}
        }
    }
    rules
}

fn allows_simply(rules: &[SimpleRule], path: &str) -> bool {
    let matching = rules
        .iter()
        .filter(|(_, pattern)| matches_slowly(pattern, path.as_bytes()));
    matching
        .max_by_key(|(allow, pattern)| (pattern.len(), *allow))
        .is_none_or(|(allow, _)| *allow)
}

/// Two parsers agree on real files that are written by the standard. The tested paths are those
/// that the rules name, so that each rule is met.
#[test]
fn real_files_mean_what_a_simple_reader_takes_them_for() {
    let Some(folder) = magpie_test_support::data::find("robots-real") else {
        return;
    };
    let (mut agreed, mut left_out, mut differing) = (0, 0, Vec::new());
    for path in magpie_test_support::data::files(&folder, ".txt") {
        let bytes = std::fs::read(&path).expect("readable");
        // Escapes, marks and misspelt keys are what the two are meant to differ in.
        let Ok(text) = String::from_utf8(bytes) else {
            left_out += 1;
            continue;
        };
        let simple = rules_for_all(&text);
        let ours = Robots::parse(text.as_bytes()).rules("*");
        let is_plain = |(_, pattern): &SimpleRule| {
            pattern.starts_with(b"/")
                && pattern
                    .iter()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"/.-_*$?=&".contains(byte))
        };
        if !text.is_ascii() || simple.len() != ours.len() || !simple.iter().all(is_plain) {
            left_out += 1;
            continue;
        }
        for (_, pattern) in simple.iter().take(50) {
            let request = String::from_utf8_lossy(pattern).replace(['*', '$'], "x");
            for request in [request.clone(), format!("{request}/more?a=b")] {
                if request.split('?').next() == Some("/robots.txt")
                    || ours.allows(&request) == allows_simply(&simple, &request)
                {
                    agreed += 1;
                } else {
                    differing.push(format!("{}: {request}", path.display()));
                }
            }
        }
    }
    println!(
        "robots-real: two readers agree on {agreed} paths; {left_out} files are beyond the simple one; differing {differing:#?}"
    );
    assert!(differing.is_empty() && agreed > 10_000, "{agreed}");
}
