//! An object store that speaks the protocol of S3: moto, in memory.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::Error;
use crate::install::install_packages;
use crate::kind::pinned;
use crate::process::Background;

const REQUIREMENTS: &str = include_str!("../requirements/moto.txt");

/// Time after which a server that runs but does not answer is broken.
const MAX_START: Duration = Duration::from_secs(120);

const POLL: Duration = Duration::from_millis(50);

/// A running object store with the bucket `bucket`. It is killed when this is dropped.
#[derive(Debug)]
pub struct ObjectStore {
    port: u16,
    // Dropped in this order: the process ends before its folder is removed.
    #[expect(dead_code, reason = "it is only dropped")]
    process: Background,
    #[expect(dead_code, reason = "it is only dropped")]
    folder: TempDir,
}

impl ObjectStore {
    /// Installs the server if necessary and starts it. If it can't be installed, skips the test and
    /// returns `None`.
    ///
    /// # Panics
    /// Panics if the server is installed but can't be started.
    #[must_use]
    pub fn start_or_skip() -> Option<ObjectStore> {
        let programs = match install_packages("moto", pinned(REQUIREMENTS, "moto"), REQUIREMENTS) {
            Ok(programs) => programs,
            Err(reason) => {
                let server = "moto";
                magpie_test_support::skip(Error::Missing { server, reason });
                return None;
            }
        };
        let folder = tempfile::tempdir().expect("a folder");
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        let mut command = Command::new(programs.join("moto_server"));
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        let log = File::create(folder.path().join("log")).expect("a log");
        let process = Background::spawn(&command, log, folder.path()).expect("moto starts");
        let store = ObjectStore {
            port,
            process,
            folder,
        };
        let began = Instant::now();
        while store.request("PUT", "/bucket").is_none() {
            assert!(began.elapsed() < MAX_START, "moto does not answer");
            std::thread::sleep(POLL);
        }
        Some(store)
    }

    /// Port on the loopback interface.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the variables of the environment by which clients use the store, or a proxy of it.
    #[must_use]
    pub fn variables(port: u16) -> Vec<(String, String)> {
        let endpoint = format!("http://127.0.0.1:{port}");
        let variables = [
            ("AWS_ENDPOINT_URL", endpoint.as_str()),
            ("AWS_ACCESS_KEY_ID", "test-key"),
            ("AWS_SECRET_ACCESS_KEY", "test-secret"),
            ("AWS_REGION", "us-east-1"),
        ];
        variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    }

    /// Sends a request without credentials, which the store does not check. Returns the answer, or
    /// `None` if there is none.
    #[must_use]
    pub fn request(&self, method: &str, target: &str) -> Option<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok()?;
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        Some(String::from_utf8_lossy(&answer).into_owned())
    }
}
