//! The settings in force, from files, variables and flags. Reads the environment and the home
//! directory.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
pub use magpie_engine::settings::FILE;
use magpie_engine::settings::{Layer, Origin, Raw, Resolved, strange_variables};
use magpie_engine::{can_fetch, check_out, is_on_server};

use toml_edit::{DocumentMut, Item};

use crate::failure::Failure;
use crate::output_file;
use crate::printer::Printer;
use crate::workspace::{VERTICALS_VARIABLE, checkouts};

/// Names the user's own settings file, instead of the usual place.
const USER_FILE_VARIABLE: &str = "MAGPIE_SETTINGS";

/// Names the workspace, where no flag does.
const WORKSPACE_VARIABLE: &str = "MAGPIE_WORKSPACE";

/// Variables that are no settings.
const OTHER_VARIABLES: [&str; 10] = [
    USER_FILE_VARIABLE,
    WORKSPACE_VARIABLE,
    "MAGPIE_CACHE_DIR",
    "MAGPIE_WASM_TOOLCHAIN",
    VERTICALS_VARIABLE,
    // Variables of Magpie's own tests and benchmarks.
    "MAGPIE_BENCH_GUESTS",
    "MAGPIE_POLYGLOT",
    "MAGPIE_SKIPPED",
    "MAGPIE_TEST_GUESTS",
    "MAGPIE_TEST_PYTHON",
];

/// Warns of variables that look like Magpie's and have no effect.
pub(crate) fn warn_of_variables(printer: &mut Printer) {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for (name, similar) in strange_variables(names, &OTHER_VARIABLES) {
        let meant = match similar {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "`magpie config` shows all there are".to_owned(),
        };
        printer.warn(&format!("ignoring ${name}: not a setting; {meant}"));
    }
}

/// Returns the settings in force for a workspace.
pub fn resolve(arguments: &SettingArgs, workspace: Option<&Path>) -> Result<Resolved, Failure> {
    in_force(arguments, &CrawlSettingArgs::default(), workspace, None)
}

/// Returns the settings of a worker: those of the driver, in a file, come before its own.
pub fn resolve_for_driver(
    arguments: &SettingArgs,
    workspace: &Path,
    driver: &str,
) -> Result<Resolved, Failure> {
    in_force(
        arguments,
        &CrawlSettingArgs::default(),
        Some(workspace),
        Some(driver),
    )
}

fn in_force(
    arguments: &SettingArgs,
    short: &CrawlSettingArgs,
    workspace: Option<&Path>,
    driver: Option<&str>,
) -> Result<Resolved, Failure> {
    let mut layers = vec![Layer::proxy_environment(variables())];
    let (user_file, named) = user_file();
    layers.extend(read(user_file.as_deref(), named, Origin::User)?);
    let workspace_file = workspace.map(|folder| folder.join(FILE));
    layers.extend(read(workspace_file.as_deref(), false, Origin::Workspace)?);
    if let Some(text) = driver {
        layers.push(Layer::file(&Origin::Flag("the driver".to_owned()), text)?);
    }
    layers.push(Layer::environment(variables()));
    layers.push(flags(arguments, short)?);
    Ok(Resolved::new(&layers)?)
}

/// Writes a setting into the file of a workspace, for all sites or for one; without a value removes
/// it. Other lines and comments stay as they are, and a file that would be invalid is not written.
pub fn write(folder: &Path, site: Option<&str>, key: &str, value: Option<Item>) -> Result<(), Failure> {
    let path = folder.join(FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(unreadable(&path, &error)),
    };
    let mut document: DocumentMut = text.parse().map_err(|error| {
        Failure::usage(format!("the settings in {} are invalid: {error}", path.display()))
    })?;
    let (group, name) = key
        .split_once('.')
        .ok_or_else(|| Failure::usage(format!("there is no setting `{key}`")))?;
    let tables: Vec<&str> = match site {
        Some(site) => vec!["site", site, group],
        None => vec![group],
    };
    let mut table = document.as_table_mut();
    for part in tables {
        let mut implicit = toml_edit::Table::new();
        implicit.set_implicit(true);
        let entry = table.entry(part).or_insert(Item::Table(implicit));
        table = entry.as_table_mut().ok_or_else(|| {
            Failure::usage(format!(
                "`{part}` in {} is not a table of its own",
                path.display()
            ))
            .hint("write it as `[table]`, with a line for each setting")
        })?;
    }
    match value {
        Some(mut value) => {
            let old = table.get(name).and_then(Item::as_value);
            if let (Some(old), Some(value)) = (old, value.as_value_mut()) {
                // A comment behind the value stays.
                *value.decor_mut() = old.decor().clone();
            }
            table.insert(name, value);
        }
        None => drop(table.remove(name)),
    }
    let text = document.to_string();
    let resolved = Resolved::new(&[Layer::file(&Origin::Workspace(path.clone()), &text)?])?;
    can_fetch(&resolved.settings)?;
    resolved
        .sites()
        .try_for_each(|(_, settings)| can_fetch(settings))?;
    let permissions = path.metadata().map(|metadata| metadata.permissions());
    output_file::write(&path, &text)?;
    // Settings may have passwords, so the file keeps its permissions.
    if let Ok(permissions) = permissions {
        std::fs::set_permissions(&path, permissions).map_err(|error| unreadable(&path, &error))?;
    }
    Ok(magpie_engine::sync(folder)?)
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("can't read the settings in {}: {error}", path.display()))
}

