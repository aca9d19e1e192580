//! Bodies of posted forms.

use magpie_http::{FormFields, MAX_FORM_FIELDS};
use url::form_urlencoded;

/// Checks that the fields of a form are those that another reader finds, each once, and that they
/// are read back as written.
pub fn check(data: &[u8]) {
    let Ok(fields) = FormFields::parse(data) else {
        return;
    };
    let theirs: Vec<(String, String)> = form_urlencoded::parse(data).into_owned().collect();
    assert!(theirs.len() <= MAX_FORM_FIELDS);
    for (name, value) in &theirs {
        let found = Some(value.trim()).filter(|value| !value.is_empty());
        assert_eq!(fields.get(name), found, "{name:?} comes once");
    }
    let mut written = form_urlencoded::Serializer::new(String::new());
    written.extend_pairs(&theirs);
    assert_eq!(FormFields::parse(written.finish().as_bytes()), Ok(fields));
}
