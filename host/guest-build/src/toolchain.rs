//! Finding or installing a compiler for Wasm.

mod debian;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;

use crate::command::{capture, clean_command, run_within};
use crate::{Error, Result, TARGET};

/// How long `rustup target add` may take. It downloads some 20 MB, and without a network it hangs for
/// minutes rather than fail.
const RUSTUP_PATIENCE: Duration = Duration::from_secs(60);

/// Which compiler to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// The first that works.
    #[default]
    Automatic,
    /// The active Rust, with its own library for Wasm, added by rustup where it is missing.
    Rustup,
    /// The compiler of the Debian packages, which also carry the library's source.
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
                "`{other}` is no way to a Wasm compiler; there are automatic, rustup, debian"
            )),
        }
    }
}

/// A compiler that builds for [`TARGET`].
///
/// Its programs are named by their full paths and never by rustup's stand-ins, which would choose a
/// toolchain again in every folder, and download it when a guest's folder names one that is missing.
#[derive(Debug, Clone)]
pub struct Toolchain {
    cargo: PathBuf,
    rustc: PathBuf,
    /// What `rustc -vV` says.
    version: String,
    /// The linker, when the library for Wasm must be compiled along, which is when none is named in
    /// the compiler's own folder.
    build_std: Option<PathBuf>,
}

impl Toolchain {
    /// Finds a compiler, or makes one available, by the first of these that works: the active Rust
    /// with the target installed; Debian's packages where they already are; `rustup target add`;
    /// installing Debian's packages, for root alone. What takes time is told to `progress`.
    ///
    /// The packages that are already there come before rustup, since a machine that has them most
    /// likely got them because rustup could not reach its server, and would wait for it every time.
    pub fn provide(way: Way, progress: &dyn Fn(&str)) -> Result<Self> {
        let mut tried = Vec::new();
        let mut attempt = |outcome: Result<Self>| outcome.map_err(|error| tried.push(told(&error))).ok();
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

    /// One line that tells this compiler from others: its version, and where the library comes from.
    pub fn description(&self) -> String {
        let version = self.version.lines().next().unwrap_or_default();
        let library = if self.build_std.is_some() {
            "library compiled along"
        } else {
            "library installed"
        };
        format!("{version}, {library}")
    }

    /// What changes the compiler's output when it changes.
    pub(crate) fn identity(&self) -> String {
        format!("{}\n{:?}", self.version, self.build_std)
    }

    /// Cargo of this toolchain, set up to compile for Wasm with it.
    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = clean_command(&self.cargo);
        cargo.env("RUSTC", &self.rustc).arg(subcommand);
        if let Some(linker) = &self.build_std {
            // `-Zbuild-std` is for nightly compilers; this variable makes a stable one accept it.
            cargo.env("RUSTC_BOOTSTRAP", "1");
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
            // An outer `cargo run` points it at its own compiler's libraries.
            cargo.env_remove("LD_LIBRARY_PATH");
        }
        cargo
    }

    /// Arguments of `cargo build` that this toolchain needs.
    pub(crate) fn build_arguments(&self) -> &'static [&'static str] {
        // A distribution's compiler is often a little older than what a package asks for, and mostly
        // does: if it does not, the errors tell.
        if self.build_std.is_some() {
            &["-Zbuild-std=std,panic_abort", "--ignore-rust-version"]
        } else {
            &[]
        }
    }

    /// The Rust that `rustc` in the PATH stands for, if it has the library for Wasm.
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
            RUSTUP_PATIENCE,
        )?;
        Self::active()
    }
}

/// What a compiler says about itself.
struct Probe {
    sysroot: PathBuf,
    target_libraries: PathBuf,
}

impl Probe {
    fn of(mut rustc: Command) -> Result<Self> {
        let said = capture(rustc.args([
            "--print",
            "sysroot",
            "--print",
            "target-libdir",
            "--target",
            TARGET,
        ]))?;
        let mut lines = said.lines();
        let mut next = || {
            lines
                .next()
                .map(PathBuf::from)
                .ok_or_else(|| missing("rustc names no folders".to_owned()))
        };
        Ok(Self {
            sysroot: next()?,
            target_libraries: next()?,
        })
    }

    /// Whether the target's core library lies there; the folder alone may be left from an uninstall.
    fn has_target(&self) -> bool {
        let Ok(entries) = std::fs::read_dir(&self.target_libraries) else {
            return false;
        };
        entries
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
    }
}

/// A program of the toolchain that is active in this process, which an outer rustup may have chosen.
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

/// An attempt's failure in one entry of the list of failures.
fn told(error: &Error) -> String {
    match error {
        Error::NoToolchain { tried } => tried.join("; "),
        Error::Start { program, source } => format!("{program}: {source}"),
        other => other.to_string(),
    }
}

/// The linker that rustup's toolchain brings along.
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
    fn ways_have_names() {
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
            error.to_string().ends_with("is to be had\n- no rustup\n- no apt"),
            "{error}"
        );
        assert!(error.hint().unwrap().contains("rustup target add"));
    }
}
