use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;

use magpie_test_servers::{Postgres, Release, SharedPostgres};
use magpie_test_support::tls::Authority;

use super::*;
use crate::statement::in_schema;

/// Runs a test with a new workspace on each release of the server. The servers are those of all
/// tests.
pub(crate) fn each_release(test: impl Fn(&Arc<Server>, &SharedPostgres)) {
    let servers = Release::ALL.into_iter().filter_map(SharedPostgres::start_or_skip);
    for postgres in servers {
        let url = format!("{}?schema=unit{}", postgres.url("postgres"), std::process::id());
        let address = Address::parse(&url, None).expect("an address");
        let layout = Layout {
            partitions: 4,
            ..Layout::default()
        };
        let server = Server::create(address, ServerOptions::default(), layout);
        test(&server.expect("a workspace"), &postgres);
    }
}

/// Does the same with servers of its own.
pub(crate) fn each_own_release(test: impl Fn(&Arc<Server>, &mut Postgres)) {
    for release in Release::ALL {
        if let Some(mut postgres) = Postgres::start_or_skip(release) {
            let address = Address::parse(&postgres.url("postgres"), None).expect("an address");
            let server = Server::create(address, ServerOptions::default(), Layout::default());
            let server = server.expect("a workspace");
            test(&server, &mut postgres);
        }
    }
}

/// Executes statements that are no part of the store.
pub(crate) fn script(server: &Server, sql: &'static str) {
    let sql = in_schema(sql, &server.address.schema);
    let mut transaction = server.begin().expect("a transaction");
    transaction.script(&sql).expect("it is executed");
    transaction.commit().expect("a commit");
}

#[test]
fn problems_are_told_in_a_sentence_without_the_password() {
    each_own_release(|server, postgres| {
        script(server, "CREATE ROLE guest LOGIN PASSWORD 'knock-knock'");
        for sql in [
            "CREATE DATABASE closed",
            "ALTER DATABASE closed SET default_transaction_read_only = on",
        ] {
            let client = server.client().expect("a connection");
            let done = wait_for_all(vec![Box::pin(client.batch_execute(sql))], server.limit());
            done.expect("an answer").remove(0).expect(sql);
            server.give_back(Some(client));
        }
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|free| free.local_addr());
        let free = free.expect("a port").port();
        let url = postgres.url("postgres");
        let down = url.replace(&postgres.port().to_string(), &free.to_string());
        let cases = [
            (down, "can't reach"),
            (
                url.replace("open-sesame", "open-barley"),
                "refuses the user magpie",
            ),
            (postgres.url("nowhere"), "createdb nowhere"),
            (format!("{url}?schema=other"), "no workspace in the schema other"),
        ];
        for (url, expected) in cases {
            let address = Address::parse(&url, None).expect("an address");
            let error = Server::open(address, ServerOptions::default())
                .err()
                .expect(expected);
            let text = format!("{error} {error:?}");
            assert!(text.contains(expected), "{text}");
            assert!(!text.contains("open-"), "{text}");
        }
        let guest = url.replace("magpie:open-sesame", "guest:knock-knock");
        let guest = Address::parse(&format!("{guest}?schema=theirs"), None).expect("an address");
        let error = Server::create(guest, ServerOptions::default(), Layout::default()).err();
        let text = error.expect("it may not create").to_string();
        assert!(text.contains("does not let the user guest"), "{text}");
        let again = Server::create(
            server.address.clone(),
            ServerOptions::default(),
            Layout::default(),
        )
        .err();
        assert!(again.expect("it is there").to_string().contains("already has"));
        let order = Address::parse(&format!("{url}?schema=order"), None).expect("an address");
        let order = Server::create(order, ServerOptions::default(), Layout::default());
        assert!(schema::meta(&order.expect("a word of SQL is a name"), "buckets").is_ok());
        let closed = Address::parse(&postgres.url("closed"), None).expect("an address");
        let error = Server::create(closed, ServerOptions::default(), Layout::default()).err();
        let text = error.expect("it can't be written to").to_string();
        assert!(text.contains("is read-only"), "{text}");
        let old = check_version(server.address(), 140_011).expect_err("it is old");
        assert!(old.to_string().contains("is PostgreSQL 14, and Magpie needs 15"));
    });
}

