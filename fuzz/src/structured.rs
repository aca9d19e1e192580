//! Structured data: of a page, and of the same bytes as a JSON-LD script.

use magpie_page::Page;
use serde_json::Value;

/// Checks that all entities have the same form and stay within the limits of number, size and
/// depth.
pub fn check(data: &[u8]) {
    assert_form(&crate::dom::page(data));
    let script = [b"<script type=application/ld+json>", data, b"</script>"].concat();
    assert_form(&crate::dom::page(&script));
}

fn assert_form(page: &Page) {
    let mut entities = 0;
    let mut bytes = 0;
    for item in page.structured_data() {
        assert!(item.node.is_none_or(|node| page.document().contains(node)));
        assert_entity(&item.json, 1, &mut entities, &mut bytes);
    }
    // The limits of `dom::page`. A referenced entity counts wherever it is inserted.
    assert!(entities <= 50, "{entities} entities");
    assert!(bytes <= 16 * 1024, "{bytes} bytes");
}

/// The root counts as one level, and the level below the deepest may have only a name.
const MAX_DEPTH: usize = 8 + 1;

fn assert_entity(value: &Value, depth: usize, entities: &mut usize, bytes: &mut usize) {
    assert!(depth <= MAX_DEPTH, "depth {depth}");
    *entities += 1;
    let object = value.as_object().expect("an entity is an object");
    for (name, value) in object {
        if name == "@id" {
            *bytes += value.as_str().expect("an id is a string").len();
            continue;
        }
        for value in value.as_array().expect("a property is a list") {
            match value {
                Value::String(text) => *bytes += text.len(),
                Value::Number(_) | Value::Bool(_) => assert_ne!(name, "@type"),
                Value::Object(_) => assert_entity(value, depth + 1, entities, bytes),
                Value::Null | Value::Array(_) => panic!("{name} has {value}"),
            }
        }
    }
}
