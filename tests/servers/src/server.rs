//! Fills and starts servers, and reads their logs.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::http::{self, Page};
use crate::install::install;
use crate::kind::{Kind, scripts};
use crate::log::{self, LoggedRequest, MARK};
use crate::process::{Background, last_line, run};
use crate::{Catalogue, Error};

/// Interval between polls.
const POLL: Duration = Duration::from_millis(50);

/// Time that the log must be unchanged before it is complete. Servers log a request after they have
/// sent the response.
const QUIET: Duration = Duration::from_millis(150);

/// Time after which a server that runs but does not answer is broken. A slow machine needs seconds.
const MAX_START: Duration = Duration::from_secs(600);

/// Number of ports that are tried: another process may take a free port before the server does.
const MAX_PORTS: usize = 3;

/// Free space that a folder in memory must have.
#[cfg(unix)]
const MIN_FREE_BYTES: u64 = 1 << 30;

/// Placeholder for the port in files that are written before it is known.
const PORT: &str = "{port}";

/// A running server. It is killed, and its database removed, when this is dropped or the process
/// ends.
#[derive(Debug)]
pub struct Server {
    kind: Kind,
    port: u16,
    log: PathBuf,
    marks: AtomicUsize,
    // Dropped in this order: the process ends before its folder is removed.
    #[expect(dead_code, reason = "it is only dropped")]
    process: Background,
    folder: TempDir,
}

impl Server {
    /// Installs a server if necessary, fills it with the objects, starts it on a free port, and
    /// waits until it answers.
    ///
    /// # Errors
    /// Returns [`Error::Missing`] if it can't be installed, and [`Error::Broken`] if it can't be
    /// filled or started.
    pub fn start(kind: Kind, catalogue: &Catalogue) -> Result<Server, Error> {
        let programs = install(kind)?;
        Self::fill_and_start(kind, catalogue, &programs).map_err(|reason| Error::Broken {
            server: kind.name(),
            reason,
        })
    }

    /// Starts a server for a test. If it is missing, skips the test and returns `None`.
    ///
    /// # Panics
    /// Panics if the server is installed but can't be filled or started.
    #[must_use]
    pub fn start_or_skip(kind: Kind, catalogue: &Catalogue) -> Option<Server> {
        match Self::start(kind, catalogue) {
            Ok(server) => Some(server),
            Err(missing @ Error::Missing { .. }) => {
                magpie_test_support::skip(missing);
                None
            }
            Err(broken @ Error::Broken { .. }) => panic!("{broken}"),
        }
    }

    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the URL of the front page.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_of(self.kind.front_page())
    }

    /// Returns the URL of a path and query.
    #[must_use]
    pub fn url_of(&self, target: &str) -> String {
        format!("http://127.0.0.1:{}{target}", self.port)
    }

    /// Returns the port on loopback.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the file with the output of the server, which has the access log.
    #[must_use]
    pub fn log_file(&self) -> &Path {
        &self.log
    }

    /// Returns the folder with the database.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Sends a GET without following redirects.
    ///
    /// # Errors
    /// Fails if the connection fails or the response is not HTTP.
    pub fn get(&self, target: &str) -> io::Result<Page> {
        http::send(self.port, "GET", target, "")
    }

    /// Sends a POST of an encoded form.
    ///
    /// # Errors
    /// Fails if the connection fails or the response is not HTTP.
    pub fn post(&self, target: &str, form: &str) -> io::Result<Page> {
        http::send(self.port, "POST", target, form)
    }

    /// Returns all requests that the server has answered since it was started, in the order of the
    /// log.
    ///
    /// Waits until requests that are already answered are logged: sends a request that marks the
    /// end of the log and is left out here, then waits until the log no longer grows.
    #[must_use]
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.wait_for_log();
        let mut requests = log::read(self.kind, &self.log);
        requests.retain(|request| !request.target.starts_with(MARK));
        requests
    }

    /// Returns the requests that act, see [`Kind::acts`]. A crawl must have sent none.
    #[must_use]
    pub fn acting_requests(&self) -> Vec<LoggedRequest> {
        let mut requests = self.requests();
        requests.retain(|request| self.kind.acts(&request.method, &request.target));
        requests
    }

    fn wait_for_log(&self) {
        // An extension keeps PHP from passing it to the wiki.
        let mark = format!("{MARK}{}.txt", self.marks.fetch_add(1, Ordering::Relaxed));
        if self.get(&mark).is_err() {
            return;
        }
        let is_mark = |request: &LoggedRequest| request.target == mark;
        let started = Instant::now();
        while !log::read(self.kind, &self.log).iter().any(is_mark) && started.elapsed() < MAX_START {
            std::thread::sleep(POLL);
        }
        let size = || fs::metadata(&self.log).map_or(0, |metadata| metadata.len());
        let mut before = size();
        loop {
            std::thread::sleep(QUIET);
            let after = size();
            if after == before {
                return;
            }
            before = after;
        }
    }

    fn fill_and_start(kind: Kind, catalogue: &Catalogue, programs: &Path) -> Result<Server, String> {
        let temporary = temporary_folder().map_err(|error| format!("can't create a folder: {error}"))?;
        let folder = temporary.path();
        let objects = folder.join("objects.jsonl");
        catalogue
            .write(&objects)
            .map_err(|error| format!("can't write {}: {error}", objects.display()))?;
        let site = Site {
            programs,
            folder,
            objects: &objects,
        };
        match kind {
            Kind::Datasette => site.fill_datasette(),
            Kind::Oscar => site.fill_oscar(),
            Kind::Roundup => site.fill_roundup(),
            Kind::MediaWiki => site.fill_mediawiki(),
        }?;
        let log = folder.join("access.log");
        let mut result = Err("no port was tried".to_owned());
        for _ in 0..MAX_PORTS {
            let port = free_port().map_err(|error| format!("no port is free: {error}"))?;
            let command = match kind {
                Kind::Datasette => site.datasette(port),
                Kind::Oscar => site.oscar(port),
                Kind::Roundup => site.roundup(port)?,
                Kind::MediaWiki => site.mediawiki(port)?,
            };
            let process = File::create(&log)
                .and_then(|out| Background::spawn(&command, out, folder))
                .map_err(|error| format!("can't run it: {error}"))?;
            result = wait_for_answer(process, port, &log).map(|process| (process, port));
            if result.is_ok() {
                break;
            }
        }
        let (process, port) = result?;
        Ok(Server {
            kind,
            port,
            log,
            marks: AtomicUsize::new(0),
            process,
            folder: temporary,
        })
    }
}

