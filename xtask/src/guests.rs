//! Building the components: each folder with a `Cargo.toml` that asks for a `cdylib`, directly
//! below `plugins/` and `tests/guests/`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use magpie_guest_build::{BuildRequest, Error, Toolchain, Way};

use crate::places::Places;
use crate::polyglot;
use crate::step::{say, timed};

/// The variable that chooses the compiler for Wasm.
const TOOLCHAIN_VARIABLE: &str = "MAGPIE_WASM_TOOLCHAIN";

/// Builds the components of all verticals and test guests.
pub(crate) fn build_all(places: &Places) -> Result<()> {
    build(
        places,
        &[
            (places.plugins(), places.built_verticals()),
            (places.test_guests(), places.built_test_guests()),
        ],
    )
}

/// Builds everything that benchmarks load.
pub(crate) fn build_for_benchmarks(places: &Places) -> Result<()> {
    polyglot::build_all(places)?;
    build(
        places,
        &[
            (places.plugins(), places.built_verticals()),
            (places.test_guests(), places.built_test_guests()),
            (places.bench_guests(), places.built_bench_guests()),
        ],
    )
}

/// Builds the guest of the other host that ours is compared with, which loads core modules.
pub(crate) fn build_extism_probe(places: &Places) -> Result<()> {
    let request = BuildRequest::new(
        places.bench_guests().join("extism/probe"),
        places.wasm_target(),
        places.built_bench_guests().join("extism-probe.wasm"),
    );
    let toolchain = Toolchain::provide(way()?, &|line| say(line))?;
    let built = magpie_guest_build::build_module(&toolchain, &request, &|line| eprintln!("{line}"));
    built.map_err(Error::without_output)?;
    Ok(())
}

pub(crate) fn build_verticals(places: &Places) -> Result<()> {
    build(places, &[(places.plugins(), places.built_verticals())])
}

/// Builds the components of the verticals of a checkout of another commit into a folder, with a
/// target folder of their own.
pub(crate) fn build_verticals_of(sources: &Path, components: &Path) -> Result<()> {
    let plugins = sources.join("plugins");
    let requests = guests_in(&plugins)?.into_iter().map(|name| {
        BuildRequest::new(
            plugins.join(&name),
            components.join("target"),
            components.join(format!("{name}.wasm")),
        )
    });
    build_requests(&requests.collect::<Vec<_>>())
}

pub(crate) fn build_vertical(places: &Places, name: &str) -> Result<()> {
    build_requests(&[request(
        places,
        &places.plugins(),
        &places.built_verticals(),
        name,
    )])
}

/// Builds the components of all verticals, and the guests that were made for benchmarks.
pub(crate) fn build_verticals_and_bench_guests(places: &Places) -> Result<()> {
    build(
        places,
        &[
            (places.plugins(), places.built_verticals()),
            (places.bench_guests(), places.built_bench_guests()),
        ],
    )
}

/// Builds the guests below each folder of sources into its folder of components, with one run of
/// cargo for all.
fn build(places: &Places, folders: &[(PathBuf, PathBuf)]) -> Result<()> {
    let mut requests = Vec::new();
    for (sources, components) in folders {
        let found = guests_in(sources)?;
        remove_orphans(components, &found)?;
        requests.extend(
            found
                .iter()
                .map(|name| request(places, sources, components, name)),
        );
    }
    build_requests(&requests)
}

fn request(places: &Places, sources: &Path, components: &Path, name: &str) -> BuildRequest {
    BuildRequest::new(
        sources.join(name),
        places.wasm_target(),
        components.join(format!("{name}.wasm")),
    )
}

fn build_requests(requests: &[BuildRequest]) -> Result<()> {
    if requests.is_empty() {
        say("guests: none");
        return Ok(());
    }
    timed("guests", || {
        let toolchain = Toolchain::provide(way()?, &|line| say(line))?;
        let built = magpie_guest_build::build_all(&toolchain, requests, &|line| eprintln!("{line}"));
        let built = built.map_err(Error::without_output)?;
        let fresh = built.iter().filter(|each| each.fresh).count();
        Ok((
            format!(
                "{} built, {fresh} up to date, with {}",
                built.len() - fresh,
                toolchain.description()
            ),
            (),
        ))
    })
}

fn way() -> Result<Way> {
    let wanted = std::env::var(TOOLCHAIN_VARIABLE).unwrap_or_default();
    wanted
        .parse()
        .map_err(|problem: String| anyhow!(problem))
        .context(TOOLCHAIN_VARIABLE)
}

/// The names of the folders that hold a guest. A package that makes no dynamic library is no guest:
/// guests may share code in a package beside them.
fn guests_in(sources: &Path) -> Result<BTreeSet<String>> {
    folders_in(sources, |folder| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        manifest.contains("\"cdylib\"")
    })
}

/// The names of the folders that are wanted; none when there is nothing to look through.
pub(crate) fn folders_in(sources: &Path, wanted: impl Fn(&Path) -> bool) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    if !sources.exists() {
        return Ok(names);
    }
    let entries = std::fs::read_dir(sources).with_context(|| format!("can't list {}", sources.display()))?;
    for entry in entries {
        let entry = entry?;
        if wanted(&entry.path()) {
            names.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

/// Removes components whose sources are gone, which would still be loaded. Components without a
/// record of their inputs were put there by other means, and are kept.
pub(crate) fn remove_orphans(components: &Path, guests: &BTreeSet<String>) -> Result<()> {
    const RECORD: &str = ".wasm.inputs.json";
    let Ok(entries) = std::fs::read_dir(components) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .and_then(|name| name.strip_suffix(RECORD));
        let Some(name) = name.filter(|name| !guests.contains(*name)) else {
            continue;
        };
        say(&format!("guests: {name} was removed, and with it its component"));
        let _ = std::fs::remove_file(components.join(format!("{name}.wasm")));
        std::fs::remove_file(&path).with_context(|| format!("can't remove {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, content: &str) {
        std::fs::create_dir_all(path.parent().expect("a file lies in a folder"))
            .expect("the folder can be made");
        std::fs::write(path, content).expect("the file can be written");
    }

    #[test]
    fn guests_are_the_folders_with_a_dynamic_library() {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "events/Cargo.toml",
            "books/Cargo.toml",
            "polyglot/js/Cargo.toml",
            "README.md",
        ] {
            write(&dir.path().join(file), "[lib]\ncrate-type = [\"cdylib\"]\n");
        }
        write(
            &dir.path().join("support/Cargo.toml"),
            "[package]\nname = \"support\"\n",
        );
        assert_eq!(
            guests_in(dir.path()).unwrap().into_iter().collect::<Vec<_>>(),
            ["books", "events"]
        );
        assert!(guests_in(&dir.path().join("nowhere")).unwrap().is_empty());
    }

    #[test]
    fn only_orphans_of_our_own_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "gone.wasm",
            "gone.wasm.inputs.json",
            "kept.wasm",
            "kept.wasm.inputs.json",
            "foreign.wasm",
        ] {
            write(&dir.path().join(file), "");
        }
        remove_orphans(dir.path(), &BTreeSet::from(["kept".to_owned()])).unwrap();
        let left: BTreeSet<_> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|each| each.unwrap().file_name())
            .collect();
        let expected = ["foreign.wasm", "kept.wasm", "kept.wasm.inputs.json"].map(Into::into);
        assert_eq!(left, BTreeSet::from(expected));
    }
}
