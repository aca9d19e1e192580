//! Embeds the SDK packages into the kit, so that `plugin new` works from the binary alone.
//!
//! They are on no registry: a project made by `plugin new` has its own copy in `vendor`, with the
//! contract. The one for Rust is a small workspace cut out of this one.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates that a vertical in Rust needs.
const RUST: [&str; 4] = ["guest-sdk", "guest-sdk/derive", "host/values", "host/page"];

/// The packages for other languages: the name of the list, the folder, and what of it is packed.
const OTHERS: [(&str, &str, &[&str]); 2] = [
    (
        "JAVASCRIPT_PACKAGE",
        "guest-js",
        &[
            "README.md",
            "package.json",
            "index.d.ts",
            "testing.d.ts",
            "src",
            "build",
        ],
    ),
    ("PYTHON_PACKAGE", "guest-python/magpie_vertical", &["."]),
];

/// The reference of the Python package, which is beside the package in this repository, and inside
/// it in a project.
const PYTHON_README: &str = "guest-python/README.md";

const CONTRACT: &str = "wit";

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository is there");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names the folder"));
    let mut lists = rust_package(&root, &out);
    for (name, folder, parts) in OTHERS {
        let folder = root.join(folder);
        let mut files = parts
            .iter()
            .flat_map(|part| files(&folder.join(part)))
            .collect::<Vec<_>>();
        files.retain(|file| !file.components().any(|part| part.as_os_str() == "__pycache__"));
        let mut entries = entries(&folder, &files);
        entries.extend(entries_of_contract(&root));
        if name == "PYTHON_PACKAGE" {
            println!("cargo::rerun-if-changed={}", root.join(PYTHON_README).display());
            entries.push(("README.md".to_owned(), root.join(PYTHON_README)));
        }
        lists += &list(name, &entries);
    }
    fs::write(out.join("packages.rs"), lists).expect("the lists can be written");
}

fn rust_package(root: &Path, out: &Path) -> String {
    println!("cargo::rerun-if-changed={}", root.join("Cargo.toml").display());
    let manifest = out.join("sdk-workspace.toml");
    fs::write(&manifest, workspace(root)).expect("the manifest can be written");
    let packages = RUST.iter().map(|package| root.join(package));
    let files: Vec<PathBuf> = packages
        .flat_map(|package| [files(&package.join("Cargo.toml")), files(&package.join("src"))].concat())
        .collect();
    let mut entries = entries(root, &files);
    entries.push(("Cargo.toml".to_owned(), manifest));
    entries.extend(entries_of_contract(root));
    list("RUST_PACKAGE", &entries)
}

fn entries_of_contract(root: &Path) -> Vec<(String, PathBuf)> {
    entries(root, &files(&root.join(CONTRACT)))
}

/// Files with their paths below a folder.
fn entries(folder: &Path, files: &[PathBuf]) -> Vec<(String, PathBuf)> {
    let below = |file: &PathBuf| {
        let path = file.strip_prefix(folder).expect("it was found below the folder");
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        (parts.join("/"), file.clone())
    };
    files.iter().map(below).collect()
}

fn list(name: &str, entries: &[(String, PathBuf)]) -> String {
    let mut text = format!("const {name}: &[(&str, &str)] = &[\n");
    for (path, file) in entries {
        writeln!(text, "    ({path:?}, include_str!({file:?})),").expect("a string takes everything");
    }
    text + "];\n"
}

/// Returns a file, or all files below a folder. Makes cargo run this script when they change.
fn files(path: &Path) -> Vec<PathBuf> {
    println!("cargo::rerun-if-changed={}", path.display());
    let mut found = Vec::new();
    collect(path, &mut found);
    found.sort();
    found
}

fn collect(path: &Path, found: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        return found.push(path.to_owned());
    }
    for entry in fs::read_dir(path).expect("the folder can be read") {
        collect(&entry.expect("the folder can be read").path(), found);
    }
}

/// This workspace's manifest, with the members and dependencies that the SDK has.
fn workspace(root: &Path) -> String {
    let text = fs::read_to_string(root.join("Cargo.toml")).expect("the manifest can be read");
    let mut manifest: toml::Table = text.parse().expect("the manifest is sound");
    manifest.remove("profile");
    let workspace = manifest
        .get_mut("workspace")
        .and_then(toml::Value::as_table_mut)
        .expect("it is a workspace");
    workspace.insert("members".to_owned(), RUST.map(toml::Value::from).to_vec().into());
    workspace.remove("exclude");
    let dependencies = workspace
        .get_mut("dependencies")
        .and_then(toml::Value::as_table_mut)
        .expect("it has some");
    dependencies.retain(|_, dependency| {
        let path = dependency.get("path").and_then(toml::Value::as_str);
        path.is_none_or(|path| RUST.contains(&path))
    });
    // Lints are for those who work on the SDK, not for those who use it.
    workspace.insert("lints".to_owned(), toml::Table::new().into());
    toml::to_string(&manifest).expect("it was read from such a text")
}
