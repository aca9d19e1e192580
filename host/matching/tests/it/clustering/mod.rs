//! Clustering at the library's boundary: with a matcher whose answers are known, and by schema.

mod by_schema;
mod by_site;
mod properties;
mod support;

use magpie_matching::{ClusterId, Clustering, MemberId, Origin, Settings, Standing, cluster};

use support::{Points, Trouble, id, objects, partition};

/// Clusters points on a line and compares with the groups expected.
fn check(points: &[f64], expected: &[&[u64]]) {
    let clustering = cluster(&mut Points::default(), &objects(points), &Settings::default())
        .expect("the matcher does not fail");
    assert_eq!(partition(&clustering), expected, "{points:?}");
}

#[test]
fn near_points_are_one_and_far_ones_are_not() {
    check(&[], &[]);
    check(&[1.0], &[&[0]]);
    check(&[1.0, 1.1, 5.0, 5.2, 9.0], &[&[0, 1], &[2, 3], &[4]]);
}

#[test]
fn a_chain_does_not_grow() {
    // Each is probably its neighbour, the first is certainly not the last.
    let points: Vec<f64> = (0..12).map(|step| f64::from(step) * 0.4).collect();
    let clustering = cluster(&mut Points::default(), &objects(&points), &Settings::default()).unwrap();
    for cluster in clustering.clusters() {
        let positions = cluster.members.iter().map(|member| points[member.0 as usize]);
        let (least, most) = (
            positions.clone().fold(f64::MAX, f64::min),
            positions.fold(f64::MIN, f64::max),
        );
        assert!(most - least < 1.0, "{cluster:?}");
    }
    assert!(clustering.report().rejected_by_guard > 0);
}

#[test]
fn the_mean_decides_not_the_best_link() {
    // The middle one is probably either of its neighbours: 0.6. On average the third is not the
    // other two: 0.6 and 0.2.
    let clustering = cluster(
        &mut Points::default(),
        &objects(&[1.0, 1.4, 1.8]),
        &Settings::default(),
    )
    .unwrap();
    assert_eq!(clustering.clusters().len(), 2);
    // Here it is: 0.8 and 0.6.
    check(&[1.0, 1.2, 1.4], &[&[0, 1, 2]]);
}

#[test]
fn the_explanation_leads_from_one_to_the_other() {
    let clustering = cluster(
        &mut Points::default(),
        &objects(&[1.0, 1.3, 1.6, 7.0]),
        &Settings::default(),
    )
    .unwrap();
    let steps = clustering.why(id(0), id(2)).unwrap();
    let ends: Vec<(u64, u64)> = steps.iter().map(|step| (step.from.0, step.to.0)).collect();
    assert_eq!(ends, [(0, 1), (1, 2)]);
    assert!(
        steps
            .iter()
            .all(|step| step.scheme == "cell" && step.reasons == ["near"])
    );
    assert!((steps[0].probability - 0.7).abs() < 1e-6, "{steps:?}");
    assert_eq!(clustering.why(id(0), id(3)), None);
    assert_eq!(clustering.why(id(0), id(99)), None);
    assert_eq!(clustering.why(id(0), id(0)).as_deref(), Some(&[][..]));
}

#[test]
fn ids_stay_when_members_are_added() {
    let mut matcher = Points::default();
    let mut clustering = Clustering::new(Settings::default());
    let first = clustering
        .add(
            &mut matcher,
            &[id(20), id(10), id(30)],
            &objects(&[1.0, 1.1, 6.0]),
        )
        .unwrap();
    assert_eq!(first.clusters, [ClusterId(10), ClusterId(10), ClusterId(30)]);
    let second = clustering.add(&mut matcher, &[id(5)], &objects(&[1.05])).unwrap();
    assert_eq!(second.clusters, [ClusterId(10)]);
    assert_eq!(second.merged, []);
    assert_eq!(clustering.members_with(id(5)), [id(5), id(10), id(20)]);
}

#[test]
fn the_older_cluster_keeps_its_id_when_two_become_one() {
    let mut matcher = Points::default();
    let mut clustering = Clustering::new(Settings::default());
    clustering.add(&mut matcher, &[id(50)], &objects(&[1.0])).unwrap();
    clustering.add(&mut matcher, &[id(7)], &objects(&[1.6])).unwrap();
    assert_eq!(clustering.cluster_of(id(7)), Some(ClusterId(7)));
    let bridge = clustering.add(&mut matcher, &[id(60)], &objects(&[1.3])).unwrap();
    assert_eq!(bridge.clusters, [ClusterId(50)]);
    assert_eq!(bridge.merged, [(ClusterId(7), ClusterId(50))]);
    assert_eq!(clustering.current(ClusterId(7)), ClusterId(50));
    assert_eq!(clustering.current(ClusterId(50)), ClusterId(50));
}

