//! A fixture: a page and its expected objects, in a folder that a person can read and write.
//!
//! ```text
//! fixtures/
//!   clusters.json             which records of which fixtures are one object
//!   concert-detail/
//!     page.html               the body, as the server sent it (page.xml, page.ics …; JSON as
//!                             page.body.json)
//!     page.json               its source
//!     expected.json           the expected objects
//! ```
//!
//! `page.json`; only `url` and `fetched_at` are required. Records must not depend on `fetched_at`:
//!
//! ```json
//! {"url": "https://example.org/x", "fetched_at": "2026-03-01T12:00:00Z", "status": 200,
//!  "content_type": "text/html; charset=utf-8",
//!  "headers": {"content-language": "de", "link": ["…", "…"]}}
//! ```
//!
//! `expected.json`: the objects, each with its attributes in normal form, a string or a list of
//! strings, and its `type` if that is to be checked. An empty list means that nothing may be found.
//! Everything found must be expected, except attributes named in `ignore`:
//!
//! ```json
//! {"objects": [{"type": "Event", "title": "Spring concert", "performer": ["Ada", "Bo"]}],
//!  "ignore": ["description"]}
//! ```
//!
//! A plugin that judges pages is tested on the judgement: whether the page is accepted, and the
//! reason where it is stated. `objects` may then be left out:
//!
//! ```json
//! {"judgement": {"accepted": true, "reason": "one rating in stars"}}
//! ```
//!
//! A template is a folder of the same files that stands for one fixture in each language. Its
//! `page.json` names a table of words, `"words": "../words.tsv"`, and the three files contain
//! placeholders such as `{{read-more}}` or `{{language}}`:
//!
//! ```text
//! key        en                      de
//! read-more  Read more               Weiterlesen
//! opening    Saturday, May 16, 2026  Samstag, 16. Mai 2026
//! ```
//!
//! The cells are separated by tabs. Clusters leave out templates, whose fixtures are one object.
//!
//! `clusters.json`: `{"clusters": [["concert-detail#0", "listing#3"]]}`. `listing#3` is the fourth
//! expected object of the fixture `listing`. Objects of no cluster are separate.

mod assign;
mod clusters;
mod compare;
mod document;
mod record;
mod template;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use magpie_page::PageSource;
use magpie_values::Timestamp;
use serde_json::Value;
use url::Url;

pub(crate) use clusters::CLUSTERS_FILE;
pub use clusters::{ObjectReference, load_clusters};
pub use compare::{AttributeVerdict, ItemDifference, ObjectVerdict, Verdict, compare, item_differences};
pub use document::FixtureProblem;
pub use record::{expectation, is_taken, record, save_expected, suggested_name};
pub use template::{Unfilled, Words};

use crate::fetch::whole_url;

use document::{Document, Place, read_limited};

/// The file with the URL, the status and the header fields of a page.
pub const PAGE_FILE: &str = "page.json";

/// The file with the expected objects or the expected judgement.
pub const EXPECTED_FILE: &str = "expected.json";

/// The largest body of a fixture. The host takes no larger page from the web either.
pub(crate) const MAX_BODY_BYTES: u64 = 32 * 1024 * 1024;

/// The largest table of words.
const MAX_WORDS_BYTES: u64 = 1024 * 1024;

/// A fixture as it lies in its folder, or as a template gives it in a language.
#[derive(Clone, Debug)]
pub struct Fixture {
    pub name: String,
    pub page: PageSource,
    pub expected: Option<Expected>,
}

/// The expected objects of a page, and its expected judgement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// The objects, in any order.
    pub objects: Vec<ExpectedObject>,
    /// Attributes that are not judged where the object does not name them.
    pub ignore: Vec<String>,
    pub judgement: Option<ExpectedJudgement>,
}

/// The judgement that a page should get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedJudgement {
    pub accepted: bool,
    /// The reason, where it is to be judged.
    pub reason: Option<String>,
}

/// One object that should be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectedObject {
    /// Its type, where that is to be judged.
    pub object_type: Option<String>,
    /// Its attributes: the values in normal form.
    pub attributes: BTreeMap<String, Vec<String>>,
}

