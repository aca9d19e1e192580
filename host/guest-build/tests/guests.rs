//! Builds small guests, written to a temporary folder, with the real cargo.
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail as loudly as tests")]

use std::cell::RefCell;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use magpie_guest_build::{BuildRequest, Built, CONTRACT_SECTION, Error, Toolchain, Way, build, build_all};
use wasmparser::{Parser, Payload};

const MANIFEST: &str = r#"
[package]
name = "tiny"
version = "1.2.3"
edition = "2024"
description = "A tiny guest."
authors = ["Ada", "Bob"]
license = "MIT"
repository = "https://example.org/tiny"

[lib]
crate-type = ["cdylib"]
"#;

/// A guest without any dependency: it contains by hand what wit-bindgen would generate.
const SOURCE: &str = r#"
mod answer;

#[used]
#[unsafe(link_section = "component-type:tiny")]
static INTERFACE: [u8; include_bytes!("../interface.bin").len()] = *include_bytes!("../interface.bin");

#[unsafe(export_name = "PACKAGE/description@0.1.0#describe")]
pub extern "C" fn describe() -> u32 {
    answer::ANSWER
}
"#;

/// Folder in which all tests compile, so that they compile the standard library once.
fn shared_target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("guests")
}

/// A folder with guests, and their toolchain.
struct TestFolder {
    dir: tempfile::TempDir,
    target: PathBuf,
    /// Locked while the test runs. Guests of the same name replace each other's module in a shared
    /// target folder.
    _lock: Option<File>,
    toolchain: Toolchain,
    lines: RefCell<Vec<String>>,
}

impl TestFolder {
    /// A folder whose guests are compiled in the target folder of all tests.
    fn new() -> Self {
        let target = shared_target();
        fs::create_dir_all(&target).unwrap();
        let lock = File::create(target.join("test.lock")).unwrap();
        lock.lock().unwrap();
        Self {
            target,
            _lock: Some(lock),
            ..Self::apart()
        }
    }

    /// A folder with a target folder of its own.
    fn apart() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self {
            target: dir.path().join("target"),
            dir,
            _lock: None,
            toolchain: Toolchain::provide(Way::Automatic, &|_| {}).unwrap(),
            lines: RefCell::default(),
        }
    }

    fn write(&self, file: &str, content: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn path(&self, file: &str) -> PathBuf {
        self.dir.path().join(file)
    }

    /// Writes a guest that exports the interface `description` of a package.
    fn guest(&self, name: &str, wit_package: &str) -> BuildRequest {
        self.write(&format!("{name}/Cargo.toml"), MANIFEST.replace("tiny", name));
        self.write(
            &format!("{name}/src/lib.rs"),
            SOURCE.replace("PACKAGE", wit_package),
        );
        self.write(&format!("{name}/src/answer.rs"), "pub const ANSWER: u32 = 42;");
        self.write(&format!("{name}/interface.bin"), interface(wit_package));
        self.request(name)
    }

    fn request(&self, name: &str) -> BuildRequest {
        BuildRequest::new(
            self.path(name),
            self.target.clone(),
            self.path(&format!("out/{name}.wasm")),
        )
    }

    fn build(&self, request: &BuildRequest) -> Result<Built, Error> {
        build(&self.toolchain, request, &|line| {
            self.lines.borrow_mut().push(line.to_owned());
        })
    }
}

/// Section that describes to the encoder which interface a module exports.
fn interface(wit_package: &str) -> Vec<u8> {
    let text = format!(
        "package {wit_package}@0.1.0;
         interface description {{ describe: func() -> u32; }}
         world extractor {{ export description; }}"
    );
    let mut resolve = wit_parser::Resolve::new();
    let package = resolve.push_str("tiny.wit", &text).unwrap();
    let world = resolve.select_world(&[package], Some("extractor")).unwrap();
    wit_component::metadata::encode(&resolve, world, wit_component::StringEncoding::UTF8, None).unwrap()
}

