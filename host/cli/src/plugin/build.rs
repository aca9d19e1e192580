//! `magpie plugin build`.

use magpie_kit::project::Project;
use magpie_runtime::{Sha256, read_component};
use magpie_terminal::{Failure, Printer, format};

use crate::plugin::args::BuildArgs;
use crate::plugin::lines::BuiltLine;
use crate::setup;

pub(crate) fn run(arguments: &BuildArgs, printer: &mut Printer) -> Result<(), Failure> {
    let built = setup::build(&Project::open(&arguments.dir)?, arguments.out.as_deref(), printer)?;
    let content =
        read_component(&built.component).map_err(|error| Failure::loading(&built.component, &error))?;
    let digest = Sha256::of(&content).to_string();
    if arguments.json {
        printer.json(&BuiltLine {
            component: built.component,
            digest,
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
        printer.line(&digest)?;
    }
    Ok(())
}
