//! From arguments to a runtime and plugins: where the environment is read.

use std::path::{Path, PathBuf};
use std::time::Duration;

use magpie_engine::client_settings;
use magpie_guest_build::Way;
use magpie_kit::fetch::FetchSettings;
use magpie_kit::inputs::InputSettings;
use magpie_kit::project::{BuildError, Project};
use magpie_runtime::{Limits, Plugin, Runtime, RuntimeSettings};
use magpie_terminal::settings::{self, SettingArgs};
use magpie_terminal::{Failure, Kind, Printer, workspace};
use serde_json::{Map, Value};
use url::Url;

use crate::plugin::args::LimitArgs;

/// Returns the settings for reading pages. URLs are fetched with the network settings in force, of
/// the workspace if there is one.
pub(crate) fn inputs(url: Option<Url>, arguments: &SettingArgs) -> Result<InputSettings, Failure> {
    let folder = settings::workspace(&arguments.place)?;
    let resolved = settings::resolve(arguments, folder.as_deref())?;
    let network = client_settings(&resolved.settings)
        .map_err(|error| Failure::new(Kind::Usage, format!("can't fetch with these settings: {error}")))?;
    let fetch = FetchSettings {
        network,
        ..FetchSettings::default()
    };
    Ok(InputSettings {
        url,
        fetch,
        ..InputSettings::default()
    })
}

/// Chooses how the Wasm target is provided.
const TOOLCHAIN_VARIABLE: &str = "MAGPIE_WASM_TOOLCHAIN";

/// Cargo's variable for the folder that it compiles in.
const TARGET_VARIABLE: &str = "CARGO_TARGET_DIR";

/// A runtime with these limits.
pub(crate) fn runtime(arguments: &LimitArgs) -> Result<Runtime, Failure> {
    let limits = Limits {
        memory_bytes: arguments.memory_mib.saturating_mul(1 << 20),
        cpu: Duration::from_millis(arguments.cpu_ms),
        objects: arguments.objects,
        result_bytes: arguments.result_mib.saturating_mul(1 << 20),
        log_lines: arguments.log_lines,
    };
    runtime_of(limits, !arguments.no_cache)
}

/// A runtime with the default limits.
pub(crate) fn usual_runtime() -> Result<Runtime, Failure> {
    runtime_of(Limits::default(), true)
}

fn runtime_of(limits: Limits, is_cached: bool) -> Result<Runtime, Failure> {
    Ok(Runtime::new(&RuntimeSettings {
        limits,
        cache: workspace::cache_folder().filter(|_| is_cached),
        ..RuntimeSettings::default()
    })?)
}

/// Returns the Wasm compiler that the environment selects.
pub(crate) fn way() -> Result<Way, Failure> {
    let wanted = std::env::var(TOOLCHAIN_VARIABLE).unwrap_or_default();
    wanted
        .parse()
        .map_err(|problem: String| Failure::usage(format!("{TOOLCHAIN_VARIABLE}: {problem}")))
}

/// Returns the folder that the environment selects for compiling.
fn target_dir() -> Result<Option<PathBuf>, Failure> {
    let Some(folder) = std::env::var_os(TARGET_VARIABLE).filter(|folder| !folder.is_empty()) else {
        return Ok(None);
    };
    let absolute = std::path::absolute(&folder);
    absolute.map(Some).map_err(|error| {
        let folder = folder.display();
        Failure::usage(format!(
            "{TARGET_VARIABLE}: can't resolve the path `{folder}`: {error}"
        ))
    })
}

/// The component's file: as given, or built when a project is given.
pub(crate) fn component(path: &Path, printer: &mut Printer) -> Result<PathBuf, Failure> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    build(&Project::open(path)?, None, printer).map(|built| built.component)
}

/// Builds a project, showing what is done.
pub(crate) fn build(
    project: &Project,
    out: Option<&Path>,
    printer: &mut Printer,
) -> Result<magpie_guest_build::Built, Failure> {
    let way = way()?;
    let target_dir = target_dir()?;
    let shown = !printer.is_quiet();
    let printer = std::cell::RefCell::new(printer);
    let built = project.build(out, target_dir.as_deref(), way, &|line| {
        printer.borrow_mut().tell(line);
    });
    built.map_err(|error| match error {
        BuildError::Build(error) if shown => BuildError::Build(error.without_output()).into(),
        error => error.into(),
    })
}

/// Loads a component, or builds and loads a project.
pub(crate) fn load(
    runtime: &Runtime,
    path: &Path,
    options: &[String],
    printer: &mut Printer,
) -> Result<Plugin, Failure> {
    let file = component(path, printer)?;
    let options = parse_options(options)?;
    runtime
        .load_with(&file, &options)
        .map_err(|error| Failure::loading(&file, &error))
}

/// Explains why a component is not the pinned one. Returns `None` if it is, or if none is pinned.
pub(crate) fn not_as_pinned(pinned: Option<&str>, digest: &str) -> Option<String> {
    let wanted = pinned?;
    (wanted != digest).then(|| {
        format!("this is not the component that was asked for: its digest is {digest}, not {wanted}")
    })
}

/// Hint for a component that is not the pinned one.
pub(crate) const PIN_HINT: &str =
    "get the file again, or look at what is new in it with `magpie plugin diff` and pin its digest";

/// `name=value` with the value as JSON where it is some, and as text otherwise.
fn parse_options(options: &[String]) -> Result<Map<String, Value>, Failure> {
    let pair = |option: &String| {
        let (name, value) = option.split_once('=').ok_or_else(|| {
            Failure::usage(format!("the option `{option}` has no value")).hint("write it as NAME=VALUE")
        })?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        Ok((name.to_owned(), value))
    };
    options.iter().map(pair).collect()
}
