//! The check of an archive: unpacked as a user does, and started.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::read::GzDecoder;

use super::{Release, archive, output, read};
use crate::step;

/// Files that each archive has, besides the program. Kept apart from the list that is packed, so
/// that a file which is lost from there is noticed.
const EXPECTED: [&str; 16] = [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "LICENSES-DEPENDENCIES.md",
    "README.md",
    "completions/_magpie",
    "completions/magpie.bash",
    "completions/magpie.fish",
    "prometheus/alerts.yml",
    "prometheus/grafana.json",
    "systemd/magpie-recrawl.service",
    "systemd/magpie-recrawl.timer",
    "systemd/magpie-worker.service",
    "systemd/magpie.service",
    "verticals/books.wasm",
    "verticals/events.wasm",
    "verticals/products.wasm",
];

/// Packs and unpacks a release, and compares what comes out with what was expected.
pub(super) fn run(release: &Release) -> Result<()> {
    let folder = tempfile::tempdir().context("can't create a temporary folder")?;
    let path = release.write(folder.path(), Compression::fast())?;
    let packed = read(&path)?;
    let again = archive::pack(&release.name, &release.entries, release.time, Compression::fast())?;
    ensure!(packed == again, "two archives of the same files differ");
    check_hash(&path, &packed)?;

    let mut unpacked = tar::Archive::new(GzDecoder::new(&packed[..]));
    unpacked
        .unpack(folder.path())
        .context("can't unpack the archive")?;
    let root = folder.path().join(&release.name);
    let program = Path::new("magpie").with_extension(std::env::consts::EXE_EXTENSION);
    let mut expected: BTreeSet<String> = EXPECTED.iter().map(|path| (*path).to_owned()).collect();
    expected.insert(program.to_string_lossy().into_owned());
    let found: BTreeSet<String> = release.entries.iter().map(|entry| entry.path.clone()).collect();
    ensure!(
        found == expected,
        "the archive has {found:?}, but {expected:?} was expected"
    );
    for path in &expected {
        let bytes = read(&root.join(path))?;
        ensure!(!bytes.is_empty(), "{path} is empty");
    }

    let version = output(Command::new(root.join(&program)).arg("--version"))?;
    let version = String::from_utf8_lossy(&version).trim().to_owned();
    let wanted = concat!("magpie ", env!("CARGO_PKG_VERSION"));
    ensure!(version == wanted, "the program is `{version}`, not `{wanted}`");
    for file in ["magpie.bash", "_magpie", "magpie.fish"] {
        let script = read(&root.join("completions").join(file))?;
        let script = String::from_utf8_lossy(&script);
        ensure!(
            script.contains("COMPLETE") && !script.contains(&*root.to_string_lossy()),
            "{file} does not call `magpie`"
        );
    }
    step::say(&format!("{}: {} files, {version}", release.name, expected.len()));
    Ok(())
}

/// Compares the file beside an archive with the archive, as `sha256sum --check` does.
fn check_hash(path: &Path, packed: &[u8]) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = read(&path.with_file_name(format!("{name}.sha256")))?;
    let expected = format!("{}  {name}\n", archive::sha256(packed));
    ensure!(
        String::from_utf8_lossy(&beside) == expected,
        "the hash beside {name} is not that of the archive"
    );
    Ok(())
}
