//! Connections to the server, and transactions.

use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use magpie_rows::StoreError;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use crate::address::Address;
use crate::failure::{Failure, read_only, server_error};
use crate::schema::{self, COPYING, Layout};
use crate::statement::{Route, Statement};
use crate::statements::SERVER;
use crate::value::{Cells, Value};
use crate::wait::{Pending, wait_for_all};

/// The oldest server, as `server_version_num` has it.
const OLDEST_SERVER: i64 = 150_000;

/// Time for an answer beyond the limit of statements. After it the connection counts as lost.
const SLACK: Duration = Duration::from_secs(5);

/// Time between attempts while a server is down.
pub(crate) const AGAIN: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug)]
pub struct ServerOptions {
    /// Maximum number of connections. Callers wait for a free one.
    pub connections: usize,
    /// Maximum time of a statement, and of a transaction between two statements. The row locks of a
    /// process that is frozen are given back after it.
    pub statement_limit: Duration,
    /// Time in which a server that is down has to come back. It has to be there when a workspace is
    /// opened.
    pub patience: Duration,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions {
            connections: 8,
            statement_limit: Duration::from_secs(30),
            patience: Duration::from_secs(60),
        }
    }
}

/// A PostgreSQL server with a workspace.
pub struct Server {
    address: Address,
    options: ServerOptions,
    pool: Mutex<Pool>,
    /// Rung when a connection is free.
    freed: Condvar,
    /// It is a replica, or was set so.
    is_read_only: bool,
    /// The thread that drives the connections.
    runtime: Option<Runtime>,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Client>,
    lent: usize,
}

/// A statement with its values.
#[derive(Clone)]
pub(crate) struct Call<'a> {
    statement: &'static Statement,
    values: Vec<Value<'a>>,
}

pub(crate) fn call<'a, const N: usize>(statement: &'static Statement, values: [Value<'a>; N]) -> Call<'a> {
    Call::new(statement, values.into())
}

impl<'a> Call<'a> {
    pub(crate) fn new(statement: &'static Statement, values: Vec<Value<'a>>) -> Call<'a> {
        let names_bucket = matches!(values.first(), Some(Value::Small(_)));
        debug_assert!(
            statement.route != Route::Bucket || names_bucket,
            "{}",
            statement.name
        );
        Call { statement, values }
    }
}

/// The result of a statement.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) rows: Vec<Row>,
    /// The number of rows that it changed, if it returns none.
    pub(crate) changed: u64,
}

impl Server {
    /// Connects to a server, and makes the tables of a new workspace.
    pub fn create(
        address: Address,
        options: ServerOptions,
        layout: Layout,
    ) -> Result<Arc<Server>, StoreError> {
        let (server, has_workspace) = Server::connect(address, options)?;
        server.check_writable()?;
        if has_workspace {
            return Err(server_error(format!(
                "{} already has a workspace in the schema {}",
                server.address, server.address.schema
            )));
        }
        schema::create(&server, layout)?;
        Ok(Arc::new(server))
    }

