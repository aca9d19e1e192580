//! The errors of the crates below as failures: their kind, and what to do about them.

use std::collections::BTreeMap;

use magpie_engine::crawl::CrawlError;
use magpie_engine::learn::PatternsMade;
use magpie_engine::reading::ReadingError;
use magpie_engine::recrawl::RecrawlOutcome;
use magpie_engine::settings::SettingsError;
use magpie_engine::site::{NavigationFileError, SiteError};
use magpie_engine::warehouse::WarehouseError;
use magpie_engine::{ClientError, PipelineError, VerticalsError, workspace_name};
use magpie_kit::causes::with_causes;
use magpie_kit::fixture::FixtureProblem;
use magpie_kit::install::{BadSource, InstallError, InstallErrorKind, NotFound};
use magpie_kit::project::BuildError;
use magpie_kit::scaffold::ScaffoldError;
use magpie_report::{format, sentences};
use magpie_rows::{Counts, StoreError, StoreFault, UrlState};
use magpie_runtime::{CallError, RuntimeError};

use crate::failure::{Failure, Kind};

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let unavailable = StoreFault::Unavailable;
        let is_unavailable = matches!(&error, StoreError::ObjectStore { fault, .. } if *fault == unavailable);
        let kind = if error.is_disk_full() || is_unavailable {
            Kind::Stopped
        } else {
            Kind::Input
        };
        let message = with_causes(&error);
        let failure = Failure::new(kind, message);
        match &error {
            StoreError::NotThere { .. } => failure.hint("make a workspace with `magpie init DIR`"),
            StoreError::ArchiveMissing { .. } | StoreError::ArchiveCut { .. } => failure.hint(
                "put the file back as it was; without it, `--set archive.on_missing_archive=requeue` forgets the pages that are lost and queues them \
                 again",
            ),
            StoreError::Corrupt { .. } | StoreError::Empty { .. } => failure.hint(
                "put back a copy of the workspace; without one, start over with `magpie init NEW`: the pages are still in the WARC files of \
                 its folder `archive`, which Magpie alone can't read without the database",
            ),
            StoreError::ObjectStore { fault, .. } => failure.hint(match fault {
                StoreFault::Unavailable => {
                    "earlier results are safe; run the command again when the store answers (`archive.patience` says how long a crawl waits for it)"
                }
                StoreFault::Refused => {
                    "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION (or those of the other cloud) for a user who may list, read, write and delete there"
                }
                StoreFault::NoBucket => "make it, or correct `archive.store`: Magpie makes no buckets, and no folders that may be a disk which is not mounted",
                StoreFault::Occupied => "nothing was overwritten; give this workspace a place of its own in `archive.store`",
                StoreFault::Address => "correct the address, or AWS_REGION and AWS_ENDPOINT_URL",
            }),
            StoreError::Locked { .. } => {
                failure.hint("wait for it, or stop it; reading commands work meanwhile")
            }
            _ => failure,
        }
    }
}

impl From<CrawlError> for Failure {
    fn from(error: CrawlError) -> Self {
        match error {
            CrawlError::Store(error) => error.into(),
            error => Failure::usage(error.to_string()),
        }
    }
}

impl From<SiteError> for Failure {
    fn from(error: SiteError) -> Self {
        match error {
            SiteError::Store(error) => error.into(),
            SiteError::Navigation(NavigationFileError::Content { .. } | NavigationFileError::Missing(_)) => {
                Failure::input(error.to_string()).hint(NAVIGATION_REMEDY)
            }
            error => Failure::input(error.to_string()),
        }
    }
}

