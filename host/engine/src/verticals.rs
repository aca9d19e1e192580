//! The verticals of a workspace during a crawl: loaded from their folder, reloaded when a file
//! changes, called for every page that may be relevant.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use magpie_model::{Attribute, Kind, ObjectViolation, Reason, Record, VerticalInfo, grouped};
use magpie_page::Page;
use magpie_rows::{Component, ExtractedRecord, Extraction, PageJudgement};
use magpie_runtime::{
    Change, Examination, Fault, Folder, Limits, POLL_INTERVAL, Plugin, Runtime, RuntimeError,
    RuntimeSettings, Watch,
};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::Xxh3;

use crate::crawl::Extractor;
use crate::settings::{self, Raw, Resolved};

/// Upper limit for the characters of remarks kept per page, so that a plugin that reports problems
/// everywhere can't fill the database.
const MAX_DETAIL_LEN: usize = 2_000;

/// Figures of a moment that name its day.
const DAY: usize = 8;

/// The folder can't be used at all.
#[derive(Debug, thiserror::Error)]
pub enum VerticalsError {
    /// The WebAssembly runtime can't be started.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The thread that watches the folder.
    #[error("can't start the thread that watches the verticals: {0}")]
    Watch(#[from] std::io::Error),
    /// Options for a vertical that is not there.
    #[error("{place}: no vertical `{vertical}` could be loaded from {folder}; {}", which_are(.there, .refused))]
    NoSuchVertical {
        /// The name.
        vertical: String,
        /// The source of the options.
        place: String,
        /// The folder that was searched.
        folder: String,
        /// The verticals that are there.
        there: Vec<String>,
        /// The files that can't be used, in sentences.
        refused: Vec<String>,
    },
}

/// Lists the verticals, and the files that can't be used.
pub(crate) fn which_are(there: &[String], refused: &[String]) -> String {
    let there = match there {
        [] => "there is none".to_owned(),
        [only] => format!("there is only {only}"),
        there => format!("there are {}", there.join(", ")),
    };
    let refused: String = refused.iter().map(|sentence| format!("; {sentence}")).collect();
    there + &refused
}

/// Returns the component that describes a vertical. The schema is that of the first.
pub(crate) fn describing<'a>(plugins: &'a [Plugin], vertical: &str) -> Option<&'a Plugin> {
    // A vertical may have two: one that finds objects, and one that clusters them and names the
    // attributes that it needs.
    let mut own = plugins.iter().filter(|plugin| plugin.info().name == vertical);
    let extractor = own.clone().find(|plugin| plugin.extracts());
    extractor.or_else(|| own.next())
}

/// Returns `true` if a component finds the objects of its vertical. A vertical without one that
/// does may have one that judges pages: then these are its objects.
fn finds(plugins: &[Plugin], plugin: &Plugin) -> bool {
    let name = &plugin.info().name;
    let mut own = plugins.iter().filter(|other| other.info().name == *name);
    plugin.extracts() || (plugin.only_judges() && !own.any(Plugin::extracts))
}

/// The verticals of a folder.
pub struct Verticals {
    folder: Arc<Folder>,
    state: Arc<Mutex<State>>,
    /// Records with a lower confidence are left out.
    min_confidence: f64,
    _watch: Watch,
}

#[derive(Default)]
struct State {
    notices: Vec<String>,
    /// Digests of plugins whose stop was reported.
    stopped: HashSet<String>,
    /// A file can't be used.
    is_broken: bool,
    components: BTreeMap<String, Arc<Component>>,
}

/// Returns the limits of a plugin's call according to the settings.
pub fn limits(settings: &settings::Verticals) -> Limits {
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Limits {
        memory_bytes: settings.memory.0,
        cpu: settings.cpu,
        objects: count(settings.objects),
        result_bytes: count(settings.result_bytes.0),
        log_lines: count(settings.log_lines),
    }
}

