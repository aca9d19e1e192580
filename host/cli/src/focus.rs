//! `magpie focus`: sites found by words, and learned from a part of each.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use magpie_engine::Session;
use magpie_engine::focus::{SampleFile, Token, own_words, words_of_samples};
use magpie_engine::learn::{Beginning, LearnRequest};
use magpie_engine::site::home;
use magpie_terminal::workspace::open_session;
use magpie_terminal::{Failure, Printer, output_file};

use crate::args::FocusArgs;
use crate::learn::{learned, named, read};

/// Most files of a folder of samples.
const MAX_SAMPLES: usize = 1_000;

/// Longest samples of a folder together, in bytes.
const MAX_SAMPLE_BYTES: usize = 256 << 20;

pub(crate) fn run(arguments: &FocusArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    output_file::check(arguments.learning.report.as_deref())?;
    let session = open_session(
        &arguments.learning.settings,
        arguments.learning.vertical.as_deref(),
        |mut resolved| {
            let pages = resolved.settings.learn.pages;
            resolved.change_all(|settings| {
                settings.scope.pages = settings.scope.pages.min(pages);
                settings.focus.until = arguments.until.unwrap_or(settings.focus.until);
            });
            resolved
        },
    )?;
    let targets = arguments.targets.iter().map(|url| home(url, session.settings()));
    let request = LearnRequest {
        beginning: beginning(arguments, &session)?,
        is_focused: true,
        targets: targets.collect::<Result<_, _>>().map_err(Failure::usage)?,
        from: arguments.learning.from,
    };
    learned("focus", &session, &request, &arguments.learning, printer)
}

/// Reads what the arguments name. Without any, and if nothing was begun, the workspace has the
/// samples.
fn beginning(arguments: &FocusArgs, session: &Session) -> Result<Option<Beginning>, Failure> {
    if let Some(beginning) = named(&arguments.urls, arguments.sites.as_deref(), session)? {
        return Ok(Some(beginning));
    }
    if let Some(folder) = &arguments.samples {
        return Ok(Some(Beginning::Words(words_of_samples(samples(folder)?))));
    }
    if let Some(words) = &arguments.tokens {
        return Ok(Some(Beginning::Words(tokens(words)?)));
    }
    let is_begun = !session.store().stages(session.vertical())?.is_empty();
    if is_begun || arguments.learning.from.is_some() {
        return Ok(None);
    }
    let own = own_words(session)?;
    if own.is_empty() {
        return Err(Failure::usage("no sites and no words given").hint(
            "name sites by their URLs or with `--sites FILE`, sample pages with `--samples DIR`, \
             or words with `--tokens`",
        ));
    }
    Ok(Some(Beginning::Words(own)))
}

fn tokens(words: &str) -> Result<Vec<Token>, Failure> {
    let words = words
        .split([' ', ',', '\t', '\n'])
        .filter(|word| !word.is_empty());
    let tokens = magpie_engine::focus::given_words(words);
    match tokens.is_empty() {
        true => Err(Failure::usage("`--tokens` has no words")
            .hint("write words with blanks between them, as in `--tokens \"review verdict zoom\"`")),
        false => Ok(tokens),
    }
}

/// Reads the files of a folder of sample pages.
fn samples(folder: &Path) -> Result<Vec<SampleFile>, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::unreadable(folder, &error)
            .hint("`--samples` wants a folder with sample pages, as HTML or text")
    };
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().map_err(unreadable)?;
    paths.retain(|path| path.is_file());
    paths.sort();
    let too_much = |what: String| {
        let message = format!("{} has too many samples: {what}", folder.display());
        Failure::input(message).hint("some twenty pages are enough")
    };
    if paths.len() > MAX_SAMPLES {
        return Err(too_much(format!("{} files, at most {MAX_SAMPLES}", paths.len())));
    }
    let mut samples = Vec::with_capacity(paths.len());
    let mut length = 0;
    for path in paths {
        let bytes = read(&path)?;
        length += bytes.len();
        if length > MAX_SAMPLE_BYTES {
            return Err(too_much(format!("more than {MAX_SAMPLE_BYTES} bytes")));
        }
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        samples.push(SampleFile { name, bytes });
    }
    match samples.is_empty() {
        true => Err(Failure::input(format!("{} has no files", folder.display()))
            .hint("put sample pages there, as HTML or text")),
        false => Ok(samples),
    }
}