/// Returns true if a folder is a fixture: it has a `page.json` and a body. Their problems show when
/// it is loaded.
pub fn is_fixture(folder: &Path) -> bool {
    folder.join(PAGE_FILE).is_file() && matches!(body_files(folder), Ok(files) if !files.is_empty())
}

/// The folder's name, which is the fixture's.
pub(crate) fn name_of(folder: &Path) -> String {
    folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Returns true if a text is a valid name of a fixture: one folder, portable and readable.
pub fn is_name(text: &str) -> bool {
    let sound = |c: char| !c.is_control() && !"/\\:*?\"<>|".contains(c);
    !text.is_empty() && !text.starts_with('.') && text.chars().all(sound) && text.trim() == text
}

/// Returns the fixture folders in a folder, sorted by name. Loading one reports missing files.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, FixtureProblem> {
    let entries = fs::read_dir(folder).map_err(|cause| FixtureProblem::unreadable(folder, cause))?;
    let mut folders = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|cause| FixtureProblem::unreadable(folder, cause))?
            .path();
        if path.is_dir() && !name_of(&path).starts_with('.') {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

/// Content of a folder: one fixture, or a template of several.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    folder: PathBuf,
    filling: Option<Filling>,
}

/// The words of one language for a template.
#[derive(Clone, Debug)]
struct Filling {
    words: Rc<Words>,
    language: String,
}

impl Filling {
    fn problem(&self, file: &Path, unfilled: &Unfilled) -> FixtureProblem {
        let missing_word = matches!(unfilled, Unfilled::NoWord(_));
        let sentence = match unfilled {
            Unfilled::Unknown(key) => format!("the table of words has no line `{key}`"),
            Unfilled::NoWord(key) => {
                format!(
                    "the table has no word for `{key}` in the language `{}`",
                    self.language
                )
            }
        };
        FixtureProblem {
            missing_word,
            ..FixtureProblem::new(file, sentence)
        }
    }
}

impl Case {
    /// The name of the template and the language, for a fixture of a template.
    pub fn template(&self) -> Option<(String, &str)> {
        let filling = self.filling.as_ref()?;
        Some((name_of(&self.folder), &filling.language))
    }

    pub fn load(&self) -> Result<Fixture, FixtureProblem> {
        let filling = self.filling.as_ref();
        let page = page_of(&self.folder, filling)?;
        let expected = expected_of(&self.folder, filling)?;
        if filling.is_some() && expected.is_none() {
            return Err(FixtureProblem::new(
                &self.folder.join(EXPECTED_FILE),
                "a template needs its expected objects",
            ));
        }
        Ok(Fixture {
            name: self.name.clone(),
            page,
            expected,
        })
    }
}

/// Returns the fixtures of a folder: one, or those of a template, `NAME[de]`, in the order of its
/// table.
pub fn cases(folder: &Path) -> Result<Vec<Case>, FixtureProblem> {
    let name = name_of(folder);
    let Some(words) = words_of(folder)? else {
        return Ok(vec![Case {
            name,
            folder: folder.to_owned(),
            filling: None,
        }]);
    };
    let words = Rc::new(words);
    let case = |language: &String| Case {
        name: format!("{name}[{language}]"),
        folder: folder.to_owned(),
        filling: Some(Filling {
            words: Rc::clone(&words),
            language: language.clone(),
        }),
    };
    Ok(words.languages().iter().map(case).collect())
}

/// The table of words that the `page.json` of a template names; none for other fixtures. Their
/// problems show when they are loaded.
pub(crate) fn words_of(folder: &Path) -> Result<Option<Words>, FixtureProblem> {
    let Ok(document) = Document::load(&folder.join(PAGE_FILE)) else {
        return Ok(None);
    };
    let root = document.root();
    let Some(place) = root.optional("words").unwrap_or_default() else {
        return Ok(None);
    };
    let file = folder.join(place.string()?);
    let text = String::from_utf8(read_limited(&file, MAX_WORDS_BYTES)?)
        .map_err(|_| FixtureProblem::new(&file, "expected UTF-8"))?;
    let words = Words::parse(&text).map_err(|sentence| FixtureProblem::new(&file, sentence))?;
    Ok(Some(words))
}

