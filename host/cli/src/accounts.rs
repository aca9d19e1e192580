//! `magpie accounts`: who may log in to the web page, and keys of programs.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use magpie_serve::{AccountLine, Role, accounts, add_account, make_account_key, remove_account};
use magpie_terminal::process::now;
use magpie_terminal::{Failure, Printer, Table, settings};

use crate::args::{AccountsArgs, RoleArg};
use crate::feeds::failure;

/// The longest line that is read for a password, in bytes.
const MAX_LINE: u64 = 4_096;

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Role {
        match role {
            RoleArg::Reader => Role::Reader,
            RoleArg::Operator => Role::Operator,
        }
    }
}

pub(crate) fn run(arguments: &AccountsArgs, printer: &mut Printer) -> Result<(), Failure> {
    const LIST: &str = "magpie accounts";
    let folder = settings::required_workspace(&arguments.workspace)?;
    let role = arguments.role.map_or(Role::Reader, Role::from);
    if let Some(name) = &arguments.add {
        let password = password()?;
        add_account(&folder, name, role, &password, now()).map_err(|error| failure(&error, LIST))?;
        printer.tell(&format!("{name} may log in as {role}"));
        return Ok(());
    }
    if let Some(name) = &arguments.make_key {
        let key = make_account_key(&folder, name, role, now()).map_err(|error| failure(&error, LIST))?;
        printer.line(&key)?;
        printer.tell("this key is shown once; programs send it as `Authorization: Bearer`");
        return Ok(());
    }
    if let Some(name) = &arguments.remove {
        remove_account(&folder, name, now()).map_err(|error| failure(&error, LIST))?;
        printer.tell(&format!("the account {name} opens nothing any more"));
        return Ok(());
    }
    let all = accounts(&folder).map_err(|error| failure(&error, LIST))?;
    if arguments.json {
        return all
            .iter()
            .try_for_each(|account| printer.json(&AccountLine::from(account)));
    }
    if all.is_empty() {
        printer.tell("there is no account; `magpie accounts --add NAME --role operator` adds one");
        return Ok(());
    }
    let mut table = Table::default().head(["account", "role", "opens with", "made"]);
    for account in all {
        let with = if account.is_key() { "key" } else { "password" };
        let (role, made_at) = (account.role.to_string(), account.made_at.to_string());
        table.row((account.name, role, with.to_owned(), made_at));
    }
    printer.table(&table)
}

/// Prompts for a password twice without echo. Without a terminal, reads it from the standard input.
fn password() -> Result<String, Failure> {
    let failed = |error: io::Error| Failure::input(format!("can't read the password: {error}"));
    if !io::stdin().is_terminal() {
        let mut line = String::new();
        let mut input = io::stdin().lock().take(MAX_LINE);
        input.read_line(&mut line).map_err(failed)?;
        return Ok(line);
    }
    let password = rpassword::prompt_password("Password: ").map_err(failed)?;
    match rpassword::prompt_password("The same again: ").map_err(failed)? == password {
        true => Ok(password),
        false => Err(Failure::usage(
            "the two passwords are not the same: nothing was added",
        )),
    }
}
