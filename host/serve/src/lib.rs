//! The web page of a workspace.
//!
//! [`Server::bind`] opens the addresses, and [`Server::run`] answers until it is stopped. The
//! server reads the workspace and writes nothing into it but the [`audit`].
//!
//! Each area has a module with a function `routes`, and [`router`] composes them. All requests pass
//! [`security`] before they are routed. A handler reads the workspace with [`App::read`], which
//! runs on a thread for blocking work, and returns an [`Error`] with a sentence for the reader;
//! [`present`] writes it as a page, or as JSON for those who asked for data.
//!
//! [Decision 35](../../../docs/decisions/035-web-page.md) has the reasons of the design.

mod accounts;
mod act;
mod answer;
mod api;
mod asked;
mod assets;
mod audit;
mod audit_page;
mod connections;
mod control;
mod error;
mod feeds;
mod flight;
mod format;
mod frame;
mod ledger;
mod limits;
mod live;
mod mcp;
mod objects;
mod operator;
mod pictures;
mod pool;
mod present;
mod router;
mod security;
mod server;
mod state;
mod webhook;
mod words;

pub use accounts::{Account, AccountLine, Role, accounts, add_account, make_account_key, remove_account};
pub use act::{Act, Actions, Effect};
pub use audit::Log;
pub use feeds::FeedKeyLine;
pub use feeds::keys::{FeedKey, feed_keys, make_feed_key, revoke_feed_key};
pub use ledger::LedgerError;
pub use limits::Limits;
pub use mcp::run_stdio;
pub use security::bind::BindError;
pub use server::{Server, ServerOptions};
pub use state::Place;
pub use webhook::{BadWebhook, Deliverer, WebhookLine, WebhookState, resumed};

pub(crate) use answer::{html, json};
pub(crate) use error::Error;
pub(crate) use format::{Format, Named};
pub(crate) use magpie_report::{blocks, href};
pub(crate) use state::App;
