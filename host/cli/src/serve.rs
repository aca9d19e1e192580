//! `magpie serve`: the workspace as a web page.

use std::sync::Arc;

use magpie_serve::{BindError, Server, ServerOptions};
use magpie_terminal::workspace::Opened;
use magpie_terminal::{Failure, Printer, process};

use crate::args::ServeArgs;

pub(crate) fn run(arguments: &ServeArgs, printer: &mut Printer) -> Result<(), Failure> {
    // A workspace that can't be read is reported now, not at the first request.
    let Opened { folder, settings, .. } = Opened::by(&arguments.settings)?;
    let runtime = magpie_engine::runtime(&settings)?;
    let options = ServerOptions {
        folder,
        settings: Arc::new(settings),
        listen: arguments.listen.clone(),
        clock: process::clock().clone(),
        actions: None,
    };
    let server = runtime
        .block_on(Server::bind(options))
        .map_err(|error| cannot_bind(&error))?;
    printer.line(&server.url())?;
    printer.flush()?;
    printer.tell("serving the workspace; Ctrl-C stops");
    runtime.block_on(server.run(process::stop_on_interrupt().receiver()));
    Ok(())
}

/// The failure of a server that does not start.
pub(crate) fn cannot_bind(error: &BindError) -> Failure {
    let mut message = error.to_string();
    if let Some(cause) = std::error::Error::source(error) {
        message.push_str(&format!(": {cause}"));
    }
    match error {
        BindError::Address(_) => Failure::usage(message),
        BindError::Open(_) => Failure::usage(message).hint(
            "listen at 127.0.0.1, or write a long random line into a file of mode 0600 and name it with \
             `--set serve.token_file=FILE`",
        ),
        BindError::TokenFileIsOpen(_) => Failure::usage(message).hint("`chmod 600` it"),
        BindError::HeaderWithoutProxy(_) => {
            Failure::usage(message).hint("name the proxy with `--set 'serve.trusted_proxies=[\"10.0.0.2\"]'`")
        }
        BindError::Token(_) | BindError::Header(_) | BindError::Proxy(_) | BindError::ProxyWithoutHeader => {
            Failure::usage(message)
        }
        BindError::TokenFile { .. } => Failure::input(message),
        BindError::Listen { .. } => Failure::input(message)
            .hint("another program may use the port: name another one with `--listen 127.0.0.1:PORT`"),
    }
}