/// The outermost custom sections of a component, as text.
fn sections(component: &Path) -> Vec<(String, String)> {
    let bytes = fs::read(component).unwrap();
    let mut depth = 0;
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(&bytes) {
        match payload.unwrap() {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            Payload::CustomSection(section) if depth == 0 => {
                found.push((
                    section.name().to_owned(),
                    String::from_utf8_lossy(section.data()).into_owned(),
                ));
            }
            _ => {}
        }
    }
    found
}

fn section(component: &Path, name: &str) -> Option<String> {
    let named: Vec<String> = sections(component)
        .into_iter()
        .filter(|(each, _)| each == name)
        .map(|(_, text)| text)
        .collect();
    assert!(named.len() <= 1, "{name} appears {} times", named.len());
    named.into_iter().next()
}

#[test]
fn a_guest_becomes_a_component_with_metadata() {
    let folder = TestFolder::new();
    let built = folder.build(&folder.guest("tiny", "magpie:vertical")).unwrap();
    let bytes = fs::read(&built.component).unwrap();
    assert!(Parser::is_component(&bytes));
    assert_eq!(built.bytes, bytes.len() as u64);
    let text = |name| section(&built.component, name);
    assert_eq!(text(CONTRACT_SECTION).as_deref(), Some("magpie:vertical@0.1.0"));
    assert_eq!(text("version").as_deref(), Some("1.2.3"));
    assert_eq!(text("description").as_deref(), Some("A tiny guest."));
    assert_eq!(text("authors").as_deref(), Some("Ada, Bob"));
    assert_eq!(text("licenses").as_deref(), Some("MIT"));
    assert_eq!(text("source").as_deref(), Some("https://example.org/tiny"));
    assert_eq!(text("homepage"), None);
    assert!(text("component-name").unwrap().contains("tiny"));
}

#[test]
fn a_guest_is_built_again_only_when_something_changed() {
    let folder = TestFolder::new();
    let request = folder.guest("tiny", "magpie:vertical");
    let first = folder.build(&request).unwrap();
    assert!(!first.fresh);

    folder.lines.borrow_mut().clear();
    assert_eq!(
        folder.build(&request).unwrap(),
        Built {
            fresh: true,
            ..first.clone()
        }
    );
    assert!(
        folder.lines.borrow().is_empty(),
        "cargo was asked: {:?}",
        folder.lines.borrow()
    );

    let original = fs::read(&first.component).unwrap();
    // Each change alters the inputs and keeps the earlier changes.
    let changes: [(&str, &[u8]); 4] = [
        ("tiny/src/answer.rs", b"pub const ANSWER: u32 = 43;"),
        ("tiny/src/unused.rs", b"// A file that is new."),
        ("tiny/.cargo/config.toml", b"# A file that was not there."),
        ("out/tiny.wasm", b"somebody else's"),
    ];
    for (file, content) in changes {
        folder.write(file, content);
        let again = folder.build(&request).unwrap();
        assert!(!again.fresh, "{file}");
        assert_ne!(fs::read(&again.component).unwrap(), original, "{file}");
        assert!(folder.build(&request).unwrap().fresh, "{file}");
    }
    folder.write("tiny/README.md", "Not a source.");
    assert!(folder.build(&request).unwrap().fresh);

    // Writing the same bytes again is not a change, although the file's time differs.
    folder.write("tiny/src/answer.rs", changes[0].1);
    assert!(folder.build(&request).unwrap().fresh);
}

#[test]
fn errors_of_the_compiler_are_passed_on() {
    let folder = TestFolder::new();
    let request = folder.guest("tiny", "magpie:vertical");
    folder.write("tiny/src/answer.rs", "pub const ANSWER: u32 = \"forty-two\";");
    let error = folder.build(&request).unwrap_err();
    let Error::Compile { packages, output } = &error else {
        panic!("{error}")
    };
    assert_eq!(packages, &["tiny"]);
    for part in ["error[E0308]: mismatched types", "src/answer.rs:1:25"] {
        assert!(output.contains(part), "{output}");
        assert!(
            folder.lines.borrow().iter().any(|line| line.contains(part)),
            "{:?}",
            folder.lines.borrow()
        );
    }
    assert!(!folder.path("out/tiny.wasm").exists());
}

