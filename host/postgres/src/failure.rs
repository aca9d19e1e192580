//! Failures of the server, in sentences.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use magpie_rows::StoreError;
use tokio_postgres::error::SqlState;

use crate::address::Address;
use crate::statements::warehouse::{ALL_THERE, SAME_EPOCH};
use crate::tls;

/// The error of the client if a server has no TLS and must have it.
const NO_TLS: &str = "server does not support TLS";

/// The reason why statements failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The connection is gone or the answer did not come. What was sent may have been done.
    Lost(StoreError),
    /// The server refused a statement. The transaction is undone.
    Refused {
        state: SqlState,
        /// The name of the statement in the list of statements.
        statement: &'static str,
        error: StoreError,
    },
    /// A row could not be read, or the program disagrees with the database.
    Other(StoreError),
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> StoreError {
        match failure {
            Failure::Lost(error) | Failure::Refused { error, .. } | Failure::Other(error) => error,
        }
    }
}

impl Failure {
    /// Returns true if a statement was refused with a state.
    pub(crate) fn is(&self, name: &str, wanted: &SqlState) -> bool {
        matches!(self, Failure::Refused { state, statement, .. } if state == wanted && *statement == name)
    }

    /// Describes an error of the client. `limit` is that of statements.
    pub(crate) fn of(
        error: &tokio_postgres::Error,
        address: &Address,
        statement: &'static str,
        limit: Duration,
    ) -> Failure {
        if let Some(refusal) = error.as_db_error() {
            let state = refusal.code().clone();
            let error = refused(address, &state, refusal.message(), statement, limit);
            // The server is going down, or coming up, or full for now: it is the connection that
            // failed. A replica also ends statements that hold up the replay of changes.
            let passing = [
                SqlState::T_R_SERIALIZATION_FAILURE,
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::TOO_MANY_CONNECTIONS,
            ];
            if passing.contains(&state) {
                return Failure::Lost(error);
            }
            return Failure::Refused {
                state,
                statement,
                error,
            };
        }
        if error.is_closed() {
            return Failure::Lost(server_error(format!(
                "the connection to {address} was closed: the server or the network failed. See the log of the server"
            )));
        }
        // The chain of errors of the client names no password.
        let cause = error.source();
        let stream = cause.and_then(|cause| cause.downcast_ref::<io::Error>()?.get_ref());
        if let Some(refusal) = stream.and_then(|error| error.downcast_ref()) {
            let (reason, remedy) = tls::refusal(refusal);
            return Failure::Lost(server_error(format!(
                "there is no trusted connection to {address}: {reason}. {remedy}"
            )));
        }
        let cause = cause.map_or_else(|| error.to_string(), ToString::to_string);
        if cause == NO_TLS {
            return Failure::Lost(server_error(format!(
                "{address} accepts no encrypted connections, which sslmode asks for: set `ssl = on` in its \
                 postgresql.conf"
            )));
        }
        Failure::Lost(server_error(format!(
            "can't reach {address}: {cause}. Start the server, or correct the address of the workspace"
        )))
    }
}

/// An error that is one sentence for people.
pub(crate) fn server_error(sentence: String) -> StoreError {
    StoreError::Server { sentence }
}

pub(crate) fn read_only(address: &Address) -> String {
    format!(
        "{address} is read-only: it is a replica, or was set so. To write, use the address of the primary server"
    )
}

fn refused(
    address: &Address,
    state: &SqlState,
    message: &str,
    statement: &str,
    limit: Duration,
) -> StoreError {
    let (user, database) = (address.user(), address.database());
    server_error(match state.code() {
        "28P01" | "28000" => format!(
            "{address} refuses the user {user}: {message}. Correct the user or the password, or allow the \
             connection in pg_hba.conf"
        ),
        "3D000" => format!("{address} has no database {database}: create it with `createdb {database}`"),
        "42501" => format!(
            "{address} does not let the user {user} do this: {message}. Make the user the owner of the database"
        ),
        "25006" => read_only(address),
        "53100" => {
            return StoreError::DiskFull {
                file: address.to_string().into(),
            };
        }
        "40001" => format!(
            "{address} ended a statement that held up the replay of changes: raise max_standby_streaming_delay there, or \
             ask for less"
        ),
        "53300" => format!("{address} has no connection left: raise max_connections, or use a pooler"),
        "57P03" => format!("{address} is starting or stopping: try again in a moment"),
        "57P01" | "57P02" => format!("{address} was stopped: start it again. Acknowledged results are safe"),
        "22012" if statement == SAME_EPOCH.name => {
            "another process wrote objects meanwhile: nothing was written, so try again".to_owned()
        }
        "22012" if statement == ALL_THERE.name => {
            "a batch names a vertical, an object or a member that is not there: nothing was written"
                .to_owned()
        }
        "57014" => return StoreError::TooSlow { limit },
        code => format!("{address} refused the statement `{statement}` with {code}: {message}"),
    })
}