    /// Connects to a server with a workspace, and brings its tables up to date. A server that can't
    /// be written to is for readers.
    pub fn open(address: Address, options: ServerOptions) -> Result<Arc<Server>, StoreError> {
        let (server, has_workspace) = Server::connect(address, options)?;
        if !has_workspace {
            return Err(server_error(format!(
                "{} has no workspace in the schema {}: create one with `magpie init`",
                server.address, server.address.schema
            )));
        }
        schema::upgrade(&server)?;
        if !schema::meta(&server, COPYING)?.is_empty() {
            return Err(server_error(format!(
                "{} has the copy of a workspace that was interrupted: run `magpie workspace copy` again",
                server.address
            )));
        }
        Ok(Arc::new(server))
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Fails if the server can't be written to.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        match self.is_read_only {
            true => Err(server_error(read_only(&self.address))),
            false => Ok(()),
        }
    }

    pub(crate) fn connect(address: Address, options: ServerOptions) -> Result<(Server, bool), StoreError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("magpie-postgres")
            .enable_all()
            .build()
            .map_err(|error| server_error(format!("can't start a thread for connections: {error}")))?;
        let mut server = Server {
            address,
            options,
            pool: Mutex::default(),
            freed: Condvar::new(),
            is_read_only: false,
            runtime: Some(runtime),
        };
        let answer = server.once(call(&SERVER, []))?;
        let [row] = answer.rows.as_slice() else {
            return Err(server_error(format!("{} gives no version", server.address)));
        };
        let mut cells = Cells::of(row);
        let version: i64 = cells.get()?;
        let (is_replica, is_read_only): (bool, bool) = (cells.get()?, cells.get()?);
        let has_workspace = cells.get()?;
        check_version(&server.address, version)?;
        server.is_read_only = is_replica || is_read_only;
        Ok((server, has_workspace))
    }

    /// Executes one statement in a transaction of its own, in one round trip.
    pub(crate) fn once(&self, call: Call<'_>) -> Result<Answer, Failure> {
        let mut transaction = self.begin()?;
        let answer = transaction.send(vec![call], true)?.remove(0);
        transaction.is_open = answer.is_err();
        answer
    }

    /// Executes one statement that may be done twice, and waits for a server that is down.
    pub(crate) fn patiently(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        let begin = Instant::now();
        loop {
            match self.once(call.clone()) {
                Err(Failure::Lost(_)) if begin.elapsed() < self.options.patience => sleep(AGAIN),
                outcome => return outcome,
            }
        }
    }

    /// Begins a transaction. Nothing is sent before its first statement.
    pub(crate) fn begin(&self) -> Result<Transaction<'_>, Failure> {
        self.begin_with("BEGIN")
    }

    /// Begins a transaction whose statements read the same state of the database.
    pub(crate) fn snapshot(&self) -> Result<Transaction<'_>, Failure> {
        self.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    }

    fn begin_with(&self, command: &'static str) -> Result<Transaction<'_>, Failure> {
        Ok(Transaction {
            client: Some(self.client()?),
            server: self,
            command,
            is_open: false,
        })
    }

    /// The time in which a server that is down has to come back.
    pub(crate) fn patience(&self) -> Duration {
        self.options.patience
    }

    /// The time after which an answer counts as lost.
    pub(crate) fn limit(&self) -> Duration {
        self.options.statement_limit + SLACK
    }

    /// Takes a connection out of the pool, or makes one.
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        let mut pool = self.pool();
        loop {
            if let Some(client) = pool.idle.pop() {
                if client.is_closed() {
                    continue;
                }
                pool.lent += 1;
                return Ok(client);
            }
            if pool.lent < self.options.connections {
                pool.lent += 1;
                break;
            }
            pool = self.freed.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
        drop(pool);
        let made = self.new_client();
        if made.is_err() {
            self.give_back(None);
        }
        made
    }

    fn new_client(&self) -> Result<Client, Failure> {
        let (sender, answer) = sync_channel(1);
        let (config, tls) = (self.address.config.clone(), self.address.tls.clone());
        let Some(runtime) = &self.runtime else {
            return Err(self.silent("the connection"));
        };
        // In the runtime, which has the sockets and the clock.
        runtime.spawn(async move {
            match config.connect(tls).await {
                Ok((client, connection)) => {
                    // The caller may have given up.
                    let _ = sender.send(Ok(client));
                    // Its errors reach the client's futures.
                    let _ = connection.await;
                }
                Err(error) => {
                    let _ = sender.send(Err(error));
                }
            }
        });
        let limit = self.address.connect_limit() + SLACK;
        let made = answer
            .recv_timeout(limit)
            .map_err(|_| self.silent("the connection"))?;
        made.map_err(|error| Failure::of(&error, &self.address, "connect", limit))
    }

    /// Gives a connection back to the pool. Without one, its place is given back; it was lost, and
    /// those that were made with it probably are.
    fn give_back(&self, client: Option<Client>) {
        let mut pool = self.pool();
        pool.lent -= 1;
        match client {
            Some(client) => pool.idle.push(client),
            None => pool.idle.clear(),
        }
        drop(pool);
        self.freed.notify_one();
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn silent(&self, what: &str) -> Failure {
        Failure::Lost(server_error(format!(
            "{} does not answer ({what}): the server or the network is overloaded or down",
            self.address
        )))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waiting is forbidden where a caller drops it inside another runtime.
            runtime.shutdown_background();
        }
    }
}

/// Refuses servers that are too old.
fn check_version(address: &Address, version: i64) -> Result<(), StoreError> {
    match version < OLDEST_SERVER {
        true => Err(server_error(format!(
            "{address} is PostgreSQL {}, and Magpie needs {} or later: upgrade the server",
            version / 10_000,
            OLDEST_SERVER / 10_000
        ))),
        false => Ok(()),
    }
}

/// A transaction. If it is dropped, it is undone.
pub(crate) struct Transaction<'s> {
    server: &'s Server,
    /// `None` once the connection is given up.
    client: Option<Client>,
    /// Begins it.
    command: &'static str,
    is_open: bool,
}

