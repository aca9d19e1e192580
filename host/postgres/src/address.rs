//! The address of a workspace in PostgreSQL.

use std::fmt::{self, Debug, Display, Formatter};
use std::time::Duration;

use magpie_rows::StoreError;
use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::failure::server_error;
use crate::tls;

/// The schema of a workspace if its address names none.
const SCHEMA: &str = "magpie";

/// Time in which a connection must be made.
const CONNECT: Duration = Duration::from_secs(10);

/// The address of a workspace: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
///
/// `?schema=NAME` names a schema other than `magpie`: a database may have several workspaces.
/// `sslmode` and `sslrootcert` are those of libpq. Shown as text it has no password.
#[derive(Clone)]
pub struct Address {
    pub(crate) config: Config,
    pub(crate) tls: MakeRustlsConnect,
    pub(crate) schema: String,
    user: String,
    /// Without user and password.
    shown: String,
}

impl Address {
    /// Parses an address. A password outside of it is used where it has none.
    ///
    /// Errors never quote the address, which may have a password.
    pub fn parse(text: &str, password: Option<&str>) -> Result<Address, StoreError> {
        let bad = |problem: &str| {
            server_error(format!(
                "the address of the PostgreSQL workspace is wrong: {problem}. Write \
                 postgres://USER:PASSWORD@HOST:PORT/DATABASE, with characters such as @ and / in the password \
                 written as %40 and %2F"
            ))
        };
        let is_url = ["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| text.starts_with(scheme));
        if !is_url {
            return Err(bad("it does not begin with postgres://"));
        }
        let (base, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut schema, mut ssl_mode, mut authorities) = (SCHEMA, None, None);
        let mut others = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("schema", name)) => schema = name,
                Some(("sslmode", mode)) => ssl_mode = Some(mode),
                Some(("sslrootcert", file)) => {
                    authorities = Some(percent_decode_str(file).decode_utf8_lossy());
                }
                _ => others.push(pair),
            }
        }
        let is_name = schema.len() <= 63
            && schema.starts_with(|first: char| first.is_ascii_lowercase())
            && schema
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if !is_name || schema.starts_with("pg_") {
            return Err(bad(
                "the name of the schema must be small letters, digits and _, after a letter",
            ));
        }
        let mut config: Config = match others.is_empty() {
            true => base.parse(),
            false => format!("{base}?{}", others.join("&")).parse(),
        }
        .map_err(|_| bad("it can't be read, or has an unknown parameter"))?;
        let Some(host) = config.get_hosts().first() else {
            return Err(bad("it names no host"));
        };
        let host = match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(folder) => folder.display().to_string(),
        };
        let (Some(user), Some(database)) = (config.get_user(), config.get_dbname()) else {
            return Err(bad("it lacks the user or the database"));
        };
        let (mut ssl_mode, tls) = tls::parse(ssl_mode, authorities.as_deref()).map_err(|problem| {
            server_error(format!(
                "the address of the PostgreSQL workspace is wrong: {problem}"
            ))
        })?;
        // Servers encrypt no local sockets, and libpq does not ask for it.
        if !config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_))) {
            ssl_mode = SslMode::Disable;
        }
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let shown_schema = match schema {
            SCHEMA => String::new(),
            schema => format!("?schema={schema}"),
        };
        let address = Address {
            schema: schema.to_owned(),
            user: user.to_owned(),
            shown: format!("postgres://{host}:{port}/{database}{shown_schema}"),
            config: Config::new(),
            tls,
        };
        if let (None, Some(password)) = (config.get_password(), password) {
            config.password(password);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        config.application_name("magpie").ssl_mode(ssl_mode);
        Ok(Address { config, ..address })
    }

    pub(crate) fn user(&self) -> &str {
        &self.user
    }

    pub(crate) fn database(&self) -> &str {
        self.config.get_dbname().unwrap_or_default()
    }

    pub(crate) fn connect_limit(&self) -> Duration {
        self.config.get_connect_timeout().copied().unwrap_or(CONNECT)
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Debug for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown_without_password() {
        let address = Address::parse("postgres://me:s3cret%40@db.test:5433/shop?schema=two", None);
        let address = address.expect("an address");
        assert_eq!(address.to_string(), "postgres://db.test:5433/shop?schema=two");
        assert_eq!(
            (address.schema.as_str(), address.user(), address.database()),
            ("two", "me", "shop")
        );
        assert_eq!(address.config.get_password(), Some(b"s3cret@".as_slice()));
        assert!(!format!("{address:?} {address}").contains("s3cret"));
        let without = Address::parse("postgresql://me@db.test/shop", Some("outside")).expect("an address");
        assert_eq!(without.config.get_password(), Some(b"outside".as_slice()));
        assert_eq!(without.schema, "magpie");
        for (host, mode) in [
            ("%2Frun%2Fpostgresql", SslMode::Disable),
            ("db.test", SslMode::Require),
        ] {
            let address = Address::parse(&format!("postgres://me@{host}/shop?sslmode=require"), None);
            assert_eq!(address.expect("an address").config.get_ssl_mode(), mode);
        }
    }

    #[test]
    fn wrong_addresses_are_refused_without_quoting_them() {
        for text in [
            "host=db.test password=s3cret",
            "postgres://me:s3cret@db.test",
            "postgres://me:s3cret@/shop",
            "postgres://me:s3cret@db.test:port/shop",
            "postgres://me:s3cret@db.test/shop?wrong=1",
            "postgres://me:s3cret@db.test/shop?schema=A\"b",
            "postgres://me:s3cret@db.test/shop?sslmode=allow",
            "postgres://me:s3cret@db.test/shop?sslmode=verify-ca",
            "postgres://me:s3cret@db.test/shop?sslmode=verify-full&sslrootcert=/not/there.pem",
        ] {
            let error = Address::parse(text, None).expect_err(text);
            assert!(!format!("{error} {error:?}").contains("s3cret"), "{text}");
        }
    }
}
