//! Packs the Rust SDK's sources into the kit, so that `plugin new` works from the binary alone.
//!
//! The SDK is not on a registry; a project made by `plugin new` carries it in `vendor/magpie`, as a
//! small workspace of its own that is cut out of this one.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The packages an author's crate needs, with the folder of the contract they are generated from.
const PACKAGES: [&str; 4] = ["guest-sdk", "guest-sdk/derive", "host/values", "host/page"];
const CONTRACT: &str = "wit";

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository is there");
    let mut files = Vec::new();
    for package in PACKAGES {
        files.push(root.join(package).join("Cargo.toml"));
        collect(&root.join(package).join("src"), &mut files);
        println!(
            "cargo::rerun-if-changed={}",
            root.join(package).join("src").display()
        );
        println!(
            "cargo::rerun-if-changed={}",
            root.join(package).join("Cargo.toml").display()
        );
    }
    collect(&root.join(CONTRACT), &mut files);
    println!("cargo::rerun-if-changed={}", root.join(CONTRACT).display());
    println!("cargo::rerun-if-changed={}", root.join("Cargo.toml").display());
    files.sort();

    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names the folder"));
    let manifest = out.join("sdk-workspace.toml");
    fs::write(&manifest, workspace(&root)).expect("the manifest can be written");
    let mut list = String::from("&[\n");
    writeln!(list, "    (\"Cargo.toml\", include_str!({manifest:?})),").expect("a string takes everything");
    for file in &files {
        let name = file
            .strip_prefix(&root)
            .expect("it was found below the root")
            .display()
            .to_string();
        writeln!(list, "    ({name:?}, include_str!({file:?})),").expect("a string takes everything");
    }
    list.push(']');
    fs::write(out.join("sdk-files.rs"), list).expect("the list can be written");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
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
    workspace.insert(
        "members".to_owned(),
        PACKAGES.map(toml::Value::from).to_vec().into(),
    );
    workspace.remove("exclude");
    let dependencies = workspace
        .get_mut("dependencies")
        .and_then(toml::Value::as_table_mut)
        .expect("it has some");
    dependencies.retain(|_, dependency| {
        let path = dependency.get("path").and_then(toml::Value::as_str);
        path.is_none_or(|path| PACKAGES.contains(&path))
    });
    // Lints are for those who work on the SDK, not for those who use it.
    workspace.insert("lints".to_owned(), toml::Table::new().into());
    toml::to_string(&manifest).expect("it was read from such a text")
}
