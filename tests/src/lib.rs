//! What the end-to-end tests share, here and in the program's folder: where the built components are, and pages to feed them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use magpie_page::Page;

/// The repository's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the repository")
}

/// A vertical in another language, by its folder's name below `plugins/polyglot/`; none, with a line that says
/// so, when its tools were not here to build it.
#[expect(clippy::print_stdout, reason = "a test that is left out says so")]
pub fn polyglot(name: &str) -> Option<PathBuf> {
    let folder =
        std::env::var_os("MAGPIE_POLYGLOT").map_or_else(|| root().join("target/polyglot"), PathBuf::from);
    let path = folder.join(format!("{name}.wasm"));
    if !path.exists() {
        println!("skipped: {} was not built", path.display());
        return None;
    }
    Some(path)
}

/// A component that `cargo xtask test` built, by the folder's variable and the component's name.
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

/// A misbehaving guest, by its folder's name below `tests/guests/`.
pub fn guest(name: &str) -> PathBuf {
    component("MAGPIE_TEST_GUESTS", "target/guests-built", name)
}

/// A first-party vertical, by its folder's name below `plugins/`.
pub fn vertical(name: &str) -> PathBuf {
    component("MAGPIE_VERTICALS", "target/verticals", name)
}

/// The same as the function. Does not compile when there is no such guest.
#[macro_export]
macro_rules! guest {
    ($name:literal) => {{
        const _: &str = include_str!(concat!("../guests/", $name, "/src/lib.rs"));
        $crate::guest($name)
    }};
}

/// The same as the function. Does not compile when there is no such plugin.
#[macro_export]
macro_rules! vertical {
    ($name:literal) => {{
        const _: &str = include_str!(concat!("../../plugins/", $name, "/src/lib.rs"));
        $crate::vertical($name)
    }};
}

/// A page with a title and nothing else.
pub fn titled(title: &str) -> Arc<Page> {
    let html = format!("<!doctype html><title>{title}</title><p>Some text.");
    Arc::new(Page::from_html("https://example.org/page", &html).expect("the address is one"))
}