/// Loads the page of a fixture; of a template, in the first language of its table.
pub fn load_page(folder: &Path) -> Result<PageSource, FixtureProblem> {
    let cases = cases(folder)?;
    page_of(folder, cases.first().and_then(|case| case.filling.as_ref()))
}

fn page_of(folder: &Path, filling: Option<&Filling>) -> Result<PageSource, FixtureProblem> {
    let files = body_files(folder)?;
    let [body] = files.as_slice() else {
        let found = if files.is_empty() {
            "there is none"
        } else {
            "there are several"
        };
        let sentence = format!("a fixture has one body, a file like page.html or page.body.json; {found}");
        return Err(FixtureProblem::new(folder, sentence));
    };
    let mut page = body_of(folder, body, filling)?;
    if let Some(filling) = filling {
        let text = str::from_utf8(&page.body)
            .map_err(|_| FixtureProblem::new(body, "the page of a template is UTF-8"))?;
        let filled = filling.words.fill(text, &filling.language);
        page.body = filled
            .map_err(|unfilled| filling.problem(body, &unfilled))?
            .into_bytes()
            .into();
    }
    Ok(page)
}

/// Loads a body with the metadata from the `page.json` beside it.
pub(crate) fn load_body(folder: &Path, body: &Path) -> Result<PageSource, FixtureProblem> {
    body_of(folder, body, None)
}

fn body_of(folder: &Path, body: &Path, filling: Option<&Filling>) -> Result<PageSource, FixtureProblem> {
    let metadata = Metadata::load(&folder.join(PAGE_FILE), filling)?;
    let bytes = read_limited(body, MAX_BODY_BYTES)?;
    let content_type = metadata
        .content_type
        .or_else(|| content_type_of(body).map(str::to_owned));
    let mut headers: Vec<(String, String)> = metadata.headers;
    // A second field of this name would leave open which type holds.
    headers.retain(|(name, _)| content_type.is_none() || !name.eq_ignore_ascii_case("content-type"));
    headers.extend(content_type.map(|value| ("content-type".to_owned(), value)));
    Ok(PageSource {
        url: metadata.url,
        status: metadata.status,
        headers,
        fetched_at: metadata.fetched_at,
        body: bytes.into(),
    })
}

/// Loads the expectation; `None` if the file is missing.
pub fn load_expected(folder: &Path) -> Result<Option<Expected>, FixtureProblem> {
    expected_of(folder, None)
}

fn expected_of(folder: &Path, filling: Option<&Filling>) -> Result<Option<Expected>, FixtureProblem> {
    let path = folder.join(EXPECTED_FILE);
    if !path.exists() {
        return Ok(None);
    }
    let document = filled(&path, filling)?;
    let root = document.root();
    root.only_keys(&["objects", "ignore", "judgement"])?;
    let judgement = root
        .optional("judgement")?
        .map(|place| expected_judgement(&place))
        .transpose()?;
    let objects = match root.optional("objects")? {
        None if judgement.is_some() => Vec::new(),
        _ => root
            .key("objects")?
            .items()?
            .map(|object| expected_object(&object))
            .collect::<Result<_, _>>()?,
    };
    let ignore = match root.optional("ignore")? {
        Some(names) => names.strings()?,
        None => Vec::new(),
    };
    Ok(Some(Expected {
        objects,
        ignore,
        judgement,
    }))
}

/// Loads a JSON file of a fixture, its placeholders filled.
fn filled(path: &Path, filling: Option<&Filling>) -> Result<Document, FixtureProblem> {
    let mut document = Document::load(path)?;
    if let Some(filling) = filling {
        let outcome = filling.words.fill_json(&mut document.value, &filling.language);
        outcome.map_err(|unfilled| filling.problem(path, &unfilled))?;
    }
    Ok(document)
}

