//! The pages a person names on the command line: files, folders, fixtures, archives, lists, URLs.
//!
//! - A file: one page. Its URL is `--url`, else that in the `page.json` of its fixture, else its
//!   `file:` URL.
//! - A folder with `page.json` and a body: one fixture.
//! - Another folder: every page file, fixture and archive in it, sorted by path; lists in it are
//!   skipped.
//! - `.warc`, `.arc`, with or without `.gz`: every response of status 2xx, and every resource, that
//!   is text.
//! - `.jsonl`: one page a line, `{"url", "file"}` and optionally `status`, `content_type`,
//!   `fetched_at`, `headers`. `file` is relative to the list.
//! - `-`: the same list from standard input, relative to the current folder.
//! - `http://…`, `https://…`: one page, fetched.
//!
//! The order is that of the arguments, and the same on every run. Pulling an [`Input`] is cheap;
//! reading, fetching and inflating is done by [`Input::load`], on whatever thread wants the page.
//! Only archives are read by the thread that pulls, because they can only be read from front to
//! back. An unreadable input yields an [`InputProblem`], and the next input follows.

mod archive;
mod folder;
mod list;

use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use magpie_page::PageSource;
use magpie_values::Timestamp;
use magpie_warc::{Record, is_archive_name};
use url::Url;

use crate::causes::with_causes;
use crate::fetch::{FetchSettings, fetch, whole_url, without_credentials};
use crate::fixture::{self, MAX_BODY_BYTES, PAGE_FILE, content_type_of, is_body_name, is_fixture};

use archive::Archive;
use folder::Folder;
use list::{List, ListLine};

#[derive(Clone, Debug)]
pub struct InputPage {
    /// Its name: the path as typed, or the URL.
    pub name: String,
    pub source: PageSource,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{sentence}", name_before(.name, .sentence))]
pub struct InputProblem {
    pub name: String,
    /// Its URL, if a list names one.
    pub url: Option<String>,
    pub sentence: String,
    /// The remedy; empty if the sentence contains it.
    pub hint: &'static str,
}

/// Some sentences begin with what they are about.
fn name_before(name: &str, sentence: &str) -> String {
    if sentence.starts_with(name) {
        String::new()
    } else {
        format!("{name}: ")
    }
}

/// Hint for a missing or unreadable input.
const UNREADABLE_HINT: &str = "check the path or URL";

#[derive(Clone, Default)]
pub struct InputSettings {
    /// The URL of files that are named as arguments.
    pub url: Option<Url>,
    /// Fetch time of files that do not state it. For `None`, their time of modification.
    pub fetched_at: Option<Timestamp>,
    pub fetch: FetchSettings,
}

/// The inputs of a run, to be pulled by any number of threads.
pub struct Inputs {
    state: Mutex<State>,
    settings: Arc<InputSettings>,
}

/// An input that was not read yet.
pub struct Input {
    /// Its place in the order of all inputs.
    pub index: u64,
    pub name: String,
    what: What,
    settings: Arc<InputSettings>,
}

struct State {
    arguments: VecDeque<String>,
    current: Option<Source>,
    standard_input: Option<Box<dyn Read + Send>>,
    pulled: u64,
    /// Arguments without a single input.
    empty: Vec<String>,
}

/// An argument with more than one input.
struct Source {
    argument: String,
    /// Number of inputs pulled before it was opened.
    pulled_before: u64,
    kind: SourceKind,
}

enum SourceKind {
    Folder(Folder),
    Archive(Archive),
    List(List),
}

/// A name and what it names.
type Named = (String, What);

enum What {
    File {
        path: PathBuf,
        url: Option<Url>,
    },
    Fixture(PathBuf),
    Line(Box<ListLine>),
    Url(Url),
    Record(Box<Record>),
    Problem(String),
    /// A line of a list that names no page.
    BadLine(String),
}

impl Inputs {
    pub fn new(arguments: impl IntoIterator<Item = String>, settings: InputSettings) -> Inputs {
        let state = State {
            arguments: arguments.into_iter().collect(),
            current: None,
            standard_input: None,
            pulled: 0,
            empty: Vec::new(),
        };
        Inputs {
            state: Mutex::new(state),
            settings: Arc::new(settings),
        }
    }

