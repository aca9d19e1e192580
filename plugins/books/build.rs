//! Generates the table of publishers from `data/publishers.txt`.

use std::{env, fs, path::Path};

/// Maximum number of publishers: one bit each of an integer.
const MAX_PUBLISHERS: usize = 32;

fn main() {
    println!("cargo::rerun-if-changed=data/publishers.txt");
    let root = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the folder of the package");
    let text = fs::read_to_string(Path::new(&root).join("data/publishers.txt"))
        .expect("data/publishers.txt is readable UTF-8");
    let mut publishers: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines().map(str::trim) {
        if line.is_empty() {
            publishers.push(Vec::new());
        } else if !line.starts_with('#') {
            let names = line.split(',').map(str::trim).filter(|name| !name.is_empty());
            publishers
                .last_mut()
                .expect("the list begins with one entry")
                .extend(names);
        }
    }
    publishers.retain(|names| !names.is_empty());
    assert!(
        publishers.len() <= MAX_PUBLISHERS,
        "data/publishers.txt has {} publishers, at most {MAX_PUBLISHERS} are possible",
        publishers.len()
    );
    let tables: Vec<String> = publishers.iter().map(|names| format!("&{names:?}")).collect();
    let code = format!("const HOUSES: &[&[&str]] = &[{}];\n", tables.join(", "));
    let out = env::var_os("OUT_DIR").expect("cargo sets the folder of generated files");
    fs::write(Path::new(&out).join("publishers.rs"), code)
        .expect("the folder of generated files is writable");
}
