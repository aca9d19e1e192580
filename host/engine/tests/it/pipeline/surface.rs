//! Objects that only search forms give out.

use magpie_engine::Session;
use magpie_engine::learn::learn;
use magpie_engine::surface::{SurfaceRequest, forms_of, surface};
use magpie_lab::{Size, Vertical, WebSpec};
use magpie_store::{Hidden as _, ObjectFilter, Pages as _, Reader, SubmissionOutcome, TemplateState};

use crate::bench::Bench;

/// A web whose sites are all deep.
fn deep(seed: u64) -> Bench {
    let mut spec = WebSpec::new(Vertical::Events, Size::Small, seed);
    spec.deep = 1_000;
    Bench::of(spec, "", &Session::open)
}

fn objects(bench: &Bench) -> usize {
    bench
        .session()
        .objects(&ObjectFilter::default())
        .expect("objects")
        .len()
}

#[test]
fn searches_give_out_objects_that_no_link_leads_to() {
    let bench = deep(7);
    let session = bench.session();
    learn(session, &bench.all_sites(), &mut ()).expect("it learns");
    let before = objects(&bench);
    let request = SurfaceRequest {
        max_requests: 60,
        ..SurfaceRequest::default()
    };
    let outcome = surface(session, &request, &mut ()).expect("it asks");
    let outcome = outcome.expect("it was not stopped");
    for row in &outcome.templates {
        eprintln!(
            "{:?} {} {} asked {} objects {} size {:?}",
            row.site, row.template, row.state, row.asked, row.objects, row.size
        );
    }
    for truth in bench.web().searches(0) {
        eprintln!(
            "{} db {} surface {} hidden {} {:?} {:?}",
            truth.host,
            truth.database,
            truth.surface.len(),
            truth.hidden.len(),
            truth.kinds,
            truth.templates
        );
    }
    let reader = Reader::open(session.folder()).expect("a reader");
    for site in reader.sites_after(None, 100).expect("sites") {
        for form in forms_of(&reader, site.id, session.now()).expect("forms") {
            eprintln!(
                "{} {} {} {:?} {:?}",
                site.key, form.purpose, form.confidence, form.refusal, form.template
            );
        }
        for row in reader
            .submissions("events", site.id)
            .expect("queries")
            .iter()
            .take(14)
        {
            eprintln!("   {} {} {} {}", row.query, row.outcome, row.objects, row.url);
        }
    }
    let after = objects(&bench);
    eprintln!("{before} -> {after}; acts {:?}", bench.server().acts());
    assert!(after > before, "{before} objects, then {after}");
    assert!(bench.server().acts().is_empty());
    let works = outcome
        .templates
        .iter()
        .filter(|row| row.state == TemplateState::Working);
    assert!(works.count() > 0);
    let _ = SubmissionOutcome::Empty;
}
