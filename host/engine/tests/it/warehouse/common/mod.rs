//! A workspace whose pages the tests write, and a scripted matcher.

use magpie_rows::Catalogue;
use std::ops::ControlFlow;
use std::sync::Arc;

use magpie_engine::warehouse::{Options, Remembering, Report, Subject, WarehouseError, cluster_with};
use magpie_model::{
    Attribute, Key, Kind, Matcher, Merged, Object, Prepared, Record, Routing, Value, Verdict, VerticalInfo,
};
use magpie_rows::{
    Component, ExtractedRecord, Extraction, FetchResult, Frontier, Lease, LeaseRequest, Link, LinkList,
    MatcherKind, ObjectFilter, ObjectId, Objects as _, Page,
};
use magpie_sqlite::{Reader, Workspace, WorkspaceOptions};
use magpie_values::Timestamp;
use serde_json::{Value as Json, json};

const SITE: &str = "https://shop.test";

pub(crate) fn url(path: &str) -> String {
    format!("{SITE}{path}")
}

pub(crate) struct Shop {
    pub(crate) workspace: Workspace,
    lease: Lease,
    folder: tempfile::TempDir,
}

impl Shop {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
        let lease = lease(&workspace);
        Self {
            workspace,
            lease,
            folder,
        }
    }

    /// The same after its process ended and another began.
    pub(crate) fn reopened(self) -> Self {
        let Self {
            workspace, folder, ..
        } = self;
        drop(workspace);
        let workspace = Workspace::open(folder.path(), &WorkspaceOptions::default()).unwrap();
        let lease = lease(&workspace);
        Self {
            workspace,
            lease,
            folder,
        }
    }

    pub(crate) fn reader(&self) -> Reader {
        self.workspace.reader().unwrap()
    }

    /// A page with objects: their keys, apart by blanks, their titles and their prices.
    pub(crate) fn page(&self, at: Timestamp, path: &str, objects: &[(&str, &str, &str)]) {
        let objects = objects.iter().map(|(key, title, price)| ExtractedRecord {
            record: Record::from_json(&json!({
                "type": "Thing", "confidence": 0.9, "attributes": {"key": key, "title": title, "price": price},
            }))
            .unwrap(),
            expires_at: None,
        });
        let extraction = Extraction {
            component: component(),
            records: objects.collect(),
            ..Extraction::default()
        };
        self.fetch_result(at, path, 200, vec![extraction]);
    }

    /// A page with its title and its links, each with its text and `rel`, and with objects as JSON.
    pub(crate) fn shown(
        &self,
        at: Timestamp,
        path: &str,
        title: &str,
        links: &[(&str, &str, &str)],
        objects: &[Json],
    ) {
        let objects = objects.iter().map(|attributes| ExtractedRecord {
            record: Record::from_json(&json!({"type": "Thing", "confidence": 0.9, "attributes": attributes}))
                .unwrap(),
            expires_at: None,
        });
        let extraction = Extraction {
            component: component(),
            records: objects.collect(),
            ..Extraction::default()
        };
        let mut list = LinkList::new();
        for (href, text, rel) in links {
            let path = "";
            list.push(Link {
                href,
                text,
                path,
                rel,
            });
        }
        self.commit(
            Page {
                title: Some(title.to_owned()),
                links: list,
                ..answer(at, path, 200)
            },
            vec![extraction],
        );
    }

    pub(crate) fn redirect(&self, at: Timestamp, path: &str, target: &str) {
        self.commit(
            Page {
                redirect: Some(url(target)),
                ..answer(at, path, 301)
            },
            Vec::new(),
        );
    }

    /// The site's answer that a page has not changed.
    pub(crate) fn not_modified(&self, at: Timestamp, path: &str) {
        self.fetch_result(at, path, 304, Vec::new());
    }

    fn fetch_result(&self, at: Timestamp, path: &str, status: u16, extractions: Vec<Extraction>) {
        self.commit(answer(at, path, status), extractions);
    }

    fn commit(&self, page: Page, extractions: Vec<Extraction>) {
        let result = FetchResult {
            page: Some(page),
            extractions,
            ..FetchResult::default()
        };
        self.workspace.commit(&self.lease, result).unwrap();
        self.workspace.flush().unwrap();
    }

    /// The things with the URLs of their records, in the order these were found.
    pub(crate) fn things(&self) -> Vec<(i64, Vec<String>)> {
        let (reader, mut ids) = (self.reader(), Vec::new());
        reader
            .objects(&ObjectFilter::default(), &mut |thing| {
                ids.push(thing.id);
                ControlFlow::Continue(())
            })
            .unwrap();
        let urls = |id| {
            reader
                .members_of(id)
                .unwrap()
                .into_iter()
                .map(|member| member.url)
                .collect()
        };
        ids.into_iter().map(|id| (id.0, urls(id))).collect()
    }

    /// Returns the value of an attribute of an object.
    pub(crate) fn value(&self, thing: i64, attribute: &str) -> String {
        let thing = self.reader().object(ObjectId(thing)).unwrap().unwrap();
        thing.record.get(attribute).unwrap().to_owned()
    }

    /// Returns the number of records that take part in comparisons.
    pub(crate) fn compared(&self) -> usize {
        let warehouse = self.reader().warehouse_vertical("things").unwrap().unwrap().id;
        self.reader()
            .standing_after(warehouse, 0, usize::MAX >> 1)
            .unwrap()
            .len()
    }
}

