//! `magpie plugin build`.

use magpie_kit::project::Project;
use magpie_terminal::{Failure, Printer, format};

use crate::plugin::args::BuildArgs;
use crate::plugin::lines::BuiltLine;
use crate::setup;

pub(crate) fn run(arguments: &BuildArgs, printer: &mut Printer) -> Result<(), Failure> {
    let built = setup::build(&Project::open(&arguments.dir)?, arguments.out.as_deref(), printer)?;
    if arguments.json {
        printer.json(&BuiltLine {
            component: built.component,
            digest: format!("blake3:{}", built.digest),
            bytes: built.bytes,
            fresh: built.fresh,
        })?;
    } else {
        let state = if built.fresh { "as it was" } else { "built" };
        printer.line(&format!(
            "{}  {}, {state}",
            built.component.display(),
            format::bytes(built.bytes)
        ))?;
        printer.line(&format!("blake3:{}", built.digest))?;
    }
    Ok(())
}
