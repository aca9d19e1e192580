//! Runs, alerts, webhooks and pictures.

use magpie_rows::{
    Alert, AlertKind, AlertPosition, Cursor, Page, PictureCopy, PictureProblem, PictureRow, Position, RunId,
    RunKind, WebhookRow,
};
use serde_json::json;

use super::{Learning, fetch, lease, moment, take, with_each_learning};

#[test]
fn spent_requests_are_read_by_kind_and_time() {
    with_each_learning(|store| {
        let (one, other) = (
            lease(store, "https://one.test"),
            lease(store, "https://other.test"),
        );
        let watch = store.begin_run(RunKind::Watch, "test", "{}", moment(0)).unwrap();
        let crawl = store.begin_run(RunKind::Crawl, "test", "{}", moment(0)).unwrap();
        let visits = [
            (&one, watch, 100),
            (&other, watch, 90),
            (&one, crawl, 110),
            (&other, watch, 120),
        ];
        for (number, (lease, run, at)) in visits.into_iter().enumerate() {
            let url = format!("{}/{number}", lease.key);
            let page = Page {
                url: url.clone(),
                fetched_at: moment(at),
                bytes: 10,
                run: Some(run),
                ..Page::default()
            };
            fetch(store, lease, take(store, lease, &url), page);
        }
        store.flush().unwrap();
        let spent = store.spent(RunKind::Watch, moment(95)).unwrap();
        let spent: Vec<_> = spent
            .iter()
            .map(|spent| (spent.at, spent.bytes, spent.site))
            .collect();
        assert_eq!(
            spent,
            [
                (moment(120), 10, Some(other.site)),
                (moment(100), 10, Some(one.site))
            ]
        );
        assert_eq!(store.spent(RunKind::Recrawl, moment(0)).unwrap(), []);
        let totals = store
            .run_totals("things", &[watch], (moment(0), moment(1_000)))
            .unwrap();
        assert_eq!((totals.pages, totals.bytes, totals.records), (3, 30, 0));
    });
}

#[test]
fn the_last_run_of_a_kind_is_resumed_until_it_is_ended() {
    with_each_learning(|store| {
        assert_eq!(store.resume_run(RunKind::Crawl, moment(1)).unwrap(), None);
        let first = store
            .begin_run(RunKind::Crawl, "test 1", "{\"a\":1}", moment(2))
            .unwrap();
        let recrawl = store
            .begin_run(RunKind::Recrawl, "test 1", "{}", moment(3))
            .unwrap();
        assert_ne!(first, recrawl);
        assert_eq!(store.resume_run(RunKind::Crawl, moment(4)).unwrap(), Some(first));
        store.end_run(first, moment(5)).unwrap();
        store.end_run(RunId(99), moment(5)).unwrap();
        assert_eq!(store.resume_run(RunKind::Crawl, moment(6)).unwrap(), None);
        let runs = store.runs().unwrap();
        let run = &runs[0];
        assert_eq!((runs.len(), run.id, run.kind), (2, first, RunKind::Crawl));
        assert_eq!(
            (run.started_at, run.resumed_at, run.ended_at),
            (moment(2), Some(moment(4)), Some(moment(5)))
        );
        assert_eq!(
            (run.outcome.as_deref(), run.settings.as_str()),
            (Some("finished"), "{\"a\":1}")
        );
    });
}

fn alert(subject: &str) -> Alert {
    Alert {
        kind: AlertKind::ALL[0],
        subject: subject.to_owned(),
        facts: json!({"of": subject}),
    }
}

/// Returns the subjects of the alerts after a position, with `true` for those that ended.
fn logged(store: &dyn Learning, after: AlertPosition) -> Vec<(String, bool)> {
    let rows = store.alerts_after(after, 99).unwrap();
    rows.into_iter()
        .map(|row| (row.alert.subject, row.is_over))
        .collect()
}