fn component() -> Arc<Component> {
    Arc::new(Component {
        vertical: "things".to_owned(),
        version: "1".to_owned(),
        digest: "1".to_owned(),
        options: "{}".to_owned(),
    })
}

fn answer(at: Timestamp, path: &str, status: u16) -> Page {
    Page {
        url: url(path),
        fetched_at: at,
        status: Some(status),
        ..Page::default()
    }
}

fn lease(workspace: &Workspace) -> Lease {
    let request = LeaseRequest {
        worker: "test",
        site: Some(workspace.site(SITE).unwrap()),
        now: Timestamp::from_millis(0),
        until: Timestamp::MAX,
    };
    workspace.lease(&request).unwrap().unwrap()
}

/// The vertical of the tests, by a component with this digest.
pub(crate) fn subject(digest: &str) -> Subject {
    let attribute = |name: &str, kind: &str, identifies: bool| Attribute {
        identifies,
        ..Attribute::new(name, Kind::from(kind.to_owned()))
    };
    Subject {
        info: VerticalInfo {
            name: "things".to_owned(),
            version: "1".to_owned(),
            object_type: "Thing".to_owned(),
            attributes: vec![
                attribute("key", "identifier:isbn", true),
                attribute("title", "text", true),
                attribute("price", "money", false),
                attribute("url", "url", false),
                attribute("start", "date-time", false),
                attribute("end", "date-time", false),
            ],
            routing: Routing::default(),
            ..VerticalInfo::default()
        },
        matcher: MatcherKind::Plugin,
        digest: digest.to_owned(),
        options: json!({}),
    }
}

/// Clusters what is new.
pub(crate) fn cluster(shop: &Shop, matcher: &mut Scripted) -> Result<Report, WarehouseError> {
    cluster_with(
        &shop.workspace,
        &subject("1"),
        matcher,
        &Options::default(),
        &mut |_| {},
    )
}

pub(crate) fn label(shop: &Shop, thing: i64) -> String {
    shop.reader().object(ObjectId(thing)).unwrap().unwrap().label
}

/// Records are one when they share a key, or a title if it goes by titles.
#[derive(Default)]
pub(crate) struct Scripted {
    pub(crate) by_title: bool,
    /// Number of prepared records after which it fails.
    pub(crate) fails_on: Option<usize>,
    pub(crate) prepared: usize,
    pub(crate) calls: usize,
}

/// The failure that was asked for.
#[derive(Debug, thiserror::Error)]
#[error("it fails because the test says so")]
pub(crate) struct Fails;

impl Scripted {
    fn words(&self, object: &Object) -> Vec<String> {
        let text = |name: &str| match object.values(name).next() {
            Some(Value::Text(text)) => text.clone(),
            _ => String::new(),
        };
        if self.by_title {
            return vec![text("title")];
        }
        text("key").split(' ').map(str::to_owned).collect()
    }
}

impl Matcher for Scripted {
    type Error = Fails;

    fn prepare(&mut self, objects: &[Object]) -> Result<Vec<Prepared>, Fails> {
        self.calls += 1;
        self.prepared += objects.len();
        if self.fails_on.is_some_and(|most| self.prepared >= most) {
            return Err(Fails);
        }
        let prepared = objects.iter().map(|object| {
            let words = self.words(object);
            let keys = words.iter().map(|word| Key {
                scheme: "key".to_owned(),
                value: word.clone(),
            });
            Prepared {
                keys: keys.collect(),
                features: words.join(" ").into_bytes(),
            }
        });
        Ok(prepared.collect())
    }

    fn compare(&mut self, one: &[u8], many: &[&[u8]]) -> Result<Vec<Verdict>, Fails> {
        self.calls += 1;
        let words = |features: &[u8]| -> Vec<String> {
            let text = String::from_utf8_lossy(features);
            text.split(' ').map(str::to_owned).collect()
        };
        let own = words(one);
        let verdict = |other: &&[u8]| {
            let same = words(other).iter().any(|word| own.contains(word));
            Verdict {
                // Records that share nothing need other evidence to be one object.
                probability: if same { 0.9 } else { 0.45 },
                reasons: vec![if same { "same key" } else { "other key" }.to_owned()],
            }
        };
        Ok(many.iter().map(verdict).collect())
    }

    fn merge(&mut self, objects: &[Object]) -> Result<Merged, Fails> {
        self.calls += 1;
        let title = objects
            .iter()
            .find_map(|object| match object.values("title").next() {
                Some(Value::Text(text)) => Some(text.clone()),
                _ => None,
            });
        Ok(Merged {
            label: title.unwrap_or_default(),
            keep: Vec::new(),
        })
    }
}

impl Remembering for Scripted {
    type Refusal = Fails;

    fn remember(&mut self, _features: &[u8]) -> Result<(), Fails> {
        Ok(())
    }
}
