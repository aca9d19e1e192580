//! One misbehaving guest per test: the host's error, its message, and that other pages are not
//! affected.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use magpie_model::{PageContext, Violation, check};
use magpie_page::Page;
use magpie_runtime::{Fault, Level, Limits, LoadError, Plugin, Runtime, RuntimeSettings};
use magpie_tests::{guest, titled};

/// CPU budget: enough for all regular work of the guests, little enough for quick tests.
const BUDGET: Duration = Duration::from_millis(200);

fn runtime() -> Runtime {
    runtime_with(Limits {
        cpu: BUDGET,
        ..Limits::default()
    })
}

fn runtime_with(limits: Limits) -> Runtime {
    let settings = RuntimeSettings {
        limits,
        instances: 8,
        ..RuntimeSettings::default()
    };
    Runtime::new(&settings).expect("the engine starts")
}

fn load(path: &Path) -> Plugin {
    runtime()
        .load(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs a guest on a page that makes it misbehave, and on ordinary pages before and after.
fn fault_of(plugin: &Plugin) -> (Fault, String) {
    assert_still_works(plugin);
    let error = plugin
        .extract(&titled("trouble"))
        .outcome
        .expect_err("the guest misbehaves");
    assert_still_works(plugin);
    let sentence = error.to_string();
    let id = plugin.id();
    assert!(
        sentence.starts_with(&format!("plugin {} 1.2.3 ", id.name)),
        "{sentence}"
    );
    assert!(sentence.ends_with(" on https://example.org/page"), "{sentence}");
    assert!(!error.fault.hint().is_empty());
    (error.fault, sentence)
}

fn assert_still_works(plugin: &Plugin) {
    let found = plugin
        .extract(&titled("ordinary"))
        .outcome
        .expect("an ordinary page is extracted");
    assert_eq!(found.len(), 1);
}

#[test]
fn ordinary_is_extracted() {
    let plugin = load(&guest!("ordinary"));
    let call = plugin.extract(&titled("a page"));
    let objects = call.outcome.expect("nothing is wrong");
    assert_eq!(
        objects[0].fields[0].value,
        magpie_model::Value::Text("a page".to_owned())
    );
    assert!(call.usage.peak_bytes >= 64 << 10);
    assert!(call.usage.cpu > Duration::ZERO);
}

#[test]
fn only_clusters_compares_and_finds_nothing() {
    let plugin = load(&guest!("only-clusters"));
    assert!(plugin.clusters() && !plugin.extracts());
    assert_eq!(plugin.info().attributes.len(), 1);
}

#[test]
fn only_judges_judges_and_finds_nothing() {
    let plugin = load(&guest!("only-judges"));
    assert!(plugin.judges() && !plugin.extracts() && !plugin.clusters());
    // Without a schema of its own, its objects are the pages that it accepts.
    let attributes = plugin.info().attributes.iter();
    let attributes: Vec<&str> = attributes.map(|attribute| attribute.name.as_str()).collect();
    assert_eq!(attributes, ["title", "page"]);
    let judged = |title: &str| plugin.judge(&titled(title)).outcome;
    let judgement = judged("a relevant page").expect("nothing is wrong");
    assert!(judgement.accepted);
    assert_eq!(
        (judgement.confidence, judgement.reason.as_str()),
        (0.75, "the title says so")
    );
    assert!(!judged("another page").expect("nothing is wrong").accepted);
    for title in ["more than sure", "no number"] {
        let error = judged(title).expect_err("the confidence is none");
        assert!(matches!(error.fault, Fault::BadResult(_)), "{error}");
    }
    let error = judged("trouble").expect_err("the guest answers with an error");
    assert!(
        matches!(&error.fault, Fault::Answered(answer) if answer.code == "unexpected-page"),
        "{error}"
    );
    assert!(judged("trap").is_err());
    let error = plugin
        .extract(&titled("a page"))
        .outcome
        .expect_err("it finds nothing");
    assert_eq!(error.fault, Fault::NoAbility("extraction"));
    assert!(
        !plugin.is_rival_of(&load(&guest!("ordinary"))),
        "they are parts of one vertical"
    );
}

#[test]
fn endless_loop_is_stopped_by_its_cpu_time() {
    let plugin = load(&guest!("endless-loop"));
    let (fault, sentence) = fault_of(&plugin);
    assert_eq!(fault, Fault::Cpu(BUDGET));
    assert_eq!(
        sentence,
        "plugin endless-loop 1.2.3 used more than its 200 ms of CPU on https://example.org/page"
    );
}

#[test]
fn time_spent_in_the_host_on_behalf_of_a_guest_counts() {
    let plugin = load(&guest!("endless-select"));
    let html = format!(
        "<title>trouble</title>{}",
        "<div><p>a<p>b<span>c</span></div>".repeat(20_000)
    );
    let page = Arc::new(Page::from_html("https://example.org/page", &html).expect("the URL is valid"));
    let error = plugin.extract(&page).outcome.expect_err("the guest never ends");
    assert_eq!(error.fault, Fault::Cpu(BUDGET));
}

#[test]
fn memory_bomb_is_stopped_by_its_memory() {
    let (fault, sentence) = fault_of(&load(&guest!("memory-bomb")));
    assert!(
        matches!(fault, Fault::Memory { limit, .. } if limit == 64 << 20),
        "{fault:?}"
    );
    assert!(sentence.contains("of memory, more than its 64 MiB"), "{sentence}");
}

#[test]
fn deep_recursion_is_stopped_by_its_stack() {
    let (fault, sentence) = fault_of(&load(&guest!("deep-recursion")));
    assert_eq!(fault, Fault::Stack);
    assert!(sentence.contains("recursed too deep"), "{sentence}");
}

#[test]
fn panic_text_is_not_lost() {
    let (fault, sentence) = fault_of(&load(&guest!("panics")));
    assert!(matches!(fault, Fault::Panic(_)), "{fault:?}");
    assert!(sentence.contains("the seventh column is missing"), "{sentence}");
    assert!(sentence.contains("src/lib.rs:"), "{sentence}");
}

#[test]
fn trap_names_the_function() {
    let (fault, sentence) = fault_of(&load(&guest!("traps")));
    let Fault::Trap(reason) = fault else {
        panic!("{fault:?}")
    };
    assert!(
        reason.contains("unreachable") && reason.contains(", in "),
        "{sentence}"
    );
}

#[test]
fn a_million_objects_are_refused() {
    let (fault, _) = fault_of(&load(&guest!("million-objects")));
    assert_eq!(fault, Fault::ResultBytes(4 << 20));
    let roomy = Limits {
        result_bytes: 1 << 30,
        memory_bytes: 1 << 30,
        cpu: Duration::from_secs(60),
        ..Limits::default()
    };
    let plugin = runtime_with(roomy)
        .load(&guest!("million-objects"))
        .expect("it loads");
    let error = plugin.extract(&titled("trouble")).outcome.expect_err("too many");
    assert_eq!(
        error.fault,
        Fault::Objects {
            found: 1_000_000,
            limit: 10_000
        }
    );
}

#[test]
fn many_small_objects_are_counted() {
    let (fault, sentence) = fault_of(&load(&guest!("many-objects")));
    assert_eq!(
        fault,
        Fault::Objects {
            found: 20_000,
            limit: 10_000
        }
    );
    assert!(
        sentence.contains("found 20000 objects, more than its 10000"),
        "{sentence}"
    );
}

#[test]
fn a_result_of_hundred_megabytes_is_refused() {
    let (fault, _) = fault_of(&load(&guest!("hundred-megabytes")));
    assert!(
        matches!(fault, Fault::Memory { .. }),
        "with the usual memory it can't even be made: {fault:?}"
    );
    let roomy = Limits {
        memory_bytes: 1 << 30,
        cpu: Duration::from_secs(60),
        ..Limits::default()
    };
    let plugin = runtime_with(roomy)
        .load(&guest!("hundred-megabytes"))
        .expect("it loads");
    let error = plugin.extract(&titled("trouble")).outcome.expect_err("too large");
    assert_eq!(error.fault, Fault::ResultBytes(4 << 20));
    assert!(
        error.to_string().contains("returned more than 4 MiB of results"),
        "{error}"
    );
}

#[test]
fn log_flood_is_truncated_and_counted() {
    let roomy = Limits {
        cpu: Duration::from_secs(60),
        ..Limits::default()
    };
    let plugin = runtime_with(roomy).load(&guest!("log-flood")).expect("it loads");
    let call = plugin.extract(&titled("trouble"));
    assert_eq!(call.outcome.expect("logging is no error").len(), 1);
    assert_eq!((call.log.len(), call.dropped_lines), (100, 9_900));
    assert!(
        call.log
            .iter()
            .all(|line| line.message.len() <= 2_000 && line.level == Level::Info)
    );
}

#[test]
fn a_missing_node_is_named() {
    let (fault, sentence) = fault_of(&load(&guest!("wrong-node")));
    assert!(
        matches!(
            fault,
            Fault::NoSuchNode {
                function: "text-of",
                node: 4_000_000_000,
                ..
            }
        ),
        "{fault:?}"
    );
    assert!(
        sentence.contains("asked `text-of` about node 4000000000, but the page has nodes 0 to "),
        "{sentence}"
    );
}

#[test]
fn a_page_that_was_not_lent_can_not_be_used() {
    let (fault, sentence) = fault_of(&load(&guest!("stale-page")));
    assert!(matches!(fault, Fault::StalePage(_)), "{fault:?}");
    assert!(
        sentence.contains("used a page handle outside the call that lent it"),
        "{sentence}"
    );
}

#[test]
fn an_invalid_selector_is_shown() {
    let (fault, sentence) = fault_of(&load(&guest!("invalid-selector")));
    let Fault::Answered(error) = fault else {
        panic!("{fault:?}")
    };
    assert_eq!(error.code, "invalid-selector");
    assert!(sentence.contains("div[["), "{sentence}");
}

#[test]
fn an_error_of_the_plugin_is_passed_on_whole() {
    let (fault, sentence) = fault_of(&load(&guest!("answers-error")));
    let Fault::Answered(error) = fault else {
        panic!("{fault:?}")
    };
    assert_eq!(
        (error.code.as_str(), error.attribute.as_deref()),
        ("unexpected-page", Some("day"))
    );
    assert!(sentence.contains("answered: the list has no head"), "{sentence}");
}

fn violations_of(plugin: &Plugin) -> (usize, Vec<Violation>) {
    let page = titled("trouble");
    let objects = plugin.extract(&page).outcome.expect("the call itself is fine");
    let context = PageContext {
        url: page.url().to_string(),
        ..PageContext::default()
    };
    let checked: Vec<_> = objects
        .iter()
        .map(|object| check(plugin.info(), object, &context))
        .collect();
    let kept = checked.iter().filter(|one| one.record.is_some()).count();
    (kept, checked.into_iter().flat_map(|one| one.violations).collect())
}

#[test]
fn attributes_not_in_the_schema_are_dropped_and_counted() {
    let (kept, violations) = violations_of(&load(&guest!("unknown-attributes")));
    assert_eq!((kept, violations.len()), (1, 2), "{violations:?}");
    assert!(violations[0].to_string().contains("colour"), "{}", violations[0]);
}

#[test]
fn values_of_the_wrong_kind_are_dropped_and_counted() {
    let (kept, violations) = violations_of(&load(&guest!("wrong-kinds")));
    let texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert_eq!(
        kept, 2,
        "the object without its title is dropped, the others only lose their day: {texts:?}"
    );
    assert!(
        texts.iter().any(|text| text.contains("the day after never")),
        "{texts:?}"
    );
    assert!(texts.iter().any(|text| text.contains("title")), "{texts:?}");
}

#[test]
fn broken_json_is_a_bad_result() {
    let (fault, sentence) = fault_of(&load(&guest!("broken-json")));
    assert!(matches!(fault, Fault::BadResult(_)), "{fault:?}");
    assert!(
        sentence.contains("attribute `title` is given as JSON and is invalid"),
        "{sentence}"
    );
}

#[test]
fn a_plugin_can_not_remember_other_pages() {
    let plugin = load(&guest!("restless"));
    let first = plugin.extract(&titled("a")).outcome.expect("fine");
    let second = plugin.extract(&titled("b")).outcome.expect("fine");
    assert_eq!(first, second, "each page has an instance of its own");
    let mut session = plugin.open().expect("a session opens");
    let reused = [session.extract(&titled("a")), session.extract(&titled("a"))].map(|r| r.expect("fine"));
    assert_ne!(reused[0], reused[1], "the guest does try");
}

fn found_by(plugin: &Plugin) -> String {
    let page = Page::from_html("https://example.org/page", "<title>x</title>").expect("the URL is valid");
    let objects = plugin
        .extract(&Arc::new(page))
        .outcome
        .expect("the closed world answers");
    match &objects[0].fields[0].value {
        magpie_model::Value::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_environment_is_empty() {
    assert_eq!(
        found_by(&load(&guest!("wants-environment"))),
        "0 variables, 0 arguments"
    );
}

#[test]
fn there_are_no_folders() {
    assert_eq!(found_by(&load(&guest!("wants-file"))), "0 folders");
}

#[test]
fn there_are_no_sockets() {
    let answer = found_by(&load(&guest!("wants-socket")));
    assert!(answer.starts_with("no socket"), "{answer}");
}

#[test]
fn clocks_and_random_numbers_are_constant() {
    let plugin = load(&guest!("wants-clock"));
    let first = found_by(&plugin);
    assert!(
        first.starts_with("0 0 "),
        "the time of fetching, and no ticks: {first}"
    );
    assert_eq!(first, found_by(&plugin));
}

#[test]
fn sleeping_is_refused_at_once() {
    let plugin = load(&guest!("sleeps"));
    let error = plugin
        .extract(&titled("trouble"))
        .outcome
        .expect_err("it would take an hour");
    assert_eq!(error.fault, Fault::Slept);
}

#[test]
fn what_other_languages_print_is_kept() {
    let plugin = load(&guest!("prints"));
    let call = plugin.extract(&titled("trouble"));
    let error = call.outcome.expect_err("it exits");
    assert!(
        matches!(&error.fault, Fault::Panic(text) if !text.is_empty()),
        "{error}"
    );
    assert!(
        call.log.iter().any(|line| line.message.starts_with("0 out out")),
        "{:?}",
        call.log.first()
    );
}

fn refused(path: &Path) -> (LoadError, String) {
    let Err(error) = runtime().load(path) else {
        panic!("{} must be refused", path.display())
    };
    let sentence = format!("{error}; {}", error.hint());
    (error, sentence)
}

#[test]
fn forbidden_imports_are_named() {
    let (error, sentence) = refused(&guest!("wants-http"));
    assert!(matches!(error, LoadError::Forbidden { .. }), "{sentence}");
    assert!(
        sentence.contains("`wasi:http/outgoing-handler@0.2.0`, which plugins can't use"),
        "{sentence}"
    );
}

#[test]
fn a_contract_of_the_future_names_both_versions_and_the_remedy() {
    let (_, sentence) = refused(&guest!("future-contract"));
    assert_eq!(
        sentence,
        "the component was built for magpie:vertical@0.2.0; this Magpie supports magpie:vertical@0.1.3; \
         rebuild it with the SDK or the `wit/` folder of this Magpie: `magpie plugin build DIR`"
    );
}

#[test]
fn a_component_that_lies_about_its_types_does_not_fit() {
    let (error, sentence) = refused(&guest!("misfit"));
    assert!(matches!(error, LoadError::Misfit { .. }), "{sentence}");
    assert!(
        sentence.contains("does not fit magpie:vertical@0.1.0: expected `record` found `string`"),
        "{sentence}"
    );
}

#[test]
fn a_huge_description_is_refused_with_a_short_message() {
    let (_, sentence) = refused(&guest!("million-attributes"));
    assert!(
        sentence.starts_with("the component can't describe itself"),
        "{sentence}"
    );
    assert!(
        sentence.len() < 2_000,
        "{} bytes: {}",
        sentence.len(),
        &sentence[..500]
    );
    assert!(!sentence.contains("day-999"), "{sentence}");
}

#[test]
fn an_unrelated_component_is_not_a_vertical() {
    let text = r#"(component (instance $empty) (export "unrelated:guest/greeting" (instance $empty)))"#;
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("unrelated.wasm");
    std::fs::write(&path, wat::parse_str(text).expect("the text is a component")).expect("it is written");
    let (error, sentence) = refused(&path);
    assert!(matches!(error, LoadError::Unrelated { .. }), "{sentence}");
    assert!(sentence.contains("unrelated:guest/greeting"), "{sentence}");
}

#[test]
fn files_that_are_not_components_are_refused_with_a_remedy() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let check = |name: &str, bytes: &[u8], expected: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("the file is written");
        let (_, sentence) = refused(&path);
        assert!(sentence.contains(expected), "{name}: {sentence}");
    };
    let component = std::fs::read(guest!("ordinary")).expect("the guest is built");
    check(
        "module.wasm",
        b"\0asm\x01\0\0\0",
        "a core WebAssembly module, not a component; make a component of it",
    );
    check("page.wasm", b"<!doctype html>", "this is not a WebAssembly file");
    check("empty.wasm", b"", "this is not a WebAssembly file");
    for cut in [component.len() / 4, component.len() / 2, component.len() - 1] {
        check("cut.wasm", &component[..cut], "damaged at byte");
    }
    let mut changed = component;
    let middle = changed.len() / 2;
    changed[middle..middle + 64].fill(0xff);
    let path = folder.path().join("changed.wasm");
    std::fs::write(&path, &changed).expect("the file is written");
    assert!(
        runtime().load(&path).is_err(),
        "a damaged file is refused, whatever the damage"
    );
    assert!(matches!(
        runtime().load(&folder.path().join("missing.wasm")),
        Err(LoadError::Read(_))
    ));
}

/// Checks that each guest has a test here or among those of forms. A guest that no test loads is
/// useless.
#[test]
fn every_guest_has_a_test() {
    let source = [
        include_str!("misbehaving_guests.rs"),
        include_str!("forms.rs"),
        include_str!("../../../host/engine/tests/it/pipeline/servers.rs"),
    ]
    .concat();
    let guests = magpie_tests::root().join("tests/guests");
    let mut checked = 0;
    for entry in std::fs::read_dir(guests).expect("the guests are there") {
        let path = entry.expect("the folder can be read").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned();
        if name != "support" && path.join("Cargo.toml").exists() {
            assert!(
                source.contains(&format!("guest!(\"{name}\")"))
                    || source.contains(&format!("guest(\"{name}\")")),
                "no test loads {name}"
            );
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked} guests");
}
