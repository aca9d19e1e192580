//! Sources of values: files, variables, flags.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use toml::de::{DeTable, DeValue};

use magpie_values::similarity::damerau_similarity;

use super::value::Raw;
use super::{SIMILAR, Settings, SettingsError, SettingsProblem, VARIABLES};

/// The table whose tables hold what is different for one site.
pub(super) const SITES: &str = "site";

/// The table whose tables hold the options of one vertical.
pub(super) const VERTICALS: &str = "vertical";

/// The list whose tables are webhooks.
pub(super) const WEBHOOKS: &str = "webhook";

/// Who set a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The shipped default.
    #[default]
    Default,
    /// The user's own file.
    User(PathBuf),
    /// The file of the workspace.
    Workspace(PathBuf),
    /// A variable of the environment.
    Variable(String),
    /// A flag of the command.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => formatter.write_str("default"),
            Origin::User(path) | Origin::Workspace(path) => write!(formatter, "{}", path.display()),
            Origin::Variable(name) => write!(formatter, "${name}"),
            Origin::Flag(name) => formatter.write_str(name),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// For this site alone.
    pub(super) site: Option<String>,
    pub(super) group: String,
    pub(super) name: String,
    pub(super) raw: Raw,
    pub(super) place: SettingPlace,
}

/// An option of a vertical that was set. The component defines which options exist.
#[derive(Clone, Debug)]
pub(super) struct OptionEntry {
    pub(super) vertical: String,
    pub(super) name: String,
    pub(super) raw: Raw,
    pub(super) place: SettingPlace,
}

/// A webhook, as it is written.
#[derive(Clone, Debug)]
pub(super) struct WebhookEntry {
    pub(super) values: BTreeMap<String, Raw>,
    pub(super) place: SettingPlace,
}

/// The place where a value was set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingPlace {
    /// By whom.
    pub origin: Origin,
    /// In which line, where it is a file.
    pub line: Option<usize>,
}

impl fmt::Display for SettingPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.origin.fmt(formatter)?;
        self.line
            .map_or(Ok(()), |line| write!(formatter, ", line {line}"))
    }
}

/// The values of one source. Later layers win over earlier ones.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    pub(super) entries: Vec<Entry>,
    pub(super) options: Vec<OptionEntry>,
    pub(super) webhooks: Vec<WebhookEntry>,
}

impl Layer {
    /// The values of a settings file.
    pub fn file(origin: &Origin, text: &str) -> Result<Layer, SettingsError> {
        let line_of = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
        let table = DeTable::parse(text).map_err(|error| {
            let place = SettingPlace {
                origin: origin.clone(),
                line: error.span().map(|span| line_of(span.start)),
            };
            SettingsError::new(place, SettingsProblem::Syntax(error.message().to_owned()))
        })?;
        let mut reader = FileReader {
            origin,
            line_of: &line_of,
            layer: Layer::default(),
        };
        reader.tables(None, table.get_ref())?;
        Ok(reader.layer)
    }

    /// Reads the environment: `MAGPIE_POLITENESS_DELAY=2s`. Ignores variables that do not begin
    /// with the name of a group.
    pub fn environment(variables: impl IntoIterator<Item = (String, String)>) -> Layer {
        let groups: Vec<_> = Settings::groups().into_iter().map(|(name, _)| name).collect();
        let entry = |(variable, value): (String, String)| {
            let rest = variable.strip_prefix(VARIABLES)?.to_ascii_lowercase();
            let group = groups.iter().find(|group| {
                rest.strip_prefix(**group)
                    .is_some_and(|name| name.starts_with('_'))
            })?;
            Some(Entry {
                site: None,
                group: (*group).to_owned(),
                name: rest[group.len() + 1..].to_owned(),
                raw: Raw::Text(value),
                place: SettingPlace {
                    origin: Origin::Variable(variable),
                    line: None,
                },
            })
        };
        Layer {
            entries: variables.into_iter().filter_map(entry).collect(),
            ..Layer::default()
        }
    }