impl Verticals {
    /// Loads the verticals of a folder and watches it. Returns `None` if there is no such folder or
    /// nothing in it.
    pub fn open(
        folder: &Path,
        cache: Option<&Path>,
        resolved: &Resolved,
    ) -> Result<Option<Verticals>, VerticalsError> {
        if !folder.is_dir() {
            return Ok(None);
        }
        let runtime = Runtime::new(&RuntimeSettings {
            limits: limits(&resolved.settings.verticals),
            cache: cache.map(Path::to_owned),
            ..RuntimeSettings::default()
        })?;
        let watched = Arc::new(Folder::new(runtime, folder).with_options(options(resolved)));
        let state = Arc::new(Mutex::new(State::default()));
        let changes = watched.poll_now();
        let notices: Vec<_> = changes.iter().filter_map(notice_of).collect();
        know_all(&watched, folder, resolved, &notices)?;
        lock(&state).notices.extend(notices);
        let is_broken = |change: &Change| matches!(change, Change::Refused { .. } | Change::Unreadable(_));
        lock(&state).is_broken = changes.iter().any(is_broken);
        let noticed = Arc::clone(&state);
        let watch = watched.watch(POLL_INTERVAL, move |change| {
            lock(&noticed).notices.extend(notice_of(&change));
        })?;
        let verticals = Verticals {
            folder: watched,
            state,
            min_confidence: resolved.settings.verticals.min_confidence,
            _watch: watch,
        };
        Ok(Some(verticals))
    }

    /// The plugins in use.
    pub fn plugins(&self) -> Vec<Plugin> {
        self.folder.plugins()
    }

    /// Returns `true` if a file could not be used from the start, or a plugin was stopped.
    pub(crate) fn have_failed(&self) -> bool {
        let state = lock(&self.state);
        state.is_broken || !state.stopped.is_empty()
    }

    fn component(&self, plugin: &Plugin) -> Arc<Component> {
        let digest = &plugin.inspection().digest;
        let mut state = lock(&self.state);
        if let Some(component) = state.components.get(digest) {
            return Arc::clone(component);
        }
        let component = Arc::new(Component {
            vertical: plugin.info().name.clone(),
            version: plugin.info().version.clone(),
            digest: digest.clone(),
            options: plugin.options().to_string(),
        });
        state.components.insert(digest.clone(), Arc::clone(&component));
        component
    }

    fn examine(&self, plugin: &Plugin, page: &Arc<Page>) -> Option<Extraction> {
        let examination = match plugin.extracts() {
            true => plugin.examine(page),
            false => plugin.accept(page),
        };
        if examination.left_out.is_some() {
            return None;
        }
        if let Some(error) = &examination.error
            && matches!(error.fault, Fault::Stopped { .. })
        {
            self.report_stopped(plugin, &error.fault);
        }
        Some(extraction(
            self.component(plugin),
            plugin,
            &examination,
            self.min_confidence,
        ))
    }

    fn report_stopped(&self, plugin: &Plugin, fault: &Fault) {
        let mut state = lock(&self.state);
        if state.stopped.insert(plugin.inspection().digest.clone()) {
            state.notices.push(format!(
                "plugin {} {fault}; it gets no more pages until its file is replaced, and the crawl continues. {}",
                plugin.id(),
                fault.hint()
            ));
        }
    }
}

impl Extractor for Verticals {
    fn extract(&self, page: &Arc<Page>) -> Vec<Extraction> {
        let plugins = self.folder.plugins();
        let extracting = plugins.iter().filter(|plugin| finds(&plugins, plugin));
        extracting
            .filter_map(|plugin| self.examine(plugin, page))
            .collect()
    }

    fn judge(&self, page: &Arc<Page>) -> Vec<PageJudgement> {
        let plugins = self.folder.plugins();
        let judging = plugins.iter().filter(|plugin| {
            let name = &plugin.info().name;
            let mut own = plugins.iter().filter(|other| other.info().name == *name);
            plugin.judges() && own.any(Plugin::extracts)
        });
        let judgements = judging.filter_map(|plugin| {
            Some(PageJudgement {
                judgement: plugin.validate(page).judgement?,
                component: self.component(plugin),
            })
        });
        judgements.collect()
    }