/// Waits until a server answers requests. Only marks are sent, which are not part of the log.
fn wait_for_answer(mut process: Background, port: u16, log: &Path) -> Result<Background, String> {
    let started = Instant::now();
    while http::send(port, "GET", &format!("{MARK}start.txt"), "").is_err() {
        let output = fs::read_to_string(log).unwrap_or_default();
        let last = last_line(&output).unwrap_or("it printed nothing");
        if let Some(status) = process.ended() {
            return Err(format!("it ended with {status}: {last}"));
        }
        if started.elapsed() > MAX_START {
            return Err(format!("it does not answer: {last}"));
        }
        std::thread::sleep(POLL);
    }
    Ok(process)
}

/// The programs, folder and objects of a server that is filled and started.
struct Site<'a> {
    programs: &'a Path,
    folder: &'a Path,
    objects: &'a Path,
}

impl Site<'_> {
    /// Returns a command that runs in the folder.
    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.folder).env("PYTHONUNBUFFERED", "1");
        // Scripts in the checkout must leave no compiled files there.
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// Runs a fill script with the objects and another argument.
    fn fill(&self, python: impl AsRef<Path>, script: &str, argument: &Path) -> Result<(), String> {
        let mut command = self.command(python);
        run(command
            .arg(scripts().join(script))
            .arg(self.objects)
            .arg(argument))
    }

    fn python(&self) -> PathBuf {
        self.programs.join("python")
    }

    fn fill_datasette(&self) -> Result<(), String> {
        self.fill(self.python(), "fill_datasette.py", self.folder)
    }

    fn datasette(&self, port: u16) -> Command {
        let mut command = self.command(self.python());
        command.args([
            "-m",
            "datasette",
            "serve",
            "--immutable",
            "books.db",
            "--metadata",
            "metadata.json",
        ]);
        command.args(["--host", "127.0.0.1", "--port", &port.to_string()]);
        command
    }

    /// Returns a command in Python with the settings of the shop.
    fn django(&self) -> Command {
        let mut command = self.command(self.python());
        command
            .env("SHOP_FOLDER", self.folder)
            .env("DJANGO_SETTINGS_MODULE", "settings");
        command.env("PYTHONPATH", scripts().join("shop"));
        command
    }

    fn fill_oscar(&self) -> Result<(), String> {
        run(self
            .django()
            .arg(scripts().join("fill_oscar.py"))
            .arg(self.objects))
    }

    fn oscar(&self, port: u16) -> Command {
        let mut command = self.django();
        command.args(["-m", "django", "runserver", "--noreload", "--insecure"]);
        command.arg(format!("127.0.0.1:{port}"));
        command
    }

    fn tracker(&self) -> PathBuf {
        self.folder.join("tracker")
    }

    fn fill_roundup(&self) -> Result<(), String> {
        let tracker = self.tracker();
        let admin = |arguments: &[&str]| {
            let mut command = self.command(self.programs.join("roundup-admin"));
            run(command.arg("-i").arg(&tracker).args(arguments))
        };
        admin(&["install", "classic", "sqlite"])?;
        let config = tracker.join("config.ini");
        let web = format!("web = http://127.0.0.1:{PORT}/tracker/");
        edit(&config, |text| {
            text.replace("#web = NO DEFAULT", &web)
                .replace("#domain = NO DEFAULT", "domain = example.org")
                .replace("#host = NO DEFAULT", "host = localhost")
        })?;
        admin(&["initialise", "admin"])?;
        self.fill(self.python(), "fill_roundup.py", &tracker)
    }

    fn roundup(&self, port: u16) -> Result<Command, String> {
        set_port(&self.tracker().join("config.ini"), port)?;
        let mut command = self.command(self.programs.join("roundup-server"));
        #[cfg(unix)]
        if rustix::process::geteuid().is_root() {
            command.args(["-u", "nobody"]);
        }
        command.args(["-n", "127.0.0.1", "-p", &port.to_string()]);
        command.arg(format!("tracker={}", self.tracker().display()));
        Ok(command)
    }

    /// Returns a command in PHP with the settings of the wiki.
    fn php(&self) -> Command {
        let mut command = self.command("php");
        command.env("MW_CONFIG_FILE", self.settings());
        command
    }

    fn settings(&self) -> PathBuf {
        self.folder.join("LocalSettings.php")
    }

    fn fill_mediawiki(&self) -> Result<(), String> {
        let script = |name: &str| self.programs.join("maintenance").join(name);
        let database = self.folder.join("database");
        let mut install = self.php();
        install
            .arg(script("install.php"))
            .arg("--confpath")
            .arg(self.folder);
        install
            .args(["--dbtype", "sqlite", "--dbname", "wiki", "--dbpath"])
            .arg(&database);
        install.args([
            "--scriptpath",
            "",
            "--server",
            &format!("http://127.0.0.1:{PORT}"),
        ]);
        run(install.args(["--pass", "not-a-secret-on-loopback", "Books", "Admin"]))?;
        // Jobs are run once below, not during requests.
        edit(&self.settings(), |text| format!("{text}\n$wgJobRunRate = 0;\n"))?;
        let dump = self.folder.join("dump.xml");
        self.fill("python3", "dump_mediawiki.py", &dump)?;
        run(self.php().arg(script("importDump.php")).arg("--quiet").arg(&dump))?;
        run(self.php().arg(script("rebuildtextindex.php")).arg("--quiet"))?;
        run(self.php().arg(script("runJobs.php")).arg("--quiet"))
    }

    fn mediawiki(&self, port: u16) -> Result<Command, String> {
        set_port(&self.settings(), port)?;
        let mut command = self.php();
        command
            .args(["-S", &format!("127.0.0.1:{port}"), "-t"])
            .arg(self.programs);
        Ok(command)
    }
}