impl From<ReadingError> for Failure {
    fn from(error: ReadingError) -> Self {
        match error {
            ReadingError::Store(error) => error.into(),
            ReadingError::Invalid { .. } => Failure::input(error.to_string())
                .hint("mend the file, or remove it and learn again with `magpie reading SITE --learn`"),
            ReadingError::File(_) => Failure::input(error.to_string()),
        }
    }
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Self {
        let message = error.to_string();
        match error {
            PipelineError::Store(error) => error.into(),
            PipelineError::Crawl(error) => error.into(),
            PipelineError::Site(error) => error.into(),
            PipelineError::Reading(error) => error.into(),
            PipelineError::Warehouse(error) => error.into(),
            PipelineError::Verticals(error) => error.into(),
            PipelineError::Client(error) => error.into(),
            PipelineError::Threads(_) | PipelineError::Order(_) => Failure::input(message),
            PipelineError::OtherComponents { .. } => Failure::new(Kind::Plugin, message),
            PipelineError::NoVertical { folder, notices } if notices.is_empty() => {
                let what = format!("there is no vertical in {}", workspace_name(&folder));
                Failure::new(Kind::Plugin, what)
                    .hint("get one with `magpie plugin add SOURCE`")
            }
            PipelineError::NoVertical { folder, notices } => {
                let what = format!(
                    "no vertical in {} can be used: {}",
                    workspace_name(&folder),
                    notices.join("; ")
                );
                Failure::new(Kind::Plugin, what).hint(
                    "`magpie plugin check FILE` says more; get another one with `magpie plugin add SOURCE`",
                )
            }
            PipelineError::UnknownVertical {
                name,
                folder,
                known,
                notices,
            } => {
                let what = format!("there is no vertical `{name}` in {}", workspace_name(&folder));
                let lines: Vec<String> = std::iter::once(what).chain(notices).collect();
                Failure::usage(lines.join("\n")).hint(format!("the workspace has {}", known.join(", ")))
            }
            PipelineError::AmbiguousVertical { known } => {
                Failure::usage("several verticals are installed").hint(format!(
                    "name it with `--vertical NAME`: there are {}",
                    known.join(", ")
                ))
            }
            PipelineError::NothingToBeginWith => Failure::usage("no seeds or sites given").hint(
                "name the first pages of sites, as in `magpie learn https://example.org/`, or a file with a few objects with `--seeds FILE`",
            ),
            PipelineError::NothingToSearchFor => Failure::input(message).hint(
                "give them the attributes by which people look for such objects: `magpie plugin inspect` shows which",
            ),
            PipelineError::SearchSettings(message) => Failure::usage(message).hint(
                "set `search.engine` and `search.url` in magpie.toml, or use `--sites FILE`",
            ),
            PipelineError::SearchFailed(_) => Failure::input(message)
                .hint("the same command tries again; `--sites FILE` does without a search engine"),
            PipelineError::NoWords => Failure::input(message)
                .hint("give pages with text about what is looked for, or words with `--tokens`"),
            PipelineError::NoPageAccepted { .. } => Failure::input(message).hint(
                "give samples or words of more of the pages that are looked for; `magpie fetch URL` shows what the vertical finds on a page; `focus.confidence` says how sure it has to be",
            ),
            PipelineError::NoSiteFound { engine, seeds } => {
                let seeds = format::count(seeds, "seed");
                Failure::input(format!("{engine} knows no site with any of {seeds}"))
                    .hint("give other seeds, with what people look for; or name sites with `--sites FILE`")
            }
            PipelineError::Unreached(sites) => unreached(&sites),
            PipelineError::NoObjects {
                vertical,
                made,
                counts,
            } => no_objects(&vertical, &made, &counts),
            PipelineError::NothingLearned { .. } => Failure::usage(message).hint(
                "learn first, as in `magpie learn URL` or `magpie learn --seeds FILE`",
            ),
            PipelineError::BeforeLastRun { .. } => Failure::usage(message).hint(
                "give a later time with `--now`, or correct the clock of this machine",
            ),
            PipelineError::AllLeftOut(reasons) => left_out(Kind::Input, &reasons),
            PipelineError::NotASite(message) => Failure::usage(message),
            PipelineError::NothingQueued { .. } => Failure::input(message)
                .hint("name a site to begin with, as in `magpie crawl https://example.org/`"),
            PipelineError::ReplaysItself => Failure::usage(message)
                .hint("name another one with `--workspace DIR`, or keep nothing with `--forget`"),
            PipelineError::NoSuchRun { known, .. } => {
                let known: Vec<String> = known.iter().map(|run| run.0.to_string()).collect();
                Failure::input(message).hint(match known.as_slice() {
                    [] => "crawl something first".to_owned(),
                    known => format!("its runs are {}", known.join(", ")),
                })
            }
            PipelineError::Copy { .. } => Failure::input(message)
                .hint("check that the components are readable and the folder is writable"),
        }
    }
}

fn no_objects(vertical: &str, made: &PatternsMade, counts: &Counts) -> Failure {
    let mut what = format!(
        "no object of {vertical} was found on {} of {}",
        format::count(made.pages, "page"),
        format::listed(&sentences::learn::empty_sites(made))
    );
    let others = counts
        .0
        .iter()
        .filter(|((state, _), _)| *state != UrlState::Fetched);
    let reasons = others.filter_map(|((state, reason), count)| {
        let reason = reason.as_ref()?;
        Some(format!(
            "{} {} ({reason})",
            format::thousands(*count),
            state.as_str()
        ))
    });
    let reasons: Vec<String> = reasons.collect();
    if !reasons.is_empty() {
        what.push_str(&format!("; of the other URLs: {}", reasons.join(", ")));
    }
    Failure::input(what).hint(match made.pages {
        0 => "`magpie explain URL` says why a page was not fetched; with other sites (`--sites FILE`) or seeds (`--seeds FILE`), `magpie learn` starts over",
        _ => "`magpie fetch URL` shows what the vertical makes of a page that has one; the pages are kept, so that `magpie learn --from crawl` continues with them",
    })
}

