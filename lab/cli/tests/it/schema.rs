//! The JSON Schemas of the lab's commands. The tests of the commands compare their output with
//! them.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use magpie_tests::json_schema;
use serde_json::Value;

use crate::json_reference;

fn schema(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_magpie-lab"));
    command.arg("schema").args(arguments);
    command.output().expect("it runs")
}

/// Returns a sentence for each line of a command that does not fit its schema.
pub(crate) fn misfits(command: &str, lines: &[Value]) -> Vec<String> {
    let output = schema(&[command]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let schema = serde_json::from_slice(&output.stdout).expect("it is JSON");
    json_schema::misfits(command, schema, lines)
}

#[test]
fn each_command_with_json_output_has_a_schema() {
    let all = schema(&[]);
    let text = String::from_utf8_lossy(&all.stdout);
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let commands: BTreeSet<String> = lines
        .map(|line| line["command"].as_str().expect("a name").to_owned())
        .collect();
    let expected = ["experiment", "score", "seeds", "serve", "train", "truth"];
    assert_eq!(commands.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    for command in &commands {
        let section = format!("magpie-lab {command}");
        assert!(
            json_reference::has_section(&section),
            "docs/reference/lab-json.md lacks {section}"
        );
    }
    let unknown = schema(&["queries"]);
    assert_eq!(unknown.status.code(), Some(2));
    let told = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(told.contains("`magpie-lab schema` lists all"), "{told}");
}
