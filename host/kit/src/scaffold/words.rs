//! The words of a new project: what it, its objects and its types are called.

use std::path::Path;

use super::{NewProject, ScaffoldError};

/// The words that go into the templates.
pub(super) struct Words {
    pub(super) name: String,
    object: String,
    vertical: String,
    is_validator: bool,
}

impl Words {
    pub(super) fn of(project: &NewProject) -> Result<Self, ScaffoldError> {
        let name = project
            .name
            .clone()
            .unwrap_or_else(|| folder_name(&project.folder));
        if TAKEN.contains(&name.as_str()) {
            return Err(ScaffoldError::Taken(name));
        }
        if !is_name(&name) {
            return Err(ScaffoldError::Name(name));
        }
        let object = project
            .object
            .clone()
            .unwrap_or_else(|| singular(&capitalised(&name)));
        let sound = |c: char| c.is_ascii_alphanumeric();
        if !object.starts_with(|c: char| c.is_ascii_uppercase()) || !object.chars().all(sound) {
            return Err(ScaffoldError::Object(object));
        }
        // The type of the vertical and that of its objects must differ.
        let plural = capitalised(&name);
        let vertical = if plural == object {
            format!("{plural}Vertical")
        } else {
            plural
        };
        Ok(Self {
            name,
            object,
            vertical,
            is_validator: project.is_validator,
        })
    }

    pub(super) fn fill(&self, template: &str, package: &str) -> String {
        let objects = self.name.replace('-', " ");
        let summary = match self.is_validator {
            true => format!("Tells {objects} from other web pages."),
            false => format!("Finds {objects} on web pages."),
        };
        template
            .replace("{{crate}}", &self.name)
            .replace("{{name}}", &self.name)
            .replace("{{object}}", &self.object)
            .replace("{{vertical}}", &self.vertical)
            .replace("{{summary}}", &summary)
            .replace("{{sdk}}", package)
    }
}

/// The folder's own name, also where it is called `.`.
fn folder_name(folder: &Path) -> String {
    let whole = match folder.file_name() {
        Some(_) => folder.to_owned(),
        None => folder.canonicalize().unwrap_or_default(),
    };
    let name = whole.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn is_name(name: &str) -> bool {
    let sound = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(sound)
        && !name.ends_with('-')
        && !name.contains("--")
        && name.len() <= 50
}

/// Names that a package can't have or should not have: built-in crates, folders of Cargo, keywords
/// of Rust.
#[rustfmt::skip]
const TAKEN: [&str; 60] = [
    "test", "core", "std", "alloc", "proc-macro", "magpie-sdk", "build", "deps", "examples", "incremental",
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct",
    "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "yield",
];

/// `job-offers` as `JobOffers`.
fn capitalised(name: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", first.to_ascii_uppercase())
    };
    name.split('-').map(word).collect()
}

/// English plurals without their ending; whoever has another word gives `--object`.
fn singular(plural: &str) -> String {
    if let Some(stem) = plural.strip_suffix("ies") {
        return format!("{stem}y");
    }
    match plural.strip_suffix('s') {
        Some(stem) if !stem.is_empty() && !stem.ends_with('s') => stem.to_owned(),
        _ => plural.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::super::Language;
    use super::*;

    fn named(folder: &str) -> NewProject {
        NewProject {
            folder: PathBuf::from(folder),
            language: Language::Rust,
            name: None,
            object: None,
            is_validator: false,
            sdk: None,
        }
    }

    #[test]
    fn a_folder_that_is_named_by_dots_has_a_name() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let inner = folder.path().join("job-offers");
        fs::create_dir_all(inner.join("x")).expect("folders are made");
        assert_eq!(folder_name(&inner.join("x/..")), "job-offers");
        assert_eq!(folder_name(Path::new("a/jobs/")), "jobs");
    }

    #[test]
    fn objects_are_named_after_their_vertical() {
        for (name, object, vertical) in [
            ("jobs", "Job", "Jobs"),
            ("call-for-papers", "CallForPaper", "CallForPapers"),
            ("companies", "Company", "Companies"),
            ("news", "New", "News"),
            ("press", "Press", "PressVertical"),
            ("sheep", "Sheep", "SheepVertical"),
        ] {
            let words = Words::of(&named(name)).expect("a good name");
            assert_eq!(
                (words.object.as_str(), words.vertical.as_str()),
                (object, vertical),
                "{name}"
            );
        }
    }
}
