//! Finds or installs a compiler for Wasm.

mod debian;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;

use crate::command::{capture, clean_command, run_within};
use crate::{Error, Result, TARGET};

/// Timeout of `rustup target add`. It downloads some 20 MB, and without a network it hangs for
/// minutes instead of failing.
const RUSTUP_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// The first one that works.
    #[default]
    Automatic,
    /// The active Rust with its library for Wasm, which rustup adds if it is missing.
    Rustup,
    /// The compiler of the Debian packages, which also contain the source of the library.
    Debian,
}

impl FromStr for Way {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "" | "automatic" => Ok(Self::Automatic),
            "rustup" => Ok(Self::Rustup),
            "debian" => Ok(Self::Debian),
            other => Err(format!(
                "unknown Wasm compiler `{other}`: expected automatic, rustup or debian"
            )),
        }
    }
}

/// A compiler that builds for [`TARGET`].
///
/// Its programs are called by their full paths, not through rustup's proxies. Those would choose a
/// toolchain for each folder, and download it if a guest's folder names a missing one.
#[derive(Debug, Clone)]
pub struct Toolchain {
    cargo: PathBuf,
    rustc: PathBuf,
    /// Output of `rustc -vV`.
    version: String,
    /// Linker for Wasm; only set if the library for Wasm must be compiled from source.
    build_std: Option<PathBuf>,
}

impl Toolchain {
    /// Finds a compiler or installs one, by the first of these that works: the active Rust with the
    /// target installed; Debian's packages if they are installed; `rustup target add`; installation
    /// of Debian's packages, only as root. Slow steps are reported to `progress`.
    ///
    /// Installed packages come before `rustup target add`: a machine usually has them because
    /// rustup could not reach its server, and would wait for it every time.
    pub fn provide(way: Way, progress: &dyn Fn(&str)) -> Result<Self> {
        let mut tried = Vec::new();
        let mut attempt =
            |outcome: Result<Self>| outcome.map_err(|error| tried.push(describe_failure(&error))).ok();
        let mut found = None;
        if way != Way::Debian {
            found = attempt(Self::active());
        }
        if way != Way::Rustup {
            found = found.or_else(|| attempt(debian::installed()));
        }
        if way != Way::Debian {
            found = found.or_else(|| attempt(Self::add_target(progress)));
        }
        if way != Way::Rustup {
            found = found.or_else(|| attempt(debian::install(progress)));
        }
        found.ok_or(Error::NoToolchain { tried })
    }

    /// Describes the compiler in one line: its version, and the origin of the library.
    pub fn description(&self) -> String {
        let version = self.version.lines().next().unwrap_or_default();
        let library = if self.build_std.is_some() {
            "library compiled along"
        } else {
            "library installed"
        };
        format!("{version}, {library}")
    }

    /// Text that changes whenever the compiler's output may change.
    pub(crate) fn identity(&self) -> String {
        format!("{}\n{:?}", self.version, self.build_std)
    }

    /// Creates a cargo command that compiles for Wasm with this toolchain.
    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = clean_command(&self.cargo);
        // Without it cargo would take the `rustc` in the PATH, where a proxy of rustup may be.
        cargo.env("RUSTC", &self.rustc).arg(subcommand);
        if let Some(linker) = &self.build_std {
            // `-Zbuild-std` requires a nightly compiler; this variable lets a stable one accept it.
            cargo.env("RUSTC_BOOTSTRAP", "1");
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
            // An outer `cargo run` sets it to the libraries of its own compiler.
            cargo.env_remove("LD_LIBRARY_PATH");
        }
        cargo
    }

    /// Arguments of `cargo build` that this toolchain needs.
    pub(crate) fn build_arguments(&self) -> &'static [&'static str] {
        // A distribution's compiler is often slightly older than a package requires, but usually
        // works. If it does not, the errors show it.
        if self.build_std.is_some() {
            &["-Zbuild-std=std,panic_abort", "--ignore-rust-version"]
        } else {
            &[]
        }
    }

    /// The Rust of `rustc` in the PATH, if it has the library for Wasm.
    fn active() -> Result<Self> {
        let probe = Probe::of(active_program("rustc"))?;
        if !probe.has_target() {
            return Err(missing(format!("the active Rust has no library for {TARGET}")));
        }
        let bin = probe.sysroot.join("bin");
        let rustc = existing(bin.join("rustc")).unwrap_or_else(|| PathBuf::from("rustc"));
        let cargo = existing(bin.join("cargo")).unwrap_or_else(|| PathBuf::from("cargo"));
        let version = capture(clean_command(&rustc).arg("-vV"))?;
        Ok(Self {
            cargo,
            rustc,
            version,
            build_std: None,
        })
    }

    fn add_target(progress: &dyn Fn(&str)) -> Result<Self> {
        progress(&format!("rustup adds the target {TARGET}"));
        run_within(
            active_program("rustup").args(["target", "add", TARGET]),
            RUSTUP_TIMEOUT,
        )?;
        Self::active()
    }
}

/// Folders of a compiler, as it reports them.
struct Probe {
    sysroot: PathBuf,
    target_libraries: PathBuf,
}

impl Probe {
    fn of(mut rustc: Command) -> Result<Self> {
        let output = capture(rustc.args([
            "--print",
            "sysroot",
            "--print",
            "target-libdir",
            "--target",
            TARGET,
        ]))?;
        let mut lines = output.lines();
        let mut next = || {
            lines
                .next()
                .map(PathBuf::from)
                .ok_or_else(|| missing("rustc prints no folders".to_owned()))
        };
        Ok(Self {
            sysroot: next()?,
            target_libraries: next()?,
        })
    }

    /// Returns true if the target's core library exists; the folder alone may be left over from an
    /// uninstall.
    fn has_target(&self) -> bool {
        let Ok(entries) = std::fs::read_dir(&self.target_libraries) else {
            return false;
        };
        entries
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
    }
}

/// A program of the toolchain that is active in this process, as an outer rustup may have chosen
/// it.
fn active_program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.env_remove("RUSTC_WRAPPER");
    command
}

fn existing(path: PathBuf) -> Option<PathBuf> {
    path.exists().then_some(path)
}

fn missing(what: String) -> Error {
    Error::NoToolchain { tried: vec![what] }
}

/// Describes a failed attempt in one entry of the list of failures.
fn describe_failure(error: &Error) -> String {
    match error {
        Error::NoToolchain { tried } => tried.join("; "),
        Error::Start { program, source } => format!("{program}: {source}"),
        other => other.to_string(),
    }
}

fn rustup_linker() -> Option<PathBuf> {
    let probe = Probe::of(active_program("rustc")).ok()?;
    let hosts = std::fs::read_dir(probe.sysroot.join("lib/rustlib")).ok()?;
    hosts
        .flatten()
        .map(|host| host.path().join("bin/rust-lld"))
        .find(|path: &PathBuf| Path::exists(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_parsed() {
        assert_eq!("debian".parse(), Ok(Way::Debian));
        assert_eq!("".parse(), Ok(Way::Automatic));
        assert!("gentoo".parse::<Way>().unwrap_err().contains("gentoo"));
    }

    #[test]
    fn failures_are_listed() {
        let error = Error::NoToolchain {
            tried: vec!["no rustup".into(), "no apt".into()],
        };
        assert!(
            error.to_string().ends_with("is available\n- no rustup\n- no apt"),
            "{error}"
        );
        assert!(error.hint().unwrap().contains("rustup target add"));
    }
}
