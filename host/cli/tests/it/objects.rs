//! The warehouse as a person meets it: two shops sell the same books, and each book is one object.

use std::path::{Path, PathBuf};

use magpie_test_support::server::Site;
use serde_json::Value;

use crate::web::{self, LOOPBACK, book_shop, lines_of_json as lines, ran as magpie, said};

/// Books that both shops sell.
const BOOKS: usize = 4;

fn shop() -> Site {
    book_shop(BOOKS, |number| {
        let titles = [
            "Rivers of the North",
            "A Mountain Year",
            "Old Forests",
            "The Quiet Desert",
        ];
        titles[number % 4].to_owned()
    })
}

/// A workspace with the component, in which nothing was crawled.
fn workspace(folder: &Path) -> PathBuf {
    web::workspace(folder, "ws", "books", LOOPBACK);
    folder.join("ws")
}

fn crawl(path: &Path, site: &Site) {
    let output = magpie(path, &["crawl", &site.url("/")]);
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn books_of_two_shops_are_found_shown_explained_parted_and_exported() {
    let (one, other) = (shop(), shop());
    let folder = tempfile::tempdir().expect("a folder");
    let path = workspace(folder.path());
    crawl(&path, &one);
    crawl(&path, &other);

    // The crawls have clustered what they found.
    let early = lines(&magpie(&path, &["objects", "--json"]));
    assert_eq!(early.len(), BOOKS, "{early:?}");
    let again = lines(&magpie(&path, &["objects", "cluster", "--json"]));
    assert_eq!(
        (&again[0]["records"], &again[0]["objects"]),
        (&Value::from(0), &Value::from(BOOKS))
    );

    let objects = lines(&magpie(&path, &["objects", "--json", "--sort", "title"]));
    let titles: Vec<_> = objects
        .iter()
        .map(|object| object["attributes"]["title"].as_str().expect("a title"))
        .collect();
    assert_eq!(
        titles,
        [
            "A Mountain Year",
            "Old Forests",
            "Rivers of the North",
            "The Quiet Desert"
        ]
    );
    assert!(
        objects
            .iter()
            .all(|object| object["records"] == 2 && object["current"] == 2),
        "{objects:?}"
    );
    let found = lines(&magpie(&path, &["objects", "--json", "--where", "title~rivers"]));
    assert_eq!(found.len(), 1);
    let by_words = ["objects", "--json", "--where", "north -desert has:title"];
    assert_eq!(lines(&magpie(&path, &by_words)), found);
    let changes = lines(&magpie(&path, &["objects", "changes", "--json", "--kind", "new"]));
    assert_eq!(changes.len(), BOOKS + 1, "{changes:?}");
    assert_eq!(changes[0]["attributes"]["title"]["old"], serde_json::json!([]));
    let cursor = changes[BOOKS]["cursor"].as_str().expect("a cursor");
    let none = magpie(&path, &["objects", "changes", "--since", cursor]);
    assert_eq!(
        (none.status.code(), said(&none).contains("nothing changed")),
        (Some(1), true)
    );
    let table = said(&magpie(&path, &["objects", "--limit", "3"]));
    assert!(
        table.contains("Rivers of the North") && table.contains("3 of 4 objects"),
        "{table}"
    );
    let none = magpie(&path, &["objects", "--site", "elsewhere.test"]);
    assert_eq!(none.status.code(), Some(1));

    let id = found[0]["object"].to_string();
    let shown = lines(&magpie(&path, &["objects", "show", &id, "--json"]));
    let records: Vec<i64> = shown[0]["members"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|r| r["record"].as_i64())
        .collect();
    let text = said(&magpie(&path, &["objects", "show", &id]));
    assert!(
        text.contains("Ada Quill")
            && text.contains(&one.url("/book/0"))
            && text.contains(&other.url("/book/0"))
    );
    let why = said(&magpie(&path, &["objects", "explain", &id]));
    assert!(
        why.contains("of 2 records") && why.contains("are one object with probability"),
        "{why}"
    );
    let two = said(&magpie(&path, &["objects", "explain", "1", "2"]));
    assert!(
        two.contains("is object 1") && two.contains("the most alike"),
        "{two}"
    );

    let exported = magpie(&path, &["export", "objects", "--out", "objects.csv"]);
    assert!(
        said(&exported).contains("4 objects in objects.csv"),
        "{}",
        said(&exported)
    );
    let file = std::fs::read_to_string(path.join("objects.csv")).expect("the file");
    assert!(
        file.starts_with("object,vertical,type,label,confidence,title,") && !file.contains("attributes"),
        "{file}"
    );
    let columns = said(&magpie(&path, &["export", "objects", "--out", "objects.parquet"]));
    assert!(columns.contains("4 objects in objects.parquet"), "{columns}");
    let picked = lines(&magpie(
        &path,
        &["export", "objects", "--where", "title~rivers", "--out", "-"],
    ));
    assert_eq!(picked.len(), 1);
    for name in ["object", "attributes", "records", "current", "label"] {
        assert_eq!(picked[0][name], found[0][name], "{name}");
    }
    assert_eq!(picked[0]["members"][1]["record"], records[1]);

    let [first, second] = [format!("r{}", records[0]), format!("r{}", records[1])];
    let parted = said(&magpie(&path, &["objects", "split", &first, &second]));
    assert!(
        parted.contains("was parted") && parted.contains("the new object 5"),
        "{parted}"
    );
    let objects = lines(&magpie(&path, &["objects", "--json"]));
    assert_eq!(objects.len(), BOOKS + 1);
    assert_eq!(
        objects[BOOKS]["label"],
        objects
            .iter()
            .find(|t| t["object"] == found[0]["object"])
            .expect("it")["label"]
    );
    let kept = said(&magpie(&path, &["objects", "explain", &first, &second]));
    assert!(kept.contains("they were split by hand"), "{kept}");
}

#[test]
fn slips_are_told_with_what_to_do() {
    let site = shop();
    let folder = tempfile::tempdir().expect("a folder");
    let path = workspace(folder.path());
    let check = |arguments: &[&str], code: i32, expected: &[&str]| {
        let output = magpie(&path, &[&["objects"], arguments].concat());
        let text = said(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{text}");
        for part in expected {
            assert!(text.contains(part), "{arguments:?}\n{text}");
        }
    };
    check(
        &[],
        4,
        &["no vertical has run in this workspace", "magpie objects cluster"],
    );
    check(&["cluster"], 4, &["no vertical has seen a page", "crawl"]);
    check(
        &["cluster", "--vertical", "boks"],
        3,
        &["no component of the vertical `boks`", "only books"],
    );
    crawl(&path, &site);
    check(&["cluster"], 0, &["books: 4 objects", "nothing was found since"]);
    check(&["show", "99"], 4, &["there is no object 99", "the last is 4"]);
    check(&["show", "r99"], 4, &["there is no record r99"]);
    check(&["show", "x"], 2, &["neither an object nor a record"]);
    check(
        &["--vertical", "boks"],
        2,
        &["no vertical `boks` has run", "there are books"],
    );
    check(
        &["--where", "titel=x"],
        2,
        &["there is no attribute `titel`", "title"],
    );
    check(&["--where", "title:"], 2, &["`title:` has no value"]);
    check(
        &["--where", "rivres"],
        1,
        &["no object matches", "did you mean `rivers`?"],
    );
    check(&["--sort", "colour"], 2, &["invalid value `colour` for `--sort`"]);
    check(&["--new-since", "soon"], 2, &["`soon`", "7d"]);
    for (arguments, code, part) in [
        (&["--where", "titel=x"], 2, "no attribute `titel`"),
        (&["--run", "99"], 4, "there is no run 99"),
    ] {
        let output = magpie(&path, &[&["export", "objects"], &arguments[..]].concat());
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        assert!(said(&output).contains(part), "{}", said(&output));
    }
    check(&["split", "1", "1"], 2, &["both are object 1", "can't be split"]);
    check(&["split", "1", "2"], 0, &["objects 1 and 2 are kept apart"]);
    check(&["explain", "1"], 0, &["it has one record"]);
}
