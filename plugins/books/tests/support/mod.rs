//! Runs a vertical on its fixtures on the host: the same pages, checks and clustering as in the
//! host program, without WebAssembly.

#[path = "../../../../host/kit/src/fixture/template.rs"]
#[expect(unreachable_pub, reason = "the kit publishes it")]
mod template;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use magpie_matching::{MemberId, Settings, cluster};
use magpie_model::{Attribute, Field, Kind, Object, PageContext, Record, Value, VerticalInfo, check};
use magpie_model::{Choice, Key, Matcher, Merged, Prepared, Verdict};
use magpie_sdk as wire;
use magpie_sdk::{Page, Vertical, component, date};
use serde_json::Value as Json;

use template::Words;

type Attributes = BTreeMap<String, Vec<String>>;

/// A fixture: a folder, or one language of a template.
struct Fixture {
    name: String,
    folder: PathBuf,
    filling: Option<(Rc<Words>, String)>,
}

/// Checks every fixture, and the clusters of all records.
pub(crate) fn check_all<V: Vertical>(folder: &Path) {
    let info = info::<V>();
    let mut problems = Vec::new();
    let mut found: BTreeMap<String, Object> = BTreeMap::new();
    for fixture in fixtures(folder) {
        let name = &fixture.name;
        let expected = fixture.json("expected.json");
        let ignore: Vec<String> = expected.get("ignore").map(strings).unwrap_or_default();
        let records = records::<V>(&info, &fixture, 0);
        let next_year = self::records::<V>(&info, &fixture, 365);
        assert_eq!(
            records, next_year,
            "{name}: the day of the fetch changes a record"
        );
        let mut left: Vec<&Record> = records.iter().collect();
        for (place, wanted) in expected["objects"]
            .as_array()
            .expect("a list of objects")
            .iter()
            .enumerate()
        {
            let wanted = attributes(wanted);
            match left
                .iter()
                .position(|record| shown(record, &ignore, &wanted) == wanted)
            {
                // The fixtures of a template are one object.
                Some(at) => {
                    let object = left.remove(at).to_object();
                    let alone = fixture.filling.is_none();
                    found.extend(alone.then(|| (format!("{name}#{place}"), object)));
                }
                None => problems.push(format!("{name}#{place} is not there: {wanted:#?}")),
            }
        }
        problems.extend(left.iter().map(|record| {
            format!(
                "{name} should not have: {:#?}",
                shown(record, &ignore, &Attributes::new())
            )
        }));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    check_clusters::<V>(&read(&folder.join("clusters.json")), &found);
}

fn fixtures(folder: &Path) -> Vec<Fixture> {
    let entries = fs::read_dir(folder).expect("the fixtures are there");
    let mut folders: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let fixtures: Vec<Fixture> = folders.into_iter().flat_map(fixtures_of).collect();
    assert!(fixtures.len() >= 10, "there are fixtures");
    fixtures
}

/// Returns the fixture of a folder, or those of a template in all languages.
fn fixtures_of(folder: PathBuf) -> Vec<Fixture> {
    let name = folder
        .file_name()
        .expect("it was listed")
        .to_string_lossy()
        .into_owned();
    let Some(words) = read(&folder.join("page.json"))["words"]
        .as_str()
        .map(|table| folder.join(table))
    else {
        return vec![Fixture {
            name,
            folder,
            filling: None,
        }];
    };
    let words = fs::read_to_string(words).expect("there are words");
    let words = Rc::new(Words::parse(&words).expect("it is a table"));
    assert_eq!(words.languages(), date::LANGUAGES, "{name}: all languages");
    let fixture = |language: &&str| Fixture {
        name: format!("{name}[{language}]"),
        folder: folder.clone(),
        filling: Some((Rc::clone(&words), (*language).to_owned())),
    };
    date::LANGUAGES.iter().map(fixture).collect()
}

impl Fixture {
    fn json(&self, file: &str) -> Json {
        let mut json = read(&self.folder.join(file));
        if let Some((words, language)) = &self.filling {
            words
                .fill_json(&mut json, language)
                .unwrap_or_else(|problem| panic!("{}: {problem:?}", self.name));
        }
        json
    }

    fn body(&self) -> Vec<u8> {
        let body = fs::read(self.folder.join("page.html")).expect("a fixture has a page");
        let Some((words, language)) = &self.filling else {
            return body;
        };
        let text = String::from_utf8(body).expect("a template is UTF-8");
        let filled = words.fill(&text, language);
        filled
            .unwrap_or_else(|problem| panic!("{}: {problem:?}", self.name))
            .into_bytes()
    }
}

fn read(path: &Path) -> Json {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn records<V: Vertical>(info: &VerticalInfo, fixture: &Fixture, days_later: i64) -> Vec<Record> {
    let about = fixture.json("page.json");
    let url = about["url"].as_str().expect("a page has a URL");
    let fetched = date::parse_iso(about["fetched_at"].as_str().expect("a page has a day"))
        .expect("it is ISO 8601")
        .to_unix(0)
        + days_later * 86_400;
    let content_type = about["content_type"].as_str().unwrap_or("text/html");
    let page = Page::from_response(url, content_type, fetched, &fixture.body());
    let language = page.language().map(str::to_owned);
    let context = PageContext {
        url: url.to_owned(),
        day: page.own_date().day,
        year: page.own_date().year,
        language,
    };
    let objects = component::extract::<V>(&page).expect("the extractor works");
    let checked = objects
        .into_iter()
        .map(|object| check(info, &host_object(object), &context));
    checked
        .filter_map(|checked| {
            assert!(
                checked.violations.is_empty(),
                "{}: {:?}",
                fixture.name,
                checked.violations
            );
            checked.record
        })
        .collect()
}

fn attributes(json: &Json) -> Attributes {
    let object = json.as_object().expect("an object");
    object
        .iter()
        .filter(|(name, _)| *name != "type")
        .map(|(name, value)| (name.clone(), strings(value)))
        .collect()
}

/// Returns the attributes of a record, without ignored ones that the fixture does not expect.
fn shown(record: &Record, ignore: &[String], wanted: &Attributes) -> Attributes {
    let mut all = attributes(&record.to_json()["attributes"]);
    all.retain(|name, _| !ignore.contains(name) || wanted.contains_key(name));
    all
}

fn strings(json: &Json) -> Vec<String> {
    match json {
        Json::Array(all) => all.iter().flat_map(strings).collect(),
        Json::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}

fn check_clusters<V: Vertical>(expected: &Json, found: &BTreeMap<String, Object>) {
    let (names, objects): (Vec<&String>, Vec<Object>) =
        found.iter().map(|(name, object)| (name, object.clone())).unzip();
    let clustering =
        cluster(&mut Native::<V>::default(), &objects, &Settings::default()).expect("own features are good");
    let id = |name: &str| {
        let place = names
            .iter()
            .position(|known| *known == name)
            .unwrap_or_else(|| panic!("there is no {name}"));
        clustering.cluster_of(MemberId(place as u64))
    };
    let mut problems = Vec::new();
    let groups: Vec<Vec<String>> = expected["clusters"]
        .as_array()
        .expect("a list of clusters")
        .iter()
        .map(strings)
        .collect();
    for group in &groups {
        problems.extend(
            group[1..]
                .iter()
                .filter(|name| id(name) != id(&group[0]))
                .map(|name| format!("{} and {name} are one", group[0])),
        );
    }
    for (place, one) in names.iter().enumerate() {
        let group = groups.iter().find(|group| group.contains(one));
        let others = names[place + 1..].iter().filter(|other| id(one) == id(other));
        problems.extend(
            others
                .filter(|other| !group.is_some_and(|group| group.contains(other)))
                .map(|other| format!("{one} and {other} are two")),
        );
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Adapter from a vertical to the host's clustering.
struct Native<V>(std::marker::PhantomData<V>);

impl<V> Default for Native<V> {
    fn default() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<V: Vertical> Matcher for Native<V> {
    type Error = magpie_sdk::Error;

    fn prepare(&mut self, objects: &[Object]) -> Result<Vec<Prepared>, Self::Error> {
        let objects: Vec<wire::Object> = objects.iter().map(wire_object).collect();
        let key = |key: magpie_sdk::Key| Key {
            scheme: key.scheme,
            value: key.value,
        };
        let prepared = component::prepare::<V>(&objects)?.into_iter();
        Ok(prepared
            .map(|one| Prepared {
                features: one.features,
                keys: one.keys.into_iter().map(key).collect(),
            })
            .collect())
    }

    fn compare(&mut self, one: &[u8], many: &[&[u8]]) -> Result<Vec<Verdict>, Self::Error> {
        let many: Vec<Vec<u8>> = many.iter().map(|other| other.to_vec()).collect();
        let verdicts = component::compare::<V>(one, &many)?.into_iter();
        Ok(verdicts
            .map(|verdict| Verdict {
                probability: verdict.probability,
                reasons: verdict.reasons,
            })
            .collect())
    }

    fn merge(&mut self, objects: &[Object]) -> Result<Merged, Self::Error> {
        let merged = component::merge::<V>(&objects.iter().map(wire_object).collect::<Vec<_>>())?;
        let keep = merged
            .keep
            .into_iter()
            .map(|choice| -> Choice { (choice.path, choice.source) })
            .collect();
        Ok(Merged {
            label: merged.label,
            keep,
        })
    }
}

fn wire_object(object: &Object) -> wire::Object {
    let field = |field: &Field| {
        let value = match &field.value {
            Value::Json(json) => wire::Value::Json(json.to_string()),
            Value::Text(text) => wire::Value::Text(text.clone()),
            other => wire::Value::Text(format!("{other:?}")),
        };
        wire::Field {
            path: field.path.clone(),
            value,
            node: field.node,
        }
    };
    let fields = object.fields.iter().map(field).collect();
    wire::Object {
        schema_type: object.schema_type.clone(),
        confidence: object.confidence,
        fields,
    }
}

fn host_object(object: wire::Object) -> Object {
    let value = |value| match value {
        wire::Value::Text(text) => Value::Text(text),
        wire::Value::Integer(number) => Value::Integer(number),
        wire::Value::Real(number) => Value::Real(number),
        wire::Value::Boolean(truth) => Value::Boolean(truth),
        wire::Value::Json(text) => Value::Json(serde_json::from_str(&text).expect("the plugin writes JSON")),
    };
    let fields = object.fields.into_iter().map(|field| Field {
        path: field.path,
        value: value(field.value),
        node: field.node,
    });
    Object {
        schema_type: object.schema_type,
        confidence: object.confidence,
        fields: fields.collect(),
    }
}

fn info<V: Vertical>() -> VerticalInfo {
    let described = component::describe::<V>("0", "");
    let attributes = described.attributes.into_iter().map(|attribute| Attribute {
        name: attribute.name,
        kind: Kind::from(attribute.kind),
        label: attribute.label,
        required: attribute.required,
        repeated: attribute.repeated,
        identifies: attribute.identifies,
        query: attribute.query,
        expires: attribute.expires,
        schema_org: attribute.extra.into_iter().next().map(|(_, property)| property),
        weight: attribute.weight,
    });
    VerticalInfo {
        name: described.name,
        object_type: described.object_type,
        attributes: attributes.collect(),
        ..VerticalInfo::default()
    }
}