/// Returns the variables whose names and values are UTF-8.
pub(crate) fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// Returns the workspace of a command: the named one, or the current folder or the nearest one
/// above that is a workspace. One on a server is a folder of this process.
pub fn workspace(arguments: &WorkspaceArg) -> Result<Option<PathBuf>, Failure> {
    match named_workspace(arguments) {
        Some(named) if is_on_server(&named) => Ok(Some(check_out(address(&named)?, &checkouts())?)),
        Some(named) => Ok(Some(named)),
        None => {
            let here = std::env::current_dir().ok();
            let mut above = here.iter().flat_map(|here| here.ancestors());
            Ok(above
                .find(|folder| folder.join(FILE).is_file())
                .map(Path::to_owned))
        }
    }
}

/// Returns the workspace that a flag or a variable names.
pub fn named_workspace(arguments: &WorkspaceArg) -> Option<PathBuf> {
    let variable = || {
        let value = std::env::var_os(WORKSPACE_VARIABLE)?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    };
    arguments.workspace.clone().or_else(variable)
}

/// Returns the address of a workspace on a server. One with a password is refused as an argument,
/// where every process of the machine can read it.
pub fn address(named: &Path) -> Result<&str, Failure> {
    let text = named.to_str().unwrap_or_default();
    let authority = text.split_once("://").map_or("", |(_, rest)| rest);
    let authority = authority.split('/').next().unwrap_or_default();
    let has_password = authority
        .rsplit_once('@')
        .is_some_and(|(user, _)| user.contains(':'));
    if has_password && std::env::args().any(|argument| argument.contains(text)) {
        return Err(Failure::usage(
            "the password of the server is on the command line, where everybody on this machine can read it",
        )
        .hint(format!(
            "put it into the variable PGPASSWORD, or the whole address into ${WORKSPACE_VARIABLE}"
        )));
    }
    Ok(text)
}

/// The same, for commands that can't do without.
pub fn required_workspace(arguments: &WorkspaceArg) -> Result<PathBuf, Failure> {
    workspace(arguments)?.ok_or_else(|| {
        Failure::usage("there is no workspace here").hint(
            "change to a workspace, name one with `--workspace DIR`, or create one with `magpie init DIR`",
        )
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
        Err(error) => Err(unreadable(path, &error)),
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
            Failure::usage(format!(
                "invalid value `{pair}` for `--set`: expected KEY=VALUE, such as politeness.delay=2s"
            ))
        })?;
        layer.flag(
            &format!("--set {}", key.trim()),
            key.trim(),
            Raw::Text(value.trim().to_owned()),
        );
    }
    Ok(layer)
}

/// The workspace that a command works on.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct WorkspaceArg {
    /// The workspace: a folder, or postgres://USER@HOST/DATABASE [default: $MAGPIE_WORKSPACE, else
    /// this folder or the nearest above with a magpie.toml]
    #[arg(short, long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
}

/// Settings of a command line.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct SettingArgs {
    #[command(flatten)]
    pub place: WorkspaceArg,
    /// Set any setting, as in --set politeness.delay=2s; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl From<&WorkspaceArg> for SettingArgs {
    fn from(place: &WorkspaceArg) -> Self {
        let (place, set) = (place.clone(), Vec::new());
        Self { place, set }
    }
}

/// Settings of a command that crawls.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct RunSettingArgs {
    #[command(flatten)]
    pub short: CrawlSettingArgs,
    #[command(flatten)]
    pub any: SettingArgs,
}

impl RunSettingArgs {
    /// Returns the settings in force for a workspace.
    pub fn resolve(&self, workspace: Option<&Path>) -> Result<Resolved, Failure> {
        in_force(&self.any, &self.short, workspace, None)
    }
}

/// Settings that are asked for so often that they have a flag of their own.
#[derive(Clone, Debug, Default, ClapArgs)]
#[command(next_help_heading = "Settings for this run")]
pub struct CrawlSettingArgs {
    /// The least time between two requests to a host [setting: politeness.delay]
    #[arg(long, value_name = "TIME")]
    pub delay: Option<String>,
    /// Pages of each site [setting: scope.pages]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub pages: Option<String>,
    /// Links away from the first page [setting: scope.depth]
    #[arg(long, value_name = "N")]
    pub depth: Option<String>,
    /// Only URLs in which this regular expression is found; may be repeated [setting:
    /// scope.include]
    #[arg(long, value_name = "REGEX")]
    pub include: Vec<String>,
    /// No URLs in which this regular expression is found; may be repeated [setting: scope.exclude]
    #[arg(long, value_name = "REGEX")]
    pub exclude: Vec<String>,
    /// Connect to this address for a name; may be repeated [setting: network.resolve]
    #[arg(long, value_name = "HOST:PORT:ADDRESS")]
    pub resolve: Vec<String>,
    /// Allow a private address range; may be repeated [setting: network.allow_addresses]
    #[arg(long, value_name = "RANGE")]
    pub allow_address: Vec<String>,
    /// Go through a proxy [setting: network.proxy]
    #[arg(long, value_name = "URL")]
    pub proxy: Option<String>,
    /// User agent to send [setting: identity.user_agent]
    #[arg(long, value_name = "TEXT")]
    pub user_agent: Option<String>,
}
