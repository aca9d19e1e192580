//! Arguments of the commands about verticals.

use std::ops::{Bound, RangeBounds};
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use magpie_kit::inputs::web_url;
use magpie_runtime::{Limits, Sha256};
use magpie_terminal::settings::{SettingArgs, WorkspaceArg};

/// A whole number within bounds.
fn whole<T>(bounds: impl RangeBounds<u64>) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: TryFrom<u64>,
{
    let bound = |bound: Bound<&u64>| match bound {
        Bound::Included(&bound) => bound,
        _ => u64::MAX,
    };
    let (least, most) = (bound(bounds.start_bound()), bound(bounds.end_bound()));
    move |text| {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("expected a whole number".to_owned());
        }
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| match most {
                u64::MAX => format!("expected at least {least}"),
                most => format!("expected {least} to {most}"),
            })
    }
}

/// A component's digest, with or without the name of its algorithm.
fn digest(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    let digest = Sha256::parse(&format!("sha256:{}", digits.to_ascii_lowercase()));
    let digest = digest.ok_or("expected `sha256:` and 64 hexadecimal digits")?;
    Ok(digest.to_string())
}

/// Threads that any machine can start; more do not help.
const MAX_THREADS: u64 = 1_024;

/// Rounds of a measurement that still ends.
const MAX_ROUNDS: u64 = 1_000_000;

#[derive(Debug, Subcommand)]
pub(crate) enum PluginCommand {
    New(NewArgs),
    Build(BuildArgs),
    Check(CheckArgs),
    Inspect(InspectArgs),
    Record(RecordArgs),
    Run(RunArgs),
    Test(TestArgs),
    Bench(BenchArgs),
    Diff(DiffArgs),
    Add(AddArgs),
    Update(UpdateArgs),
    Remove(RemoveArgs),
    List(ListArgs),
}