#[test]
fn adding_compares_only_what_is_new() {
    let mut matcher = Points::default();
    let mut clustering = Clustering::new(Settings::default());
    clustering
        .add(&mut matcher, &[id(0), id(1), id(2)], &objects(&[1.0, 1.1, 1.2]))
        .unwrap();
    assert_eq!(clustering.report().pairs_compared, 3);
    clustering
        .add(&mut matcher, &[id(3), id(1)], &objects(&[1.3, 1.1]))
        .unwrap();
    assert_eq!(clustering.report().pairs_compared, 6);
    assert_eq!((clustering.report().known, clustering.report().records), (1, 4));
}

#[test]
fn what_must_not_be_linked_is_not() {
    let settings = Settings {
        must_not_link: vec![(id(0), id(2))],
        ..Settings::default()
    };
    let clustering = cluster(&mut Points::default(), &objects(&[1.0, 1.01, 1.02]), &settings).unwrap();
    assert_ne!(clustering.cluster_of(id(0)), clustering.cluster_of(id(2)));
    assert!(clustering.report().rejected_by_hand > 0);
}

#[test]
fn a_standing_cluster_is_cut_at_its_weakest_link() {
    let points = objects(&[1.0, 1.1, 1.4, 1.5]);
    let mut clustering = cluster(&mut Points::default(), &points, &Settings::default()).unwrap();
    assert_eq!(clustering.clusters().len(), 1);
    clustering.must_not_link(id(0), id(3));
    assert_eq!(partition(&clustering), [vec![0, 1], vec![2, 3]]);
    assert_eq!(clustering.cluster_of(id(0)), Some(ClusterId(0)));
    assert_eq!(clustering.cluster_of(id(3)), Some(ClusterId(2)));
    // Nothing that comes later brings them together again.
    clustering
        .add(&mut Points::default(), &[id(9)], &objects(&[1.25]))
        .unwrap();
    assert_ne!(clustering.cluster_of(id(0)), clustering.cluster_of(id(3)));
}

#[test]
fn large_blocks_are_not_compared_in_full() {
    // All share one cell, and twins stand beside each other in the order of features.
    let points: Vec<f64> = (0..1000).map(|number| f64::from(number / 2) * 0.002).collect();
    let settings = Settings {
        threshold: 0.9995,
        ..Settings::default()
    };
    let clustering = cluster(&mut Points::default(), &objects(&points), &settings).unwrap();
    let report = clustering.report();
    assert!(
        report.blocks_capped > 0 && report.largest_block >= 500,
        "{report:?}"
    );
    assert!(report.pairs_compared < 1000 * 45, "{report:?}");
    assert_eq!(clustering.clusters().len(), 500);
}

#[test]
fn after_an_error_the_next_call_goes_on() {
    let points = objects(&[1.0, 1.1, 1.2, 6.0]);
    let ids = [id(0), id(1), id(2), id(3)];
    for fails_at in 0..8 {
        let mut matcher = Points::failing_at(fails_at);
        let mut clustering = Clustering::new(Settings::default());
        let mut outcome = clustering.add(&mut matcher, &ids, &points);
        if outcome == Err(Trouble) && clustering.report().records == 0 {
            outcome = clustering.add(&mut matcher, &ids, &points);
        }
        if outcome == Err(Trouble) {
            clustering.add(&mut matcher, &[], &[]).unwrap();
        }
        assert_eq!(
            partition(&clustering),
            [vec![0, 1, 2], vec![3]],
            "failing at call {fails_at}"
        );
    }
}

#[test]
fn a_kept_clustering_stands_as_it_was() {
    let mut matcher = Points::default();
    let points = objects(&[1.0, 1.3, 1.6, 7.0]);
    let before = cluster(&mut matcher, &points, &Settings::default()).unwrap();
    let prepared = magpie_model::Matcher::prepare(&mut matcher, &points).unwrap();
    let standing = prepared.into_iter().enumerate().map(|(number, prepared)| {
        let id = MemberId(number as u64);
        Standing {
            id,
            prepared,
            cluster: before.cluster_of(id).unwrap(),
            origin: Origin::default(),
        }
    });
    let mut after = Clustering::restore(Settings::default(), standing, before.links());
    assert_eq!(after.clusters(), before.clusters());
    assert_eq!(after.why(id(0), id(2)), before.why(id(0), id(2)));
    assert_eq!(after.report().pairs_compared, 0);
    let added = after.add(&mut matcher, &[id(9)], &objects(&[7.1])).unwrap();
    assert_eq!(added.clusters, [ClusterId(3)]);
    assert_eq!(after.report().pairs_compared, 1);
}

#[test]
fn a_cluster_named_after_a_lost_member_is_renamed() {
    let mut matcher = Points::default();
    let prepared = magpie_model::Matcher::prepare(&mut matcher, &objects(&[1.0, 1.1])).unwrap();
    let standing = prepared
        .into_iter()
        .zip([4, 5])
        .map(|(prepared, number)| Standing {
            id: MemberId(number),
            prepared,
            cluster: ClusterId(2),
            origin: Origin::default(),
        });
    let clustering = Clustering::restore(Settings::default(), standing, []);
    assert_eq!(clustering.cluster_of(id(5)), Some(ClusterId(4)));
    assert_eq!(clustering.current(ClusterId(2)), ClusterId(4));
}
