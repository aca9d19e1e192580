//! Every seed passes its target, and every target has seeds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

type Check = fn(&[u8]);

const TARGETS: [(&str, Check); 25] = [
    ("browser", magpie_fuzz::browser::check),
    ("canonical", magpie_fuzz::canonical::check),
    ("charset", magpie_fuzz::charset::check),
    ("cursors", magpie_fuzz::cursors::check),
    ("dom", magpie_fuzz::dom::check),
    ("form_bodies", magpie_fuzz::form_bodies::check),
    ("forms", magpie_fuzz::forms::check),
    ("hosts", magpie_fuzz::hosts::check),
    ("links", magpie_fuzz::links::check),
    ("navigation", magpie_fuzz::navigation::check),
    ("patterns", magpie_fuzz::patterns::check),
    ("posts", magpie_fuzz::posts::check),
    ("queries", magpie_fuzz::queries::check),
    ("reading", magpie_fuzz::reading::check),
    ("response", magpie_fuzz::response::check),
    ("robots", magpie_fuzz::robots::check),
    ("robots_tags", magpie_fuzz::robots_tags::check),
    ("selectors", magpie_fuzz::selectors::check),
    ("sitemap", magpie_fuzz::sitemap::check),
    ("structured", magpie_fuzz::structured::check),
    ("templates", magpie_fuzz::templates::check),
    ("values", magpie_fuzz::values::check),
    ("verticals", magpie_fuzz::verticals::check),
    ("warc_read", magpie_fuzz::warc_read::check),
    ("warc_write", magpie_fuzz::warc_write::check),
];

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

#[test]
fn seeds_pass() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let mut targets = BTreeMap::from(TARGETS);
    for folder in entries(&root) {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let check = targets
            .remove(&*name)
            .unwrap_or_else(|| panic!("no target for seeds/{name}"));
        for seed in entries(&folder) {
            println!("{}", seed.display());
            check(&std::fs::read(&seed).expect("the seed can be read"));
        }
    }
    assert!(targets.is_empty(), "without seeds: {:?}", targets.keys());
}
