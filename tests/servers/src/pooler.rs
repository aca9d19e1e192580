//! A pooler before a PostgreSQL server: PgBouncer, which gives each transaction any connection.

use std::fs::{self, File};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::Error;
use crate::postgres::{NOBODY, PASSWORD, Postgres, USER};
use crate::process::Background;
use crate::server::free_port;

const POLL: Duration = Duration::from_millis(20);
const MAX_START: Duration = Duration::from_secs(30);

/// A running pooler. It is killed when this is dropped.
#[derive(Debug)]
pub struct Pooler {
    port: u16,
    // Dropped in this order: the process ends before its folder is removed.
    #[expect(dead_code, reason = "it is only dropped")]
    process: Background,
    #[expect(dead_code, reason = "it is only dropped")]
    folder: TempDir,
}

impl Pooler {
    /// Starts a pooler before a server. Skips the running test if it is not installed.
    ///
    /// # Panics
    /// Panics if it is installed but can't be started.
    #[must_use]
    pub fn start_or_skip(postgres: &Postgres) -> Option<Pooler> {
        let server = "pgbouncer";
        if Command::new(server).arg("--version").output().is_err() {
            let reason = "install it with `apt-get install pgbouncer`".to_owned();
            magpie_test_support::skip(Error::Missing { server, reason });
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let port = free_port().expect("a free port");
        let users = folder.path().join("users");
        let settings = folder.path().join("settings.ini");
        fs::write(&users, format!("\"{USER}\" \"{PASSWORD}\"\n")).expect("a file");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\npool_mode = transaction\n\
             listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = scram-sha-256\nauth_file = {}\n",
            postgres.port(),
            users.display()
        );
        fs::write(&settings, text).expect("a file");
        let mut command = Command::new(server);
        // It refuses to run as root.
        if rustix::process::geteuid().is_root() {
            for path in [folder.path(), &users, &settings] {
                std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).expect("a file of root");
            }
            command.args(["-u", "nobody"]);
        }
        command.arg(&settings);
        let log = File::create(folder.path().join("log")).expect("a log");
        let process = Background::spawn(&command, log, folder.path()).expect("it starts");
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
            assert!(begin.elapsed() < MAX_START, "pgbouncer does not start: {log}");
            std::thread::sleep(POLL);
        }
        Some(Pooler {
            port,
            process,
            folder,
        })
    }

    /// Port on the loopback interface.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}
