//! Paths of folders and programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::step;

pub(crate) struct Places {
    root: PathBuf,
    target: PathBuf,
}

impl Places {
    /// The workspace this program was compiled in, and the target folder it was compiled to, which
    /// settles every way in which cargo can be told of another one.
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("xtask is not in a workspace")?;
        let program = std::env::current_exe().context("can't determine the path of this program")?;
        // target/debug/xtask
        let target = program
            .ancestors()
            .nth(2)
            .context("this program is not in a target folder")?;
        Ok(Self {
            root: root.to_owned(),
            target: target.to_owned(),
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Sources of the verticals, a folder each; beside them their fixtures.
    pub(crate) fn plugins(&self) -> PathBuf {
        self.root.join("plugins")
    }

    /// Sources of the guests that tests load, a folder each.
    pub(crate) fn test_guests(&self) -> PathBuf {
        self.root.join("tests/guests")
    }

    /// The laboratory, a workspace of its own.
    pub(crate) fn lab(&self) -> PathBuf {
        self.root.join("lab")
    }

    /// Sources of the guests that benchmarks load, a folder each.
    pub(crate) fn bench_guests(&self) -> PathBuf {
        self.lab().join("measure/guests")
    }

    pub(crate) fn built_verticals(&self) -> PathBuf {
        self.target.join("verticals")
    }

    /// Sources of the verticals in other languages, a folder each.
    pub(crate) fn polyglot(&self) -> PathBuf {
        self.plugins().join("polyglot")
    }

    /// Sources of the test guests in other languages.
    pub(crate) fn polyglot_guests(&self) -> PathBuf {
        self.root.join("tests/polyglot")
    }

    pub(crate) fn example_c(&self) -> PathBuf {
        self.root.join("examples/c")
    }

    /// The components of the verticals in other languages.
    pub(crate) fn built_polyglot(&self) -> PathBuf {
        self.target.join("polyglot")
    }

    /// The components that tests load.
    pub(crate) fn built_test_guests(&self) -> PathBuf {
        self.target.join("guests-built")
    }

    /// The components that benchmarks load.
    pub(crate) fn built_bench_guests(&self) -> PathBuf {
        self.target.join("bench-guests")
    }

    /// Cargo's folder for guests. It is apart from the host's, so that neither waits for the
    /// other's lock.
    pub(crate) fn wasm_target(&self) -> PathBuf {
        self.target.join("wasm")
    }

    /// Tools that were installed for this workspace.
    pub(crate) fn tools(&self) -> PathBuf {
        self.root.join("target/tools")
    }

    /// The fuzz targets, a workspace of their own.
    pub(crate) fn fuzz(&self) -> PathBuf {
        self.root.join("fuzz")
    }

    /// Cargo's folder for the fuzz targets, which are compiled with other flags than all else.
    pub(crate) fn fuzz_target(&self) -> PathBuf {
        self.target.join("fuzz")
    }

    /// A program of the workspace that was built.
    pub(crate) fn program(&self, profile: &str, name: &str) -> PathBuf {
        self.target
            .join(profile)
            .join(name)
            .with_extension(std::env::consts::EXE_EXTENSION)
    }

    /// The cargo that started this program, else the one in the PATH, in the workspace's folder.
    pub(crate) fn cargo(&self) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(&self.root);
        // A build of the host must not depend on variables of its caller, or it is built twice.
        for name in [
            "CARGO_MANIFEST_DIR",
            "CARGO_MANIFEST_PATH",
            "CARGO_PKG_NAME",
            "CARGO_PKG_VERSION",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// Returns cargo for the laboratory, which shares the target folder.
    pub(crate) fn cargo_in_lab(&self) -> Command {
        let mut cargo = self.cargo();
        cargo
            .current_dir(self.lab())
            .env("CARGO_TARGET_DIR", &self.target);
        cargo
    }

    /// Builds `magpie` and `magpie-lab`. `magpie` has the features of dependencies that the whole
    /// workspace asks for, or the tests would compile hundreds of crates again. Without its command
    /// `train`, `magpie-lab` needs no crate of the crawler, all of which would be compiled again.
    pub(crate) fn build_programs(&self, with_train: bool) -> Result<()> {
        let product = ["build", "--workspace", "--bin", "magpie"];
        step::run("cargo build --workspace --bin magpie", self.cargo().args(product))?;
        self.build_lab(with_train)
    }

    pub(crate) fn build_lab(&self, with_train: bool) -> Result<()> {
        let mut lab = vec!["build", "--package", "magpie-lab-cli"];
        if !with_train {
            lab.push("--no-default-features");
        }
        step::run(
            &format!("cargo {}, in lab", lab.join(" ")),
            self.cargo_in_lab().args(&lab),
        )
    }

    /// Returns the packages of the workspace as `cargo metadata` describes them.
    pub(crate) fn metadata(&self) -> Result<Value> {
        let mut cargo = self.cargo();
        cargo.args(["metadata", "--no-deps", "--format-version", "1"]);
        let output = cargo.output().context("can't start cargo")?;
        ensure!(
            output.status.success(),
            "cargo metadata ended with {}",
            output.status
        );
        serde_json::from_slice(&output.stdout).context("cargo metadata printed invalid JSON")
    }

    /// Passes the folders of the components to tests and benchmarks.
    pub(crate) fn name_guests(&self, command: &mut Command) {
        command.env("MAGPIE_VERTICALS", self.built_verticals());
        command.env("MAGPIE_POLYGLOT", self.built_polyglot());
        command.env("MAGPIE_TEST_GUESTS", self.built_test_guests());
        command.env("MAGPIE_BENCH_GUESTS", self.built_bench_guests());
    }
}