impl From<WarehouseError> for Failure {
    fn from(error: WarehouseError) -> Self {
        let message = error.to_string();
        match error {
            WarehouseError::Store(error) => error.into(),
            WarehouseError::Matcher { source, .. } => {
                let failure = Failure::new(Kind::Plugin, message);
                let remedy = source.downcast_ref::<CallError>().map(|error| error.fault.hint());
                let kept = "earlier clusters are kept; `magpie objects cluster` continues from there";
                failure.hint(match remedy {
                    Some(remedy) => format!("{remedy}; {kept}"),
                    None => kept.to_owned(),
                })
            }
            WarehouseError::NoPlugin { .. } => {
                Failure::new(Kind::Plugin, message).hint("get it with `magpie plugin add SOURCE`")
            }
            WarehouseError::NoMember { .. } => {
                Failure::input(message).hint("`magpie objects show N` lists the records of an object")
            }
            WarehouseError::Inseparable { .. } => Failure::usage(message),
        }
    }
}

impl From<VerticalsError> for Failure {
    fn from(error: VerticalsError) -> Self {
        Failure::new(Kind::Plugin, error.to_string())
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Failure::usage(error.to_string())
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        Failure::usage(error.to_string())
    }
}

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Self {
        let kind = if matches!(error, RuntimeError::Limit(_)) {
            Kind::Usage
        } else {
            Kind::Plugin
        };
        Self::new(kind, error.to_string())
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::new(Kind::Plugin, error.to_string()).hint(error.fault.hint())
    }
}

impl From<FixtureProblem> for Failure {
    fn from(problem: FixtureProblem) -> Self {
        Self::new(Kind::Input, with_causes(&problem))
    }
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        let kind = match error.kind() {
            InstallErrorKind::Usage => Kind::Usage,
            InstallErrorKind::Component => Kind::Plugin,
            InstallErrorKind::Input => Kind::Input,
        };
        Self::new(kind, with_causes(&error)).hint(error.hint())
    }
}

impl From<BadSource> for Failure {
    fn from(error: BadSource) -> Self {
        InstallError::from(error).into()
    }
}

impl From<NotFound> for Failure {
    fn from(error: NotFound) -> Self {
        Self::new(Kind::Input, error.to_string()).hint(error.hint())
    }
}

impl From<ScaffoldError> for Failure {
    fn from(error: ScaffoldError) -> Self {
        let kind = if matches!(error, ScaffoldError::Write { .. }) {
            Kind::Input
        } else {
            Kind::Usage
        };
        Self::new(kind, error.to_string())
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        let hint = match &error {
            BuildError::Build(build) => build.hint(),
            BuildError::NoPackage(_) | BuildError::NoFolder(_) => None,
        };
        let failure = Self::new(Kind::Plugin, with_causes(&error));
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

/// Returns an error that lists the sites that can't be reached, with the reasons.
pub fn unreached(sites: &BTreeMap<String, String>) -> Failure {
    let sites: Vec<String> = sites
        .iter()
        .map(|(site, why)| format!("{site} can't be reached: {why}"))
        .collect();
    Failure::new(Kind::Found, sites.join("\n"))
        .hint("check the address and the network, then run the command again")
}

/// The remedy for a navigation that can't be read.
const NAVIGATION_REMEDY: &str = "correct the file; or `magpie learn --from navigate` rewrites all of them and keeps edited ones beside them";

/// Returns an error if sites were left out, or if nothing answered at all, which is hardly the
/// fault of the sites.
pub fn check_sites(outcome: &RecrawlOutcome) -> Result<(), Failure> {
    if !outcome.left_out.is_empty() {
        return Err(left_out(Kind::Found, &outcome.left_out));
    }
    let rounds = || outcome.recorded.sites.iter().map(|site| &site.round);
    let pages: u64 = rounds().map(|round| round.pages).sum();
    let failures: u64 = rounds().map(|round| round.failures).sum();
    let is_mended = outcome.repaired.iter().any(|repaired| !repaired.in_vain);
    if outcome.planned == 0 || failures < pages || is_mended {
        return Ok(());
    }
    let what = format!(
        "none of {} of {} could be fetched",
        format::count(outcome.planned, "page"),
        format::count(rounds().count(), "site")
    );
    Err(Failure::new(Kind::Found, what)
        .hint("`magpie explain URL` shows the reason; check the network, and `network.proxy` if it is set"))
}

/// Returns an error with the reasons why sites are left out.
pub fn left_out(kind: Kind, reasons: &[String]) -> Failure {
    let sites = format::count(reasons.len(), "site");
    Failure::new(kind, format!("{sites} left out: {}", reasons.join("\n"))).hint(NAVIGATION_REMEDY)
}