    /// Sets the reader for the argument `-`.
    pub fn with_standard_input(mut self, reader: impl Read + Send + 'static) -> Inputs {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.standard_input = Some(Box::new(reader));
        self
    }

    /// The next input; none when there is no more.
    pub fn pull(&self) -> Option<Input> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, what) = state.next(&self.settings)?;
        // The lock still holds, so the numbers have the order of the inputs on any number of
        // threads.
        let index = state.pulled;
        state.pulled += 1;
        Some(Input {
            index,
            name,
            what,
            settings: Arc::clone(&self.settings),
        })
    }

    /// The arguments that turned out to hold not a single page, as far as the inputs were pulled.
    pub fn empty(&self) -> Vec<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.empty.clone()
    }

    /// All that is left, one after the other.
    pub fn pages(&self) -> impl Iterator<Item = Result<InputPage, InputProblem>> {
        std::iter::from_fn(|| self.pull().map(Input::load))
    }
}

impl Input {
    /// Reads the page. This is where the time goes.
    pub fn load(self) -> Result<InputPage, InputProblem> {
        let settings = &self.settings;
        let url = match &self.what {
            What::Line(line) => Some(line.url().to_string()),
            _ => None,
        };
        // A line that can't be parsed names no path or URL that could be checked.
        let hint = if matches!(self.what, What::BadLine(_)) {
            ""
        } else {
            UNREADABLE_HINT
        };
        let outcome = match self.what {
            What::File { path, url } => load_file(&path, url, settings),
            What::Fixture(folder) => fixture::load_page(&folder).map_err(|problem| with_causes(&problem)),
            What::Line(line) => line.load(settings),
            What::Url(url) => fetch(&url, &settings.fetch).map_err(|error| with_causes(&error)),
            What::Record(record) => archive::load(*record),
            What::Problem(sentence) | What::BadLine(sentence) => Err(sentence),
        };
        match outcome {
            Ok(source) => Ok(InputPage {
                name: self.name,
                source,
            }),
            Err(sentence) => Err(InputProblem {
                name: self.name,
                url,
                sentence,
                hint,
            }),
        }
    }
}

impl State {
    fn next(&mut self, settings: &InputSettings) -> Option<Named> {
        loop {
            if let Some(source) = &mut self.current {
                let next = match &mut source.kind {
                    SourceKind::Folder(folder) => folder.next(),
                    SourceKind::Archive(archive) => archive.next(),
                    SourceKind::List(list) => list.next(),
                };
                if next.is_some() {
                    return next;
                }
                if self.pulled == source.pulled_before {
                    self.empty.push(std::mem::take(&mut source.argument));
                }
                self.current = None;
            }
            let argument = self.arguments.pop_front()?;
            match self.open(&argument, settings) {
                Ok(Opened::One(named)) => return Some(named),
                Ok(Opened::Many(kind)) => {
                    self.current = Some(Source {
                        argument,
                        pulled_before: self.pulled,
                        kind,
                    });
                }
                Err(sentence) => return Some((argument, What::Problem(sentence))),
            }
        }
    }

    fn open(&mut self, argument: &str, settings: &InputSettings) -> Result<Opened, String> {
        let path = Path::new(argument);
        Ok(match sort_of(argument).map_err(|error| unreadable(&error))? {
            Sort::StandardInput => {
                let reader = self
                    .standard_input
                    .take()
                    .ok_or("standard input was read already")?;
                Opened::list("standard input", PathBuf::new(), reader)
            }
            // A URL that can't be parsed is not printed with its error: it may hold a password.
            Sort::Url => {
                let url = whole_url(argument)?;
                Opened::One((without_credentials(&url).to_string(), What::Url(url)))
            }
            Sort::Folder if is_fixture(path) => {
                Opened::One((argument.to_owned(), What::Fixture(path.to_owned())))
            }
            Sort::Folder => Opened::Many(SourceKind::Folder(Folder::new(path))),
            Sort::Archive => {
                let archive = Archive::open(argument).map_err(|error| unreadable(&error))?;
                Opened::Many(SourceKind::Archive(archive))
            }
            Sort::List => {
                let file = fs::File::open(path).map_err(|error| unreadable(&error))?;
                let folder = path.parent().map(Path::to_owned).unwrap_or_default();
                Opened::list(argument, folder, Box::new(BufReader::new(file)))
            }
            Sort::File => {
                let file = What::File {
                    path: path.to_owned(),
                    url: settings.url.clone(),
                };
                Opened::One((argument.to_owned(), file))
            }
        })
    }
}

