//! Code shared by the end-to-end tests, here and in the program's folder: paths of the built
//! components, and pages for them.

pub mod json_reference;
pub mod json_schema;
#[cfg(feature = "workspace")]
mod workspace;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use magpie_page::Page;

#[cfg(feature = "workspace")]
pub use workspace::{LOOPBACK, TestWorkspace};

/// Root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the repository")
}

/// Path of a vertical in another language, by its name. If it was not built, because its tools are
/// missing, skips the test and returns `None`.
pub fn polyglot(name: &str) -> Option<PathBuf> {
    let folder =
        std::env::var_os("MAGPIE_POLYGLOT").map_or_else(|| root().join("target/polyglot"), PathBuf::from);
    let path = folder.join(format!("{name}.wasm"));
    if !path.exists() {
        magpie_test_support::skip(format_args!("{} was not built", path.display()));
        return None;
    }
    Some(path)
}

/// Path of a component built by `cargo xtask test`, by the variable with its folder and the
/// component's name.
fn component(variable: &str, default: &str, name: &str) -> PathBuf {
    let folder = std::env::var_os(variable).map_or_else(|| root().join(default), PathBuf::from);
    let path = folder.join(format!("{name}.wasm"));
    assert!(
        path.exists(),
        "{} is not there: run `cargo xtask guests` first",
        path.display()
    );
    path
}

/// Folder in which tests keep compiled components, so that each is compiled once for all tests.
pub fn compiled() -> PathBuf {
    root().join("target/compiled")
}

/// Path of a misbehaving guest, by the name of its folder in `tests/guests/`.
pub fn guest(name: &str) -> PathBuf {
    component("MAGPIE_TEST_GUESTS", "target/guests-built", name)
}

/// Path of a first-party vertical, by the name of its folder in `plugins/`.
pub fn vertical(name: &str) -> PathBuf {
    component("MAGPIE_VERTICALS", "target/verticals", name)
}

/// As the function `guest`, but fails to compile if the guest does not exist.
#[macro_export]
macro_rules! guest {
    ($name:literal) => {{
        const _: &str = include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/guests/",
            $name,
            "/src/lib.rs"
        ));
        $crate::guest($name)
    }};
}

/// As the function `vertical`, but fails to compile if the plugin does not exist.
#[macro_export]
macro_rules! vertical {
    ($name:literal) => {{
        const _: &str = include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../plugins/",
            $name,
            "/src/lib.rs"
        ));
        $crate::vertical($name)
    }};
}

/// A page with only a title and some text.
pub fn titled(title: &str) -> Arc<Page> {
    let html = format!("<!doctype html><title>{title}</title><p>Some text.");
    Arc::new(Page::from_html("https://example.org/page", &html).expect("the URL is valid"))
}
