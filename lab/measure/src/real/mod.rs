//! Real sites: whole ones, read, learned, recrawled and watched, and the classes of the pages of
//! larger ones.
//!
//! The sites lie beside the repository and are not part of it; missing ones are left out with
//! a message. They are served on this machine under their own names (`site`, `serve`),
//! and `magpie` works on them as a user would have it (`workspace`).
//!
//! - `reading` hands all saved pages to the vertical, `crawled` learns, recrawls and watches the
//!   site; both compare with `truth`, `crawled` by `objects`. The site changes before the recrawl
//!   (`round`), which is compared with programs that read only sitemaps or feeds (`announced`).
//!   Each is done with the pages as they are and without their structured data.
//! - `whole` compares rounds with full crawls, and looks for objects that appear later.
//! - `classes` needs no server: its set has links and labels (`agreement`).

mod agreement;
mod announced;
mod calibration;
mod classes;
mod crawled;
mod objects;
mod reading;
mod round;
mod serve;
mod truth;
mod whole;
mod workspace;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::data::{self, Sets};
use crate::figure::{Figure, Report, tell};
use crate::program::Program;
use crate::quality::pages::Readers;
use crate::site::mirror::Mirror;
use calibration::Sample;
use crawled::{Crawl, Depth};
use magpie_values::Timestamp;
use objects::Means;
use serve::Server;
use truth::SiteTruth;
use workspace::Desk;

pub(crate) struct Site {
    name: &'static str,
    set: &'static str,
    vertical: &'static str,
    /// The day on which its pages were saved, or one at which its events were still to come.
    saved: &'static str,
    /// Is true if rounds are also compared with full crawls (`whole`).
    is_compared: bool,
    /// Is true if it takes an hour, and is measured on request.
    is_large: bool,
    /// Settings without which it can't be crawled.
    settings: &'static [&'static str],
}

impl Site {
    /// Returns noon of the day on which it was saved.
    fn saved_at(&self) -> Result<Timestamp> {
        let day = Timestamp::parse(self.saved).with_context(|| format!("{} is no day", self.saved))?;
        Ok(day + NOON)
    }

    const fn compared(self) -> Site {
        Site {
            is_compared: true,
            ..self
        }
    }

    const fn large(self) -> Site {
        Site {
            is_large: true,
            ..self
        }
    }

    /// Its pages ask robots not to index or follow them.
    const fn refusing(self) -> Site {
        Site {
            settings: &["politeness.robots_tags=false"],
            ..self
        }
    }
}

const NOON: Duration = Duration::from_secs(12 * 3_600);

/// The sites. Talks are read by the events vertical, and by a small vertical of the benchmarks'
/// own.
static SITES: [Site; 21] = [
    site("conference", "site-fossasia2017", "events", "2017-03-01").compared(),
    site("books", "site-medical-books", "books", "2024-01-01").compared(),
    site("clothes", "site-capybara-shop", "products", "2024-01-01").compared(),
    site("tickets", "site-iticket", "products", "2024-01-01").compared(),
    site("travel", "site-travelhv", "events", "2026-07-17"),
    site("clubs", "site-mp-events", "events", "2023-10-20"),
    site("gifts", "site-gift", "products", "2025-07-04"),
    site("billiards", "site-cobida", "products", "2021-08-31"),
    site("papers", "site-acl2020", "events", "2020-07-01"),
    site("papers as talks", "site-acl2020", "talks", "2020-07-01"),
    site("festival", "site-horizon19", "events", "2019-07-20"),
    site("sessions", "site-good2025", "events", "2025-03-01"),
    site("camping", "site-elnorteno", "products", "2019-11-01"),
    site("theatre", "site-nthp", "events", "2018-06-01"),
    site("fairs", "site-majalis", "events", "2026-07-20"),
    site("fashion", "site-apptienda", "products", "2022-11-01").refusing(),
    site("alarms", "site-giathanh", "products", "2020-02-11"),
    site("webinars", "site-nwea", "events", "2022-10-12").refusing(),
    site("blog", "site-kangaroo", "events", "2021-10-19"),
    site("videos", "site-pyvideo", "events", "2026-03-20").large(),
    site("videos as talks", "site-pyvideo", "talks", "2026-03-20").large(),
];

const fn site(name: &'static str, set: &'static str, vertical: &'static str, saved: &'static str) -> Site {
    Site {
        name,
        set,
        vertical,
        saved,
        is_compared: false,
        is_large: false,
        settings: &[],
    }
}

/// A site on a server of its own, as its pages were saved.
pub(crate) struct Served {
    site: &'static Site,
    mirror: Arc<Mirror>,
    server: Server,
    authority: PathBuf,
}

