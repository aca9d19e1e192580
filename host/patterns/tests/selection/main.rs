//! Selection from outside: the published examples, and what every selection must hold to.

mod examples;
mod properties;

use magpie_patterns::select::{Candidates, PatternSpec};

/// A pattern of a test: site, own pages, shared pages, hubs, objects.
#[derive(Clone, Debug)]
struct Made {
    site: u32,
    own: u32,
    pages: Vec<u32>,
    hubs: Vec<u32>,
    objects: Vec<u32>,
    likely: Vec<f32>,
}

fn candidates(objects: u32, overheads: &[f64], hubs: &[f64], patterns: &[Made]) -> Candidates {
    let mut builder = Candidates::builder(objects);
    for overhead in overheads {
        builder.site(*overhead);
    }
    for hub in hubs {
        builder.hub(*hub);
    }
    for made in patterns {
        let spec = PatternSpec {
            site: made.site,
            own_pages: f64::from(made.own),
            shared_pages: &made.pages,
            hubs: &made.hubs,
            objects: &made.objects,
            likely: &made.likely,
        };
        builder.pattern(spec).expect("the pattern is sound");
    }
    builder.build()
}

fn made(site: u32, own: u32, hubs: &[u32], objects: &[u32]) -> Made {
    Made {
        site,
        own,
        pages: Vec::new(),
        hubs: hubs.to_vec(),
        objects: objects.to_vec(),
        likely: Vec::new(),
    }
}