/// The kind of an argument, as in the table above.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    StandardInput,
    Url,
    Folder,
    Archive,
    List,
    File,
}

fn sort_of(argument: &str) -> io::Result<Sort> {
    if argument == "-" {
        return Ok(Sort::StandardInput);
    }
    if has_web_scheme(argument) {
        return Ok(Sort::Url);
    }
    let path = Path::new(argument);
    if fs::metadata(path)?.is_dir() {
        return Ok(Sort::Folder);
    }
    let is_list = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"));
    Ok(if is_archive_name(argument) {
        Sort::Archive
    } else if is_list {
        Sort::List
    } else {
        Sort::File
    })
}

/// Returns true if an argument may be a file with one page, which needs a URL. A missing file may
/// be one.
pub fn is_page_file(argument: &str) -> bool {
    sort_of(argument).map_or(true, |sort| sort == Sort::File)
}

/// The URL of a page on the web; else what to write.
pub fn web_url(text: &str) -> Result<Url, String> {
    let url = whole_url(text)?;
    if has_web_scheme(text) {
        Ok(url)
    } else {
        Err("expected an http or https URL".to_owned())
    }
}

enum Opened {
    One(Named),
    Many(SourceKind),
}

impl Opened {
    fn list(name: &str, folder: PathBuf, lines: Box<dyn Read + Send>) -> Opened {
        Opened::Many(SourceKind::List(List::new(name, folder, lines)))
    }
}

fn has_web_scheme(argument: &str) -> bool {
    let begins = |scheme: &str| {
        argument
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    begins("http://") || begins("https://")
}

/// Loads one file. The body of a fixture is loaded with the `page.json` beside it.
fn load_file(path: &Path, url: Option<Url>, settings: &InputSettings) -> Result<PageSource, String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    if is_body_name(path) && folder.join(PAGE_FILE).is_file() {
        let mut page = fixture::load_body(folder, path).map_err(|problem| with_causes(&problem))?;
        page.url = url.unwrap_or(page.url);
        return Ok(page);
    }
    let url = match url {
        Some(url) => url,
        None => file_url(path)?,
    };
    read_page(path, url, settings)
}

/// A file as a page of a URL, with what the file system knows of it.
fn read_page(path: &Path, url: Url, settings: &InputSettings) -> Result<PageSource, String> {
    let (body, modified) = read_file(path).map_err(|error| unreadable(&error))?;
    let content_type = content_type_of(path);
    Ok(PageSource {
        url,
        status: 200,
        headers: content_type
            .map(|value| ("content-type".to_owned(), value.to_owned()))
            .into_iter()
            .collect(),
        fetched_at: settings.fetched_at.unwrap_or(modified),
        body: body.into(),
    })
}

/// The contents of a file and when it was modified.
fn read_file(path: &Path) -> io::Result<(Vec<u8>, Timestamp)> {
    let file = fs::File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let modified = metadata.modified().map(Timestamp::from).unwrap_or_default();
    let mut bytes = Vec::new();
    file.take(MAX_BODY_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BODY_BYTES {
        return Err(io::Error::other(format!(
            "it has more than {MAX_BODY_BYTES} bytes, the maximum for a page"
        )));
    }
    Ok((bytes, modified))
}

fn file_url(path: &Path) -> Result<Url, String> {
    let absolute = std::path::absolute(path).map_err(|error| unreadable(&error))?;
    let strange = || "the path can't be written as a URL; pass one with --url".to_owned();
    let url = Url::from_file_path(absolute).map_err(|()| strange())?;
    // Reading it again takes `..` out of it.
    Url::parse(url.as_str()).map_err(|_| strange())
}

fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::IsADirectory => "expected a file, found a folder".to_owned(),
        _ => format!("this can't be read: {error}"),
    }
}

#[cfg(test)]
mod tests;