impl Served {
    /// Serves the site of a name; none, and a message, if its pages are not at hand.
    pub(crate) fn start(name: &str, sets: &Sets, scratch: &Path) -> Result<Option<Served>> {
        let site = SITES.iter().find(|site| site.name == name).with_context(|| {
            let names: Vec<_> = SITES.iter().map(|site| site.name).collect();
            format!("there is no saved site `{name}`; there are {}", names.join(", "))
        })?;
        let Some(folder) = sets.find(site.set) else {
            return Ok(None);
        };
        let mirror = Mirror::read(&folder)?;
        let authority = scratch.join(format!("{}.pem", site.set));
        let server = Server::start(&[mirror.host().to_owned()], &authority)?;
        server.show(mirror.without(HashSet::new()));
        Ok(Some(Served {
            site,
            mirror,
            server,
            authority,
        }))
    }

    pub(crate) fn vertical(&self) -> &'static str {
        self.site.vertical
    }

    /// Returns the page where a crawl begins.
    pub(crate) fn entry(&self) -> Result<url::Url> {
        Ok(self.mirror.entry()?.0)
    }

    pub(crate) fn saved_at(&self) -> Result<Timestamp> {
        self.site.saved_at()
    }

    pub(crate) fn proxy(&self) -> String {
        self.server.proxy()
    }

    /// Returns the settings with which `magpie` can crawl it.
    pub(crate) fn settings(&self) -> Vec<String> {
        let settings = workspace::NEAR.iter().chain(self.site.settings);
        let settings = settings.map(|setting| (*setting).to_owned());
        let authority = format!("fetch.certificates={}", self.authority.display());
        settings.chain([authority]).collect()
    }

    /// Returns the number of requests since the last call.
    pub(crate) fn take_requests(&self) -> u64 {
        self.server.take_traffic().requests
    }
}

/// The options of the benchmark.
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    data: data::Options,
    /// Only read the saved pages; crawl nothing
    #[arg(long)]
    reading: bool,
    /// Measure no more than this
    #[arg(long, value_enum, default_value = "all", conflicts_with = "reading")]
    until: Depth,
    /// Also measure the sites that take an hour
    #[arg(long)]
    large: bool,
    /// List untrue, repeated, merged and missed objects and wrong values in this file, a line each
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Fit the confidence of the verticals to what was right, and write their tables
    #[arg(long)]
    calibrate: bool,
    /// Draw the calibration of the verticals into this file (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Keep the workspaces in this folder, which must be empty
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Measure nothing, serve the sites under their own names until Ctrl-C, and print
    /// the options with which `magpie` reaches them
    #[arg(long, conflicts_with_all = ["reading", "until", "list", "calibrate", "keep"])]
    serve: bool,
    /// With `--serve`, serve pages without their structured data
    #[arg(long, requires = "serve")]
    stripped: bool,
}

const GRAPHS: &str = "urlgraph";

/// The first line of the list of untrue, repeated and wrong objects.
const LIST_HEAD: &str = "site\tshown\twhat\tobject\tconfidence\tname\tstart or price\turl\ttruth\tpages";

/// Results of all sites together.
struct Judged<'a> {
    sample: &'a mut Sample,
    means: &'a mut Means,
    listed: &'a mut Vec<String>,
}

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let sets = Sets::new(options.data.data.clone());
    if options.serve {
        return serve_all(&sets, options);
    }
    if options.until == Depth::All
        && options.data.wants("classes", GRAPHS)
        && let Some(folder) = sets.find(GRAPHS)
    {
        tell("measuring classes");
        classes::run(&folder, report).context("page classes can't be measured")?;
    }
    let readers = Readers::new()?;
    let mut stripped = Vec::new();
    let mut sample = Sample::default();
    let mut means = Means::default();
    let mut listed = Vec::new();
    let mut failed = Vec::new();
    for site in SITES
        .iter()
        .filter(|site| options.data.wants(site.name, site.set))
    {
        if site.is_large && !options.large {
            tell(&format!(
                "skipped: {} ({}) takes an hour; --large measures it",
                site.name, site.set
            ));
        } else if let Some(folder) = sets.find(site.set) {
            tell(&format!("measuring {}", site.name));
            let mut judged = Judged {
                sample: &mut sample,
                means: &mut means,
                listed: &mut listed,
            };
            match measure(&readers, &folder, site, options, &mut judged, report) {
                Ok(outcome) => stripped.extend(outcome),
                // The other sites take long, and are measured all the same.
                Err(error) => {
                    let error = error.context(format!("{} ({}) can't be measured", site.name, site.set));
                    tell(&format!("error: {error:#}"));
                    failed.push(site.name);
                }
            }
        }
    }
    if stripped.len() > 1 {
        add_means(&stripped, report);
    }
    means.report(report);
    if let Some(list) = &options.list {
        let lines = std::iter::once(LIST_HEAD.to_owned()).chain(listed);
        let text: String = lines.map(|line| line + "\n").collect();
        std::fs::write(list, text).with_context(|| format!("can't write {}", list.display()))?;
    }
    sample.report(options.plot.as_deref(), report)?;
    if options.calibrate {
        sample.fit()?;
    }
    ensure!(
        failed.is_empty(),
        "some sites can't be measured: {}",
        failed.join(", ")
    );
    Ok(())
}

