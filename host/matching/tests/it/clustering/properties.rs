//! Properties that hold for any input.

use std::collections::BTreeSet;

use magpie_matching::{Clustering, SchemaMatcher, Settings, cluster, queries};
use magpie_model::Matcher;
use magpie_model::{Attribute, Field, Kind, Object, PageContext, Value, VerticalInfo, check};
use proptest::prelude::*;

use super::support::{Points, id, objects, partition};

/// The partition as sets of points, which do not depend on ids.
fn by_point(clustering: &Clustering, points: &[f64]) -> BTreeSet<Vec<u64>> {
    let sets = partition(clustering).into_iter().map(|members| {
        let mut at: Vec<u64> = members
            .iter()
            .map(|member| (points[*member as usize] * 1000.0).round() as u64)
            .collect();
        at.sort_unstable();
        at
    });
    sets.collect()
}

fn points() -> impl Strategy<Value = Vec<f64>> {
    // Distinct points, as twins can't be told apart when they are counted by place.
    prop::collection::btree_set(0u32..12_000, 0..60)
        .prop_map(|points| {
            points
                .into_iter()
                .map(|point| f64::from(point) / 1000.0)
                .collect::<Vec<f64>>()
        })
        .prop_shuffle()
}

fn kinds() -> impl Strategy<Value = String> {
    let known = [
        "text",
        "person",
        "organisation",
        "place",
        "coordinates",
        "date-time",
        "duration",
        "money",
        "number",
        "rating",
    ];
    let more = [
        "boolean",
        "identifier:isbn",
        "identifier:own",
        "url",
        "image",
        "language",
        "properties",
        "colour",
    ];
    prop::sample::select(
        known
            .into_iter()
            .chain(more)
            .map(str::to_owned)
            .collect::<Vec<_>>(),
    )
}