#[test]
fn a_guest_of_another_contract_is_refused() {
    let folder = TestFolder::new();
    let error = folder.build(&folder.guest("tiny", "other:things")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tiny was compiled, but can't become a component"
    );
    let Error::Component { source, .. } = &error else {
        panic!("{error}")
    };
    assert!(
        source
            .to_string()
            .contains("it exports `other:things/description@0.1.0`"),
        "{source}"
    );
    assert!(error.hint().unwrap().contains("magpie:vertical"));
}

#[test]
fn a_library_that_is_not_dynamic_is_refused() {
    let folder = TestFolder::new();
    let request = folder.guest("tiny", "magpie:vertical");
    folder.write("tiny/Cargo.toml", MANIFEST.replace("crate-type", "# crate-type"));
    let error = folder.build(&request).unwrap_err();
    assert!(matches!(error, Error::NoDynamicLibrary { .. }), "{error}");
    assert!(error.hint().unwrap().contains("crate-type = [\"cdylib\"]"));
}

#[test]
fn a_folder_without_package_is_refused() {
    let folder = TestFolder::new();
    let error = folder.build(&folder.request("nowhere")).unwrap_err();
    assert!(matches!(error, Error::NoPackage { .. }), "{error}");
}

#[test]
fn guests_of_one_workspace_are_built_together_and_reproducibly() {
    let folder = TestFolder::new();
    folder.write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"one\", \"two\"]\n[profile.guest]\ninherits = \"release\"\n");
    let requests = ["one", "two"].map(|name| folder.guest(name, "magpie:vertical"));
    let built = build_all(&folder.toolchain, &requests, &|line| {
        folder.lines.borrow_mut().push(line.to_owned());
    })
    .unwrap();
    let outs: Vec<&Path> = built.iter().map(|each| each.component.as_path()).collect();
    assert_eq!(outs, ["out/one.wasm", "out/two.wasm"].map(|out| folder.path(out)));
    let lines = folder.lines.borrow();
    let finished: Vec<&String> = lines.iter().filter(|line| line.contains("Finished")).collect();
    assert_eq!(finished.len(), 1, "{lines:?}");
    assert!(finished[0].contains("`guest` profile"), "{finished:?}");
    assert!(
        section(&built[1].component, "component-name")
            .unwrap()
            .contains("two")
    );

    let elsewhere = TestFolder::apart();
    let same = elsewhere
        .build(&elsewhere.guest("one", "magpie:vertical"))
        .unwrap();
    assert_eq!(
        fs::read(same.component).unwrap(),
        fs::read(&built[0].component).unwrap()
    );
}

#[test]
fn a_guest_of_wit_bindgen_becomes_a_component() {
    let folder = TestFolder::new();
    // The workspace's lock file has all dependencies of the guest, so that no registry is needed.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    folder.write("bound/Cargo.lock", fs::read(lock).unwrap());
    folder.write(
        "bound/Cargo.toml",
        format!("{MANIFEST}\n[dependencies]\nwit-bindgen = \"0.61.1\"\n"),
    );
    folder.write(
        "bound/src/lib.rs",
        r#"
        wit_bindgen::generate!({
            inline: "
                package magpie:vertical@0.1.0;
                interface description { describe: func() -> string; }
                world clusterer { export description; }
            ",
        });

        struct Bound;

        impl exports::magpie::vertical::description::Guest for Bound {
            fn describe() -> String {
                "bound".to_owned()
            }
        }

        export!(Bound);
        "#,
    );
    let built = folder.build(&folder.request("bound")).unwrap();
    assert_eq!(
        section(&built.component, CONTRACT_SECTION).as_deref(),
        Some("magpie:vertical@0.1.0")
    );
}
