//! `magpie serve`: the workspace as a web page.

use std::sync::Arc;

use magpie_serve::{BindError, Limits, Log, Server, ServerOptions};
use magpie_terminal::workspace::Opened;
use magpie_terminal::{ColorChoice, Failure, Printer, process};

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
        log: log(printer),
        limits: Limits::default(),
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

/// Returns the log of a server: stderr, unless the command is to be quiet.
pub(crate) fn log(printer: &Printer) -> Option<Log> {
    let log = |line: &str| Printer::new(ColorChoice::Never, false, false).tell(line);
    (!printer.is_quiet()).then(|| Arc::new(log) as Log)
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
            "add one with `magpie accounts --add NAME --role operator`, listen at 127.0.0.1, or let everybody \
             read with `--set serve.readers=everybody`",
        ),
        BindError::HeaderWithoutProxy(_) => {
            Failure::usage(message).hint("name the proxy with `--set 'serve.trusted_proxies=[\"10.0.0.2\"]'`")
        }
        BindError::Header(_) | BindError::Proxy(_) => Failure::usage(message),
        BindError::Accounts(_) => Failure::input(message),
        BindError::Listen { .. } => Failure::input(message)
            .hint("another program may use the port: name another one with `--listen 127.0.0.1:PORT`"),
    }
}
