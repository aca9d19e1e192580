//! Copies of workspaces from a folder to a server, and back.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use magpie_archive::{Archives, StoreUrl, carry};
use magpie_postgres::{CopiedServer, Server, Store};
use magpie_rows::StoreError;
use magpie_rows::copy::{AT_A_TIME, ComparedArea, Copied, Copier, CopyTarget};
use magpie_sqlite::{ARCHIVES, CopiedFolder, create_private};

use crate::checkout::{checkout, is_on_server, sync, workspace_files, workspace_name};
use crate::opened::{VERSION, on_server, open_for_copy, open_reader, open_workspace, place_of_archives};
use crate::settings::{FILE, Resolved};

/// Time for a statement that counts or adds up whole tables.
pub(crate) const STATEMENT_LIMIT: Duration = Duration::from_secs(3_600);

/// A step of a copy.
#[derive(Clone, Copy, Debug)]
pub enum CopyEvent<'a> {
    /// Rows of an area were written.
    Rows {
        /// The area.
        area: &'a str,
        /// The number of rows.
        rows: usize,
    },
    /// A file of the archive was put into the target, or was there.
    File {
        /// Its name in the target.
        name: &'a str,
        /// Its length.
        bytes: u64,
    },
}

/// Returns the number of a workspace that is to be copied. Fails if the target can't be of another
/// kind, or is a folder that is in use.
pub fn copied_workspace(from: &Path, to: &Path) -> Result<String, StoreError> {
    let refuse = |sentence: String| Err(StoreError::Copy { sentence });
    match (checkout(from).is_some(), is_on_server(to)) {
        (true, true) => {
            refuse("both workspaces are in PostgreSQL: copy the schema with `pg_dump` and `psql`".to_owned())
        }
        (false, false) => refuse("both workspaces are folders: copy the folder with `cp -r`".to_owned()),
        (true, false) if to.join("magpie.db").exists() => {
            Err(StoreError::AlreadyThere { path: to.to_owned() })
        }
        (true, false) if to.join(FILE).exists() && !to.join("magpie.db.part").exists() => refuse(format!(
            "{} has settings already: name a folder that is not there, or is empty",
            to.display()
        )),
        _ => open_reader(from)?.workspace_id(),
    }
}

/// Copies the files that people edit, and the others that belong to a workspace and not to this
/// machine.
pub fn copy_files(from: &Path, to: &Path) -> Result<(), StoreError> {
    for path in workspace_files(from)? {
        let (source, target) = (from.join(&path), to.join(&path));
        let content = fs::read(&source).map_err(|error| StoreError::file("can't read", &source, error))?;
        let write = || {
            fs::create_dir_all(target.parent().unwrap_or(to))?;
            // Settings may have passwords.
            if !target.exists() && !path.contains('/') {
                create_private(&target)?;
            }
            fs::write(&target, &content)
        };
        write().map_err(|error| StoreError::file("can't write", &target, error))?;
    }
    sync(to)
}

/// Copies a workspace with the settings in force there, or continues an interrupted copy. For a
/// workspace on a server, pass the folder of its working copy. Returns the areas that were
/// compared.
pub fn copy_workspace(
    (from, own): (&Path, &Resolved),
    (to, settings): (&Path, &Resolved),
    tell: &mut dyn FnMut(CopyEvent<'_>),
) -> Result<Vec<ComparedArea>, StoreError> {
    let compared = match (checkout(from), checkout(to)) {
        (None, Some(there)) => {
            let Some(place) = place_of_archives(settings) else {
                return Err(StoreError::Copy {
                    sentence: "a workspace in PostgreSQL needs a place for the pages: name an object store or a folder \
                               that all machines have, as in `--archive s3://BUCKET/PREFIX`"
                        .to_owned(),
                });
            };
            let target = CopiedServer::target(store(&there.server, settings)?, VERSION)?;
            let workspace = open_for_copy(from, own)?;
            let source = CopiedFolder::source(&workspace, target.buckets())?;
            let below = place.url.join(&source.workspace()?);
            let archives = Archives::new(from.join(ARCHIVES)).with_patience(place.patience);
            let moving = Moving {
                archives,
                rename: Box::new(move |name: &str| match StoreUrl::is_url(name) {
                    true => name.to_owned(),
                    false => below.join(name).to_string(),
                }),
                folder: None,
            };
            moving.copy(&source, Box::new(target), workspace_name(to), tell)?
        }
        (Some(there), None) => {
            let server = there.limited(STATEMENT_LIMIT)?;
            let source = CopiedServer::source(store(&server, own)?, VERSION)?;
            let target = CopiedFolder::target(to)?;
            let place = place_of_archives(settings);
            let patience = place_of_archives(own).map_or(Duration::from_secs(60), |place| place.patience);
            let moving = Moving {
                archives: Archives::new(PathBuf::new()).with_patience(patience),
                rename: match place {
                    Some(_) => Box::new(str::to_owned),
                    None => Box::new(|name: &str| name.rsplit('/').next().unwrap_or(name).to_owned()),
                },
                folder: Some(to.join(ARCHIVES)),
            };
            let compared = moving.copy(&source, Box::new(target), workspace_name(to), tell)?;
            // The index of objects is made when it is opened, and archives are looked for.
            drop(open_workspace(to, settings)?);
            compared
        }
        _ => Vec::new(),
    };
    sync(to)?;
    Ok(compared)
}

fn store(server: &Arc<Server>, settings: &Resolved) -> Result<Arc<Store>, StoreError> {
    on_server(server, Some(settings)).map(Arc::new)
}

/// The archive on its way.
struct Moving {
    archives: Archives,
    rename: Box<dyn Fn(&str) -> String>,
    /// The folder of archives in the target, if names are those of files.
    folder: Option<PathBuf>,
}

impl Moving {
    fn copy(
        &self,
        from: &dyn Copied,
        to: Box<dyn CopyTarget>,
        target: String,
        tell: &mut dyn FnMut(CopyEvent<'_>),
    ) -> Result<Vec<ComparedArea>, StoreError> {
        let copier = Copier {
            from,
            rename: &*self.rename,
            target,
            at_a_time: AT_A_TIME,
        };
        copier.copy(&*to, &mut |table, rows| {
            tell(CopyEvent::Rows {
                area: table.area,
                rows,
            });
            Ok(())
        })?;
        self.carry_files(from, tell)?;
        let compared = copier.compare(&*to)?;
        to.release()?;
        Ok(compared)
    }

    fn carry_files(&self, from: &dyn Copied, tell: &mut dyn FnMut(CopyEvent<'_>)) -> Result<(), StoreError> {
        let mut names = HashSet::new();
        for file in from.files()? {
            let name = (self.rename)(&file.name);
            if !names.insert(name.clone()) {
                return Err(StoreError::Copy {
                    sentence: format!(
                        "two files of the archive would be called {name}: keep them in the object store, without \
                         `--download`"
                    ),
                });
            }
            if name == file.name {
                // Both workspaces name the same file.
                continue;
            }
            let url = match &self.folder {
                None => name.clone(),
                Some(folder) => {
                    let folder = fs::canonicalize(folder)
                        .map_err(|error| StoreError::file("can't find", folder, error))?;
                    format!("file://{}/{name}", folder.display())
                }
            };
            let url = StoreUrl::parse(&url).map_err(|detail| StoreError::Copy {
                sentence: format!("the archive can't be put to {url}: {detail}"),
            })?;
            carry(&self.archives, &file.name, file.bytes, &url)?;
            tell(CopyEvent::File {
                name: &name,
                bytes: file.bytes,
            });
        }
        Ok(())
    }
}