/// Serves the sites until the program is ended, for a person who works on them with `magpie`.
fn serve_all(sets: &Sets, options: &Options) -> Result<()> {
    let mut mirrors: Vec<Arc<Mirror>> = Vec::new();
    let mut settings = BTreeSet::from(workspace::NEAR);
    for site in SITES
        .iter()
        .filter(|site| options.data.wants(site.name, site.set))
    {
        let Some(folder) = sets.find(site.set) else {
            continue;
        };
        let mirror = Mirror::read(&folder)?;
        if mirrors.iter().any(|known| known.host() == mirror.host()) {
            continue;
        }
        let (entry, reached) = mirror.entry()?;
        tell(&format!(
            "{} ({}): {entry}, from where links lead to {reached} of {} files; saved on {}",
            site.name,
            site.vertical,
            mirror.len(),
            site.saved
        ));
        settings.extend(site.settings);
        mirrors.push(mirror);
    }
    let folder = tempfile::tempdir().context("can't make a folder for a certificate")?;
    let authority = folder.path().join("authority.pem");
    let hosts: Vec<String> = mirrors.iter().map(|mirror| mirror.host().to_owned()).collect();
    let server = Server::start(&hosts, &authority)?;
    for mirror in &mirrors {
        let shown = mirror.without(HashSet::new());
        server.show(if options.stripped { shown.stripped() } else { shown });
    }
    tell(&format!(
        "magpie reaches them with --proxy {} --set fetch.certificates={} {}",
        server.proxy(),
        authority.display(),
        settings
            .iter()
            .map(|setting| format!("--set {setting}"))
            .collect::<Vec<_>>()
            .join(" ")
    ));
    loop {
        std::thread::park();
    }
}

/// Adds the means of the stripped sites, and the worst of them.
fn add_means(stripped: &[reading::Outcome], report: &mut Report) {
    let precisions: Vec<f64> = stripped.iter().map(|outcome| outcome.precision).collect();
    let recalls: Vec<f64> = stripped.iter().map(|outcome| outcome.recall).collect();
    for (kind, aim, values) in [
        ("precision", reading::STRIPPED_PRECISION, precisions),
        ("recall", reading::STRIPPED_RECALL, recalls),
    ] {
        let least = values.iter().copied().fold(1.0, f64::min);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        report.add(
            Figure::new(
                format!("all sites: reading stripped, mean {kind}"),
                mean,
                "of sites",
            )
            .at_least(aim)
            .beside("worst site", least)
            .beside("sites", values.len() as f64),
        );
    }
}

/// Measures a whole site. Returns the outcome of reading it without its structured data, if it was
/// read.
fn measure(
    readers: &Readers,
    folder: &Path,
    site: &Site,
    options: &Options,
    judged: &mut Judged<'_>,
    report: &mut Report,
) -> Result<Option<reading::Outcome>> {
    let mirror = Mirror::read(folder)?;
    let plugin = readers.plugin(site.vertical)?;
    let truth = SiteTruth::read(folder, site, &mirror, plugin.info())?;
    let mut read = None;
    if options.until == Depth::All {
        let [plain, stripped] =
            reading::measure(readers, site, &mirror, &truth, options.data.verbose, report)?;
        judged.sample.add(site.vertical, site.name, &plain.judged);
        judged.sample.add(site.vertical, site.name, &stripped.judged);
        read = Some(stripped);
    }
    if options.reading {
        return Ok(read);
    }
    let temporary = tempfile::tempdir().context("can't make a folder for workspaces")?;
    let scratch = options.keep.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(scratch).with_context(|| format!("can't make {}", scratch.display()))?;
    let authority = temporary.path().join("authority.pem");
    let server = Server::start(&[mirror.host().to_owned()], &authority)?;
    let desk = Desk {
        program: Program::find(temporary.path().join("cache"))?,
        server: &server,
        mirror: &mirror,
        settings: site.settings,
        authority,
        scratch: scratch.to_owned(),
        verbose: options.data.verbose,
    };
    for is_stripped in [false, true] {
        let crawl = Crawl {
            desk: &desk,
            site,
            truth: &truth,
            is_stripped,
        };
        let lines = crawl.measure(options.until, judged.means, report)?;
        let start = format!("{}\t{}", site.set, crawl.way());
        judged
            .listed
            .extend(lines.into_iter().map(|line| format!("{start}\t{line}")));
    }
    if site.is_compared && options.until == Depth::All {
        whole::measure(&desk, site.name, &mirror, site.vertical, report)?;
    }
    Ok(read)
}
