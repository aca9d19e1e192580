use magpie_model::CanonicalUrl;
use magpie_patterns::pattern::{
    FolderInducer, Inducer, Reach, SiteUrls, TypedInducer, UrlPattern, extend_pagination,
};

use super::urls;

fn induced(inducer: &dyn Inducer, wanted: &[CanonicalUrl], others: &[CanonicalUrl]) -> Vec<String> {
    let wanted: Vec<&CanonicalUrl> = wanted.iter().collect();
    let others: Vec<&CanonicalUrl> = others.iter().collect();
    let site = SiteUrls {
        wanted: &wanted,
        others: &others,
    };
    let patterns = inducer.induce(&site).patterns;
    let host = "http://hall.example";
    let path = |pattern: String| pattern.strip_prefix(host).map_or(pattern.clone(), str::to_owned);
    patterns.iter().map(|pattern| path(pattern.to_string())).collect()
}

fn check(wanted: &[&str], expected: &[&str]) {
    assert_eq!(induced(&TypedInducer::default(), &urls(wanted), &[]), expected);
}

#[test]
fn published_prefixes_of_folders() {
    let wanted = urls(&[
        "/v/show.asp?id=101",
        "/v/show.asp?id=102",
        "/v/show.asp?id=117",
        "/v/show.asp?id=260",
        "/deep/er/a?x=/y/z",
        "/deep/er/b",
        "/alone.html",
    ]);
    let patterns = induced(&FolderInducer::default(), &wanted, &[]);
    assert_eq!(
        patterns,
        ["/alone.html", "/deep/er/{file}", "/v/show.asp?id={file}"]
    );
}