#[test]
fn connections_are_encrypted_as_the_address_asks_for() {
    // The newest release that tests can have is built without TLS.
    let Some(mut postgres) = Postgres::start_or_skip(Release::V15) else {
        return;
    };
    let url = postgres.url("postgres");
    let address = Address::parse(&url, None).expect("an address");
    Server::create(address, ServerOptions::default(), Layout::default()).expect("a workspace");
    let outcome = |url: &str| -> Result<bool, String> {
        let address = Address::parse(url, None).expect("an address");
        let server = Server::open(address, ServerOptions::default()).map_err(|error| error.to_string())?;
        let answer = server.once(call(&ENCRYPTED, [])).map_err(StoreError::from);
        let answer = answer.expect("an answer");
        Ok(Cells::of(&answer.rows[0]).get::<bool>().expect("true or false"))
    };
    assert_eq!(outcome(&url), Ok(false));
    for mode in ["require", "verify-full"] {
        let text = outcome(&format!("{url}?sslmode={mode}")).expect_err("it has no TLS");
        assert!(text.contains("accepts no encrypted connections"), "{text}");
    }
    let (ours, theirs) = (Authority::new(), Authority::new());
    let stranger = "signed by no trusted authority";
    let mut check = |(certificate, key): (String, String), cases: &[(&str, &str, Result<bool, &str>)]| {
        postgres.encrypt(&certificate, &key);
        for (host, query, expected) in cases {
            let query = query.replace("OURS", &ours.path().display().to_string());
            let query = query.replace("THEIRS", &theirs.path().display().to_string());
            let url = format!("{}?{query}", url.replace("127.0.0.1", host));
            match (outcome(&url), expected) {
                (Err(text), Err(part)) => {
                    let is_right = text.contains(part) && !text.contains("open-sesame");
                    assert!(is_right, "{host} {query}: {text}");
                }
                (outcome, expected) => assert_eq!(outcome, expected.map_err(str::to_owned), "{host} {query}"),
            }
        }
    };
    let signed = [
        ("127.0.0.1", "", Ok(true)),
        ("127.0.0.1", "sslmode=prefer", Ok(true)),
        ("127.0.0.1", "sslmode=disable", Ok(false)),
        ("127.0.0.1", "sslmode=require", Ok(true)),
        ("127.0.0.1", "sslmode=require&sslrootcert=OURS", Ok(true)),
        ("127.0.0.1", "sslmode=require&sslrootcert=THEIRS", Err(stranger)),
        ("127.0.0.1", "sslmode=verify-ca&sslrootcert=OURS", Ok(true)),
        ("127.0.0.1", "sslmode=verify-ca&sslrootcert=THEIRS", Err(stranger)),
        (
            "127.0.0.1",
            "sslmode=verify-full&sslrootcert=OURS",
            Err("for another name"),
        ),
        ("localhost", "sslmode=verify-full&sslrootcert=OURS", Ok(true)),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=THEIRS",
            Err(stranger),
        ),
        ("localhost", "sslmode=verify-full", Err(stranger)),
        ("localhost", "sslrootcert=system", Err(stranger)),
    ];
    check(ours.pem("localhost"), &signed);
    let vouches_for_itself = [
        ("localhost", "sslmode=require", Ok(true)),
        ("localhost", "sslmode=verify-ca&sslrootcert=OURS", Ok(true)),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=OURS",
            Err("for another name"),
        ),
        (
            "localhost",
            "sslmode=verify-ca&sslrootcert=THEIRS",
            Err("can't be trusted"),
        ),
    ];
    check(ours.own_pem(), &vouches_for_itself);
}

#[test]
fn a_database_may_have_two_workspaces() {
    each_release(|server, postgres| {
        let other = format!("{}?schema=other{}", postgres.url("postgres"), std::process::id());
        let other = Address::parse(&other, None).expect("an address");
        let other = Server::create(other, ServerOptions::default(), Layout::default()).expect("a workspace");
        let id = |server: &Server| schema::meta(server, "workspace_id").expect("a name");
        assert_ne!(id(server), id(&other));
        assert_eq!(id(server).len(), 16);
    });
}

const SLEEP: Statement = Statement {
    name: "SLEEP",
    route: Route::Whole,
    sql: "SELECT pg_sleep(20)",
};

const ENCRYPTED: Statement = Statement {
    name: "ENCRYPTED",
    route: Route::Whole,
    sql: "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
};

const ECHO: Statement = Statement {
    name: "ECHO",
    route: Route::Whole,
    sql: "SELECT $1::text",
};

#[test]
fn statements_end_in_time_and_connections_go_on() {
    each_release(|server, _| {
        let options = ServerOptions {
            connections: 1,
            statement_limit: Duration::from_millis(200),
            ..ServerOptions::default()
        };
        let server = Server::open(server.address.clone(), options).expect("a workspace");
        let begin = Instant::now();
        let error = StoreError::from(server.once(call(&SLEEP, [])).err().expect("it takes too long"));
        assert!(matches!(error, StoreError::TooSlow { .. }), "{error}");
        assert!(begin.elapsed() < Duration::from_secs(5));
        // The only connection is in the pool again, and not in the failed transaction.
        let answer = server.once(call(&ECHO, ["a\0b".into()])).expect("an answer");
        let text: String = Cells::of(&answer.rows[0]).get().expect("a text");
        assert_eq!(text, "a\u{fffd}b");
        // A transaction that stands still is ended by the server.
        let mut frozen = server.begin().expect("a transaction");
        frozen.run(vec![call(&ECHO, ["x".into()])]).expect("an answer");
        sleep(Duration::from_millis(600));
        assert!(matches!(frozen.commit(), Err(Failure::Lost(_))));
        server.once(call(&ECHO, ["y".into()])).expect("a new connection");
    });
}
