//! Page classes of four link graphs, and how well pages of one class are distinguished.
//!
//! Classes are made from URLs and the positions of links alone, without any label; V-measure and
//! adjusted Rand index measure the agreement with each labelling. For detail pages the method is
//! that of learning: patterns are made from half of the labelled pages, of which the details count
//! as pages with objects, and are tested on the other half. A labelling does not say which of its
//! classes are details; its largest is taken for them, and the mean over all classes that are large
//! enough is listed too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::{PageClasses, PatternSet, PlacedLink, SiteUrls, Validation};
use magpie_patterns::plan::{Induce, Survey, induced};

use super::agreement::{adjusted_rand, v_measure};
use crate::data::text;
use crate::figure::{Figure, Report};
use crate::site::graph::{Labelled, SiteGraph};

/// The sites of the set: what each is called, its links and its labels.
const SITES: [(&str, &str, &str); 4] = [
    ("asp.net", "asp.net.edges.tsv", "asp.gold.tsv"),
    ("hupu", "hupu.com.edges.tsv", "hupu.gold.tsv"),
    (
        "rottentomatoes",
        "rottentomatoes.com.edges.tsv",
        "rottentomatoes.gold.tsv",
    ),
    (
        "stackexchange",
        "stackexchange.com.edges.tsv",
        "stackexchange.gold.tsv",
    ),
];

/// Target, on average over the sites.
const V_MEASURE: f64 = 0.85;
const ADJUSTED_RAND: f64 = 0.7;
const DETAILS: f64 = 0.95;

/// Minimum number of pages of a class that counts, since few pages show little.
const LARGE: usize = 20;

/// Measures all sites. Each counts once, however many labellings it has.
pub(super) fn run(folder: &Path, report: &mut Report) -> Result<()> {
    let mut sites = Vec::new();
    for (name, edges, gold) in SITES {
        let mut graph = SiteGraph::of_edges(&text(&folder.join(edges))?);
        let labellings = graph.read_labels(&text(&folder.join(gold))?);
        let links = (0..).zip(&graph.links).flat_map(|(from, links)| {
            links.iter().map(move |link| PlacedLink {
                from,
                to: link.to,
                position: link.path,
            })
        });
        let found = PageClasses::of(&graph.urls, &links.collect::<Vec<_>>());
        let mut of_site = Vec::new();
        for (labelling, pages) in &labellings {
            let measured = Measured::of(&graph.urls, pages, &found);
            measured.add(&format!("{name}, {labelling}"), pages.len(), report);
            of_site.push(measured);
        }
        sites.push(Measured::mean(&of_site));
    }
    Measured::mean(&sites).add_targets(sites.len(), report);
    Ok(())
}

/// Agreement with a labelling, on a site or on all sites.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    v: f64,
    rand: f64,
    /// Precision and recall of the largest class.
    details: [f64; 2],
    /// The same, the mean over all large classes.
    classes: [f64; 2],
}

impl Measured {
    fn of(urls: &[CanonicalUrl], pages: &Labelled, found: &PageClasses) -> Measured {
        // Outliers have no class.
        let pages: Vec<(u32, u32)> = pages
            .iter()
            .filter_map(|(class, page)| Some(((*class)?, *page)))
            .collect();
        let pages = pages.as_slice();
        let pairs: Vec<(u32, u32)> = pages
            .iter()
            .map(|(class, page)| (*class, found.class_of[*page as usize]))
            .collect();
        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        for (class, _) in pages {
            *sizes.entry(*class).or_default() += 1;
        }
        let largest = sizes
            .iter()
            .max_by_key(|(_, pages)| **pages)
            .map(|(class, _)| *class);
        let large = sizes.iter().filter(|(_, pages)| **pages >= LARGE);
        let each: Vec<[f64; 2]> = large.map(|(class, _)| recognised(urls, pages, *class)).collect();
        Measured {
            v: v_measure(&pairs),
            rand: adjusted_rand(&pairs),
            details: largest.map_or([0.0; 2], |class| recognised(urls, pages, class)),
            classes: [0, 1].map(|side| mean(each.iter().map(|figures| figures[side]))),
        }
    }

    fn mean(each: &[Measured]) -> Measured {
        let of = |value: &dyn Fn(&Measured) -> f64| mean(each.iter().map(value));
        Measured {
            v: of(&|one| one.v),
            rand: of(&|one| one.rand),
            details: [0, 1].map(|side| of(&|one| one.details[side])),
            classes: [0, 1].map(|side| of(&|one| one.classes[side])),
        }
    }

    fn add(&self, name: &str, pages: usize, report: &mut Report) {
        let figure = Figure::new(format!("classes: {name}"), self.v, "V-measure");
        report.add(
            figure
                .more_is_better()
                .beside("adjusted Rand index", self.rand)
                .beside("details: precision", self.details[0])
                .beside("recall", self.details[1])
                .beside("all classes: precision", self.classes[0])
                .beside("recall ", self.classes[1])
                .beside("pages", pages as f64),
        );
    }

    fn add_targets(&self, sites: usize, report: &mut Report) {
        for (name, value, unit, target, all) in [
            ("classes", self.v, "V-measure", V_MEASURE, None),
            ("classes", self.rand, "adjusted Rand index", ADJUSTED_RAND, None),
            (
                "details",
                self.details[0],
                "precision",
                DETAILS,
                Some(self.classes[0]),
            ),
            (
                "details",
                self.details[1],
                "recall",
                DETAILS,
                Some(self.classes[1]),
            ),
        ] {
            let mut figure =
                Figure::new(format!("{name}: mean of {sites} sites"), value, unit).at_least(target);
            if let Some(all) = all {
                figure = figure.beside("any class", all).note(
                    "details are the largest class of a labelling; patterns from half of the pages, asked about the other half",
                );
            }
            report.add(figure);
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Precision and recall of a class: patterns are made from half of the pages, and tested on the
/// other half.
fn recognised(urls: &[CanonicalUrl], pages: &[(u32, u32)], class: u32) -> [f64; 2] {
    let of = |wanted: bool| -> BTreeSet<&CanonicalUrl> {
        let pages = pages.iter().filter(|(own, _)| (*own == class) == wanted);
        pages.map(|(_, page)| &urls[*page as usize]).collect()
    };
    let (shown, asked) = halves(of(true));
    let (shown_others, asked_others) = halves(of(false));
    let survey = Survey {
        objects: (0..shown.len() as u32).map(|page| (page, page)).collect(),
        urls: shown.into_iter().chain(shown_others).cloned().collect(),
        ..Survey::default()
    };
    let patterns = PatternSet::new(induced(&survey, Induce::Typed).wanted);
    let validation = Validation::of(
        &patterns,
        &SiteUrls {
            wanted: &asked,
            others: &asked_others,
        },
    );
    [validation.precision.share(), validation.recall.share()]
}

/// Two halves in the order of a hash.
fn halves(urls: BTreeSet<&CanonicalUrl>) -> (Vec<&CanonicalUrl>, Vec<&CanonicalUrl>) {
    let mut urls: Vec<&CanonicalUrl> = urls.into_iter().collect();
    urls.sort_by_key(|url| url.fingerprint().0.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let asked = urls.split_off(urls.len() / 2);
    (urls, asked)
}
