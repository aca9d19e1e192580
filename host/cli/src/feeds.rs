//! `magpie feeds`: the keys that open feeds to programs which can send no header.

use magpie_serve::{FeedKeyError, FeedKeyLine, feed_keys, make_feed_key, revoke_feed_key};
use magpie_terminal::process::now;
use magpie_terminal::{Failure, Printer, Table, settings};

use crate::args::FeedsArgs;

pub(crate) fn run(arguments: &FeedsArgs, printer: &mut Printer) -> Result<(), Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    if let Some(name) = &arguments.make {
        let key = make_feed_key(&folder, name, now()).map_err(|error| failure(&error))?;
        printer.line(&key)?;
        printer.tell("this key is shown once; add `?key=` and the key to the address of a feed");
        return Ok(());
    }
    if let Some(name) = &arguments.revoke {
        revoke_feed_key(&folder, name, now()).map_err(|error| failure(&error))?;
        printer.tell(&format!("the key {name} opens nothing any more"));
        return Ok(());
    }
    let keys = feed_keys(&folder).map_err(|error| failure(&error))?;
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

fn failure(error: &FeedKeyError) -> Failure {
    match error {
        FeedKeyError::Name(_) => Failure::usage(error.to_string()),
        FeedKeyError::Unknown(_) => Failure::input(error.to_string()).hint("`magpie feeds` lists the keys"),
        FeedKeyError::File { source, .. } => Failure::input(format!("{error}: {source}")),
        FeedKeyError::Taken(_)
        | FeedKeyError::TooMany
        | FeedKeyError::TooLong(_)
        | FeedKeyError::NoRandomness => Failure::input(error.to_string()),
    }
}
