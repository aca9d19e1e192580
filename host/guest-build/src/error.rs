//! Errors of building a component.

use std::path::PathBuf;

pub type Result<T> = std::result::Result<T, Error>;

/// Reason why no component was built. [`Error::hint`] has the remedy, if there is one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no Rust compiler for {} is available\n{}", crate::TARGET, bullets(.tried))]
    NoToolchain {
        /// Attempts and their failures.
        tried: Vec<String>,
    },
    #[error("can't run {program}")]
    Start {
        program: String,
        /// Reason.
        source: std::io::Error,
    },
    #[error("{what} failed\n{output}")]
    Command {
        what: String,
        /// Output, or its last lines.
        output: String,
    },
    /// A program exceeded its time limit and was killed.
    #[error("{what} took more than {seconds} s and was stopped")]
    TimedOut { what: String, seconds: u64 },
    #[error("{} can't be compiled{}", packages.join(", "), below(.output))]
    Compile {
        /// Packages that were to be built together.
        packages: Vec<String>,
        output: String,
    },
    /// A folder is not a project of any supported language.
    #[error("{} is not a plugin project: it has no Cargo.toml, package.json or pyproject.toml", .folder.display())]
    NoProject { folder: PathBuf },
    #[error("{} can't be used: {problem}", .path.display())]
    Manifest { path: PathBuf, problem: String },
    /// The build tools of another language failed.
    #[error("{package} can't be built: {what} failed{}", below(.output))]
    Foreign {
        package: String,
        what: String,
        output: String,
    },
    #[error("{} has no Rust package", .directory.display())]
    NoPackage { directory: PathBuf },
    /// A package is not a library that can become a component.
    #[error("{package} has no library of the type `cdylib`, so it can't become a component")]
    NoDynamicLibrary { package: String, manifest: PathBuf },
    /// Cargo built a package but reported no Wasm file.
    #[error("cargo built {package} but left no .wasm file")]
    NoModule { package: String },
    /// Output of cargo could not be parsed.
    #[error("cargo's {what} can't be read")]
    CargoOutput {
        what: &'static str,
        /// Reason.
        source: serde_json::Error,
    },
    /// A file can't be read or written.
    #[error("can't {action} {}", .path.display())]
    File {
        action: &'static str,
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// The bytes are neither a module nor a component.
    #[error("this is not a WebAssembly file")]
    NotWasm,
    /// A core module does not describe its interface.
    #[error("the module does not describe its interface: it has no `component-type` section")]
    NoInterface,
    /// A core module can't be converted to a component.
    #[error("the module can't be turned into a component")]
    Encode {
        /// Imported modules that no contract provides.
        unknown_imports: Vec<String>,
        /// Reason.
        source: anyhow::Error,
    },
    /// A package was compiled, but its module can't become a component.
    #[error("{package} was compiled, but can't become a component")]
    Component {
        package: String,
        /// Reason.
        source: Box<Error>,
    },
    #[error("the component is not valid")]
    Invalid(#[from] wasmparser::BinaryReaderError),
    /// The component exports nothing of Magpie's contract.
    #[error("the component exports nothing of `{}`; it exports {}", crate::CONTRACT_PACKAGE, listing(.exports))]
    NoContract { exports: Vec<String> },
    /// The component exports parts of several versions of the contract.
    #[error("the component exports several versions of the contract: {}", listing(.versions))]
    MixedContracts { versions: Vec<String> },
}

impl Error {
    /// Advice in one sentence: what to run or to change.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoToolchain { .. } => format!(
                "install Rust from https://rustup.rs and run `rustup target add {}`, or on Debian and its \
                 relatives type `sudo apt-get install rustc-web cargo-web rust-web-src lld`",
                crate::TARGET
            ),
            Self::NoProject { folder } => format!("make one with `magpie plugin new {}`", folder.display()),
            Self::Start { program, .. } => {
                let foreign = crate::Language::ALL
                    .into_iter()
                    .find(|language| language.program() == program);
                if let Some(language) = foreign {
                    return Some(language.remedy().to_owned());
                }
                "install Rust from https://rustup.rs, and check that `rustc` is in the PATH".to_owned()
            }
            Self::NoDynamicLibrary { manifest, .. } => {
                format!(
                    "add to {}:\n\n[lib]\ncrate-type = [\"cdylib\"]",
                    manifest.display()
                )
            }
            Self::NoInterface => {
                "register the vertical with the SDK's macro, or call wit-bindgen's `generate!` \
                                  and `export!`"
                    .to_owned()
            }
            Self::Component { source, .. } => return source.hint(),
            Self::Encode { unknown_imports, .. } => return unknown_import_hint(unknown_imports),
            Self::NoContract { .. } => format!(
                "export one of the worlds of `{}` (extractor, clusterer, vertical)",
                crate::CONTRACT_PACKAGE
            ),
            Self::MixedContracts { .. } => "build all parts against one version of the contract".to_owned(),
            _ => return None,
        };
        Some(hint)
    }

    /// Removes the output of compilers and other tools, for callers that have already shown it.
    #[must_use]
    pub fn without_output(mut self) -> Self {
        if let Self::Compile { output, .. } | Self::Foreign { output, .. } = &mut self {
            output.clear();
        }
        self
    }

    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}

/// Advice for the most frequent unsupported imports, naming their cause.
fn unknown_import_hint(unknown_imports: &[String]) -> Option<String> {
    let first = unknown_imports.first()?;
    Some(if first.starts_with("wasi_snapshot") {
        format!(
            "the module imports `{first}`, so it was built for another target; build it for {}",
            crate::TARGET
        )
    } else if first.contains("wbindgen") {
        format!(
            "the module imports `{first}`: one of its dependencies expects a browser; switch off that \
             dependency's features for JavaScript (`js`, `wasmbind`, `wasm_js`)"
        )
    } else {
        format!("the module imports `{first}`, which no interface provides")
    })
}

/// Returns output on lines of its own.
fn below(output: &str) -> String {
    if output.is_empty() {
        String::new()
    } else {
        format!("\n{output}")
    }
}

fn bullets(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
    lines.join("\n")
}

fn listing(names: &[String]) -> String {
    /// Maximum number of names to list.
    const SHOWN: usize = 8;
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let quoted: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let rest = names.len().saturating_sub(SHOWN);
    let more = if rest > 0 {
        format!(" and {rest} more")
    } else {
        String::new()
    };
    format!("{}{more}", quoted.join(", "))
}
