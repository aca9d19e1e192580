//! Stages, patterns, selections and rounds.

use super::{Learning, moment, with_each_learning};
use magpie_model::Alarm;
use magpie_rows::{
    LearnedSite, PatternRow, RoundFilter, RoundMethod, RoundRow, RoundState, RunId, RunKind, SelectedQuery,
    SelectionRow, SelectionStrategy, SiteId, StageRow, Watched,
};
use magpie_values::Timestamp;

pub(crate) fn learned(site: SiteId, objects: u64) -> LearnedSite {
    LearnedSite {
        site,
        key: String::new(),
        entry: "https://one.test/".to_owned(),
        learned_at: moment(5),
        pages: 9,
        yielding: 3,
        objects,
        hubs: 0,
    }
}

pub(crate) fn pattern(text: &str, wanted: bool, objects: u64) -> PatternRow {
    PatternRow {
        pattern: text.to_owned(),
        wanted,
        objects,
        pages: 4,
        learned_at: moment(5),
        ..PatternRow::default()
    }
}

pub(crate) fn round(run: RunId, site: SiteId, state: RoundState) -> RoundRow {
    RoundRow {
        run,
        began_at: moment(0),
        site,
        method: RoundMethod::Selective,
        pages: 1,
        unchanged: 2,
        hubs: 3,
        failures: 4,
        bytes: 5,
        objects: 6,
        new_objects: 7,
        current_objects: 8,
        state,
    }
}

pub(crate) fn selection(made_at: Timestamp) -> SelectionRow {
    SelectionRow {
        made_at,
        strategy: SelectionStrategy::CostAware,
        goal: "coverage 0.98".to_owned(),
        patterns: 2,
        cost: 3.5,
        lower_bound: 3.25,
        gap: 0.5,
        covered: 9.0,
        coverable: 10.0,
        interval: (8.0, 10.0),
        curve: "[]".to_owned(),
    }
}

fn texts(store: &dyn Learning, site: SiteId) -> Vec<String> {
    let rows = store.patterns("things", site).unwrap();
    rows.into_iter().map(|row| row.pattern).collect()
}

#[test]
fn stages_come_in_the_order_they_ended_and_one_takes_the_place_of_another() {
    with_each_learning(|store| {
        let stage = |name: &str, ended_at| StageRow {
            vertical: "things".to_owned(),
            name: name.to_owned(),
            ended_at,
            sentence: String::new(),
            kept: format!("{{\"at\":{ended_at}}}"),
        };
        for (name, at) in [("find", 1), ("crawl", 2), ("cluster", 3)] {
            store.put_stage(stage(name, moment(at)), &[]).unwrap();
        }
        store
            .put_stage(stage("find", moment(9)), &["find", "cluster"])
            .unwrap();
        let other = StageRow {
            vertical: "others".to_owned(),
            ..stage("cluster", moment(1))
        };
        store.put_stage(other, &["crawl"]).unwrap();
        let stages = store.stages("things").unwrap();
        assert_eq!(stages, [stage("crawl", moment(2)), stage("find", moment(9))]);
        assert_eq!(store.learned_verticals().unwrap(), ["others", "things"]);
    });
}

#[test]
fn put_patterns_replaces_the_patterns_of_a_site() {
    with_each_learning(|store| {
        let site = store.site("https://one.test").unwrap();
        let patterns = vec![
            pattern("b", false, 0),
            pattern("a", true, 2),
            pattern("c", true, 5),
        ];
        store.put_patterns("things", learned(site, 7), patterns).unwrap();
        store
            .put_patterns("others", learned(site, 1), vec![pattern("z", true, 1)])
            .unwrap();
        assert_eq!(
            texts(store, site),
            ["c", "a", "b"],
            "wanted ones first, those with most objects first"
        );
        let kept = store.patterns("things", site).unwrap()[0].id;
        store
            .put_patterns(
                "things",
                learned(site, 8),
                vec![pattern("c", true, 6), pattern("d", true, 1)],
            )
            .unwrap();
        let rows = store.patterns("things", site).unwrap();
        assert_eq!(texts(store, site), ["c", "d"]);
        assert_eq!(
            (rows[0].id, rows[0].objects),
            (kept, 6),
            "a pattern keeps its number"
        );
        assert_ne!(rows[1].id, kept);
        let sites = store.learned_sites("things").unwrap();
        assert_eq!(
            (sites.len(), sites[0].key.as_str(), sites[0].objects),
            (1, "https://one.test", 8)
        );
        store.put_hubs("things", site, 4).unwrap();
        assert_eq!(store.learned_sites("things").unwrap()[0].hubs, 4);
        store.forget_site("things", site).unwrap();
        assert_eq!(
            (store.learned_sites("things").unwrap(), texts(store, site)),
            (vec![], vec![])
        );
        assert_eq!(store.patterns("others", site).unwrap().len(), 1);
        store
            .put_patterns("things", learned(SiteId(99), 1), Vec::new())
            .unwrap_err();
    });
}

#[test]
fn sites_with_most_objects_come_first() {
    with_each_learning(|store| {
        let [a, b, c] =
            ["https://a.test", "https://b.test", "https://c.test"].map(|key| store.site(key).unwrap());
        for (site, objects) in [(c, 5), (a, 5), (b, 9)] {
            store
                .put_patterns("things", learned(site, objects), Vec::new())
                .unwrap();
        }
        let sites = store.learned_sites("things").unwrap();
        assert_eq!(sites.iter().map(|site| site.site).collect::<Vec<_>>(), [b, a, c]);
    });
}

