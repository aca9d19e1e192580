//! A real registry on loopback: Debian's `docker-registry`, with an artefact as `wkg` pushes it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use magpie_runtime::Sha256;

use super::hostile::{CONFIG, LAYER, MANIFEST, config, manifest};
use super::{Desk, changed, ordinary, with_version};
use crate::context::Running;

/// A registry that ends with the test.
struct Registry {
    _process: Running,
    address: String,
    _folder: tempfile::TempDir,
}

impl Registry {
    /// Starts the registry on a free port. Skips the test and returns `None` if it is not
    /// installed.
    fn start() -> Option<Registry> {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = folder.path().join("config.yml");
        let data = folder.path().join("data");
        let text = format!(
            "version: 0.1\nlog: {{level: info}}\nstorage:\n  filesystem: {{rootdirectory: {}}}\n\
             http:\n  addr: 127.0.0.1:0\n",
            data.display()
        );
        std::fs::write(&settings, text).expect("written");
        let started = Command::new("docker-registry")
            .arg("serve")
            .arg(&settings)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = started else {
            magpie_test_support::skip("docker-registry is not installed");
            return None;
        };
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let address = lines.by_ref().find_map(|line| {
            let line = line.expect("text");
            let (_, rest) = line.split_once("listening on ")?;
            Some(rest.split(['"', ' ']).next().expect("a word").to_owned())
        });
        // The registry must not wait for a reader of its log.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Registry {
            _process: Running(child),
            address: address.expect("an address"),
            _folder: folder,
        })
    }

    /// Makes a request with a body, and returns the head of the answer.
    fn send(&self, method: &str, path: &str, media_type: &str, body: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: {media_type}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        stream.write_all(body).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    fn push_blob(&self, name: &str, blob: &[u8]) {
        let path = format!("/v2/{name}/blobs/uploads/");
        let answer = self.send("POST", &path, "application/octet-stream", b"");
        assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
        let location = answer
            .lines()
            .find_map(|line| line.strip_prefix("Location: "))
            .expect("a location");
        let (_, path) = location.split_once(&self.address).expect("on this registry");
        let path = format!("{path}&digest={}", Sha256::of(blob));
        let answer = self.send("PUT", &path, "application/octet-stream", blob);
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }

    /// Pushes a component as `wkg oci push` does.
    fn push(&self, name: &str, tag: &str, component: &[u8]) -> Sha256 {
        let manifest = manifest(component).to_string();
        self.push_blob(name, component);
        self.push_blob(name, &config(component));
        self.put_manifest(name, tag, manifest.as_bytes());
        Sha256::of(manifest.as_bytes())
    }

    fn put_manifest(&self, name: &str, tag: &str, manifest: &[u8]) {
        let path = format!("/v2/{name}/manifests/{tag}");
        let answer = self.send("PUT", &path, MANIFEST, manifest);
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }

    fn reference(&self, rest: &str) -> String {
        let port = self.address.rsplit(':').next().expect("a port");
        format!("oci://localhost:{port}/{rest}")
    }
}

#[test]
fn a_component_is_pulled_from_a_registry() {
    let Some(registry) = Registry::start() else {
        return;
    };
    let desk = Desk::new();
    let name = "magpie/verticals/ordinary";
    let manifest = registry.push(name, "1.2.3", &ordinary());
    let source = registry.reference(&format!("{name}:1.2.3"));
    desk.add(&source).ends(0);
    assert_eq!(desk.component(), ordinary());
    let listed = &desk.list()[0];
    assert_eq!(listed["source"], source);
    assert_eq!(listed["digest"], Sha256::of(&ordinary()).to_string());
    assert_eq!(listed["manifest"], manifest.to_string());
    assert_eq!(listed["state"], "matches");

    // Another version, by its digest.
    let newer = with_version(&ordinary(), b"1.3.0");
    let manifest = registry.push(name, "1.3.0", &newer);
    desk.add(&registry.reference(&format!("{name}@{manifest}")))
        .says(["replaced 1.2.3 by ordinary 1.3.0"]);
    assert_eq!(desk.component(), newer);

    // The first version is pushed again with other content.
    desk.add(&source).ends(0);
    registry.push(name, "1.2.3", &changed(&ordinary()));
    for command in [&format!("add {source}"), "update"] {
        let refused = desk.plugin(command).ends(3);
        refused.says(["has changed, but not its version"]);
        assert_eq!(desk.component(), ordinary());
    }
    desk.add(&format!("{source} --accept-changed")).ends(0);
    assert_eq!(desk.component(), changed(&ordinary()));
}

#[test]
fn what_a_registry_has_besides_is_refused() {
    let Some(registry) = Registry::start() else {
        return;
    };
    let desk = Desk::new();
    registry.push("ordinary", "1.2.3", &ordinary());
    for missing in ["ordinary:9.9.9", "events:1.2.3"] {
        let refused = desk.add(&registry.reference(missing)).ends(4);
        refused.says(["the registry has no such version"]);
    }
    // A container image, and a component that is none.
    let image = manifest(&ordinary())
        .to_string()
        .replace(CONFIG, "application/vnd.oci.image.config.v1+json")
        .replace(LAYER, "application/vnd.oci.image.layer.v1.tar");
    registry.put_manifest("ordinary", "image", image.as_bytes());
    let refused = desk.add(&registry.reference("ordinary:image")).ends(4);
    refused.says(["the media type of its config is"]);
    registry.push("ordinary", "junk", b"junk");
    desk.add(&registry.reference("ordinary:junk")).ends(3);
    assert!(desk.list().is_empty() && desk.lock().is_empty());
}
