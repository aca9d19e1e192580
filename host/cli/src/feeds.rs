//! `magpie feeds`: the keys that open feeds to programs which can send no header.

use magpie_serve::{FeedKeyLine, LedgerError, feed_keys, make_feed_key, revoke_feed_key};
use magpie_terminal::process::now;
use magpie_terminal::{Failure, Printer, Table, settings};

use crate::args::FeedsArgs;

pub(crate) fn run(arguments: &FeedsArgs, printer: &mut Printer) -> Result<(), Failure> {
    const LIST: &str = "magpie feeds";
    let folder = settings::required_workspace(&arguments.workspace)?;
    if let Some(name) = &arguments.make {
        let key = make_feed_key(&folder, name, now()).map_err(|error| failure(&error, LIST))?;
        printer.line(&key)?;
        printer.tell("this key is shown once; add `?key=` and the key to the address of a feed");
        return Ok(());
    }
    if let Some(name) = &arguments.revoke {
        revoke_feed_key(&folder, name, now()).map_err(|error| failure(&error, LIST))?;
        printer.tell(&format!("the key {name} opens nothing any more"));
        return Ok(());
    }
    let keys = feed_keys(&folder).map_err(|error| failure(&error, LIST))?;
    if arguments.json {
        keys.iter()
            .try_for_each(|key| printer.json(&FeedKeyLine::from(key)))?;
        return Ok(());
    }
    if keys.is_empty() {
        printer.tell("there is no key; `magpie feeds --make NAME` makes one");
        return Ok(());
    }
    let mut table = Table::default().head(["key", "made"]);
    for key in keys {
        table.row((key.name, key.made_at.to_string()));
    }
    printer.table(&table)
}

/// The failure of a command about names that another command lists.
pub(crate) fn failure(error: &LedgerError, list: &str) -> Failure {
    match error {
        LedgerError::Name(_) | LedgerError::Password => Failure::usage(error.to_string()),
        LedgerError::Unknown { .. } => Failure::input(error.to_string()).hint(format!("`{list}` lists them")),
        LedgerError::File { source, .. } => Failure::input(format!("{error}: {source}")),
        LedgerError::Taken { .. }
        | LedgerError::TooMany
        | LedgerError::Damaged { .. }
        | LedgerError::TooLong(_)
        | LedgerError::NoRandomness => Failure::input(error.to_string()),
    }
}
