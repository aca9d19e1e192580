//! Tests that webs have a vocabulary of their own: two seeds share little, and the plugins contain
//! none of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use magpie_lab::{Size, Vertical, Vocabulary, Web, WebSpec};

fn vocabulary(vertical: Vertical, seed: u64) -> Vocabulary {
    Web::new(WebSpec::new(vertical, Size::Small, seed).with_sites(6)).vocabulary()
}

fn jaccard(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let both = one.intersection(other).count();
    both as f64 / (one.len() + other.len() - both).max(1) as f64
}

#[test]
fn two_seeds_share_little() {
    let webs: Vec<Vocabulary> = (20..32).map(|seed| vocabulary(Vertical::Events, seed)).collect();
    let mean = |part: fn(&Vocabulary) -> &BTreeSet<String>| {
        let pairs = (0..webs.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        let likenesses: Vec<f64> = pairs
            .map(|(one, other)| jaccard(part(&webs[one]), part(&webs[other])))
            .collect();
        likenesses.iter().sum::<f64>() / likenesses.len() as f64
    };
    assert!(mean(|web| &web.classes) < 0.01);
    assert!(mean(|web| &web.names) < 0.01);
    assert!(mean(|web| &web.hosts) < 0.01);
    assert!(mean(|web| &web.shapes) < 0.02);
    // Half of the words in paths come from a list of a hundred; parameters are often single
    // letters.
    assert!(mean(|web| &web.paths) < 0.25);
    assert!(mean(|web| &web.parameters) < 0.35);
    // Labels are words of eight languages, and three languages cover most sites.
    assert!(mean(|web| &web.labels) < 0.35);
}

#[test]
fn readable_webs_have_the_same_objects_with_other_names() {
    for vertical in Vertical::ALL {
        let plain = WebSpec::new(vertical, Size::Small, 7);
        let readable = WebSpec {
            readable: true,
            ..plain.clone()
        };
        let web = |spec: &WebSpec| std::sync::Arc::new(Web::new(spec.clone()));
        let (made_up, web, again) = (web(&plain), web(&readable), web(&readable));
        let name = if vertical == Vertical::Books {
            "title"
        } else {
            "name"
        };
        let titles = |web: &std::sync::Arc<Web>| -> Vec<String> {
            let truth = web.truth(1);
            let objects = truth.objects.iter();
            objects
                .flat_map(|object| object.attributes[name].clone())
                .collect()
        };
        assert_eq!(titles(&web), titles(&again));
        let (made_up, titles) = (titles(&made_up), titles(&web));
        assert_eq!(made_up.len(), titles.len());
        assert!(
            titles.iter().all(|title| !title.contains(['{', '}'])),
            "{titles:?}"
        );
        let known: BTreeSet<&String> = made_up.iter().collect();
        assert!(titles.iter().all(|title| !known.contains(title)));
        let distinct: BTreeSet<&String> = titles.iter().collect();
        assert!(distinct.len() * 10 > titles.len() * 8, "{titles:?}");
    }
}

/// Returns the sources of the plugins for the three verticals, in lower case.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
    let mut folders: Vec<PathBuf> = Vertical::ALL
        .iter()
        .map(|v| root.join(v.name()).join("src"))
        .collect();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).expect("the plugins stand beside the host");
        for path in entries.map(|entry| entry.expect("folders can be read").path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(&path)
                    .expect("sources are text")
                    .to_lowercase();
                sources.push((path, text));
            }
        }
    }
    assert!(sources.len() > 20, "the plugins have sources");
    sources
}

#[test]
fn plugins_contain_no_lab_vocabulary() {
    let sources = sources();
    let words: Vec<BTreeSet<&str>> = sources
        .iter()
        .map(|(_, text)| text.split(|letter: char| !letter.is_alphanumeric()).collect())
        .collect();
    for vertical in Vertical::ALL {
        for seed in 0..8 {
            let web = vocabulary(vertical, seed);
            let classes = web
                .classes
                .iter()
                .flat_map(|class| class.split(['-', '_']))
                .filter(|part| part.len() >= 5);
            let own = classes
                .chain(web.hosts.iter().map(String::as_str))
                .chain(web.names.iter().map(String::as_str));
            for word in own.map(str::to_lowercase) {
                for ((path, _), words) in sources.iter().zip(&words) {
                    assert!(
                        !words.contains(word.as_str()),
                        "{word:?} is in {}",
                        path.display()
                    );
                }
            }
        }
    }
    for (path, text) in &sources {
        assert!(
            !text.contains("magpie_lab") && !text.contains("magpie-lab"),
            "{} names the lab",
            path.display()
        );
    }
}

/// Plain words in titles and paths must not be ones that a plugin searches for. All quoted strings
/// of a plugin's source count as searched for. If this fails after a change of a plugin, remove the
/// word from the lab's list.
#[test]
fn plugins_do_not_search_for_stock_words() {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for (_, text) in sources().iter().filter(|(path, _)| !path.ends_with("tests.rs")) {
        // Comments and tests are not searched for in pages.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code: Vec<&str> = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let quoted = code.join("\n");
        let quoted = quoted
            .split('"')
            .skip(1)
            .step_by(2)
            .filter(|quoted| quoted.len() < 60);
        known.extend(
            quoted
                .flat_map(|quoted| quoted.split(['|', ' ', '/']))
                .map(str::to_owned),
        );
    }
    let met: Vec<&str> = Web::stock()
        .into_iter()
        .filter(|word| known.contains(word.to_lowercase().as_str()))
        .collect();
    assert!(met.is_empty(), "{met:?}");
}