impl Transaction<'_> {
    /// Executes statements in one round trip. Fails with the first that failed.
    pub(crate) fn run(&mut self, calls: Vec<Call<'_>>) -> Result<Vec<Answer>, Failure> {
        self.send(calls, false)?.into_iter().collect()
    }

    /// Executes statements in one round trip, and returns the answers one by one: after one that
    /// failed the server refuses the others.
    pub(crate) fn try_run(&mut self, calls: Vec<Call<'_>>) -> Result<Vec<Result<Answer, Failure>>, Failure> {
        self.send(calls, false)
    }

    /// Executes statements without values, such as those that make tables.
    pub(crate) fn script(&mut self, sql: &str) -> Result<(), Failure> {
        self.run(Vec::new())?;
        let client = self.client.as_ref();
        let Some(client) = client else {
            return Err(self.server.silent("a script"));
        };
        let done = wait_for_all(vec![Box::pin(client.batch_execute(sql))], self.server.limit());
        self.received("a script", done)?.remove(0).map(drop)
    }

    /// Makes everything durable. If the answer is lost, so is the knowledge of the outcome.
    pub(crate) fn commit(mut self) -> Result<(), Failure> {
        if self.is_open {
            self.command("COMMIT")?;
            self.is_open = false;
        }
        Ok(())
    }

    fn send(&mut self, calls: Vec<Call<'_>>, commit: bool) -> Result<Vec<Result<Answer, Failure>>, Failure> {
        let milliseconds = self.server.options.statement_limit.as_millis();
        let begin = format!(
            "{}; SET LOCAL statement_timeout = {milliseconds};
             SET LOCAL idle_in_transaction_session_timeout = {milliseconds}",
            self.command
        );
        let schema = &self.server.address.schema;
        let Some(client) = &self.client else {
            return Err(self.server.silent("a closed connection"));
        };
        let ready: Vec<_> = calls
            .into_iter()
            .map(|call| (call.statement.name, call.statement.text(schema), call.values))
            .collect();
        let mut names = Vec::with_capacity(ready.len() + 2);
        let mut futures: Vec<Pending<'_, Result<Answer, tokio_postgres::Error>>> = Vec::new();
        let command = |sql| -> Pending<'_, Result<Answer, tokio_postgres::Error>> {
            Box::pin(async move { client.batch_execute(sql).await.map(|()| Answer::default()) })
        };
        if !self.is_open {
            names.push("BEGIN");
            futures.push(command(&begin));
        }
        let skipped = futures.len();
        for (name, sql, values) in &ready {
            names.push(name);
            let values: Vec<(&(dyn ToSql + Sync), Type)> = values
                .iter()
                .map(|value| (value as &(dyn ToSql + Sync), value.kind()))
                .collect();
            let has_rows =
                ["SELECT", "WITH"].iter().any(|word| sql.starts_with(word)) || sql.contains("RETURNING");
            futures.push(Box::pin(async move {
                let mut answer = Answer::default();
                match has_rows {
                    true => answer.rows = client.query_typed(sql, &values).await?,
                    false => answer.changed = client.execute_typed(sql, &values).await?,
                }
                Ok(answer)
            }));
        }
        if commit {
            names.push("COMMIT");
            futures.push(command("COMMIT"));
        }
        let done = wait_for_all(futures, self.server.limit());
        self.is_open = true;
        let Some(done) = done else {
            self.client = None;
            return Err(self.server.silent("a statement"));
        };
        let limit = self.server.options.statement_limit;
        let mut answers = Vec::with_capacity(done.len());
        for (name, answer) in names.into_iter().zip(done) {
            let answer = answer.map_err(|error| Failure::of(&error, &self.server.address, name, limit));
            // A connection that is gone has no answer to anything.
            if let Err(Failure::Lost(error)) = answer {
                self.client = None;
                return Err(Failure::Lost(error));
            }
            answers.push(answer);
        }
        answers.drain(..skipped).collect::<Result<Vec<_>, _>>()?;
        Ok(answers)
    }

    /// Executes a statement without values or rows.
    fn command(&mut self, sql: &'static str) -> Result<(), Failure> {
        let Some(client) = &self.client else {
            return Err(self.server.silent(sql));
        };
        let done = wait_for_all(vec![Box::pin(client.batch_execute(sql))], self.server.limit());
        self.received(sql, done)?.remove(0)
    }

    /// Describes the errors of answers; without answers the connection is given up.
    fn received(
        &mut self,
        name: &'static str,
        done: Option<Vec<Result<(), tokio_postgres::Error>>>,
    ) -> Result<Vec<Result<(), Failure>>, Failure> {
        let Some(done) = done else {
            self.client = None;
            return Err(self.server.silent(name));
        };
        let limit = self.server.options.statement_limit;
        let described = |error| Failure::of(&error, &self.server.address, name, limit);
        let done: Vec<Result<(), Failure>> =
            done.into_iter().map(|answer| answer.map_err(described)).collect();
        if done.iter().any(|answer| matches!(answer, Err(Failure::Lost(_)))) {
            self.client = None;
        }
        Ok(done)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_open && self.command("ROLLBACK").is_err() {
            // The server undoes what a closed connection began.
            self.client = None;
        }
        self.server.give_back(self.client.take());
    }
}

#[cfg(test)]
pub(crate) mod tests;
