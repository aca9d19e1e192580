//! Pages, calendars and JSON documents that the verticals read, as plain Rust.

use magpie_sdk::{Clusterer, Page, Record as _, Vertical, component};

/// More objects than any page may have, by the limits of plugins.
const MAX_OBJECTS: usize = 10_000;

/// Checks that a page gives the same objects each time, with attributes of the schema, and that
/// they can be compared.
pub fn check(data: &[u8]) {
    let [media_type, body] = crate::parts(data);
    let media_type = crate::text(media_type);
    let page = || Page::from_response("https://any.example/a/b", media_type.trim(), 1_790_812_800, body);
    read::<events::Events>(&page());
    read::<books::Books>(&page());
    read::<products::Products>(&page());
}

fn read<V: Vertical + Clusterer>(page: &Page) {
    let Ok(objects) = component::extract::<V>(page) else {
        return;
    };
    assert!(objects.len() <= MAX_OBJECTS, "{} objects", objects.len());
    let again = component::extract::<V>(page).expect("the page was read before");
    assert_eq!(format!("{again:?}"), format!("{objects:?}"));
    for object in &objects {
        assert!((0.0..=1.0).contains(&object.confidence), "{}", object.confidence);
        for field in &object.fields {
            let mut schema = <V as Clusterer>::Record::SCHEMA.iter();
            assert!(
                schema.any(|attribute| attribute.name == field.path),
                "{}",
                field.path
            );
        }
    }
    let prepared = component::prepare::<V>(&objects).expect("objects are prepared");
    let features: Vec<Vec<u8>> = prepared.into_iter().map(|one| one.features).collect();
    let Some(first) = features.iter().find(|features| !features.is_empty()) else {
        return;
    };
    for verdict in component::compare::<V>(first, &features).expect("features are read back") {
        assert!(
            (0.0..=1.0).contains(&verdict.probability),
            "{}",
            verdict.probability
        );
    }
}
