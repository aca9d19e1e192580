//! wget, from Debian: the one that is installed, else the package unpacked into the target folder.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use anyhow::Result;

use super::{Contestant, Places, WGET, succeed};

pub(super) fn contestant(places: &Places) -> Result<Contestant> {
    let program = program(places)?;
    Ok(Contestant {
        name: WGET,
        does: "robots.txt, links, one request at a time; every page in a file",
        once_above: 0,
        largest: usize::MAX,
        command: Arc::new(move |url, scratch| {
            let mut command = Command::new(&program);
            command
                .args(["--recursive", "--level=inf", "--no-verbose", "--no-proxy"])
                // The others fetch neither pictures nor styles.
                .args(["--ignore-tags=img,link", "--directory-prefix"])
                .arg(scratch.join("mirror"))
                .arg(url);
            Ok(command)
        }),
    })
}

fn program(places: &Places) -> Result<PathBuf> {
    if Command::new("wget").arg("--version").output().is_ok() {
        return Ok("wget".into());
    }
    let folder = places.built.join("wget");
    let program = folder.join("usr/bin/wget");
    if !program.exists() {
        std::fs::create_dir_all(&folder)?;
        succeed(
            Command::new("apt-get")
                .args(["download", "wget"])
                .current_dir(&folder),
        )?;
        succeed(
            Command::new("sh")
                .args(["-c", "dpkg --extract wget_*.deb ."])
                .current_dir(&folder),
        )?;
    }
    Ok(program)
}
