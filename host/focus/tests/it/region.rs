//! Regions of hubs.

use magpie_focus::region::{RegionKind, RegionLink, region};

const LIST: &str = "html/body/div/ul/li/a";
const MENU: &str = "html/body/nav/a";
const ASIDE: &str = "html/body/aside/p/a";

fn link(path: &str, is_accepted: Option<bool>) -> RegionLink<'_> {
    RegionLink { path, is_accepted }
}

#[test]
fn a_region_is_the_list_with_the_accepted_pages() {
    let links = [
        link(MENU, Some(false)),
        link(LIST, Some(true)),
        link(LIST, None),
        link(LIST, Some(true)),
        link(ASIDE, None),
    ];
    assert_eq!(region(&links, RegionKind::CommonAncestor), [1, 2, 3]);
    assert_eq!(region(&links, RegionKind::RepeatedPath), [1, 2, 3]);
}

/// One accepted page in the side bar makes the whole page the published region.
#[test]
fn a_stray_accepted_link_widens_the_common_ancestor_only() {
    let links = [
        link(MENU, None),
        link(LIST, Some(true)),
        link(LIST, None),
        link(ASIDE, Some(true)),
        link(ASIDE, Some(false)),
        link(ASIDE, Some(false)),
    ];
    assert_eq!(region(&links, RegionKind::CommonAncestor), [0, 1, 2, 3, 4, 5]);
    assert_eq!(region(&links, RegionKind::RepeatedPath), [1, 2]);
}

#[test]
fn a_page_without_accepted_links_has_no_region() {
    let links = [link(LIST, None), link(LIST, Some(false))];
    for kind in [RegionKind::CommonAncestor, RegionKind::RepeatedPath] {
        assert_eq!(region(&links, kind), Vec::<usize>::new());
    }
}