fn expected_judgement(place: &Place<'_>) -> Result<ExpectedJudgement, FixtureProblem> {
    place.only_keys(&["accepted", "reason"])?;
    let accepted = place.key("accepted")?;
    Ok(ExpectedJudgement {
        accepted: accepted
            .value()
            .as_bool()
            .ok_or_else(|| accepted.problem("expected true or false"))?,
        reason: place
            .optional("reason")?
            .map(|reason| reason.string().map(str::to_owned))
            .transpose()?,
    })
}

fn expected_object(place: &Place<'_>) -> Result<ExpectedObject, FixtureProblem> {
    let mut object = ExpectedObject::default();
    for (name, value) in place.entries()? {
        if name == "type" {
            object.object_type = Some(value.string()?.to_owned());
        } else {
            object.attributes.insert(name.to_owned(), value.strings()?);
        }
    }
    Ok(object)
}

/// The files of a folder that may be its body: `page.` and anything but `json`.
pub(crate) fn body_files(folder: &Path) -> Result<Vec<PathBuf>, FixtureProblem> {
    let entries = fs::read_dir(folder).map_err(|cause| FixtureProblem::unreadable(folder, cause))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|cause| FixtureProblem::unreadable(folder, cause))?
            .path();
        if is_body_name(&path) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Returns true if the name of a file is that of a fixture's body.
pub(crate) fn is_body_name(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    // Editors leave files like `page.html~` behind.
    name.starts_with("page.") && name != PAGE_FILE && !name.ends_with('~')
}

/// Returns the media type for a file's extension, for pages that came without one.
pub(crate) fn content_type_of(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "html" | "htm" => "text/html",
        "xhtml" => "application/xhtml+xml",
        "json" => "application/json",
        "xml" => "application/xml",
        "ics" => "text/calendar",
        "txt" => "text/plain",
        _ => return None,
    })
}

/// The content of `page.json`.
struct Metadata {
    url: Url,
    status: u16,
    content_type: Option<String>,
    fetched_at: Timestamp,
    headers: Vec<(String, String)>,
}

impl Metadata {
    fn load(path: &Path, filling: Option<&Filling>) -> Result<Metadata, FixtureProblem> {
        let document = filled(path, filling)?;
        let root = document.root();
        let known = ["url", "status", "content_type", "fetched_at", "headers", "words"];
        root.only_keys(&known)?;
        let url = root.key("url")?;
        let parsed = whole_url(url.string()?);
        let fetched_at = root.key("fetched_at")?;
        Ok(Metadata {
            url: parsed.map_err(|sentence| url.problem(sentence))?,
            status: root
                .optional("status")?
                .map_or(Ok(200), |status| status_of(&status))?,
            content_type: root
                .optional("content_type")?
                .map(|value| value.string().map(str::to_owned))
                .transpose()?,
            fetched_at: moment_of(&fetched_at)?,
            headers: root
                .optional("headers")?
                .map_or(Ok(Vec::new()), |headers| headers_of(&headers))?,
        })
    }
}

fn status_of(place: &Place<'_>) -> Result<u16, FixtureProblem> {
    place
        .value()
        .as_u64()
        .and_then(|status| u16::try_from(status).ok())
        .filter(|status| (100..1000).contains(status))
        .ok_or_else(|| place.problem("expected a status from 100 to 999"))
}

/// A moment; lists made by programs may have it as unix seconds.
pub(crate) fn moment(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => Timestamp::parse(text),
        value => value.as_i64().map(Timestamp::from_seconds),
    }
}

fn moment_of(place: &Place<'_>) -> Result<Timestamp, FixtureProblem> {
    moment(place.value())
        .ok_or_else(|| place.problem("invalid time: expected one such as \"2026-03-01T12:00:00Z\""))
}

fn headers_of(place: &Place<'_>) -> Result<Vec<(String, String)>, FixtureProblem> {
    let mut headers = Vec::new();
    for (name, values) in place.entries()? {
        headers.extend(
            values
                .strings()?
                .into_iter()
                .map(|value| (name.to_owned(), value)),
        );
    }
    Ok(headers)
}

#[cfg(test)]
mod tests;
