//! `magpie plugin inspect`.

use magpie_tests::guest;
use serde_json::Value;

use super::{folder_with_pages, magpie, out};

#[test]
fn imports_of_wasi_are_folded() {
    let folder = folder_with_pages();
    let prints = guest("prints").display().to_string();
    let text = out(&magpie(folder.path(), &["plugin", "inspect", &prints]));
    assert!(
        text.contains(" of WASI, closed\n") && !text.contains("wasi:"),
        "{text}"
    );
    let text = out(&magpie(folder.path(), &["plugin", "inspect", &prints, "-v"]));
    assert!(text.contains("wasi:cli/stdout"), "{text}");
    let text = out(&magpie(folder.path(), &["plugin", "inspect", &prints, "--json"]));
    let described: Value = serde_json::from_str(&text).expect("JSON");
    let digest = described["file"]["digest"].as_str().expect("it has one");
    assert!(digest.starts_with("blake3:"), "{digest}");
}