    fn identity(&self, vertical: &str, record: &Record) -> u64 {
        let plugins = self.folder.plugins();
        let plugin = describing(&plugins, vertical);
        identity(plugin.map(Plugin::info), record)
    }

    fn notices(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.state).notices)
    }
}

/// A hash of the attributes that every object of the vertical has: a list shows them as well as the
/// object's own page.
fn identity(info: Option<&VerticalInfo>, record: &Record) -> u64 {
    identity_by(info.map_or(&[], |info| &info.attributes), record)
}

/// Returns the identity of an object by the attributes of its vertical: see
/// [`Extractor::identity`].
pub(crate) fn identity_by(attributes: &[Attribute], record: &Record) -> u64 {
    let required = attributes.iter().filter(|attribute| attribute.required);
    let mut hash = Xxh3::new();
    let mut has_any = false;
    for attribute in required {
        let text = record.get(&attribute.name).unwrap_or_default().to_lowercase();
        // A list often shows only the day of a moment.
        let is_moment = attribute.kind == Kind::DateTime;
        let kept = text.chars().filter(|character| character.is_alphanumeric());
        let kept: String = kept.take(if is_moment { DAY } else { usize::MAX }).collect();
        has_any |= !kept.is_empty();
        hash.update(kept.as_bytes());
        hash.update(b"\n");
    }
    match has_any {
        true => hash.digest(),
        false => record.fingerprint() as u64,
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn extraction(
    component: Arc<Component>,
    plugin: &Plugin,
    examination: &Examination,
    min_confidence: f64,
) -> Extraction {
    let records = examination.records.iter();
    let (sure, unsure): (Vec<_>, Vec<_>) = records.partition(|record| record.confidence >= min_confidence);
    let objects = sure.into_iter().map(|record| ExtractedRecord {
        record: record.clone(),
        expires_at: record.expires_at(plugin.info()),
    });
    let detail = match &examination.error {
        Some(error) => Some(format!("plugin {} {}", error.plugin, error.fault)),
        None => {
            let mut remarks = grouped(&examination.violations);
            remarks.extend(left_out(unsure.len(), min_confidence));
            Some(remarks.join("; ")).filter(|detail| !detail.is_empty())
        }
    };
    Extraction {
        component,
        problem: examination
            .error
            .as_ref()
            .map(|error| error.fault.code().to_owned()),
        detail: detail.map(cut),
        violations: examination.violations.len() as u64,
        violation_counts: counted(&examination.violations),
        cpu: examination.usage.cpu,
        records: objects.collect(),
    }
}

/// Counts violations by attribute and by the code of the reason.
fn counted(violations: &[ObjectViolation]) -> BTreeMap<(String, &'static str), u64> {
    // Names that the schema does not know count as one, since a page may bring any number of them.
    let mut counts = BTreeMap::new();
    for found in violations {
        let violation = &found.violation;
        let attribute = match violation.reason {
            Reason::UnknownAttribute => "",
            _ => violation.attribute.as_str(),
        };
        *counts
            .entry((attribute.to_owned(), violation.reason.code()))
            .or_default() += 1;
    }
    counts
}

/// Returns a remark on the objects that are not sure enough; none if there are none.
fn left_out(unsure: usize, min_confidence: f64) -> Option<String> {
    let objects = match unsure {
        0 => return None,
        1 => "1 object".to_owned(),
        _ => format!("{unsure} objects"),
    };
    Some(format!(
        "{objects} left out: the confidence is below {min_confidence} (`verticals.min_confidence`)"
    ))
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_DETAIL_LEN {
        text.truncate(text.floor_char_boundary(MAX_DETAIL_LEN));
        text.push('…');
    }
    text
}

/// Notes about a change, for people.
fn notice_of(change: &Change) -> Option<String> {
    // Plugins that are merely present are not mentioned.
    match change {
        Change::Added(..) => None,
        Change::Replaced { file, old, new } => Some(format!(
            "{} was replaced: plugin {new} is in use instead of {old}",
            file.display()
        )),
        Change::Removed(file, plugin) => Some(format!(
            "{} was removed, and with it plugin {plugin}",
            file.display()
        )),
        Change::Refused { file, reason, kept } => {
            let kept = kept
                .as_ref()
                .map_or(String::new(), |kept| format!(" Plugin {kept} stays in use."));
            Some(format!("{} can't be used: {reason}.{kept}", file.display()))
        }
        Change::Unreadable(reason) => Some(reason.clone()),
    }
}

/// Options for a vertical that is not there are a slip of the pen, or a file that is missing.
fn know_all(
    watched: &Folder,
    folder: &Path,
    resolved: &Resolved,
    refused: &[String],
) -> Result<(), VerticalsError> {
    let there: Vec<_> = watched
        .plugins()
        .iter()
        .map(|plugin| plugin.info().name.clone())
        .collect();
    let unknown = resolved
        .options()
        .iter()
        .find(|(vertical, _)| !there.contains(vertical));
    let Some((vertical, options)) = unknown else {
        return Ok(());
    };
    let place = options.values().next().map(|(_, place)| place.to_string());
    Err(VerticalsError::NoSuchVertical {
        vertical: vertical.clone(),
        place: place.unwrap_or_default(),
        folder: folder.display().to_string(),
        there,
        refused: refused.to_vec(),
    })
}

fn options(resolved: &Resolved) -> BTreeMap<String, Map<String, Value>> {
    let of_vertical = |options: &BTreeMap<String, (Raw, settings::SettingPlace)>| {
        let values = options
            .iter()
            .map(|(name, (raw, _))| (name.clone(), option_value(raw)));
        values.collect()
    };
    resolved
        .options()
        .iter()
        .map(|(vertical, options)| (vertical.clone(), of_vertical(options)))
        .collect()
}

/// The value of an option, as plugins are given it.
pub fn option_value(raw: &Raw) -> Value {
    match raw {
        Raw::Text(text) => text.as_str().into(),
        Raw::Whole(number) => (*number).into(),
        Raw::Real(number) => (*number).into(),
        Raw::Switch(switch) => (*switch).into(),
        Raw::List(list) => list.iter().map(option_value).collect(),
        Raw::Table(table) => {
            let pairs = table
                .iter()
                .map(|(name, value)| (name.clone(), option_value(value)));
            Value::Object(pairs.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use magpie_model::{Attribute, Kind, Record, VerticalInfo};
    use serde_json::json;

    use super::identity;

    #[test]
    fn a_list_and_the_page_of_an_object_have_one_identity() {
        let attribute = |name: &str, kind: Kind, required: bool| Attribute {
            required,
            ..Attribute::new(name, kind)
        };
        let info = VerticalInfo {
            attributes: vec![
                attribute("name", Kind::Text, true),
                attribute("start", Kind::DateTime, true),
                attribute("venue", Kind::Text, false),
            ],
            ..VerticalInfo::default()
        };
        let of = |info, attributes: serde_json::Value| {
            let json = json!({"type": "Event", "confidence": 0.5, "attributes": attributes});
            identity(info, &Record::from_json(&json).unwrap())
        };
        let page = json!({"name": "Summer Fair", "start": "2026-07-18T16:00-04:00", "venue": "Old Mill"});
        let cases = [
            (json!({"name": "SUMMER FAIR!", "start": "2026-07-18"}), true),
            (
                json!({"name": ["Summer Fair"], "start": "2026-07-18T19:00"}),
                true,
            ),
            (json!({"name": "Summer Fair", "start": "2026-07-19"}), false),
            (json!({"name": "Winter Fair", "start": "2026-07-18"}), false),
        ];
        for (list, is_one) in cases {
            assert_eq!(
                of(Some(&info), list.clone()) == of(Some(&info), page.clone()),
                is_one,
                "{list}"
            );
        }
        // Without a schema all of it counts, but for how sure the plugin was.
        let other = json!({"type": "Event", "confidence": 0.9, "attributes": page});
        let other = identity(None, &Record::from_json(&other).unwrap());
        assert_eq!(of(None, page), other);
        assert_ne!(of(None, json!({"name": "Fair"})), other);
    }
}
