//! States that are saved between any two requests.

use magpie_surface::isit::{Isit, Settings};
use magpie_surface::probe::{Method, Settings as ProbeSettings, TextProbe};
use serde::{Serialize, de::DeserializeOwned};

use crate::database::Database;
use crate::trials;

fn saved<T: Serialize + DeserializeOwned>(state: &T) -> T {
    let text = serde_json::to_string(state).expect("a state serialises");
    serde_json::from_str(&text).expect("a saved state is read")
}

#[test]
fn a_template_search_resumes() {
    let database = Database::new(600, 2);
    let inputs = trials::form(&database, 2);
    for settings in [Settings::published(), Settings::sequential()] {
        let mut whole = Isit::new(&inputs, settings.clone(), 3);
        let mut resumed = Isit::new(&inputs, settings, 3);
        for number in 0.. {
            let submission = whole.next();
            if number % 17 == 0 {
                resumed = saved(&resumed);
                assert_eq!(resumed.next(), resumed.next(), "asking twice changes nothing");
            }
            assert_eq!(resumed.next(), submission);
            let Some(submission) = submission else {
                break;
            };
            let outcome = database.submit(&inputs, &submission);
            whole.record(&submission, &outcome);
            resumed.record(&submission, &outcome);
        }
        assert_eq!(whole, resumed);
    }
}

#[test]
fn probing_resumes() {
    let database = Database::new(600, 2);
    for method in [Method::Published, Method::Adaptive] {
        let settings = ProbeSettings {
            max_requests: 80,
            follows_pages: true,
            ..ProbeSettings::new(method)
        };
        let mut whole = TextProbe::new(settings.clone(), &database.text(3), &[&database.text(5)]);
        let mut resumed = TextProbe::new(settings, &database.text(3), &[&database.text(5)]);
        while let Some(query) = whole.next() {
            resumed = saved(&resumed);
            assert_eq!(resumed.next().as_ref(), Some(&query));
            let page = database.search(&query.keyword, query.page as usize);
            let objects: Vec<(u64, &str)> = page
                .objects
                .iter()
                .map(|(id, text)| (*id, text.as_str()))
                .collect();
            for probe in [&mut whole, &mut resumed] {
                probe.record(&query, &page.outcome, &page.text, &objects);
            }
        }
        assert_eq!(whole.found(), resumed.found());
    }
}
