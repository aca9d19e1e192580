//! Errors of loading a plugin.

use crate::fault::mib;
use crate::inspect::{CONTRACT, ContractVersion};

/// Reason why a file could not be loaded as a plugin. The message states the problem,
/// [`LoadError::hint`] what to do.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read.
    #[error("can't read the file: {0}")]
    Read(#[source] std::io::Error),
    /// The file is larger than any component should be.
    #[error("the file has {bytes} bytes, more than the {limit} a component may have")]
    TooLarge { bytes: u64, limit: u64 },
    #[error("this is a core WebAssembly module, not a component")]
    CoreModule,
    /// The file is something else.
    #[error("this is not a WebAssembly file")]
    NotWasm,
    /// The file is a truncated or damaged component.
    #[error("the component is damaged at byte {offset}: {reason}")]
    Broken {
        /// Byte offset of the damage.
        offset: u64,
        reason: String,
    },
    /// The component exports nothing of the contract.
    #[error("this component is not a vertical: it exports {}", listed(.exports))]
    Unrelated { exports: Vec<String> },
    /// The version of the component's contract can't be parsed.
    #[error(
        "the component was built for {CONTRACT}@{found}, which is not a released version of the contract"
    )]
    UnknownContract { found: String },
    /// The component was built for another line of the contract.
    #[error("the component was built for {CONTRACT}@{found}; this Magpie supports {CONTRACT}@{}", versions(.spoken))]
    OtherContract {
        found: ContractVersion,
        spoken: Vec<ContractVersion>,
    },
    /// The component imports something that plugins may not use.
    #[error("the component imports {}, which plugins can't use", listed(.imports))]
    Forbidden { imports: Vec<String> },
    /// The component's initial memory exceeds the limit.
    #[error("the plugin needs {} of memory to start, more than its limit of {}", mib(*.needed), mib(*.allowed))]
    Memory {
        /// Initial memory in bytes.
        needed: u64,
        /// Allowed memory in bytes.
        allowed: u64,
    },
    /// The component's imports or exports differ from the contract in type.
    #[error("the component does not fit {CONTRACT}@{contract}: {reason}")]
    Misfit {
        contract: ContractVersion,
        reason: String,
    },
    /// The component exports no description.
    #[error("the component exports no `description`")]
    NoDescription,
    /// The call of `describe` failed.
    #[error("the component can't describe itself: it {0}")]
    Describe(crate::fault::Fault),
    #[error("the component's description is wrong: {}", .0.join("; "))]
    BadDescription(Vec<String>),
    /// An option set by the user does not exist or has an invalid value.
    #[error("{0}")]
    BadOption(String),
    #[error("the component can't be compiled: {0}")]
    Compile(String),
}

impl LoadError {
    /// Advice on how to resolve the error.
    pub fn hint(&self) -> String {
        match self {
            Self::Read(_) => "check the path and its permissions".to_owned(),
            Self::CoreModule => "make a component of it: `magpie plugin build DIR` for a Rust crate, or \
                 `wasm-tools component new MODULE -o COMPONENT` when its bindings were generated from `wit/`"
                .to_owned(),
            Self::NotWasm | Self::TooLarge { .. } => {
                "give the .wasm file that `magpie plugin build` or your language's component tool wrote"
                    .to_owned()
            }
            Self::Broken { .. } => "build or copy it again; the file is truncated or was changed".to_owned(),
            Self::Unrelated { .. } => format!(
                "build it for one of the worlds of {CONTRACT} (`extractor`, `clusterer`, `vertical`), which `wit/` defines"
            ),
            Self::UnknownContract { .. } | Self::OtherContract { .. } => {
                "rebuild it with the SDK or the `wit/` folder of this Magpie: `magpie plugin build DIR`"
                    .to_owned()
            }
            Self::Forbidden { .. } => {
                "remove what uses it; a plugin gets the page and nothing else. Interfaces of \
                 WASI 0.2 are there, but closed"
                    .to_owned()
            }
            Self::Memory { .. } => {
                "`--memory-mib` raises the limit, and `verticals.memory` where pages are crawled".to_owned()
            }
            Self::Misfit { .. } => {
                "generate its bindings again from the `wit/` folder of this Magpie and rebuild it".to_owned()
            }
            Self::NoDescription => "implement `describe`; every world of the contract requires it".to_owned(),
            Self::Describe(fault) => fault.hint().to_owned(),
            Self::BadDescription(_) => "correct what `describe` returns".to_owned(),
            Self::BadOption(_) => "`magpie plugin inspect COMPONENT` lists the options".to_owned(),
            Self::Compile(_) => {
                "the plugin uses a Wasm feature that is disabled; build it without that feature".to_owned()
            }
        }
    }
}

fn listed(names: &[String]) -> String {
    const SHOWN: usize = 5;
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let mut text = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

fn versions(versions: &[ContractVersion]) -> String {
    versions
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}
