//! Shell completions: names that only a workspace or the settings know.
//!
//! The shell's script calls the program with the words of the line (clap's `CompleteEnv`), so the
//! candidates are computed when they are asked for. Unreadable files give no candidates.

use magpie_engine::{VERTICALS, is_on_server, open_reader};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, CommandFactory as _};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use magpie_engine::learn::sites_begun;
use magpie_engine::settings::Settings;
use magpie_terminal::settings::{self, SettingArgs, WorkspaceArg};

use crate::args::Args;

/// Answers the shell and exits if it asks for completions.
pub(crate) fn answer_shell() {
    clap_complete::CompleteEnv::with_factory(command).complete();
}

/// The command line with candidates for values.
fn command() -> Command {
    let command = with_candidates(Args::command(), &|arg| match arg.get_id().as_str() {
        "vertical" => Some(ArgValueCandidates::new(verticals)),
        "site" => Some(ArgValueCandidates::new(sites)),
        "set" => Some(ArgValueCandidates::new(assignments)),
        _ => None,
    });
    command.mut_subcommand("config", |config| {
        config.mut_arg("name", |arg| {
            arg.add(ArgValueCandidates::new(groups_and_settings))
        })
    })
}

/// Adds candidates to the arguments of a command and of its subcommands.
fn with_candidates(command: Command, find: &dyn Fn(&Arg) -> Option<ArgValueCandidates>) -> Command {
    command
        .mut_args(|arg| match find(&arg) {
            Some(candidates) => arg.add(candidates),
            None => arg,
        })
        .mut_subcommands(|subcommand| with_candidates(subcommand, find))
}

/// Verticals that were learned, and those whose components are in the workspace.
fn verticals() -> Vec<CompletionCandidate> {
    let Some(folder) = workspace() else {
        return Vec::new();
    };
    let learned = open_reader(&folder).and_then(|reader| reader.learned_verticals());
    let mut names = learned.unwrap_or_default();
    names.extend(components(&folder.join(VERTICALS)));
    candidates(names.into_iter().map(|name| (name, None)))
}

/// Names of the components in a folder, without their ends.
fn components(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.map(|entry| PathBuf::from(entry.file_name()));
    let components = files.filter(|file| file.extension().is_some_and(|end| end == "wasm"));
    components
        .filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()))
        .collect()
}

/// Sites that were learned or will be, with their verticals.
fn sites() -> Vec<CompletionCandidate> {
    candidates(known_sites().unwrap_or_default().into_iter())
}

/// Reads the sites of the workspace, each with its vertical. Returns `None` if no workspace
/// can be read.
fn known_sites() -> Option<Vec<(String, Option<String>)>> {
    let folder = workspace()?;
    let reader = open_reader(&folder).ok()?;
    let resolved = settings::resolve(&SettingArgs::default(), Some(&folder)).ok();
    let mut found = Vec::new();
    for vertical in reader.learned_verticals().ok()? {
        let learned = reader.learned_sites(&vertical).unwrap_or_default();
        let learned = learned.into_iter().map(|site| site.key);
        let begun = resolved
            .as_ref()
            .and_then(|resolved| sites_begun(&*reader, &vertical, resolved).ok());
        let begun = begun.unwrap_or_default().into_iter().map(|(key, _)| key);
        found.extend(learned.chain(begun).map(|key| (key, Some(vertical.clone()))));
    }
    Some(found)
}

/// Settings as `--set` takes them: `politeness.delay=`.
fn assignments() -> Vec<CompletionCandidate> {
    candidates(keys().map(|(key, about)| (format!("{key}="), about)))
}

/// Settings and their groups, as `magpie config` takes them.
fn groups_and_settings() -> Vec<CompletionCandidate> {
    let groups = Settings::groups();
    let groups = groups.iter().map(|(name, _)| ((*name).to_owned(), None));
    candidates(groups.chain(keys()))
}

/// The key of each setting with the first line about it.
fn keys() -> impl Iterator<Item = (String, Option<String>)> {
    let definitions = Settings::definitions().into_iter();
    definitions.map(|definition| {
        let about = definition.about.first().map(|line| line.trim().to_owned());
        (definition.key(), about)
    })
}

/// Sorts names and removes those that are there twice.
fn candidates(names: impl Iterator<Item = (String, Option<String>)>) -> Vec<CompletionCandidate> {
    let mut names: Vec<_> = names.collect();
    names.sort();
    names.dedup_by(|later, earlier| later.0 == earlier.0);
    names
        .into_iter()
        .map(|(name, about)| CompletionCandidate::new(name).help(about.map(Into::into)))
        .collect()
}

/// Returns the workspace of the line that is completed, as its command would find it.
fn workspace() -> Option<PathBuf> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let workspace = named_workspace(&words);
    let place = WorkspaceArg { workspace };
    // A server may be far away, or down, and the shell waits.
    let is_far = settings::named_workspace(&place).is_some_and(|named| is_on_server(&named));
    (!is_far)
        .then(|| settings::workspace(&place).ok().flatten())
        .flatten()
}

/// Returns the value of the last `--workspace` or `-w` among the words of a line.
fn named_workspace(words: &[OsString]) -> Option<PathBuf> {
    let text = |index: usize| words.get(index).and_then(|word| word.to_str());
    let value = |index: usize| match text(index)? {
        "--workspace" | "-w" => words.get(index + 1).map(PathBuf::from),
        word => word.strip_prefix("--workspace=").map(PathBuf::from),
    };
    (0..words.len()).rev().find_map(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of arguments with an id in the command and all below it.
    fn count(command: &Command, id: &str) -> usize {
        let own = command.get_arguments().filter(|arg| arg.get_id() == id).count();
        own + command
            .get_subcommands()
            .map(|below| count(below, id))
            .sum::<usize>()
    }

    #[test]
    fn arguments_with_candidates_exist() {
        let command = command();
        for id in ["vertical", "site", "set"] {
            assert!(count(&command, id) > 1, "{id}");
        }
    }

    #[test]
    fn workspace_of_the_line_is_found() {
        let named = |line: &str| named_workspace(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(named("magpie -- magpie sites"), None);
        assert_eq!(named("magpie -- magpie sites -w"), None);
        for line in [
            "magpie sites --workspace a/b x",
            "magpie -w a/b",
            "magpie --workspace=a/b",
        ] {
            assert_eq!(named(line), Some(PathBuf::from("a/b")), "{line}");
        }
    }
}
