//! `magpie plugin new`.

use magpie_kit::scaffold::{NewProject, new_project};
use magpie_terminal::{Failure, Printer, format};

use crate::plugin::args::NewArgs;
use crate::plugin::lines::NewLine;

pub(crate) fn run(arguments: NewArgs, printer: &mut Printer) -> Result<(), Failure> {
    let NewArgs {
        dir,
        lang,
        name,
        object,
        validator,
        sdk,
        json,
    } = arguments;
    let project = NewProject {
        folder: dir,
        language: lang.into(),
        name,
        object,
        is_validator: validator,
        sdk,
    };
    let name = new_project(&project)?;
    if json {
        return printer.json(&NewLine {
            vertical: name,
            dir: project.folder,
        });
    }
    printer.line(&format!(
        "Made the vertical `{name}` in `{}`. Next:",
        project.folder.display()
    ))?;
    let dir = format::typed(&project.folder);
    printer.line("")?;
    printer.line(&format!(
        "  magpie plugin test {dir}      build it, and run its fixtures against the component"
    ))?;
    let source = project.language.source();
    let what = match project.is_validator {
        true => "say which pages are relevant",
        false => "say what an object is, and how to find it",
    };
    printer.line(&format!(
        "  $EDITOR {}      {what}",
        format::typed(&project.folder.join(source))
    ))?;
    printer.line(&format!(
        "  magpie plugin record URL --dir {dir}      save a page of your own as a fixture"
    ))?;
    Ok(())
}