fn schema() -> impl Strategy<Value = VerticalInfo> {
    let weight = prop_oneof![
        Just(1.0),
        Just(0.0),
        Just(-1.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        0.0..3.0
    ];
    let attribute =
        ("[a-c]?", kinds(), any::<[bool; 4]>(), weight).prop_map(|(name, kind, flags, weight)| Attribute {
            label: name.clone(),
            name,
            kind: Kind::from(kind),
            required: false,
            repeated: flags[0],
            identifies: flags[1],
            query: flags[2],
            expires: flags[3],
            schema_org: None,
            weight,
        });
    prop::collection::vec(attribute, 0..6).prop_map(|attributes| VerticalInfo {
        attributes,
        ..VerticalInfo::default()
    })
}

fn value() -> impl Strategy<Value = Value> {
    let telling = [
        "2026-05-03",
        "12.50 EUR",
        "9780306406157",
        "The Tempest (live)",
        "https://example.org/a",
        "en",
    ];
    prop_oneof![
        any::<bool>().prop_map(Value::Boolean),
        any::<i64>().prop_map(Value::Integer),
        any::<f64>().prop_map(Value::Real),
        any::<String>().prop_map(Value::Text),
        "[a-d \u{0}]{0,12}".prop_map(Value::Text),
        prop::sample::select(telling.to_vec()).prop_map(|text| Value::Text(text.to_owned())),
        any::<String>().prop_map(|text| Value::Json(serde_json::json!({"a": text, "b": [1]}))),
    ]
}

fn any_objects() -> impl Strategy<Value = Vec<Object>> {
    let field = ("[a-c]?", value()).prop_map(|(path, value)| Field {
        path,
        value,
        node: None,
    });
    let object = (prop::collection::vec(field, 0..6), any::<f64>()).prop_map(|(fields, confidence)| Object {
        schema_type: String::new(),
        confidence,
        fields,
    });
    prop::collection::vec(object, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_objects_does_not_matter(points in points(), cap in 2usize..20) {
        let settings = Settings { block_cap: cap, window: 3, ..Settings::default() };
        let sorted = { let mut sorted = points.clone(); sorted.sort_by(f64::total_cmp); sorted };
        let one = cluster(&mut Points::default(), &objects(&points), &settings).unwrap();
        let two = cluster(&mut Points::default(), &objects(&sorted), &settings).unwrap();
        prop_assert_eq!(by_point(&one, &points), by_point(&two, &sorted));
        let counts = |clustering: &Clustering| (clustering.report().pairs_compared, clustering.report().links);
        prop_assert_eq!(counts(&one), counts(&two));
    }

    #[test]
    fn adding_never_separates_and_keeps_what_must_be_apart(points in points(), batch in 1usize..9) {
        let apart = (id(0), id(1));
        let settings = Settings { must_not_link: vec![apart], ..Settings::default() };
        let mut clustering = Clustering::new(settings);
        let ids: Vec<_> = (0..points.len() as u64).map(id).collect();
        let mut together: Vec<(magpie_matching::MemberId, magpie_matching::MemberId)> = Vec::new();
        for (ids, points) in ids.chunks(batch).zip(points.chunks(batch)) {
            clustering.add(&mut Points::default(), ids, &objects(points)).unwrap();
            let mut own = clustering.links();
            own.retain(|link| ids.contains(&link.from) || ids.contains(&link.to));
            prop_assert_eq!(clustering.links_of(ids), own);
            for (one, two) in &together {
                prop_assert_eq!(clustering.cluster_of(*one), clustering.cluster_of(*two));
            }
            let clusters = clustering.clusters();
            together = clusters.iter().flat_map(|cluster| cluster.members.iter().map(|other| (cluster.members[0], *other))).collect();
        }
        if points.len() > 1 {
            prop_assert_ne!(clustering.cluster_of(apart.0), clustering.cluster_of(apart.1));
        }
        // Each member is in one cluster, each cluster is named after a member, each pair can be
        // explained.
        let clusters = clustering.clusters();
        prop_assert_eq!(clusters.iter().map(|cluster| cluster.members.len()).sum::<usize>(), points.len());
        for cluster in &clusters {
            prop_assert!(cluster.members.contains(&id(cluster.id.0)));
            for member in &cluster.members {
                prop_assert!(clustering.why(cluster.members[0], *member).is_some());
            }
        }
    }

    #[test]
    fn cutting_keeps_every_member_in_one_cluster(points in points(), cuts in prop::collection::vec((0u64..60, 0u64..60), 0..12)) {
        let mut clustering = cluster(&mut Points::default(), &objects(&points), &Settings::default()).unwrap();
        for (one, two) in &cuts {
            clustering.must_not_link(id(*one), id(*two));
        }
        for (one, two) in cuts.iter().filter(|(one, two)| one != two && (*one).max(*two) < points.len() as u64) {
            prop_assert_ne!(clustering.cluster_of(id(*one)), clustering.cluster_of(id(*two)));
        }
        let clusters = clustering.clusters();
        prop_assert_eq!(clusters.iter().map(|cluster| cluster.members.len()).sum::<usize>(), points.len());
        prop_assert_eq!(clusters.len() as u64, clustering.report().clusters);
    }

    #[test]
    fn any_schema_and_objects_can_be_clustered(info in schema(), objects in any_objects()) {
        let page = PageContext { url: "https://example.org/".to_owned(), ..PageContext::default() };
        let checked: Vec<Object> = objects
            .iter()
            .filter_map(|object| check(&info, object, &page).record)
            .map(|record| { let _ = queries(&info, &record); let _ = record.expires_at(&info); record.to_json(); record.to_object() })
            .collect();
        let _ = info.problems(true);
        for objects in [&objects, &checked] {
            let mut matcher = SchemaMatcher::new(&info);
            let clustering = cluster(&mut matcher, objects, &Settings::default()).unwrap();
            prop_assert_eq!(clustering.report().records, objects.len() as u64);
            if !objects.is_empty() {
                let merged = matcher.merge(objects).unwrap();
                prop_assert!(merged.keep.iter().all(|(_, source)| (*source as usize) < objects.len()));
            }
        }
    }

    #[test]
    fn a_comparison_does_not_care_which_comes_first(info in schema(), objects in any_objects()) {
        let mut matcher = SchemaMatcher::new(&info);
        let prepared = matcher.prepare(&objects).unwrap();
        for one in &prepared {
            for two in &prepared {
                let there = matcher.compare(&one.features, &[&two.features]).unwrap();
                let back = matcher.compare(&two.features, &[&one.features]).unwrap();
                prop_assert!((there[0].probability - back[0].probability).abs() < 1e-9, "{:?} {:?}", there, back);
                prop_assert!((0.0..=1.0).contains(&there[0].probability));
            }
        }
    }

    #[test]
    fn strange_features_are_refused_not_fatal(info in schema(), bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut matcher = SchemaMatcher::new(&info);
        let _ = matcher.absorb(&bytes);
        let _ = matcher.compare(&bytes, &[&bytes]);
    }
}
