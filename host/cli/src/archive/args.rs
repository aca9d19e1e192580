//! Arguments of `magpie archive`.

use clap::{Args as ClapArgs, Subcommand};
use magpie_terminal::settings::SettingArgs;

/// Check and tend the archive: the WARC files in the workspace or in an object store
#[derive(Debug, Subcommand)]
#[command(
    after_help = "Examples:\n  magpie archive verify\n  magpie archive compact\n  \
    magpie archive prune --set archive.quota='20 GB'\n  \
    magpie archive reconcile --remove"
)]
pub(crate) enum ArchiveCommand {
    /// Check that every page has its bytes, that they can be read, and that their digest is right
    ///
    /// Everything is read once. Nobody else may write to the workspace meanwhile.
    Verify(ArchiveArgs),
    /// Join small files in an object store to large ones, and move files of the workspace into it
    Compact(ArchiveArgs),
    /// Remove old bodies until the archive is within `archive.keep` and `archive.quota`
    ///
    /// Runs do that at their end. Pages without their body stay, and can't be read again. What was
    /// left of an interrupted removal is finished, too.
    Prune(ArchiveArgs),
    /// List files without pages, which a process that was killed may leave
    Reconcile(ReconcileArgs),
}

/// The arguments of the commands of the archive.
#[derive(Debug, ClapArgs)]
pub(crate) struct ArchiveArgs {
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// List files without pages, which a process that was killed may leave
#[derive(Debug, ClapArgs)]
pub(crate) struct ReconcileArgs {
    /// Remove those that are older than a day
    #[arg(long)]
    pub(crate) remove: bool,
    #[command(flatten)]
    pub(crate) archive: ArchiveArgs,
}
