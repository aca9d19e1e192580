//! Workspaces as commands make and open them.

use std::path::{Path, PathBuf};

use magpie_engine::settings::Resolved;
use magpie_engine::site::View;
use magpie_engine::{
    Session, SessionOptions, VERTICALS, Verticals, client_settings, create_on_server, create_workspace,
    is_on_server, limits, open_reader, workspace_name,
};
use magpie_kit::install::{Installer, Places};
use magpie_rows::{ReadStore, StoreError};
use magpie_runtime::{Runtime, RuntimeSettings};

use crate::failure::Failure;
use crate::printer::Printer;
use crate::process::{self, PROGRAM};
use crate::settings::{self, FILE, RunSettingArgs, SettingArgs};

/// Names the folder for compiled components, instead of the user's cache folder.
const CACHE_VARIABLE: &str = "MAGPIE_CACHE_DIR";

/// Names a folder with first-party components.
pub(crate) const VERTICALS_VARIABLE: &str = "MAGPIE_VERTICALS";

/// Makes a workspace, in a folder or on a server. Settings that are there stay. Returns its folder.
pub fn create(place: &Path, printer: &mut Printer) -> Result<PathBuf, Failure> {
    let folder = match is_on_server(place) {
        true => create_on_server(settings::address(place)?, &checkouts())?,
        false => place.to_owned(),
    };
    create_workspace(&folder)?;
    printer.tell(&format!("made the workspace {}", workspace_name(&folder)));
    Ok(folder)
}

/// Opens the workspace of the arguments for a vertical. `change` has the last word about the
/// settings.
pub fn open_session(
    arguments: &RunSettingArgs,
    vertical: Option<&str>,
    change: impl FnOnce(Resolved) -> Resolved,
) -> Result<Session, Failure> {
    let folder = settings::required_workspace(&arguments.any.place)?;
    let resolved = arguments.resolve(Some(&folder))?;
    open_session_at(folder, change(resolved), vertical)
}

/// A workspace that a command reads, with the settings in force.
pub struct Opened {
    pub folder: PathBuf,
    pub settings: Resolved,
    pub reader: Box<dyn ReadStore + Send>,
}

impl Opened {
    pub fn by(arguments: &SettingArgs) -> Result<Opened, Failure> {
        let folder = settings::required_workspace(&arguments.place)?;
        let settings = settings::resolve(arguments, Some(&folder))?;
        let reader = open_reader(&folder)?;
        Ok(Opened {
            folder,
            settings,
            reader,
        })
    }

    /// Returns the workspace as a vertical sees it now.
    pub fn view<'a>(&'a self, vertical: &'a str) -> View<'a> {
        View {
            reader: &*self.reader,
            folder: &self.folder,
            settings: &self.settings,
            vertical,
            now: process::now(),
        }
    }
}

/// Returns an error if a folder is no workspace.
pub fn check(folder: &Path) -> Result<(), Failure> {
    if is_workspace(folder) {
        return Ok(());
    }
    let path = folder.to_owned();
    Err(StoreError::NotThere { path }.into())
}

fn is_workspace(folder: &Path) -> bool {
    folder.join("magpie.db").exists() || folder.join(FILE).exists()
}

/// Opens the workspace in a folder, with these settings.
pub fn open_session_at(
    folder: PathBuf,
    settings: Resolved,
    vertical: Option<&str>,
) -> Result<Session, Failure> {
    if !is_workspace(&folder) {
        return Err(StoreError::NotThere { path: folder }.into());
    }
    Ok(Session::open(&folder, session_options(settings, vertical))?)
}

/// Returns the options of a session of this process.
pub fn session_options(settings: Resolved, vertical: Option<&str>) -> SessionOptions {
    SessionOptions {
        settings,
        vertical: vertical.map(str::to_owned),
        cache: cache_folder(),
        program: PROGRAM.to_owned(),
        clock: process::clock().clone(),
        stop: process::stop_on_interrupt().clone(),
    }
}

/// Opens the verticals that are dropped into a workspace, unless the settings leave them out.
pub fn open_verticals(folder: &Path, resolved: &Resolved) -> Result<Option<Verticals>, Failure> {
    if !resolved.settings.verticals.run {
        return Ok(None);
    }
    let cache = cache_folder();
    Ok(Verticals::open(
        &folder.join(VERTICALS),
        cache.as_deref(),
        resolved,
    )?)
}

/// Returns what puts components into a workspace, with its limits and network settings.
pub fn installer(folder: &Path, resolved: &Resolved) -> Result<Installer, Failure> {
    let runtime = Runtime::new(&RuntimeSettings {
        limits: limits(&resolved.settings.verticals),
        cache: cache_folder(),
        ..RuntimeSettings::default()
    })?;
    let network = client_settings(&resolved.settings)?;
    Ok(Installer::new(folder, runtime, network))
}

/// Returns the places of first-party components.
pub fn component_places() -> Places {
    let named = std::env::var_os(VERTICALS_VARIABLE).filter(|value| !value.is_empty());
    let executable = std::env::current_exe().ok();
    let current = std::env::current_dir().unwrap_or_default();
    Places::new(named.map(PathBuf::from), executable.as_deref(), &current)
}

/// Returns the folder for the files of workspaces on servers.
pub fn checkouts() -> PathBuf {
    let beside = cache_folder().and_then(|cache| Some(cache.parent()?.join("workspaces")));
    beside.unwrap_or_else(|| std::env::temp_dir().join("magpie-workspaces"))
}

/// Returns the folder in which compiled components are kept.
pub fn cache_folder() -> Option<PathBuf> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    variable(CACHE_VARIABLE)
        .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("magpie/compiled")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/magpie/compiled")))
}
