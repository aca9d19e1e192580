//! The forms of a page, as components in each language see them.

use std::path::Path;
use std::sync::Arc;

use magpie_model::Value;
use magpie_page::{MAX_CHOICES, Page};
use magpie_runtime::{Plugin, Runtime, RuntimeSettings};
use magpie_tests::{guest, polyglot, titled};

const SEARCH: &str = r#"<!doctype html><title>Programme</title>
<form role=search action="/find?old=1" accept-charset=iso-8859-1><h2>Find a concert</h2>
  <label for=q>Words</label> <input id=q type=search name=q placeholder="e.g. Bach" required maxlength=40 pattern="\w+">
  <label>Venue <select name=venue><option value="">all<option value=7 selected>Old Mill
    <option value=8 disabled>Town Hall</select></label>
  <p>When? <label><input type=radio name=when value=today checked>today</label>
    <label><input type=radio name=when value=week>this week</label></p>
  <label>From <input type=date name=from min=2026-01-01 max=2026-12-31 step=7></label>
  <input type=hidden name=token value="a&amp;b">
  <button name=go value=1>Find</button> <button formaction=/map formmethod=post disabled>Map</button>
</form>"#;

fn load(path: &Path) -> Plugin {
    let runtime = Runtime::new(&RuntimeSettings::default()).expect("the engine starts");
    runtime
        .load(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The titles of the objects that a component finds.
fn titles(plugin: &Plugin, html: &str) -> Vec<String> {
    let page = Page::from_html("https://example.org/programme?page=2#top", html).expect("the URL is valid");
    let objects = plugin.extract(&Arc::new(page)).outcome.expect("the page is read");
    let title = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        other => panic!("a title is a text, not {other:?}"),
    };
    objects
        .iter()
        .map(|object| title(&object.fields[0].value))
        .collect()
}

fn check_search(component: &Path) {
    let plugin = load(component);
    assert_eq!(
        titles(&plugin, SEARCH),
        [
            "form get https://example.org/find?old=1 application/x-www-form-urlencoded windows-1252 \
             role=search heading=Find a concert cut=false",
            r"field q search value= label=Words placeholder=e.g. Bach required=true disabled=false hidden=false pattern=\w+ min=- max=- step=- max-length=40",
            "field venue select value= label=Venue placeholder= required=false disabled=false hidden=false \
             pattern=- min=- max=- step=- max-length=-",
            "choice  label=all selected=false disabled=false",
            "choice 7 label=Old Mill selected=true disabled=false",
            "choice 8 label=Town Hall selected=false disabled=true",
            "field when radio value= label=When? placeholder= required=false disabled=false hidden=false \
             pattern=- min=- max=- step=- max-length=-",
            "choice today label=today selected=true disabled=false",
            "choice week label=this week selected=false disabled=false",
            "field from date value= label=From placeholder= required=false disabled=false hidden=false \
             pattern=- min=2026-01-01 max=2026-12-31 step=7 max-length=-",
            "field token hidden value=a&b label= placeholder= required=false disabled=false hidden=true \
             pattern=- min=- max=- step=- max-length=-",
            "submit go value=1 label=Find disabled=false - -",
            "submit  value= label=Map disabled=true https://example.org/map post",
        ]
    );
    let found = titles(&plugin, "<form onsubmit=find()>");
    assert!(found[0].starts_with("form get - "), "{found:?}");
    let found = titles(&plugin, &towns());
    assert!(found[0].ends_with("cut=true"), "{found:?}");
    assert_eq!(found[2], format!("{MAX_CHOICES} choices"));
}

/// A form with more choices than are kept.
fn towns() -> String {
    let options: String = (0..10_000)
        .map(|at| format!("<option value={at}>Town {at}"))
        .collect();
    format!("<form><select name=town>{options}</select></form>")
}

#[test]
fn labels_choices_and_hidden_values_reach_a_component() {
    check_search(&guest!("reads-forms"));
}

#[test]
fn forms_reach_a_component_in_javascript() {
    if let Some(component) = polyglot("reads-forms-js") {
        check_search(&component);
    }
}

#[test]
fn forms_reach_a_component_in_python() {
    if let Some(component) = polyglot("reads-forms-python") {
        check_search(&component);
    }
}

#[test]
fn a_form_states_no_action_or_none_that_can_be_requested() {
    let plugin = load(&guest!("reads-forms"));
    let cases = [
        ("<form>", "form get https://example.org/programme?page=2 "),
        (
            "<form method=POST>",
            "form post https://example.org/programme?page=2 ",
        ),
        (
            "<form action=#top onsubmit=find()>",
            "form get https://example.org/programme?page=2#top ",
        ),
        ("<form action=# onsubmit=find()>", "form get - "),
        ("<form onsubmit=find()>", "form get - "),
        ("<form action='javascript:find()'>", "form get - "),
        ("<form action=mailto:a@example.org>", "form get - "),
        (
            "<form method=dialog>",
            "form dialog https://example.org/programme?page=2 ",
        ),
    ];
    for (html, beginning) in cases {
        let found = titles(&plugin, html);
        assert!(found[0].starts_with(beginning), "{html}: {found:?}");
    }
    assert!(titles(&plugin, "<input name=q>").is_empty());
}

#[test]
fn the_forms_of_a_hostile_page_fit_into_the_memory_of_a_component() {
    let group = format!("<form>{}</form>", "<input type=checkbox name=c>".repeat(5_000));
    let html = format!("<label>{}{}", "a long label ".repeat(20), group.repeat(50));
    let found = titles(&load(&guest!("reads-forms")), &html);
    assert!(found.iter().any(|line| line.ends_with("cut=true")));
}

#[test]
fn a_component_of_the_first_version_of_the_contract_still_works() {
    let plugin = load(&guest!("older-contract"));
    let found = plugin.extract(&titled("a page"));
    let objects = found.outcome.expect("the page is read");
    let title = format!("{:?}", objects[0].fields[0].value);
    assert!(
        title.contains("https://example.org/page|text/html|Some text."),
        "{title}"
    );
    assert_eq!(found.log.len(), 1);
}