#[test]
fn alerts_are_logged_when_they_begin_and_when_they_end() {
    with_each_learning(|store| {
        assert_eq!(store.last_alert().unwrap(), AlertPosition(0));
        let log = |vertical: &str, subjects: &[&str], at| {
            let present = subjects.iter().map(|subject| alert(subject)).collect();
            store.log_alerts(vertical, present, moment(at)).unwrap();
        };
        log("things", &["a", "b", "a"], 1);
        log("others", &["a"], 2);
        let before = store.last_alert().unwrap();
        log("things", &["b", "c"], 3);
        log("things", &["b", "c"], 4);
        let expected = [("a".to_owned(), true), ("c".to_owned(), false)];
        assert_eq!(logged(store, before), expected);
        let run = store.begin_run(RunKind::Crawl, "test", "{}", moment(5)).unwrap();
        store.end_run(run, moment(6)).unwrap();
        store.end_run(run, moment(7)).unwrap();
        assert_eq!(logged(store, before).last(), Some(&(run.0.to_string(), true)));
        let rows = store.alerts_after(before, 9).unwrap();
        let last = rows.last().unwrap();
        assert_eq!(
            (rows.len(), last.at, last.position),
            (3, moment(6), store.last_alert().unwrap())
        );
        assert_eq!(rows[1].alert, alert("c"));
        let lasting: Vec<_> = store
            .lasting_alerts()
            .unwrap()
            .into_iter()
            .map(|row| (row.vertical, row.alert.subject))
            .collect();
        let expected = [("things", "b"), ("others", "a"), ("things", "c")];
        assert_eq!(
            lasting,
            expected.map(|(vertical, subject)| (vertical.to_owned(), subject.to_owned()))
        );
        assert_eq!(store.alerts_after(AlertPosition(0), 2).unwrap().len(), 2);
    });
}

#[test]
fn webhooks_keep_their_state() {
    with_each_learning(|store| {
        let position = Position {
            change: Cursor::new(b'c', &[1, 2]),
            alert: AlertPosition(7),
        };
        let new = WebhookRow::new("b", position.clone());
        store.put_webhook(new.clone()).unwrap();
        store.put_webhook(WebhookRow::new("B", position.clone())).unwrap();
        let changed = WebhookRow {
            pending: Some((3, 4)),
            failures: 2,
            failing_since: Some(moment(1)),
            retry_at: Some(moment(2)),
            parked_at: Some(moment(3)),
            last_error: Some("it is\u{1f426} down".to_owned()),
            delivered_at: Some(moment(4)),
            events: 9,
            ..new
        };
        store.put_webhook(changed.clone()).unwrap();
        assert_eq!(
            store.webhooks().unwrap(),
            [WebhookRow::new("B", position), changed]
        );
    });
}

#[test]
fn pictures_are_kept_by_their_urls() {
    with_each_learning(|store| {
        let picture = |url: &str, host: &str, at, copy| PictureRow {
            url: url.to_owned(),
            host: host.to_owned(),
            asked_at: moment(at),
            requests: 2,
            bytes: 30,
            copy,
        };
        let copy = |bytes: &[u8]| {
            Ok(PictureCopy {
                width: 4,
                height: 3,
                jpeg: bytes.to_vec(),
            })
        };
        let [one, other, bad] = ["https://a.test/1", "https://a.test/2", "https://b.test/3"];
        let problem = PictureProblem::ALL[0];
        store
            .put_picture(picture(one, "a.test", 1, copy(b"old")))
            .unwrap();
        store
            .put_picture(picture(one, "a.test", 5, copy(b"\0\xff")))
            .unwrap();
        store
            .put_picture(picture(other, "a.test", 6, copy(b"2")))
            .unwrap();
        store
            .put_picture(picture(bad, "b.test", 7, Err(problem)))
            .unwrap();
        let kept = store
            .kept_pictures(&[bad, other, one, "https://c.test/"])
            .unwrap();
        assert_eq!(
            kept.iter().map(Option::is_some).collect::<Vec<_>>(),
            [false, true, true, false]
        );
        let print = kept[2].unwrap().url_print;
        assert_eq!((kept[2].unwrap().width, kept[2].unwrap().height), (4, 3));
        assert_eq!(store.picture(print).unwrap().as_deref(), Some(&b"\0\xff"[..]));
        assert_eq!(store.asked_pictures().unwrap().len(), 3);
        let counts: Vec<_> = store
            .picture_counts(moment(5))
            .unwrap()
            .into_iter()
            .map(|count| {
                (
                    count.host,
                    count.problem,
                    count.pictures,
                    count.requests,
                    count.bytes,
                )
            })
            .collect();
        let expected = [
            ("a.test".to_owned(), None, 2, 4, 60),
            ("b.test".to_owned(), Some(problem), 1, 2, 30),
        ];
        assert_eq!(counts, expected);
        store
            .delete_pictures(vec![print, kept[1].unwrap().url_print])
            .unwrap();
        store.delete_pictures(Vec::new()).unwrap();
        assert_eq!(store.picture(print).unwrap(), None);
        assert_eq!(store.asked_pictures().unwrap().len(), 1);
        assert!(store.kept_pictures(&[]).unwrap().is_empty());
    });
}
