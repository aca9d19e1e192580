//! Tests of selection: the published examples, and invariants of every selection.

mod examples;
mod properties;

use magpie_patterns::select::{Candidates, PatternSpec};

/// A test pattern: site, own pages, shared pages, hubs, objects.
#[derive(Clone, Debug)]
struct TestPattern {
    site: u32,
    own: u32,
    pages: Vec<u32>,
    hubs: Vec<u32>,
    objects: Vec<u32>,
    likely: Vec<f32>,
}

fn candidates(objects: u32, overheads: &[f64], hubs: &[f64], patterns: &[TestPattern]) -> Candidates {
    let mut builder = Candidates::builder(objects);
    for overhead in overheads {
        builder.site(*overhead);
    }
    for hub in hubs {
        builder.hub(*hub);
    }
    for test_pattern in patterns {
        let spec = PatternSpec {
            site: test_pattern.site,
            own_pages: f64::from(test_pattern.own),
            shared_pages: &test_pattern.pages,
            hubs: &test_pattern.hubs,
            objects: &test_pattern.objects,
            likely: &test_pattern.likely,
        };
        builder.pattern(spec).expect("the pattern is sound");
    }
    builder.build()
}

fn test_pattern(site: u32, own: u32, hubs: &[u32], objects: &[u32]) -> TestPattern {
    TestPattern {
        site,
        own,
        pages: Vec::new(),
        hubs: hubs.to_vec(),
        objects: objects.to_vec(),
        likely: Vec::new(),
    }
}
