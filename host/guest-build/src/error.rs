//! What can go wrong between a folder of sources and a component.

use std::path::PathBuf;

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no component. [`Error::hint`] says what to do about it, where there is something to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No way to a compiler for Wasm worked.
    #[error("no Rust compiler for {} is to be had\n{}", crate::TARGET, bullets(.tried))]
    NoToolchain {
        /// What was tried, and what came of it.
        tried: Vec<String>,
    },
    /// A program could not be started.
    #[error("can't run {program}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// A program ended with a failure.
    #[error("{what} failed\n{output}")]
    Command {
        /// What was run, for a person.
        what: String,
        /// What it wrote, its last lines if it was much.
        output: String,
    },
    /// A program took longer than it was given, and was ended.
    #[error("{what} took more than {seconds} s and was stopped")]
    TimedOut {
        /// What was run, for a person.
        what: String,
        /// The time it was given.
        seconds: u64,
    },
    /// A guest does not compile.
    #[error("{} can't be compiled{}", packages.join(", "), below(.output))]
    Compile {
        /// The packages that were to be built together.
        packages: Vec<String>,
        /// What the compiler says.
        output: String,
    },
    /// A folder is no project in any language.
    #[error("{} is no plugin project: it has no Cargo.toml, package.json or pyproject.toml", .folder.display())]
    NoProject {
        /// The folder.
        folder: PathBuf,
    },
    /// A project's manifest does not say what it must.
    #[error("{} can't be used: {problem}", .path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The tools of another language failed.
    #[error("{package} can't be built: {what} failed{}", below(.output))]
    Foreign {
        /// The package.
        package: String,
        /// What was run, for a person.
        what: String,
        /// What it wrote.
        output: String,
    },
    /// A folder holds no package.
    #[error("{} holds no Rust package", .directory.display())]
    NoPackage {
        /// The folder.
        directory: PathBuf,
    },
    /// A package is no library of the kind that becomes a component.
    #[error("{package} has no library of the type `cdylib`, so it can't become a component")]
    NoDynamicLibrary {
        /// The package.
        package: String,
        /// Its manifest.
        manifest: PathBuf,
    },
    /// Cargo built a package and told of no Wasm file.
    #[error("cargo built {package} but left no .wasm file")]
    NoModule {
        /// The package.
        package: String,
    },
    /// Cargo wrote something this crate does not understand.
    #[error("cargo's {what} can't be read")]
    CargoOutput {
        /// Which of its outputs.
        what: &'static str,
        /// Why.
        source: serde_json::Error,
    },
    /// A file can't be read or written.
    #[error("can't {action} {}", .path.display())]
    File {
        /// What was to be done with it.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The bytes are neither a module nor a component.
    #[error("this is no WebAssembly file")]
    NotWasm,
    /// A core module without the description of its interface.
    #[error("the module says nothing about its interface: it has no `component-type` section")]
    NoInterface,
    /// A core module that can't be turned into a component.
    #[error("the module can't be turned into a component")]
    Encode {
        /// Modules it imports that no contract provides.
        strangers: Vec<String>,
        /// Why.
        source: anyhow::Error,
    },
    /// A package was compiled, and its module is no good.
    #[error("{package} was compiled, but makes no component")]
    Component {
        /// The package.
        package: String,
        /// Why.
        source: Box<Error>,
    },
    /// The result breaks the rules of WebAssembly.
    #[error("the component is not valid")]
    Invalid(#[from] wasmparser::BinaryReaderError),
    /// A component that exports nothing of Magpie's contract.
    #[error("the component exports nothing of `{}`; it exports {}", crate::component::CONTRACT_PACKAGE, listing(.exports))]
    NoContract {
        /// What it exports instead.
        exports: Vec<String>,
    },
    /// A component that exports parts of several versions of the contract.
    #[error("the component speaks several versions of the contract at once: {}", listing(.versions))]
    MixedContracts {
        /// The versions.
        versions: Vec<String>,
    },
}

impl Error {
    /// What to type or to change, as one sentence.
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
                "install Rust from https://rustup.rs, and see that `rustc` is in the PATH".to_owned()
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
            Self::Encode { strangers, .. } => return stranger_hint(strangers),
            Self::NoContract { .. } => format!(
                "export one of the worlds of `{}` (extractor, clusterer, vertical)",
                crate::component::CONTRACT_PACKAGE
            ),
            Self::MixedContracts { .. } => "build all parts against one version of the contract".to_owned(),
            _ => return None,
        };
        Some(hint)
    }

    /// The same without what compilers and other tools said, for those who showed it as it came.
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

/// The imports that most often stand in the way, and what brought them in.
fn stranger_hint(strangers: &[String]) -> Option<String> {
    let first = strangers.first()?;
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

/// Output on lines of its own.
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
    /// More names than this help nobody.
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
