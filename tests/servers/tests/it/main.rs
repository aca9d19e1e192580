//! Each server is started and asked. A server that is missing here is skipped with a line.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use magpie_lab::{Size, Vertical, Web, WebSpec};
use magpie_test_servers::{Catalogue, Kind, LoggedRequest, Server};

/// Number of objects: enough for several result pages.
const OBJECTS: usize = 300;

/// A word that no object has.
const NONSENSE: &str = "zzqqxvk";

fn catalogue() -> Catalogue {
    let web = Web::new(WebSpec::new(Vertical::Books, Size::Paper, 1));
    Catalogue::from_records(web.seeds(OBJECTS))
}

/// Returns a title that pages show without escapes.
fn plain_title(catalogue: &Catalogue) -> &str {
    let mut titles = catalogue.objects().iter().map(|object| object.title.as_str());
    let is_plain = |title: &&str| {
        title.split(' ').count() > 2
            && title
                .chars()
                .all(|letter| letter.is_ascii_alphabetic() || letter == ' ')
    };
    titles.find(is_plain).expect("some titles are words alone")
}

fn get(target: &str) -> LoggedRequest {
    LoggedRequest {
        method: "GET".to_owned(),
        target: target.to_owned(),
        status: 200,
    }
}

/// Asks the server for known and unknown objects, and compares its log with what was sent.
fn check(kind: Kind, front_page: &str, form: &str) {
    let catalogue = catalogue();
    let Some(server) = Server::start_or_skip(kind, &catalogue) else {
        return;
    };
    let title = plain_title(&catalogue);
    let search = kind.search_target(title);
    let nothing = kind.search_target(NONSENSE);

    let page = server.get(front_page).expect("it answers");
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains(form), "no form in {}", page.body);
    let page = server.get(&search).expect("it answers");
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(result_count(&page.body, title) > 0, "no {title} in {}", page.body);
    let page = server.get(&nothing).expect("it answers");
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains(NONSENSE), "{}", page.body);
    assert_eq!(result_count(&page.body, title), 0, "{}", page.body);

    assert_eq!(server.requests(), [get(front_page), get(&search), get(&nothing)]);
    assert_eq!(server.acting_requests(), []);
    let page = server.post(front_page, "title=changed").expect("it answers");
    let expected = LoggedRequest {
        method: "POST".to_owned(),
        status: page.status,
        ..get(front_page)
    };
    assert_eq!(server.requests().len(), 4);
    assert_eq!(server.acting_requests(), [expected]);
}

/// Counts the title as the text of a link or cell, apart from the echo of the query.
fn result_count(page: &str, title: &str) -> usize {
    page.matches(&format!("{title}</")).count() + page.matches(&format!("\"{title}\">")).count()
}

#[test]
fn datasette_answers_and_logs() {
    check(Kind::Datasette, "/books/books", "name=\"_search\"");
}

#[test]
fn oscar_answers_and_logs() {
    check(Kind::Oscar, "/catalogue/", "action=\"/search/\"");
}

#[test]
fn roundup_answers_and_logs() {
    check(Kind::Roundup, "/tracker/", "name=\"@search_text\"");
}

#[test]
fn mediawiki_answers_and_logs() {
    check(Kind::MediaWiki, "/index.php/Main_Page", "name=\"search\"");
}

#[test]
fn a_server_ends_and_its_folder_is_removed() {
    let Some(server) = Server::start_or_skip(Kind::Datasette, &catalogue().limited(3)) else {
        return;
    };
    let folder = server.folder().to_owned();
    let port = server.port();
    assert_eq!(server.url(), format!("http://127.0.0.1:{port}/"));
    assert!(folder.exists());
    drop(server);
    assert!(!folder.exists());
    assert!(is_closed(port));
}

/// Runs the ignored test below in a process that is killed.
#[test]
fn a_server_ends_when_its_process_is_killed() {
    let program = std::env::current_exe().expect("a test has a path");
    let mut child = Command::new(program)
        .args(["--ignored", "--exact", "--nocapture", "a_server_until_killed"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("a test can be run");
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut lines = lines.map_while(Result::ok);
    let printed = lines.find_map(|line| {
        let (_, values) = line.split_once("started ")?;
        let (port, folder) = values.split_once(' ')?;
        Some((port.parse().expect("a port"), PathBuf::from(folder)))
    });
    child.kill().expect("it runs");
    child.wait().expect("it was killed");
    let Some((port, folder)) = printed else {
        magpie_test_support::skip("no server to kill");
        return;
    };
    while folder.exists() || !is_closed(port) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "is started by another test, which kills it"]
fn a_server_until_killed() {
    let Some(server) = Server::start_or_skip(Kind::Datasette, &catalogue().limited(3)) else {
        return;
    };
    println!("started {} {}", server.port(), server.folder().display());
    loop {
        std::thread::park();
    }
}

fn is_closed(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err()
}
