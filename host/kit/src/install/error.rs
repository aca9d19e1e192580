//! Errors of getting a vertical.

use std::path::PathBuf;
use std::time::Duration;

use magpie_runtime::LoadError;

use super::download::DownloadError;
use super::lock::BadLock;
use super::oci::OciError;
use super::source::BadSource;
use magpie_runtime::Sha256;

/// Reason why a component was not put into a workspace, or not removed. The message states problem
/// and cause, [`InstallError::hint`] what to do.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error(transparent)]
    Source(#[from] BadSource),
    /// A file can't be read, written or removed.
    #[error("can't {action} {}: {cause}", .path.display())]
    File {
        action: &'static str,
        path: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("{source_text}: {cause}")]
    Download {
        source_text: String,
        #[source]
        cause: DownloadError,
    },
    /// The registry has no usable artefact.
    #[error("{source_text}: {cause}")]
    Oci {
        source_text: String,
        #[source]
        cause: OciError,
    },
    /// The network can't be used on this machine.
    #[error("can't start fetching: {0}")]
    Network(String),
    /// The source did not answer within the time limit.
    #[error("{source_text} took longer than {} s", .limit.as_secs())]
    Timeout { source_text: String, limit: Duration },
    /// The component can't be used.
    #[error("{source_text} can't be used: {cause}")]
    Component {
        source_text: String,
        #[source]
        cause: Box<LoadError>,
    },
    /// The component is another vertical than expected.
    #[error("{source_text} is the vertical `{found}`, not `{expected}`")]
    OtherVertical {
        source_text: String,
        found: String,
        expected: String,
    },
    /// The content changed, but not its version.
    #[error(transparent)]
    Changed(Box<Changed>),
    /// Another component is at this place that was not put there by a command.
    #[error("{} is another component, which is not in verticals.lock", .file.display())]
    Occupied { file: PathBuf },
    #[error("{} belongs to the vertical `{vertical}`", .file.display())]
    Taken { file: PathBuf, vertical: String },
    /// Another component of the workspace does the same for the vertical.
    #[error("the vertical `{vertical}` already exists, in {}", .file.display())]
    Rival {
        vertical: String,
        /// File of the other component.
        file: PathBuf,
    },
    #[error("can't use {}: {cause}", .path.display())]
    Lock {
        path: PathBuf,
        #[source]
        cause: BadLock,
    },
    /// There is no vertical of that name.
    #[error("there is no vertical `{name}` {}", place(*.locked))]
    Unknown {
        name: String,
        /// Only those of the lock file count.
        locked: bool,
        /// Names of the verticals that there are.
        known: Vec<String>,
    },
}

/// Another content under the same source and version.
#[derive(Debug, thiserror::Error)]
#[error(
    "the content of {source_text} has changed, but not its version: `{vertical}` {version} was {locked}, and is now {found}"
)]
pub struct Changed {
    pub source_text: String,
    pub vertical: String,
    /// The version of both.
    pub version: String,
    pub locked: Sha256,
    pub found: Sha256,
}

fn place(locked: bool) -> &'static str {
    if locked {
        "in verticals.lock"
    } else {
        "in this workspace"
    }
}

/// Kind of an error, for exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallErrorKind {
    /// The command makes no sense.
    Usage,
    /// The component is refused.
    Component,
    /// Something can't be read or written.
    Input,
}

impl InstallError {
    pub fn kind(&self) -> InstallErrorKind {
        match self {
            Self::Source(_) | Self::Unknown { .. } => InstallErrorKind::Usage,
            Self::Component { .. }
            | Self::OtherVertical { .. }
            | Self::Changed(_)
            | Self::Occupied { .. }
            | Self::Taken { .. }
            | Self::Rival { .. } => InstallErrorKind::Component,
            Self::File { .. }
            | Self::Download { .. }
            | Self::Oci { .. }
            | Self::Network(_)
            | Self::Timeout { .. }
            | Self::Lock { .. } => InstallErrorKind::Input,
        }
    }

    /// Advice on how to resolve the error.
    pub fn hint(&self) -> String {
        match self {
            Self::Source(_) => {
                "pass a file, an http or https URL, or an artefact such as oci://ghcr.io/OWNER/events:0.1.0"
                    .to_owned()
            }
            Self::File { .. } => "check the path, its permissions and the free space".to_owned(),
            Self::Download { cause, .. } => cause.hint(),
            Self::Oci { cause, .. } => cause.hint(),
            Self::Network(_) => "check the group `network` of the settings".to_owned(),
            Self::Timeout { .. } => "try again, or download the file and add it by its path".to_owned(),
            Self::Component { cause, .. } => format!("nothing was replaced; {}", cause.hint()),
            Self::OtherVertical { .. } => {
                "if you want that vertical, add it with `magpie plugin add`".to_owned()
            }
            Self::Changed(_) => {
                "nothing was replaced. A published version should never change: ask its author. If \
                 you trust the new content, accept it with `--accept-changed`"
                    .to_owned()
            }
            Self::Occupied { .. } => "replace it with `--accept-changed`, or move it away first".to_owned(),
            Self::Taken { vertical, .. } | Self::Rival { vertical, .. } => {
                format!("remove that one first, with `magpie plugin remove {vertical}`")
            }
            Self::Lock { .. } => {
                "restore the file from a backup, or remove it and add the verticals again".to_owned()
            }
            Self::Unknown { known, .. } if known.is_empty() => {
                "there is none; `magpie plugin add SOURCE` gets one".to_owned()
            }
            Self::Unknown { known, .. } => format!("the workspace has {}", known.join(", ")),
        }
    }
}
