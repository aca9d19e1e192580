//! Informative templates: the sequential method beside the published one.

use magpie_surface::Outcome;
use magpie_surface::isit::{Decision, Input, Isit, Settings, Submission};

use crate::database::{self, Database, numbers};
use crate::trials;

fn run(database: &Database, inputs: &[Input], settings: Settings) -> Isit {
    let mut search = Isit::new(inputs, settings, 5);
    while let Some(submission) = search.next() {
        search.record(&submission, &database.submit(inputs, &submission));
    }
    search
}

fn decision(search: &Isit, inputs: &[usize]) -> Option<Decision> {
    let template = search
        .decided()
        .iter()
        .find(|template| template.inputs == inputs)?;
    Some(template.decision)
}

#[test]
fn the_sequential_test_agrees_with_the_whole_sample_for_a_quarter_of_the_requests() {
    let (mut same, mut other) = (0, 0);
    let (mut published, mut sequential) = (0, 0);
    for seed in 0..20 {
        let database = Database::new(400 << (seed % 4), seed);
        let inputs = trials::form(&database, seed);
        let oracle = trials::search_templates(&database, &inputs, trials::oracle(), seed);
        let settings = Settings {
            recognises: false,
            ..Settings::sequential()
        };
        let ours = trials::search_templates(&database, &inputs, settings, seed + 100);
        let agreement = trials::agreement(&oracle, &ours);
        same += agreement.0;
        other += agreement.1;
        published += oracle.requests;
        sequential += ours.requests;
    }
    assert!(
        f64::from(same) >= 0.95 * f64::from(same + other),
        "{same} {other}"
    );
    assert!(4 * sequential <= published, "{sequential} {published}");
}

#[test]
fn dependent_inputs_are_learned() {
    let database = Database::new(3_000, 3);
    let inputs = [
        numbers("publisher", database::PUBLISHERS),
        numbers("series", database::SERIES),
        numbers("language", database::LANGUAGES),
    ];
    let search = run(&database, &inputs, Settings::sequential());
    // The series determines the publisher.
    assert_eq!(decision(&search, &[0, 1]), Some(Decision::Redundant));
    assert_eq!(decision(&search, &[0, 2]), Some(Decision::Informative));
    assert_eq!(decision(&search, &[1]), Some(Decision::Informative));
}

#[test]
fn orders_and_inert_inputs_are_not_informative() {
    let database = Database::new(1_000, 4);
    let mut inputs = vec![
        numbers("language", database::LANGUAGES),
        Input::new("sort", ["title", "year", "popularity"]),
        Input::new("tracking", ["a", "b", "c"]),
        Input::new("size", ["10", "50", "100"]),
    ];
    let search = run(&database, &inputs, Settings::sequential());
    assert_eq!(decision(&search, &[0]), Some(Decision::Informative));
    assert_eq!(decision(&search, &[1]), Some(Decision::Presentation));
    assert_eq!(decision(&search, &[2]), Some(Decision::Inert));
    assert_eq!(decision(&search, &[3]), Some(Decision::Presentation));
    assert_eq!(search.decided().len(), 4, "nothing was added to them");
    // As published, pages in another order are other pages.
    let search = run(&database, &inputs, Settings::published());
    assert_eq!(decision(&search, &[1]), Some(Decision::Informative));
    // An input that is known to order is not tried.
    inputs[1].is_presentation = true;
    let search = run(&database, &inputs[1..2], Settings::sequential());
    assert_eq!(
        (decision(&search, &[0]), search.requests()),
        (Some(Decision::Presentation), 1)
    );
}

#[test]
fn a_batch_decides_the_same_for_a_few_samples_more() {
    let database = Database::new(3_000, 3);
    let inputs = [
        numbers("publisher", database::PUBLISHERS),
        numbers("series", database::SERIES),
        numbers("language", database::LANGUAGES),
    ];
    let single = run(&database, &inputs, Settings::sequential());
    let mut batched = Isit::new(&inputs, Settings::sequential(), 5);
    loop {
        let batch = batched.next_batch(4);
        if batch.is_empty() {
            break;
        }
        assert!(batch.len() <= 4, "{batch:?}");
        for submission in &batch {
            batched.record(submission, &database.submit(&inputs, submission));
        }
    }
    let decisions = |search: &Isit| -> Vec<_> {
        let decided = search.decided().iter();
        decided
            .map(|template| (template.inputs.clone(), template.decision))
            .collect()
    };
    assert_eq!(decisions(&single), decisions(&batched));
    // At most three samples of each template are in vain.
    let most = single.requests() + 3 * single.decided().len() as u32;
    assert!(batched.requests() <= most, "{} {most}", batched.requests());
}

#[test]
fn a_range_is_informative_as_one_input() {
    let database = Database::new(1_000, 4);
    let bounds: Vec<String> = database::YEARS.step_by(10).map(|year| year.to_string()).collect();
    let inputs = [Input::range("from", "to", &bounds)];
    let search = run(&database, &inputs, Settings::sequential());
    assert_eq!(decision(&search, &[0]), Some(Decision::Informative));
}

#[test]
fn large_templates_are_not_tried() {
    let database = Database::new(200, 4);
    let inputs = [numbers("genre", 150), numbers("series", 150)];
    let search = run(&database, &inputs, Settings::published());
    assert!(search.decided().iter().all(|template| template.samples <= 200));
    let is_tried = |template: &&magpie_surface::isit::Template| template.inputs == [0, 1];
    if let Some(both) = search.decided().iter().find(is_tried) {
        assert_eq!((both.decision, both.samples), (Decision::TooLarge, 0));
    }
}

/// Inputs that widen the results: nothing follows from parts, so all is requested.
#[test]
fn nothing_is_inferred_where_inputs_do_not_restrict() {
    let inputs = [numbers("a", 4), numbers("b", 4)];
    let answer = |submission: &Submission| {
        let bound = submission.inputs.iter().zip(&submission.values);
        // Each value alone finds nothing; two find something.
        match submission.inputs.len() {
            2 => Outcome::new(bound.map(|(input, value)| (input * 10 + value) as u64)),
            1 => Outcome::new((submission.values[0] > 2).then_some(1)),
            _ => Outcome::new(0..40),
        }
    };
    let mut search = Isit::new(&inputs, Settings::sequential(), 1);
    while let Some(submission) = search.next() {
        search.record(&submission, &answer(&submission));
    }
    assert_eq!(decision(&search, &[0, 1]), Some(Decision::Informative));
}

#[test]
fn empty_parents_need_no_child() {
    let database = Database::new(60, 9);
    // Most values are empty.
    let inputs = [numbers("genre", 100), numbers("series", 100)];
    let settings = |infers| Settings {
        tau: 0.05,
        infers,
        ..Settings::sequential()
    };
    let [with, without] = [true, false].map(|infers| run(&database, &inputs, settings(infers)));
    assert!(
        with.requests() < without.requests(),
        "{} {}",
        with.requests(),
        without.requests()
    );
}

#[test]
fn a_form_without_inputs_ends_at_once() {
    let mut search = Isit::new(&[], Settings::published(), 1);
    assert_eq!(search.next(), None);
    let mut search = Isit::new(&[Input::default()], Settings::published(), 1);
    assert_eq!(search.next(), None);
    assert_eq!(search.next(), None);
}