/// Start a project that builds and passes its own tests at once
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  magpie plugin new job-offers\n  magpie plugin test job-offers")]
pub(crate) struct NewArgs {
    /// The folder to make
    pub(crate) dir: PathBuf,
    /// The language to write it in
    #[arg(long, value_enum, default_value_t = Language::Rust)]
    pub(crate) lang: Language,
    /// The vertical's name [default: the folder's]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Type of one object, as in `JobOffer` [default: from the name]
    #[arg(long)]
    pub(crate) object: Option<String>,
    /// Judge pages that are relevant without being objects, instead of finding objects
    #[arg(long)]
    pub(crate) validator: bool,
    /// Use the package in this folder (guest-sdk, guest-js, guest-python/magpie_vertical) instead
    /// of a copy of it
    #[arg(long, value_name = "DIR")]
    pub(crate) sdk: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Language {
    /// Built by cargo
    Rust,
    /// JavaScript, built by npm
    Js,
    /// Built by pip's componentize-py
    Python,
}

impl From<Language> for magpie_kit::scaffold::Language {
    fn from(language: Language) -> Self {
        match language {
            Language::Rust => Self::Rust,
            Language::Js => Self::JavaScript,
            Language::Python => Self::Python,
        }
    }
}

/// Build a project into a component
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "The WebAssembly target is provided when it is missing: by rustup, else (for root) by Debian's packages.\n\
    MAGPIE_WASM_TOOLCHAIN=rustup|debian chooses one of them.\n\
    Projects in JavaScript need npm, those in Python python3; what else they take is installed into the project."
)]
pub(crate) struct BuildArgs {
    /// The project
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Output file for the component [default: DIR/dist/NAME.wasm]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Say whether a component can be used, and what is odd about it
#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// A component, or a project to build
    pub(crate) plugin: PathBuf,
    /// Refuse any other component than the one with this digest, as `build` and `inspect` print it
    #[arg(long, value_name = "sha256:HEX", value_parser = digest)]
    pub(crate) digest: Option<String>,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Show what a component says of itself: contract, schema, options, routing
#[derive(Debug, ClapArgs)]
pub(crate) struct InspectArgs {
    /// A component, or a project to build
    pub(crate) plugin: PathBuf,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Save a page as a fixture
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  magpie plugin record https://example.org/programme --dir events\n\n\
    The page is saved as it came, with what the plugin finds on it now as the expectation.\n\
    Read expected.json and correct it: a fixture is worth what its expectation is worth."
)]
pub(crate) struct RecordArgs {
    /// The page: a URL or a file
    pub(crate) input: String,
    /// The project whose fixtures it joins
    #[arg(long, default_value = ".")]
    pub(crate) dir: PathBuf,
    /// The fixture's name, which is its folder's [default: from the URL]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The URL of a page that is given as a file
    #[arg(long, value_parser = web_url)]
    pub(crate) url: Option<url::Url>,
    /// Write the page alone, without asking the plugin what is on it
    #[arg(long)]
    pub(crate) page_only: bool,
    /// Write over a fixture of that name
    #[arg(long)]
    pub(crate) force: bool,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Run a component over pages and print the objects
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Inputs are files, folders, WARC files, URLs, and lists (.jsonl, or - for stdin) of\n\
    {\"url\", \"file\"} a line. With --json one line a page, in the order of the inputs:\n  \
    {\"url\", \"objects\", \"error\", \"cpu_ms\", \"peak_bytes\", …}\n\nExamples:\n  \
    magpie plugin run events.wasm page.html --url https://example.org/programme\n  \
    magpie plugin run events.wasm crawl.warc.gz --json > objects.jsonl"
)]
pub(crate) struct RunArgs {
    /// A component, or a project to build
    pub(crate) plugin: PathBuf,
    /// Pages to run it on
    #[arg(required = true)]
    pub(crate) inputs: Vec<String>,
    /// The URL of the page, when the input is one file
    #[arg(long, value_parser = web_url)]
    pub(crate) url: Option<url::Url>,
    /// Refuse any other component than the one with this digest, as `build` and `inspect` print it
    #[arg(long, value_name = "sha256:HEX", value_parser = digest)]
    pub(crate) digest: Option<String>,
    /// An option of the plugin; may be given several times
    #[arg(short = 'o', long = "option", value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,
    /// Pages worked on at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=MAX_THREADS))]
    pub(crate) threads: Option<usize>,
    /// One JSON object a page
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Run the fixtures against the compiled component, one verdict per attribute
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie plugin test job-offers --only list -v\n  \
    magpie plugin test job-offers --accept list")]
pub(crate) struct TestArgs {
    /// The project
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Only fixtures whose name contains this; clusters are then left out
    #[arg(long)]
    pub(crate) only: Option<String>,
    /// Print only the table of templates and languages
    #[arg(long)]
    pub(crate) table: bool,
    /// Instead of testing, write what is found on this fixture's page as its expected.json
    #[arg(long, value_name = "FIXTURE", conflicts_with_all = ["only", "table"])]
    pub(crate) accept: Option<String>,
    /// Compare the order of repeated values, too
    #[arg(long)]
    pub(crate) in_order: bool,
    /// Test this component instead of building the project
    #[arg(long, value_name = "FILE")]
    pub(crate) component: Option<PathBuf>,
    /// An option of the plugin; may be given several times
    #[arg(short = 'o', long = "option", value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,
    /// One JSON object a fixture, one for the clusters, one for the whole
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Measure what a component costs on pages
///
/// Pages on which it fails are listed at the end.
#[derive(Debug, ClapArgs)]
pub(crate) struct BenchArgs {
    /// A component, or a project to build
    pub(crate) plugin: PathBuf,
    /// Pages; the project's fixtures when none
    pub(crate) inputs: Vec<String>,
    /// Number of extractions per page
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole::<usize>(1..=MAX_ROUNDS))]
    pub(crate) rounds: usize,
    /// One JSON object a page, and one for the whole
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Compare what two versions of a component find
#[derive(Debug, ClapArgs)]
pub(crate) struct DiffArgs {
    /// The old component, or project
    pub(crate) old: PathBuf,
    /// The new component, or project
    pub(crate) new: PathBuf,
    /// Pages to run them on, as for `plugin run`; the fixtures of the new project, else of the old
    /// one, when none
    pub(crate) inputs: Vec<String>,
    /// Compare the order of repeated values, too
    #[arg(long)]
    pub(crate) in_order: bool,
    /// One JSON object a page that differs, and one for the whole
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Put a component into the workspace
///
/// It is checked first, and replaces the one that is there in one step, also while a crawl runs.
/// `verticals.lock` keeps its source, version and digest.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie plugin add events.wasm\n  magpie plugin add https://example.org/events.wasm\n  \
    magpie plugin add oci://ghcr.io/example/events:0.1.0\n\n\
    Registries are asked over https, and over http on this machine (oci://localhost:5000/…)."
)]
pub(crate) struct AddArgs {
    /// A component: a file, a URL or oci://HOST/NAME:VERSION; or a project to build
    pub(crate) source: String,
    #[command(flatten)]
    pub(crate) more: InstallArgs,
}

/// Fetch components again from where they came
#[derive(Debug, ClapArgs)]
pub(crate) struct UpdateArgs {
    /// Only this vertical [default: all in verticals.lock]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) more: InstallArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InstallArgs {
    /// Accept other content under the same version, and replace a file that is not in
    /// verticals.lock
    #[arg(long)]
    pub(crate) accept_changed: bool,
    /// One JSON object a component
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// Remove a vertical from the workspace; what it found stays
#[derive(Debug, ClapArgs)]
pub(crate) struct RemoveArgs {
    /// The vertical, or the name of a file that can't be used
    pub(crate) name: String,
    /// One JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
}

/// List the components of the workspace: where they are from, and whether they are unchanged
#[derive(Debug, ClapArgs)]
pub(crate) struct ListArgs {
    /// One JSON object a component
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArg,
}

/// Limits for a plugin on one page. None can be switched off. They come last in each command, since
/// their heading covers all options after it.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Limits for each page")]
pub(crate) struct LimitArgs {
    /// CPU time
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = whole::<u64>(Limits::CPU_MS))]
    pub(crate) cpu_ms: u64,
    /// Memory
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = whole::<u64>(1..=Limits::MEMORY_BYTES.end() >> 20))]
    pub(crate) memory_mib: u64,
    /// Objects found
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = whole::<usize>(1..))]
    pub(crate) objects: usize,
    /// Size of the result
    #[arg(long, value_name = "MIB", default_value_t = 4, value_parser = whole::<usize>(1..=(Limits::RESULT_BYTES.end() >> 20) as u64))]
    pub(crate) result_mib: usize,
    /// Log lines kept
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole::<usize>(1..))]
    pub(crate) log_lines: usize,
    /// Compile again instead of using the cache of compiled code
    #[arg(long)]
    pub(crate) no_cache: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_say_what_they_may_be() {
        let rounds = whole::<usize>(1..=600);
        assert_eq!(rounds("600"), Ok(600));
        for (text, sentence) in [
            ("0", "expected 1 to 600"),
            ("601", "expected 1 to 600"),
            ("99999999999999999999999", "expected 1 to 600"),
            ("many", "expected a whole number"),
            ("1.5", "expected a whole number"),
            ("", "expected a whole number"),
        ] {
            assert_eq!(rounds(text), Err(sentence.to_owned()), "{text}");
        }
        let digits = "0123456789abcdef".repeat(4);
        assert_eq!(
            digest(&format!("sha256:{}", digits.to_uppercase())),
            Ok(format!("sha256:{digits}"))
        );
        for text in [
            &format!("blake3:{digits}"),
            "sha256:8aa1",
            "",
            &digits[1..],
            &format!("{digits}0"),
        ] {
            assert!(digest(text).is_err(), "{text}");
        }
        assert_eq!(whole::<usize>(1..)("0"), Err("expected at least 1".to_owned()));
    }
}
