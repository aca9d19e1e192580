//! Files of readings, edited into nonsense, and a page that is read by one.

use magpie_model::{Attribute, Kind, PageContext, VerticalInfo};
use magpie_reading::Reading;

/// Longest message about a defect, in bytes. It may quote a text of the file.
const MAX_MESSAGE: usize = 2_000;

/// Checks that a file is refused with a line of it and a short message, or is read back as written;
/// and that a page that is read by it gives records with an origin for each value.
pub fn check(data: &[u8]) {
    let [file, body] = crate::parts(data);
    let file = crate::text(file);
    let info = schema();
    let reading = match Reading::parse(&file, &info) {
        Ok(reading) => reading,
        Err(problem) => {
            let lines = file.matches('\n').count() + 1;
            assert!((1..=lines).contains(&problem.line), "{problem}");
            let told = problem.to_string();
            assert!(told.len() <= MAX_MESSAGE && !problem.message.is_empty(), "{told}");
            assert!(!told.contains('\n'), "{told}");
            return;
        }
    };
    let written = reading.to_toml();
    let again = Reading::parse(&written, &info).expect("what was written can be read");
    assert_eq!(again.to_toml(), written);
    let page = crate::dom::page(body);
    let context = PageContext {
        url: page.url().to_string(),
        ..PageContext::default()
    };
    let outcome = reading.read(&page, &context, Vec::new(), &[]);
    for read in &outcome.records {
        assert!(read.is_made);
        assert_eq!(read.sources.len(), read.record.values.len());
        for value in &read.record.values {
            assert!(info.attribute(&value.attribute).is_some(), "{}", value.attribute);
        }
    }
    assert_eq!(again.read(&page, &context, Vec::new(), &[]), outcome);
}

fn schema() -> VerticalInfo {
    let identifying = |name: &str, kind| Attribute {
        identifies: true,
        required: true,
        ..Attribute::new(name, kind)
    };
    VerticalInfo {
        name: "shows".to_owned(),
        object_type: "Show".to_owned(),
        attributes: vec![
            identifying("title", Kind::Text),
            identifying("day", Kind::DateTime),
            Attribute::new("house", Kind::Place),
            Attribute::new("price", Kind::Money),
            Attribute::new("poster", Kind::Image),
            Attribute::new("link", Kind::Url),
        ],
        ..VerticalInfo::default()
    }
}
