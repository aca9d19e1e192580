//! Tests that truth and pages agree: each value of the truth is on the page in the notation of the
//! site, and parses back.

use crate::content::{Content, Outcome, Role, Scene};
use crate::facts::{Attribute, Fact};
use crate::spec::{Habit, Size, Vertical, WebSpec};
use crate::template::{push_text, render};
use crate::web::Web;

/// Creates a web; those of even seeds have all pages in two languages.
fn web(vertical: Vertical, seed: u64) -> Web {
    let mut spec = WebSpec::new(vertical, Size::Small, seed).with_sites(8);
    if seed.is_multiple_of(2) {
        spec.habits = vec![Habit::LanguageVersions];
    }
    Web::new(spec)
}

/// Calls `check` for every page of a week that has content, with the HTML of the site's design.
fn each_page(web: &Web, week: u32, mut check: impl FnMut(&Scene<'_>, &Content, &str)) {
    for site in web.all_sites() {
        let scene = Scene::new(web, site, week);
        let other = scene.other_language();
        for scene in [Some(scene), other].into_iter().flatten() {
            for route in scene.routes() {
                if let Outcome::Page(content) = scene.content(&route) {
                    let html = render(&scene, &content, &site.hosts.main, scene.page_key(&route), 1).html;
                    check(&scene, &content, &html);
                }
            }
        }
    }
}

#[test]
fn every_value_is_on_its_page_and_parses_back() {
    for vertical in Vertical::ALL {
        for (seed, week) in [(1, 0), (2, 9), (3, 40)] {
            each_page(&web(vertical, seed), week, |scene, content, html| {
                // Names of several people may be marked up one by one.
                let plain = without_tags(html);
                for field in content.records.iter().flat_map(|record| &record.fields) {
                    let mut written = String::new();
                    push_text(&mut written, &field.text, scene.site.decoys.entities);
                    assert!(
                        plain.contains(&written),
                        "{written:?} is not on {}",
                        content.title
                    );
                    let read = scene
                        .design
                        .writing
                        .read_back(field.attribute, &field.text, &field.value);
                    assert_eq!(read, Some(field.value.normal()), "{}", field.text);
                }
            });
        }
    }
}

#[test]
fn values_not_marked_wrong_are_true() {
    for vertical in Vertical::ALL {
        let web = web(vertical, 4);
        let (mut right, mut wrong) = (0, 0);
        each_page(&web, 20, |scene, content, _| {
            for record in &content.records {
                let world = web.population.facts(record.object, scene.week);
                for field in &record.fields {
                    let Some(fact) = world.iter().find(|fact| fact.attribute == field.attribute) else {
                        continue;
                    };
                    assert_eq!(
                        fact.value != field.value,
                        field.is_wrong,
                        "{:?} {field:?}",
                        record.object
                    );
                    if field.is_wrong { wrong += 1 } else { right += 1 }
                }
            }
        });
        // About a third of the sites have errors, in 1 to 12 % of their values.
        assert!(wrong > 0 && wrong * 10 < right, "{wrong} of {right}");
    }
}

#[test]
fn shown_objects_have_identifying_attributes() {
    let needed = [
        (Vertical::Events, Attribute::Start),
        (Vertical::Books, Attribute::Authors),
    ];
    for (vertical, attribute) in needed {
        each_page(&web(vertical, 5), 0, |_, content, _| {
            for record in content
                .records
                .iter()
                .filter(|record| record.role != Role::Mention)
            {
                assert!(record.field(Attribute::Title).is_some() && record.field(attribute).is_some());
            }
        });
    }
}

#[test]
fn facts_have_normal_forms() {
    for vertical in Vertical::ALL {
        let web = web(vertical, 6);
        for object in 0..200 {
            let facts: Vec<Fact> = web.population.facts(object, 3);
            assert!(
                facts.iter().all(|fact| !fact.value.normal().is_empty()),
                "{facts:?}"
            );
        }
    }
}

fn without_tags(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    for piece in html.split('<') {
        out.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
    }
    out
}