#[test]
fn unwanted_pages_of_another_kind_do_not_restrict_a_variable() {
    let wanted = ["107132", "24259", "31314"].map(|id| format!("/index.pl?act=show&id={id}"));
    let others: Vec<String> = (1..60).map(|id| format!("/index.pl?act=forum&id={id}")).collect();
    let of = |texts: &[String]| urls(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(
        induced(&TypedInducer::default(), &of(&wanted), &of(&others)),
        ["/index.pl?act=show&id={number}"]
    );
}

#[test]
fn published_prefixes_are_pruned_by_reach() {
    let wanted = urls(&["/a/x", "/a/y", "/a/b/s", "/a/b/t"]);
    let plain = FolderInducer { reach: Reach::Plain };
    assert_eq!(induced(&plain, &wanted, &[]), ["/a/{rest}"]);
    assert_eq!(
        induced(&FolderInducer::default(), &wanted, &[]),
        ["/a/{file}", "/a/b/{file}"]
    );
}

#[test]
fn published_prefixes_miss_next_ids_and_typed_patterns_match_them() {
    let seen: Vec<String> = (48_213..48_899).map(|id| format!("/event/{id}")).collect();
    let seen = urls(&seen.iter().map(String::as_str).collect::<Vec<_>>());
    let next = &urls(&["/event/49000"])[0];
    let wanted: Vec<&CanonicalUrl> = seen.iter().collect();
    let site = SiteUrls {
        wanted: &wanted,
        others: &[],
    };
    assert!(!FolderInducer::default().induce(&site).compile().matches(next));
    assert!(TypedInducer::default().induce(&site).compile().matches(next));
}

#[test]
fn files_and_sets_of_keys_are_kept_apart() {
    check(
        &[
            "/show.asp?id=7",
            "/show.asp?id=9",
            "/show.asp?id=12",
            "/list.asp?cat=rock",
            "/list.asp?cat=jazz",
            "/list.asp?cat=folk",
            "/list.asp?cat=pop",
            "/list.asp?cat=swing",
            "/list.asp?cat=opera",
        ],
        &["/list.asp?cat={slug}", "/show.asp?id={number}"],
    );
}

#[test]
fn parts_in_the_middle_vary() {
    check(
        &["/event/123/tickets", "/event/77/tickets", "/event/8/tickets"],
        &["/event/{number}/tickets"],
    );
}

#[test]
fn the_order_of_keys_is_irrelevant() {
    check(
        &[
            "/e?id=1&d=2024-01-05",
            "/e?d=2024-02-07&id=22",
            "/e?id=31&d=2024-03-09",
        ],
        &["/e?d={date}&id={number}"],
    );
}

#[test]
fn date_parts_become_variables() {
    check(
        &[
            "/2024/05/rock",
            "/2024/05/jazz-night",
            "/2024/05/pop",
            "/2024/05/folk",
            "/2024/05/swing",
        ],
        &["/{year}/{month}/{slug}"],
    );
}

#[test]
fn days_of_a_calendar_vary_however_few_are_wanted() {
    let calendar: Vec<String> = (1..=190)
        .map(|day| {
            format!(
                "/events/20{}-{:02}-{:02}/",
                20 + day / 60,
                1 + day / 28 % 12,
                1 + day % 28
            )
        })
        .collect();
    let texts: Vec<&str> = calendar.iter().map(String::as_str).collect();
    for had_something in [1, 2, 11, 190] {
        let (wanted, others) = texts.split_at(had_something);
        let mut wanted = urls(wanted);
        // Pages with names are in the same folder.
        wanted.extend(urls(&["/events/summer-fair/"]));
        let patterns = induced(&TypedInducer::default(), &wanted, &urls(others));
        assert_eq!(
            patterns,
            ["/events/summer-fair/", "/events/{date}/"],
            "{had_something}"
        );
    }
}

#[test]
fn sibling_folders_with_objects_are_joined() {
    // Words without digits.
    let word = |number: usize| -> String {
        let digits = (number * 7_919 % 10_007).to_string();
        digits.bytes().map(|digit| char::from(digit + 50)).collect()
    };
    let folder = |number: usize| format!("{}-days", word(number));
    let wanted: Vec<String> = (0..40)
        .flat_map(|number| {
            (0..6).map(move |talk| {
                format!(
                    "/{}/{}-explained.html",
                    folder(number),
                    word(900 + number * 6 + talk)
                )
            })
        })
        .collect();
    let of = |texts: &[String]| urls(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let others: Vec<String> = (0..40)
        .map(|number| format!("/lists/{}.html", folder(number)))
        .collect();
    let site = [of(&wanted), of(&others)];
    let patterns = induced(&TypedInducer::default(), &site[0], &site[1]);
    assert_eq!(patterns.len(), 1, "{patterns:?}");
    let pattern: UrlPattern = format!("http://hall.example{}", patterns[0]).parse().unwrap();
    let unseen = urls(&["/omega-days/zebras-explained.html"]);
    assert!(pattern.matches(&unseen[0]), "{pattern}");
}

#[test]
fn frequent_folders_stay_constant_and_authors_vary() {
    let mut wanted: Vec<String> = Vec::new();
    for section in ["concerts", "theatre", "sports"] {
        wanted.extend((0..200).map(|id| format!("/{section}/{id}")));
    }
    for author in 0..120 {
        wanted.extend((0..5).map(|book| format!("/by/author-{}x{author}/{}", author * 7, author * 5 + book)));
    }
    let texts: Vec<&str> = wanted.iter().map(String::as_str).collect();
    check(
        &texts,
        &[
            "/by/author-{slug}/{number}",
            "/concerts/{number}",
            "/sports/{number}",
            "/theatre/{number}",
        ],
    );
}

#[test]
fn a_small_folder_borrows_from_its_neighbours() {
    let mut wanted: Vec<String> = Vec::new();
    for section in ["concerts", "theatre"] {
        wanted.extend(
            (0..200).map(|id| format!("/{section}/{id}-{}-night", ["a", "one", "her", "last-"][id % 4])),
        );
    }
    wanted.push("/comedy/17-last-laugh".to_owned());
    let texts: Vec<&str> = wanted.iter().map(String::as_str).collect();
    check(
        &texts,
        &[
            "/comedy/{number}-{slug}",
            "/concerts/{number}-{slug}",
            "/theatre/{number}-{slug}",
        ],
    );
}

#[test]
fn unwanted_pages_prevent_a_variable() {
    let wanted: Vec<String> = (0..6)
        .map(|night| format!("/night-{night}-at-the-hall"))
        .collect();
    let wanted = urls(&wanted.iter().map(String::as_str).collect::<Vec<_>>());
    let others: Vec<String> = (0..300)
        .map(|page| format!("/article-{page}-of-the-year"))
        .collect();
    let others = urls(&others.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(induced(&TypedInducer::default(), &wanted, &[]), ["/{slug}"]);
    assert_eq!(induced(&TypedInducer::default(), &wanted, &others).len(), 6);
}

#[test]
fn many_filters_become_one_pattern() {
    let keys = ["color", "size", "brand", "price", "sort"];
    let mut wanted: Vec<String> = Vec::new();
    for set in 1_u32..32 {
        for value in 0..20 {
            let chosen = keys
                .iter()
                .enumerate()
                .filter(|(index, _)| set & (1 << index) != 0);
            let query: Vec<String> = chosen
                .map(|(index, key)| format!("{key}={}", value * 7 + index))
                .collect();
            wanted.push(format!("/shop?{}", query.join("&")));
        }
    }
    let texts: Vec<&str> = wanted.iter().map(String::as_str).collect();
    check(
        &texts,
        &["/shop[?brand={number}][&color={number}][&price={number}][&size={number}][&sort={number}]"],
    );
}

#[test]
fn values_of_a_class_key_are_kept_apart() {
    let mut wanted: Vec<String> = ["about", "contact", "prices"]
        .map(|page| format!("/index.php?page={page}"))
        .into();
    for number in 1..=20 {
        wanted.push(format!("/index.php?page=event&id={}", number * 37));
        wanted.push(format!("/index.php?page=venue&id={}", number * 11));
        wanted.push(format!("/index.php?page=events&start={}", number * 10));
        wanted.push(format!(
            "/index.php?page=news&id={}&of={}",
            number * 5,
            number * 3
        ));
        wanted.push(format!("/index.php?page=tour&stop={number}"));
        wanted.push(format!(
            "/index.php?page=picture&at={}&wide={}",
            number * 7,
            number * 8
        ));
    }
    let texts: Vec<&str> = wanted.iter().map(String::as_str).collect();
    check(
        &texts,
        &[
            "/index.php?at={number}&page=picture&wide={number}",
            "/index.php?id={number}&of={number}&page=news",
            "/index.php?id={number}&page=event",
            "/index.php?id={number}&page=venue",
            "/index.php?page=events&start={number}",
            "/index.php?page=tour&stop={number}",
            "/index.php?page={slug}",
        ],
    );
}

#[test]
fn every_url_of_a_large_site_is_matched() {
    let mut wanted: Vec<String> = (0..30_000).map(|id| format!("/event/{id}-night")).collect();
    // A kind of page that the first sample hardly contains.
    wanted.extend((0..40).map(|id| format!("/venue/hall-{id}/map.pdf")));
    let wanted = urls(&wanted.iter().map(String::as_str).collect::<Vec<_>>());
    let refs: Vec<&CanonicalUrl> = wanted.iter().collect();
    let site = SiteUrls {
        wanted: &refs,
        others: &[],
    };
    let induction = TypedInducer::default().induce(&site);
    let set = induction.compile();
    assert!(wanted.iter().all(|url| set.matches(url)));
    assert!(induction.patterns.len() < 10, "{:?}", induction.patterns);
}

/// Returns the patterns of wanted lists with an exact pattern each, extended to further pages.
fn patterns_with_further_pages(lists: &[&str], others: &[&str]) -> Vec<String> {
    let (lists, others) = (urls(lists), urls(others));
    let (lists, others): (Vec<_>, Vec<_>) = (lists.iter().collect(), others.iter().collect());
    let site = SiteUrls {
        wanted: &lists,
        others: &others,
    };
    let exact = lists.iter().map(|url| UrlPattern::exact(url)).collect();
    let patterns = extend_pagination(exact, &site, &lists).into_iter();
    let path = |pattern: UrlPattern| pattern.to_string().replacen("http://hall.example", "", 1);
    patterns.map(path).collect()
}

#[test]
fn lists_are_paginated_like_others_of_the_site() {
    let check = |lists: &[&str], others: &[&str], expected: &[&str]| {
        assert_eq!(patterns_with_further_pages(lists, others), expected);
    };
    check(
        &["/rock", "/rock?p=2", "/rock?p=3", "/jazz", "/jazz?sort=name"],
        &[],
        &[
            "/rock",
            "/rock?p={number}",
            "/jazz",
            "/jazz?sort=name",
            "/jazz?p={number}",
            "/jazz?p={number}&sort=name",
        ],
    );
    check(
        &["/rock/", "/rock/2/", "/jazz/", "/pop.html"],
        &[],
        &[
            "/rock/",
            "/rock/2/",
            "/jazz/",
            "/pop.html",
            "/rock/{number}/",
            "/jazz/{number}/",
        ],
    );
    check(
        &[
            "/",
            "/page/2/",
            "/rock/",
            "/rock/page/2/",
            "/jazz/",
            "/category/5/",
            "/pop",
        ],
        &[],
        &[
            "/",
            "/page/2/",
            "/rock/",
            "/rock/page/2/",
            "/jazz/",
            "/category/5/",
            "/pop",
            "/page/{number}/",
            "/rock/page/{number}/",
            "/jazz/page/{number}/",
            "/category/5/page/{number}/",
        ],
    );
    check(
        &["/rock.html", "/rock-2.html", "/jazz.html", "/pop/"],
        &[],
        &[
            "/rock.html",
            "/rock-2.html",
            "/jazz.html",
            "/pop/",
            "/rock-{number}.html",
            "/jazz-{number}.html",
        ],
    );
    // Room 5 is not a further page: every paginated list has a second page.
    check(
        &["/rooms", "/rooms/room-5", "/jazz"],
        &[],
        &["/rooms", "/rooms/room-5", "/jazz"],
    );
    // A key that also leads to unwanted pages does not count pages, and neither does a year.
    check(
        &["/rock", "/rock?kind=2", "/jazz"],
        &["/rock?kind=1"],
        &["/rock", "/rock?kind=2", "/jazz"],
    );
    check(
        &["/rock", "/rock?y=2026", "/jazz"],
        &[],
        &["/rock", "/rock?y=2026", "/jazz"],
    );
    // Some further pages have only past objects.
    check(
        &["/rock", "/rock?p=2", "/rock?p=3", "/jazz"],
        &["/jazz?p=2"],
        &["/rock", "/rock?p={number}", "/jazz", "/jazz?p={number}"],
    );
}

#[test]
fn pagination_is_taken_from_unwanted_lists_if_no_wanted_one_has_it() {
    let lists = ["/rock", "/jazz"];
    let check = |others: &[&str], expected: &[&str]| {
        assert_eq!(
            patterns_with_further_pages(&lists, others)[lists.len()..],
            *expected,
            "{others:?}"
        );
    };
    let news = ["/news", "/news/page/2", "/news/page/3"];
    let forum = ["/forum", "/forum/page/2"];
    check(
        &[&news[..], &forum[..]].concat(),
        &["/rock/page/{number}", "/jazz/page/{number}"],
    );
    check(
        &["/news", "/news?p=2", "/forum", "/forum?p=1", "/about?q=7"],
        &["/rock?p={number}", "/jazz?p={number}"],
    );
    // One list is too little evidence. Numbers that lead from a wanted list to something else are
    // none.
    check(&news, &[]);
    check(&[&news[..], &forum[..], &["/jazz/page/2"]].concat(), &[]);
}

#[test]
fn identifiers_vary_before_folders_do() {
    let paths: Vec<String> = ["concert", "venue", "print"]
        .iter()
        .flat_map(|folder| (0..3).map(move |id| format!("/{folder}/30000{id}/")))
        .collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let folders = ["concert", "print", "venue"].map(|folder| format!("/{folder}/{{number}}/"));
    // The most cautious inducer accepts no variable with three values, and the most generous one
    // also varies the folders.
    for inducer in &TypedInducer::by_strictness()[1..5] {
        assert_eq!(induced(inducer, &urls(&paths), &[]), folders, "{inducer:?}");
    }
}

#[test]
fn one_wanted_page_of_an_unwanted_kind_gets_an_exact_pattern() {
    let shown = |kind: &str, ids: std::ops::Range<u32>| -> Vec<String> {
        ids.map(|id| format!("/index.aspx?act={kind}&n={id}")).collect()
    };
    let mut wanted = shown("show", 300_000..300_046);
    wanted.extend(shown("comments", 300_018..300_019));
    let mut others = shown("comments", 300_000..300_018);
    others.extend(shown("comments", 300_019..300_046));
    let [wanted, others] =
        [wanted, others].map(|paths| urls(&paths.iter().map(String::as_str).collect::<Vec<_>>()));
    for inducer in TypedInducer::by_strictness() {
        assert_eq!(
            induced(&inducer, &wanted, &others),
            [
                "/index.aspx?act=comments&n=300018",
                "/index.aspx?act=show&n={number}"
            ],
            "{inducer:?}"
        );
    }
}
