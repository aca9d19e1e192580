//! From files, variables and flags to the settings in force: where the environment and the home directory are asked.

use std::io;
use std::path::{Path, PathBuf};

use magpie_engine::settings::{Layer, Origin, Raw, Resolved, SettingsError, strange_variables};

use crate::args::{CrawlSettingArgs, SettingArgs, WorkspaceArg};
use crate::failure::{Failure, Kind};
use crate::printer::Printer;

/// The name of a settings file, in a workspace and among the user's files.
pub(crate) const FILE: &str = "magpie.toml";

/// Names the user's own settings file, instead of the usual place.
const USER_FILE_VARIABLE: &str = "MAGPIE_SETTINGS";

/// Names the workspace, where no flag does.
const WORKSPACE_VARIABLE: &str = "MAGPIE_WORKSPACE";

/// Variables that are no settings.
const OTHER_VARIABLES: [&str; 9] = [
    USER_FILE_VARIABLE,
    WORKSPACE_VARIABLE,
    "MAGPIE_CACHE_DIR",
    "MAGPIE_WASM_TOOLCHAIN",
    // Of Magpie's own tests and benchmarks.
    "MAGPIE_BENCH_GUESTS",
    "MAGPIE_POLYGLOT",
    "MAGPIE_TEST_GUESTS",
    "MAGPIE_TEST_PYTHON",
    "MAGPIE_VERTICALS",
];

/// Warns of variables that look like Magpie's and have no effect.
pub(crate) fn warn_of_variables(printer: &mut Printer) {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for (name, similar) in strange_variables(names, &OTHER_VARIABLES) {
        let meant = match similar {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "`magpie config` shows all there are".to_owned(),
        };
        printer.warn(&format!("${name} is no setting and has no effect; {meant}"));
    }
}

/// The settings in force for a workspace.
pub(crate) fn resolve(
    arguments: &SettingArgs,
    short: &CrawlSettingArgs,
    workspace: Option<&Path>,
) -> Result<Resolved, Failure> {
    let mut layers = Vec::new();
    let (user_file, named) = user_file();
    layers.extend(read(user_file.as_deref(), named, Origin::User)?);
    let workspace_file = workspace.map(|folder| folder.join(FILE));
    layers.extend(read(workspace_file.as_deref(), false, Origin::Workspace)?);
    layers.push(Layer::environment(std::env::vars_os().filter_map(
        |(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)),
    )));
    layers.push(flags(arguments, short)?);
    Ok(Resolved::new(&layers)?)
}

/// The workspace a command works on: named, or the folder one stands in or the nearest one above that is one.
pub(crate) fn workspace(arguments: &WorkspaceArg) -> Option<PathBuf> {
    let named = || {
        let value = std::env::var_os(WORKSPACE_VARIABLE)?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    };
    arguments.workspace.clone().or_else(named).or_else(|| {
        let here = std::env::current_dir().ok()?;
        let found = here.ancestors().find(|folder| folder.join(FILE).is_file());
        found.map(Path::to_owned)
    })
}

/// The same, for commands that can't do without.
pub(crate) fn required_workspace(arguments: &WorkspaceArg) -> Result<PathBuf, Failure> {
    workspace(arguments).ok_or_else(|| {
        Failure::usage("there is no workspace here")
            .hint("go into one, name one with `--workspace DIR`, or make one with `magpie init DIR`")
    })
}

/// The user's file, and whether they named it themselves: then it must be there.
fn user_file() -> (Option<PathBuf>, bool) {
    let variable = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(path) = variable(USER_FILE_VARIABLE) {
        return (Some(path), true);
    }
    let folder = variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|home| home.join(".config")));
    (folder.map(|folder| folder.join("magpie").join(FILE)), false)
}

fn read(
    path: Option<&Path>,
    must_exist: bool,
    origin: fn(PathBuf) -> Origin,
) -> Result<Option<Layer>, Failure> {
    let Some(path) = path else { return Ok(None) };
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(Layer::file(&origin(path.to_owned()), &text)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !must_exist => Ok(None),
        Err(error) => Err(Failure::new(
            Kind::Input,
            format!("can't read the settings in {}: {error}", path.display()),
        )),
    }
}

fn flags(arguments: &SettingArgs, short: &CrawlSettingArgs) -> Result<Layer, Failure> {
    let mut layer = Layer::default();
    let single = [
        ("--delay", "politeness.delay", &short.delay),
        ("--pages", "scope.pages", &short.pages),
        ("--depth", "scope.depth", &short.depth),
        ("--proxy", "network.proxy", &short.proxy),
        ("--user-agent", "identity.user_agent", &short.user_agent),
    ];
    for (flag, key, value) in single {
        if let Some(value) = value {
            layer.flag(flag, key, Raw::Text(value.clone()));
        }
    }
    let several = [
        ("--include", "scope.include", &short.include),
        ("--exclude", "scope.exclude", &short.exclude),
        ("--resolve", "network.resolve", &short.resolve),
        ("--allow-address", "network.allow_addresses", &short.allow_address),
    ];
    for (flag, key, values) in several {
        if !values.is_empty() {
            let list = values.iter().cloned().map(Raw::Text).collect();
            layer.flag(flag, key, Raw::List(list));
        }
    }
    for pair in &arguments.set {
        let (key, value) = pair.split_once('=').ok_or_else(|| {
            Failure::usage(format!("`--set {pair}` sets nothing"))
                .hint("write it as in --set politeness.delay=2s")
        })?;
        layer.flag(
            &format!("--set {}", key.trim()),
            key.trim(),
            Raw::Text(value.trim().to_owned()),
        );
    }
    Ok(layer)
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        Failure::usage(error.to_string())
    }
}