    /// Reads the variables by which other programs find the proxy. `http_proxy` counts in lower
    /// case alone: in upper case, a web server sets it from a header of the request
    /// (CVE-2016-5385). A proxy without a scheme is an HTTP proxy, as it is for curl.
    pub fn proxy_environment(variables: impl IntoIterator<Item = (String, String)>) -> Layer {
        let variables: BTreeMap<String, String> = variables
            .into_iter()
            .filter(|(_, value)| !value.trim().is_empty())
            .collect();
        let entry = |name: &str, variables_of: &[&str]| {
            let (variable, value) = variables_of
                .iter()
                .find_map(|variable| variables.get_key_value(*variable))?;
            let is_without_scheme = name == "proxy" && !value.contains("://");
            Some(Entry {
                site: None,
                group: "network".to_owned(),
                name: name.to_owned(),
                raw: Raw::Text(match is_without_scheme {
                    true => format!("http://{value}"),
                    false => value.clone(),
                }),
                place: SettingPlace {
                    origin: Origin::Variable(variable.clone()),
                    line: None,
                },
            })
        };
        let proxy = [
            "https_proxy",
            "HTTPS_PROXY",
            "all_proxy",
            "ALL_PROXY",
            "http_proxy",
        ];
        let entries = [
            entry("proxy", &proxy),
            entry("no_proxy", &["no_proxy", "NO_PROXY"]),
        ];
        Layer {
            entries: entries.into_iter().flatten().collect(),
            ..Layer::default()
        }
    }

    /// Adds the value of a flag.
    pub fn flag(&mut self, flag: &str, key: &str, value: Raw) {
        let (group, name) = key.split_once('.').unwrap_or(("", key));
        self.entries.push(Entry {
            site: None,
            group: group.to_owned(),
            name: name.to_owned(),
            raw: value,
            place: SettingPlace {
                origin: Origin::Flag(flag.to_owned()),
                line: None,
            },
        });
    }
}

/// Finds variables with the prefix of Magpie that are not known, and the name that was probably
/// meant. `others` are known variables that are not settings. A variable that begins with the name
/// of a group is treated as a setting, and refused if no setting has that name.
pub fn strange_variables(
    variables: impl IntoIterator<Item = String>,
    others: &[&str],
) -> Vec<(String, Option<String>)> {
    let groups = Settings::groups();
    let is_setting = |name: &str| {
        let rest = name
            .strip_prefix(VARIABLES)
            .unwrap_or_default()
            .to_ascii_lowercase();
        groups.iter().any(|(group, _)| {
            rest.strip_prefix(*group)
                .is_some_and(|rest| rest.starts_with('_'))
        })
    };
    let definitions = Settings::definitions();
    let settings = definitions.iter().map(|definition| {
        format!("{VARIABLES}{}_{}", definition.group, definition.name).to_ascii_uppercase()
    });
    let known: Vec<String> = settings
        .chain(others.iter().map(|name| (*name).to_owned()))
        .collect();
    let strange = variables
        .into_iter()
        .filter(|name| name.starts_with(VARIABLES) && !others.contains(&name.as_str()) && !is_setting(name));
    let similar = |name: &str| {
        let scored = known.iter().map(|known| (damerau_similarity(name, known), known));
        let likely = scored.filter(|(score, _)| *score >= SIMILAR);
        let best = likely.max_by(|one, other| one.0.total_cmp(&other.0));
        best.map(|(_, known)| known.clone())
    };
    strange.map(|name| (name.clone(), similar(&name))).collect()
}

struct FileReader<'a> {
    origin: &'a Origin,
    line_of: &'a dyn Fn(usize) -> usize,
    layer: Layer,
}

