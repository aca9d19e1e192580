//! A site that teaches how to read it: structured data on some pages names a place where all have a
//! value.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use magpie_engine::reading::{RereadRequest, reread};
use magpie_engine::{Event, Observer, Session};
use magpie_rows::{ObjectFilter, ObjectRow};
use magpie_test_support::server::{Reply, Site, links};
use magpie_tests::TestWorkspace;

const SHOWS: usize = 40;

/// The page of a show. The hall stands where no vertical looks for it; pages with an even number
/// have it as data, too.
fn show(number: usize) -> Reply {
    let day = 1 + number % 28;
    let name = format!("Evening of songs number {number}");
    let data = match number % 2 {
        0 => format!(
            r#"<script type="application/ld+json">{{"@context":"https://schema.org","@type":"MusicEvent",
            "name":"{name}","startDate":"2031-05-{day:02}T20:00",
            "location":{{"@type":"Place","name":"{}"}}}}</script>"#,
            hall(number)
        ),
        _ => String::new(),
    };
    Reply::html(format!(
        r#"<!doctype html><title>{name}</title><h1>{name}</h1>{data}
        <p class="when">{day} May 2031, 20:00</p><div class="qx7"><span>{}</span></div>
        <p>Songs about the river, the mill and the road that leads from one to the other.</p>"#,
        hall(number)
    ))
}

fn hall(number: usize) -> String {
    let names = ["Amber", "Birch", "Cedar", "Dune", "Elm", "Fern", "Grove"];
    format!("{} Rooms", names[number % names.len()])
}

/// Keeps the notices of the clustering.
#[derive(Default)]
struct Notices(Vec<String>);

impl Observer for Notices {
    fn observe(&mut self, event: Event<'_>) {
        if let Event::ClusteringNotice(notice) = event {
            self.0.push(notice.to_owned());
        }
    }
}

fn objects(session: &Session) -> BTreeMap<usize, ObjectRow> {
    let mut objects = BTreeMap::new();
    let collect = &mut |object: ObjectRow| {
        let number = object.label.rsplit(' ').find_map(|word| word.parse().ok());
        let name = object.record.get("name").and_then(|name| name.rsplit(' ').next());
        let number = name
            .and_then(|word| word.parse().ok())
            .or(number)
            .expect("a number");
        assert!(
            objects.insert(number, object).is_none(),
            "show {number} is two objects"
        );
        ControlFlow::Continue(())
    };
    session
        .store()
        .objects(&ObjectFilter::default(), collect)
        .expect("objects");
    objects
}

#[test]
fn a_site_teaches_what_its_vertical_misses_and_people_correct_it() {
    let site = Site::start(|path| match path.strip_prefix("/show/").map(str::parse) {
        Some(Ok(number)) if number < SHOWS => show(number),
        None if path == "/" => {
            let hrefs: Vec<String> = (0..SHOWS).map(|number| format!("/show/{number}")).collect();
            links("Evenings", &hrefs.iter().map(String::as_str).collect::<Vec<_>>())
        }
        _ => Reply::status(404),
    });
    let workspace = TestWorkspace::local(&magpie_tests::vertical("events"), "");
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    let venue = |object: &ObjectRow| object.record.get("venue").map(str::to_owned);

    let learned = objects(&session);
    assert_eq!(learned.len(), SHOWS);
    for (number, object) in &learned {
        assert_eq!(venue(object), Some(hall(*number)), "show {number}");
        let [member] = &session.store().members_of(object.id).expect("members")[..] else {
            panic!("show {number} has one page");
        };
        let from = member.sources.get("venue").map_or("", String::as_str);
        // The vertical reads the data by itself.
        assert_eq!(
            from.starts_with("place "),
            number % 2 == 1,
            "show {number}: {from}"
        );
    }

    // A person corrects a page. The correction outlasts learning again.
    let reader = session.site_reader().expect("a reader");
    let key = session.store().learned_sites("events").expect("sites")[0]
        .key
        .clone();
    let id = session.store().site(&key).expect("a site");
    let mut taught = reader.present(&key).expect("readable").expect("learned");
    assert!(taught.teach(&site.url("/show/3"), "venue", "Old Mill"));
    assert!(!taught.teach(&site.url("/show/3"), "hall", "Old Mill"));
    let taught = reader.learn(id, &key, Some(&taught)).expect("it learns");
    let present = reader.present(&key).expect("readable").expect("learned");
    let difference = reader.compare(id, Some(&present), &taught).expect("compared");
    let changed: Vec<(&str, &str)> = difference
        .changed
        .1
        .iter()
        .map(|change| (&*change.before, &*change.after))
        .collect();
    assert_eq!(changed, [(&*hall(3), "Old Mill")], "{difference:?}");
    assert_eq!((difference.added.0, difference.lost.0), (0, 0));
    assert_eq!(
        reader.keep(&key, &taught).expect("kept"),
        None,
        "nobody has edited the file"
    );
    reader.read_again(session.store(), id, &taught).expect("read");
    session.cluster(&mut ()).expect("clustered");
    let corrected = objects(&session);
    assert_eq!(venue(&corrected[&3]).as_deref(), Some("Old Mill"));
    assert_eq!(corrected[&3].id, learned[&3].id);

    // It is taken back by the reading before.
    let before = reader.previous(&key).expect("readable").expect("kept");
    reader.read_again(session.store(), id, &before).expect("read");
    session.cluster(&mut ()).expect("clustered");
    assert_eq!(venue(&objects(&session)[&3]), Some(hall(3)));

    // The same component reads the archive as it did, and asks the site for nothing.
    let requests = site.requests().len();
    let request = RereadRequest {
        sites: vec![(id, key.clone())],
        only_failed: false,
    };
    let done = reread(&session, &request).expect("read");
    assert_eq!((done.pages, done.changed, done.failed), (SHOWS as u64 + 1, 0, 0));
    assert_eq!(site.requests().len(), requests);

    // Nonsense in the file is reported with its line, and pages are read by the vertical alone.
    let file = reader.file(&key);
    std::fs::write(&file, "classes = 7\n[[nonsense\n").expect("written");
    session
        .clock()
        .advance(std::time::Duration::from_secs(7 * 86_400));
    let mut notices = Notices::default();
    let recrawled = magpie_engine::recrawl(&session, magpie_engine::recrawl::Method::Selective, &mut notices);
    recrawled.expect("it recrawls").expect("it was not stopped");
    let told = notices.0.join("\n");
    assert!(
        told.contains("by the vertical alone") && told.contains("line"),
        "{told}"
    );
}
