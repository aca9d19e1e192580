//! The compiler of Debian and its derivatives. Its packages contain the source of the library for
//! Wasm, which cargo compiles together with the guest.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{Probe, Toolchain, existing, missing, rustup_linker};
use crate::Result;
use crate::command::{capture, clean_command, run_within};

const RUSTC: &str = "/usr/bin/rustc";
const CARGO: &str = "/usr/bin/cargo";
const APT_GET: &str = "/usr/bin/apt-get";

/// Packages in the order to try. Debian's stable releases have a current compiler for browsers
/// under the first names; elsewhere the plain names are current enough.
const PACKAGE_SETS: [[&str; 3]; 2] = [
    ["rustc-web", "cargo-web", "rust-web-src"],
    ["rustc", "cargo", "rust-src"],
];

/// First compiler version that supports the edition of guests.
const MIN_VERSION: (u32, u32) = (1, 85);

/// Timeout of apt for some 200 MB of packages, including the wait for another apt's lock.
const APT_TIMEOUT: Duration = Duration::from_secs(900);

/// Returns the toolchain if its packages are installed and current enough.
pub(super) fn installed() -> Result<Toolchain> {
    for program in [RUSTC, CARGO] {
        if !Path::new(program).exists() {
            return Err(missing(format!("{program} is not installed")));
        }
    }
    let version = capture(clean_command(Path::new(RUSTC)).arg("-vV"))?;
    if release(&version).is_none_or(|found| found < MIN_VERSION) {
        return Err(missing(format!(
            "{RUSTC} is older than {}.{}",
            MIN_VERSION.0, MIN_VERSION.1
        )));
    }
    let probe = Probe::of(clean_command(Path::new(RUSTC)))?;
    let source = probe.sysroot.join("lib/rustlib/src/rust/library/Cargo.toml");
    if !source.exists() {
        return Err(missing(format!(
            "the source of {RUSTC}'s library is not installed"
        )));
    }
    let linker = linker().ok_or_else(|| missing("there is no linker for Wasm (package lld)".to_owned()))?;
    Ok(Toolchain {
        cargo: CARGO.into(),
        rustc: RUSTC.into(),
        version,
        build_std: Some(linker),
    })
}

/// Installs the packages if this process is root. It never raises privileges.
pub(super) fn install(progress: &dyn Fn(&str)) -> Result<Toolchain> {
    if !Path::new(APT_GET).exists() {
        return Err(missing(
            "this is not a Debian-like system (no apt-get)".to_owned(),
        ));
    }
    if !is_root() {
        return Err(missing("only root may install Debian's packages".to_owned()));
    }
    let mut last = None;
    for packages in PACKAGE_SETS {
        match install_set(&packages, progress).and_then(|()| installed()) {
            Ok(toolchain) => return Ok(toolchain),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| missing("no packages to install".to_owned())))
}

fn install_set(packages: &[&str], progress: &dyn Fn(&str)) -> Result<()> {
    let mut wanted = packages.to_vec();
    if linker().is_none() {
        wanted.push("lld");
    }
    progress(&format!("apt-get installs {}", wanted.join(" ")));
    let mut install = apt_get(&["install", "--yes", "--no-install-recommends"], &wanted);
    if run_within(&mut install, APT_TIMEOUT).is_ok() {
        return Ok(());
    }
    // A machine fresh from an image has no package lists, or outdated ones.
    progress("apt-get updates its lists and tries again");
    run_within(&mut apt_get(&["update"], &[]), APT_TIMEOUT)?;
    let mut install = apt_get(&["install", "--yes", "--no-install-recommends"], &wanted);
    run_within(&mut install, APT_TIMEOUT)
}

fn apt_get(arguments: &[&str], packages: &[&str]) -> Command {
    let mut command = clean_command(Path::new(APT_GET));
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(arguments)
        .args(packages);
    command
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

/// Linker for Wasm. The compiler's own comes first, since an older linker may not understand its
/// object files.
fn linker() -> Option<PathBuf> {
    existing("/usr/bin/rust-lld".into())
        .or_else(rustup_linker)
        .or_else(|| existing("/usr/bin/wasm-ld".into()))
}

/// Parses the first two numbers of `release: 1.96.0`.
fn release(version: &str) -> Option<(u32, u32)> {
    let line = version.lines().find_map(|line| line.strip_prefix("release: "))?;
    let mut numbers = line.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_is_read_from_the_version() {
        assert_eq!(
            release("rustc 1.96.0 (x)\nbinary: rustc\nrelease: 1.96.0\n"),
            Some((1, 96))
        );
        assert_eq!(release("release: 1.85.1-beta.2"), Some((1, 85)));
        assert_eq!(release("rustc"), None);
    }
}