impl FileReader<'_> {
    fn tables(&mut self, site: Option<&str>, tables: &DeTable<'_>) -> Result<(), SettingsError> {
        for (key, value) in tables {
            let group = key.get_ref();
            match value.get_ref() {
                DeValue::Table(sites) if site.is_none() && group == SITES => self.sites(sites)?,
                DeValue::Table(verticals) if site.is_none() && group == VERTICALS => {
                    self.verticals(verticals)?;
                }
                value if site.is_none() && group == WEBHOOKS => {
                    self.webhooks(value, key.span().start)?;
                }
                DeValue::Table(table) => self.group(site, group, table),
                // A value outside of any table is an unknown setting of a group without a name.
                value => self.entry(site, "", group, value, key.span().start),
            }
        }
        Ok(())
    }

    fn sites(&mut self, sites: &DeTable<'_>) -> Result<(), SettingsError> {
        for (key, value) in sites {
            let DeValue::Table(tables) = value.get_ref() else {
                let problem = SettingsProblem::Site {
                    site: key.get_ref().to_string(),
                };
                return Err(SettingsError::new(self.place(key.span().start), problem));
            };
            self.tables(Some(key.get_ref()), tables)?;
        }
        Ok(())
    }

    fn verticals(&mut self, verticals: &DeTable<'_>) -> Result<(), SettingsError> {
        for (key, value) in verticals {
            let vertical = key.get_ref().to_string();
            let DeValue::Table(options) = value.get_ref() else {
                let problem = SettingsProblem::Vertical { vertical };
                return Err(SettingsError::new(self.place(key.span().start), problem));
            };
            for (name, value) in options {
                let option = OptionEntry {
                    vertical: vertical.clone(),
                    name: name.get_ref().to_string(),
                    raw: raw(value.get_ref()),
                    place: self.place(name.span().start),
                };
                self.layer.options.push(option);
            }
        }
        Ok(())
    }

    fn webhooks(&mut self, value: &DeValue<'_>, at: usize) -> Result<(), SettingsError> {
        let refused = |place| {
            let why =
                "it is a list of tables; write `[[webhook]]` and `url`, `on`, `where` and `secret` below it";
            SettingsError::new(place, SettingsProblem::Webhook { why: why.to_owned() })
        };
        let DeValue::Array(list) = value else {
            return Err(refused(self.place(at)));
        };
        for item in list {
            let place = self.place(item.span().start);
            let Raw::Table(values) = raw(item.get_ref()) else {
                return Err(refused(place));
            };
            let values = values.into_iter().collect();
            self.layer.webhooks.push(WebhookEntry { values, place });
        }
        Ok(())
    }

    fn group(&mut self, site: Option<&str>, group: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            self.entry(site, group, name.get_ref(), value.get_ref(), name.span().start);
        }
    }

    fn entry(&mut self, site: Option<&str>, group: &str, name: &str, value: &DeValue<'_>, at: usize) {
        self.layer.entries.push(Entry {
            site: site.map(str::to_ascii_lowercase),
            group: group.to_owned(),
            name: name.to_owned(),
            raw: raw(value),
            place: self.place(at),
        });
    }

    fn place(&self, at: usize) -> SettingPlace {
        SettingPlace {
            origin: self.origin.clone(),
            line: Some((self.line_of)(at)),
        }
    }
}

impl Raw {
    /// Parses a value as written in a file. Returns `None` if it is invalid.
    pub(super) fn of_toml(text: &str) -> Option<Raw> {
        DeValue::parse(text.trim()).ok().map(|value| raw(value.get_ref()))
    }
}

/// The parser bounds how deep values nest.
fn raw(value: &DeValue<'_>) -> Raw {
    match value {
        DeValue::String(text) => Raw::Text(text.to_string()),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            parsed.map_or_else(|_| Raw::Text(number.to_string()), Raw::Whole)
        }
        DeValue::Float(number) => {
            let parsed = number.as_str().parse();
            parsed.map_or_else(|_| Raw::Text(number.to_string()), Raw::Real)
        }
        DeValue::Boolean(switch) => Raw::Switch(*switch),
        DeValue::Datetime(moment) => Raw::Text(moment.to_string()),
        DeValue::Array(list) => Raw::List(list.iter().map(|item| raw(item.get_ref())).collect()),
        DeValue::Table(table) => {
            let pairs = table
                .iter()
                .map(|(name, value)| (name.get_ref().to_string(), raw(value.get_ref())));
            Raw::Table(pairs.collect())
        }
    }
}
