//! The warehouse as a person meets it: two shops sell the same books, and each book is one object.

use serde_json::Value;

use crate::context::TestContext;
use crate::web::{BOOKS, LOOPBACK, shop};

#[test]
fn books_of_two_shops_are_found_shown_explained_parted_and_exported() {
    let (one, other) = (shop(), shop());
    let context = TestContext::with_workspace("books", LOOPBACK);
    let magpie = |line: &str| context.ok(&format!("{line} -w ws"));
    magpie(&format!("crawl {}", one.url("/")));
    magpie(&format!("crawl {}", other.url("/")));

    // The crawls have clustered what they found.
    let again = magpie("objects cluster --json").last();
    assert_eq!((&again["records"], &again["objects"]), (&0.into(), &BOOKS.into()));
    let objects = magpie("objects --json --sort title").json();
    let titles: Vec<_> = objects
        .iter()
        .map(|object| &object["attributes"]["title"])
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
    let is_merged = |object: &Value| object["records"] == 2 && object["current"] == 2;
    assert!(objects.iter().all(is_merged), "{objects:?}");
    let found = magpie("objects --json --where title~rivers").json();
    assert_eq!(found.len(), 1);
    let by_words = magpie("objects --json --where 'north -desert has:title'");
    assert_eq!(by_words.json(), found);
    let changes = magpie("objects changes --json --kind new").json();
    assert_eq!(changes.len(), BOOKS + 1, "{changes:?}");
    assert_eq!(changes[0]["attributes"]["title"]["old"], serde_json::json!([]));
    let cursor = changes[BOOKS]["cursor"].as_str().expect("a cursor");
    let none = context.fails(1, &format!("objects changes -w ws --since {cursor}"));
    none.says(["nothing changed"]);
    magpie("objects --limit 3").says(["Rivers of the North", "3 of 4 objects"]);
    context.fails(1, "objects -w ws --site elsewhere.test");

    let id = &found[0]["object"];
    let shown = magpie(&format!("objects show {id} --json")).last();
    let record = |place: usize| shown["members"][place]["record"].as_i64().expect("a record");
    let (first, second) = (record(0), record(1));
    let text = magpie(&format!("objects show {id}"));
    text.says(["Ada Quill", &one.url("/book/0"), &other.url("/book/0")]);
    magpie(&format!("objects explain {id}")).says(["of 2 records", "are one object with probability"]);
    magpie("objects explain 1 2").says(["is object 1", "the most alike"]);

    magpie("export objects --out objects.csv").says(["4 objects in objects.csv"]);
    let file = context.read("objects.csv");
    assert!(
        file.starts_with("object,vertical,type,label,confidence,title,") && !file.contains("attributes"),
        "{file}"
    );
    magpie("export objects --out objects.parquet").says(["4 objects in objects.parquet"]);
    let picked = magpie("export objects --where title~rivers --out -").json();
    assert_eq!(picked.len(), 1);
    for name in ["object", "attributes", "records", "current", "label"] {
        assert_eq!(picked[0][name], found[0][name], "{name}");
    }
    assert_eq!(picked[0]["members"][1]["record"], second);

    let parted = magpie(&format!("objects split r{first} r{second}"));
    parted.says(["was parted", "the new object 5"]);
    let objects = magpie("objects --json").json();
    assert_eq!(objects.len(), BOOKS + 1);
    assert_eq!(objects[BOOKS]["label"], found[0]["label"]);
    magpie(&format!("objects explain r{first} r{second}")).says(["they were split by hand"]);
}

#[test]
fn slips_are_told_with_what_to_do() {
    let context = TestContext::with_workspace("books", LOOPBACK);
    let check = |code: i32, line: &str, parts: [&str; 2]| {
        context.fails(code, &format!("{line} -w ws")).says(parts);
    };
    check(
        4,
        "objects",
        ["no vertical has run in this workspace", "magpie objects cluster"],
    );
    check(4, "objects cluster", ["no vertical has seen a page", "crawl"]);
    check(
        3,
        "objects cluster --vertical boks",
        ["no component of the vertical `boks`", "only books"],
    );
    let site = shop();
    context.ok(&format!("crawl -w ws {}", site.url("/")));
    check(
        0,
        "objects cluster",
        ["books: 4 objects", "nothing was found since"],
    );
    check(
        4,
        "objects show r99",
        ["there is no record r99", "`magpie objects show N`"],
    );
    check(
        2,
        "objects --vertical boks",
        ["no vertical `boks` has run", "there are books"],
    );
    check(
        1,
        "objects --where rivres",
        ["no object matches", "did you mean `rivers`?"],
    );
    check(2, "objects split 1 1", ["both are object 1", "can't be split"]);
    check(0, "objects split 1 2", ["objects 1 and 2", "are kept apart"]);
    check(0, "objects explain 1", ["of 1 record", "it has one record"]);
}