/// Creates a folder in memory if there is space for a database. Writes there
/// do not wait for a disk.
pub(crate) fn temporary_folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("magpie-server-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Roundup becomes another user, who must reach its files.
        builder.permissions(fs::Permissions::from_mode(0o755));
        let memory = Path::new("/dev/shm");
        let free = rustix::fs::statvfs(memory).map(|space| space.f_bavail * space.f_frsize);
        if free.is_ok_and(|bytes| bytes >= MIN_FREE_BYTES)
            && let Ok(folder) = builder.tempdir_in(memory)
        {
            return Ok(folder);
        }
    }
    builder.tempdir()
}

pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Writes the port into a file in place of the placeholder. The file is kept for other ports.
fn set_port(path: &Path, port: u16) -> Result<(), String> {
    let template = path.with_extension("template");
    let copied = match template.exists() {
        true => fs::copy(&template, path),
        false => fs::copy(path, &template),
    };
    copied.map_err(|error| format!("can't copy {}: {error}", path.display()))?;
    edit(path, |text| text.replace(PORT, &port.to_string()))
}

fn edit(path: &Path, change: impl FnOnce(&str) -> String) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("can't read {}: {error}", path.display()))?;
    fs::write(path, change(&text)).map_err(|error| format!("can't write {}: {error}", path.display()))
}