#[test]
fn a_selection_chooses_the_patterns_it_names_and_no_others() {
    with_each_learning(|store| {
        let site = store.site("https://one.test").unwrap();
        let patterns = || vec![pattern("a", true, 2), pattern("b", true, 1)];
        store
            .put_patterns("things", learned(site, 7), patterns())
            .unwrap();
        store
            .put_patterns("others", learned(site, 7), patterns())
            .unwrap();
        assert_eq!(store.selection("things").unwrap(), None);
        let chosen = |name: &str, hubs, chosen| (site, name.to_owned(), hubs, chosen);
        let query = |query: &str, pages| SelectedQuery {
            site,
            template: "https://one.test/s?q={query}".to_owned(),
            query: query.to_owned(),
            pages,
        };
        store
            .put_selection(
                "others",
                selection(moment(1)),
                vec![chosen("a", 9, true)],
                Vec::new(),
            )
            .unwrap();
        store
            .put_selection(
                "things",
                selection(moment(1)),
                vec![chosen("a", 2, true), chosen("b", 0, false)],
                vec![query("cat", 1)],
            )
            .unwrap();
        store
            .put_selection(
                "things",
                selection(moment(2)),
                vec![chosen("b", 3, true), chosen("gone", 1, true)],
                vec![query("dog", 4), query("ant", 1)],
            )
            .unwrap();
        let expected = [query("ant", 1), query("dog", 4)];
        assert_eq!(store.selected_queries("things").unwrap(), expected);
        assert!(store.selected_queries("others").unwrap().is_empty());
        assert_eq!(store.selection("things").unwrap(), Some(selection(moment(2))));
        let rows = |vertical| {
            let rows = store.patterns(vertical, site).unwrap();
            rows.into_iter()
                .map(|row| (row.pattern, row.hubs, row.chosen))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            rows("things"),
            [("b".to_owned(), 3, true), ("a".to_owned(), 2, false)]
        );
        assert_eq!(rows("others")[0], ("a".to_owned(), 9, true));
        store.forget_site("things", site).unwrap();
        assert!(store.selected_queries("things").unwrap().is_empty());
    });
}

#[test]
fn rounds_are_read_by_run_and_by_site() {
    with_each_learning(|store| {
        let mut sites = ["https://a.test", "https://b.test"].map(|key| store.site(key).unwrap());
        // Rounds of a run come in the order of the numbers of their sites.
        sites.sort_by_key(|site| site.0);
        let [a, b] = sites;
        let runs = [10, 20, 30].map(|at| {
            store
                .begin_run(RunKind::Recrawl, "test", "{}", moment(at))
                .unwrap()
        });
        store
            .put_patterns("things", learned(a, 7), vec![pattern("x", true, 2)])
            .unwrap();
        let mut row = store.patterns("things", a).unwrap().remove(0);
        row.watched = Watched {
            fetches: 5,
            failures: 1,
            yields: 3,
            alarm: Some(Alarm::Yield),
            monitor: Some("{}".to_owned()),
        };
        store
            .put_round("things", round(runs[0], a, RoundState::Done), vec![row.clone()])
            .unwrap();
        store
            .put_round("things", round(runs[1], a, RoundState::Gone), Vec::new())
            .unwrap();
        store
            .put_round("things", round(runs[1], b, RoundState::Done), Vec::new())
            .unwrap();
        store
            .put_round("things", round(runs[2], a, RoundState::Done), Vec::new())
            .unwrap();
        store
            .put_round("things", round(runs[2], a, RoundState::Broken), Vec::new())
            .unwrap();
        store
            .put_round("others", round(runs[2], a, RoundState::Done), Vec::new())
            .unwrap();
        let states = |of| {
            let rounds = store.rounds("things", of).unwrap();
            rounds
                .into_iter()
                .map(|round| (round.began_at, round.site, round.state))
                .collect::<Vec<_>>()
        };
        let expected = [
            (moment(10), a, RoundState::Done),
            (moment(20), a, RoundState::Gone),
            (moment(20), b, RoundState::Done),
            (moment(30), a, RoundState::Broken),
        ];
        assert_eq!(states(RoundFilter::All), expected);
        assert_eq!(states(RoundFilter::Run(runs[1])), expected[1..3]);
        assert_eq!(states(RoundFilter::Site(b)), expected[2..3]);
        assert_eq!(
            store.states_before("things", a, runs[2]).unwrap(),
            [RoundState::Gone, RoundState::Done]
        );
        assert_eq!(store.lists_gone_at("things", a).unwrap(), Some(moment(20)));
        assert_eq!(store.lists_gone_at("things", b).unwrap(), None);
        assert_eq!(store.patterns("things", a).unwrap()[0].watched, row.watched);
        store
            .put_patterns("things", learned(a, 7), vec![pattern("x", true, 2)])
            .unwrap();
        let watched = &store.patterns("things", a).unwrap()[0].watched;
        assert_eq!(
            (watched.fetches, &watched.alarm),
            (5, &None),
            "counts stay, alarms go"
        );
        store
            .put_round("things", round(RunId(99), a, RoundState::Done), Vec::new())
            .unwrap_err();
        store
            .put_round("things", round(runs[0], SiteId(99), RoundState::Done), Vec::new())
            .unwrap_err();
    });
}
