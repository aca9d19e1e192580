//! `plugin new`: a project that builds and passes its own tests at once.

mod words;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use words::Words;

// The sources of each language's package: path below its folder in a project, and text.
include!(concat!(env!("OUT_DIR"), "/packages.rs"));

/// A language to write a vertical in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Rust,
    /// JavaScript, by npm.
    JavaScript,
    /// Python, by pip.
    Python,
}

/// The parts of a project in one language.
struct Template {
    /// The project's files: path and template.
    files: &'static [(&'static str, &'static str)],
    /// The files of a validator instead of those of an extractor: path, its path there, and
    /// template.
    validator: &'static [(&'static str, &'static str, &'static str)],
    /// The sources of the package it is written with, and the folder they go to.
    package: &'static [(&'static str, &'static str)],
    vendor: &'static str,
    /// Folder of the package itself below that.
    inner: &'static str,
    /// By which file, with which words in it, a folder is known to be the package.
    sign: (&'static str, &'static str),
    /// The file that the author edits first.
    source: &'static str,
}

const RUST: Template = Template {
    files: &[
        ("Cargo.toml", include_str!("../templates/rust/Cargo.toml.txt")),
        ("src/lib.rs", include_str!("../templates/rust/src/lib.rs.txt")),
        ("README.md", include_str!("../templates/rust/README.md.txt")),
        (".gitignore", include_str!("../templates/rust/gitignore.txt")),
        // The versions the SDK was tested with; cargo drops what the project does not use.
        ("Cargo.lock", include_str!("../../../Cargo.lock")),
    ],
    validator: &[(
        "src/lib.rs",
        "src/lib.rs",
        include_str!("../templates/validator/lib.rs.txt"),
    )],
    package: RUST_PACKAGE,
    vendor: "vendor/magpie",
    inner: "guest-sdk",
    sign: ("Cargo.toml", "name = \"magpie-sdk\""),
    source: "src/lib.rs",
};

const JAVASCRIPT: Template = Template {
    files: &[
        ("package.json", include_str!("../templates/js/package.json.txt")),
        (
            "package-lock.json",
            include_str!("../templates/js/package-lock.json.txt"),
        ),
        ("src/index.js", include_str!("../templates/js/src/index.js.txt")),
        (
            "test/extract.test.js",
            include_str!("../templates/js/test/extract.test.js.txt"),
        ),
        ("README.md", include_str!("../templates/js/README.md.txt")),
        (".gitignore", include_str!("../templates/js/gitignore.txt")),
    ],
    validator: &[
        (
            "src/index.js",
            "src/index.js",
            include_str!("../templates/validator/index.js.txt"),
        ),
        (
            "test/judge.test.js",
            "test/extract.test.js",
            include_str!("../templates/validator/judge.test.js.txt"),
        ),
    ],
    package: JAVASCRIPT_PACKAGE,
    vendor: "vendor/magpie-vertical",
    inner: "",
    sign: ("package.json", "\"magpie-vertical\""),
    source: "src/index.js",
};

const PYTHON: Template = Template {
    files: &[
        (
            "pyproject.toml",
            include_str!("../templates/python/pyproject.toml.txt"),
        ),
        (
            "requirements.txt",
            include_str!("../templates/python/requirements.txt"),
        ),
        (
            "src/vertical.py",
            include_str!("../templates/python/src/vertical.py.txt"),
        ),
        (
            "tests/test_extract.py",
            include_str!("../templates/python/tests/test_extract.py.txt"),
        ),
        ("README.md", include_str!("../templates/python/README.md.txt")),
        (".gitignore", include_str!("../templates/python/gitignore.txt")),
    ],
    validator: &[
        (
            "src/vertical.py",
            "src/vertical.py",
            include_str!("../templates/validator/vertical.py.txt"),
        ),
        (
            "tests/test_judge.py",
            "tests/test_extract.py",
            include_str!("../templates/validator/test_judge.py.txt"),
        ),
    ],
    package: PYTHON_PACKAGE,
    vendor: "vendor/magpie_vertical",
    inner: "",
    sign: ("build.py", "magpie_vertical"),
    source: "src/vertical.py",
};

impl Language {
    fn template(self) -> &'static Template {
        match self {
            Self::Rust => &RUST,
            Self::JavaScript => &JAVASCRIPT,
            Self::Python => &PYTHON,
        }
    }

    /// The file that the author edits first.
    pub fn source(self) -> &'static str {
        self.template().source
    }
}

/// Fixtures that every language's project starts with.
const FIXTURES: &[(&str, &str)] = &[
    (
        "fixtures/list/page.html",
        include_str!("../templates/fixtures/list/page.html"),
    ),
    (
        "fixtures/list/page.json",
        include_str!("../templates/fixtures/list/page.json"),
    ),
    (
        "fixtures/list/expected.json",
        include_str!("../templates/fixtures/list/expected.json"),
    ),
    (
        "fixtures/structured/page.html",
        include_str!("../templates/fixtures/structured/page.html"),
    ),
    (
        "fixtures/structured/page.json",
        include_str!("../templates/fixtures/structured/page.json"),
    ),
    (
        "fixtures/structured/expected.json",
        include_str!("../templates/fixtures/structured/expected.json"),
    ),
    (
        "fixtures/something-else/page.html",
        include_str!("../templates/fixtures/something-else/page.html"),
    ),
    (
        "fixtures/something-else/page.json",
        include_str!("../templates/fixtures/something-else/page.json"),
    ),
    (
        "fixtures/something-else/expected.json",
        include_str!("../templates/fixtures/something-else/expected.json"),
    ),
    (
        "fixtures/clusters.json",
        include_str!("../templates/fixtures/clusters.json"),
    ),
];

/// Files of a validator's project that replace those of an extractor, and those that it lacks.
const VALIDATOR: &[(&str, &str, &str)] = &[
    (
        "README.md",
        "README.md",
        include_str!("../templates/validator/README.md.txt"),
    ),
    (
        "fixtures/list/expected.json",
        "fixtures/list/expected.json",
        include_str!("../templates/validator/fixtures/list/expected.json"),
    ),
    (
        "fixtures/structured/expected.json",
        "fixtures/structured/expected.json",
        include_str!("../templates/validator/fixtures/structured/expected.json"),
    ),
    (
        "fixtures/something-else/expected.json",
        "fixtures/something-else/expected.json",
        include_str!("../templates/validator/fixtures/something-else/expected.json"),
    ),
];

/// The file with the groups of equal objects in fixtures. Validators find no objects and have none.
const CLUSTERS: &str = "fixtures/clusters.json";

#[derive(Clone, Debug)]
pub struct NewProject {
    /// The folder to make; it must not hold anything yet.
    pub folder: PathBuf,
    pub language: Language,
    /// The vertical's name; the folder's when none.
    pub name: Option<String>,
    /// Type of one object; derived from the name if `None`.
    pub object: Option<String>,
    /// Judges pages instead of finding objects.
    pub is_validator: bool,
    /// A folder with the SDK to use instead of a copy.
    pub sdk: Option<PathBuf>,
}

/// Reason why a project was not made.
#[derive(Debug, thiserror::Error)]
pub enum ScaffoldError {
    /// The folder holds something.
    #[error("{} exists and is not empty; choose another folder, or empty it", .0.display())]
    Occupied(PathBuf),
    /// The name is not one.
    #[error(
        "invalid value `{0}` for `--name`: expected lowercase letters, digits and dashes, beginning with a letter, such as `job-offers`"
    )]
    Name(String),
    #[error(
        "invalid value `{0}` for `--name`: Rust or Cargo reserves it; expected another name such as `{0}-events`"
    )]
    Taken(String),
    /// The object's name is not one.
    #[error(
        "invalid value `{0}` for `--object`: expected letters and digits, beginning with a capital letter, such as `JobOffer`"
    )]
    Object(String),
    /// The SDK's folder is not one.
    #[error("{} is not a copy of the SDK: it has no {sign}", folder.display())]
    Sdk {
        folder: PathBuf,
        /// The missing file, and the words expected in it.
        sign: String,
    },
    #[error("can't write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// Makes a project and returns the vertical's name.
pub fn new_project(project: &NewProject) -> Result<String, ScaffoldError> {
    let folder = &project.folder;
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) || folder.is_file() {
        return Err(ScaffoldError::Occupied(folder.clone()));
    }
    // Names and the SDK's folder are checked before the first file is written.
    let words = Words::of(project)?;
    let template = project.language.template();
    let vendor = Path::new(template.vendor);
    let package = match &project.sdk {
        Some(sdk) => checked_package(sdk, template)?,
        None => vendor.join(template.inner),
    };
    // Manifests want slashes, and none at the end.
    let package = package.display().to_string().replace('\\', "/");
    for (path, text) in project.files() {
        // npm refuses a lock file with a package elsewhere that it did not write itself.
        if project.sdk.is_some() && path == "package-lock.json" {
            continue;
        }
        write(
            &folder.join(path),
            &words.fill(text, package.trim_end_matches('/')),
        )?;
    }
    if project.sdk.is_none() {
        for (path, text) in template.package {
            write(&folder.join(vendor).join(path), text)?;
        }
    }
    Ok(words.name)
}

impl NewProject {
    fn files(&self) -> Vec<(&'static str, &'static str)> {
        let template = self.language.template();
        let files = template.files.iter().chain(FIXTURES).copied();
        if !self.is_validator {
            return files.collect();
        }
        let files = files.filter(|(path, _)| *path != CLUSTERS).map(|(path, text)| {
            let mut own = template.validator.iter().chain(VALIDATOR);
            let own = own.find(|(_, instead_of, _)| *instead_of == path);
            own.map_or((path, text), |(path, _, text)| (*path, *text))
        });
        files.collect()
    }
}

fn checked_package(folder: &Path, template: &Template) -> Result<PathBuf, ScaffoldError> {
    let (file, words) = template.sign;
    let wrong = || ScaffoldError::Sdk {
        folder: folder.to_owned(),
        sign: format!("{file} with `{words}`"),
    };
    let text = fs::read_to_string(folder.join(file)).map_err(|_| wrong())?;
    if !text.contains(words) {
        return Err(wrong());
    }
    folder.canonicalize().map_err(|_| wrong())
}

fn write(path: &Path, text: &str) -> Result<(), ScaffoldError> {
    let failed = |source| ScaffoldError::Write {
        path: path.to_owned(),
        source,
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(path, text).map_err(failed)?;
    // An installed package is not reinstalled when it is replaced in a project, so this does it.
    #[cfg(unix)]
    if text.starts_with("#!") {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(folder: PathBuf) -> NewProject {
        NewProject {
            folder,
            language: Language::Rust,
            name: None,
            object: None,
            is_validator: false,
            sdk: None,
        }
    }

    #[test]
    fn a_project_has_all_its_files_and_no_open_template() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        for (language, marks, contract) in [
            (
                Language::Rust,
                ["pub struct JobOffer {", "impl Vertical for JobOffers"],
                "vendor/magpie/wit/vertical.wit",
            ),
            (
                Language::JavaScript,
                ["defineVertical({", "\"JobOffer\""],
                "vendor/magpie-vertical/wit/vertical.wit",
            ),
            (
                Language::Python,
                ["class JobOffers", "JobOffer"],
                "vendor/magpie_vertical/wit/vertical.wit",
            ),
        ] {
            let wanted = NewProject {
                language,
                name: Some("job-offers".to_owned()),
                ..project(folder.path().join(format!("{language:?}")))
            };
            assert_eq!(new_project(&wanted).expect("it is made"), "job-offers");
            let code = fs::read_to_string(wanted.folder.join(language.source())).expect("it is there");
            assert!(marks.iter().all(|mark| code.contains(mark)), "{code}");
            let validator = NewProject {
                is_validator: true,
                folder: folder.path().join(format!("{language:?}-validator")),
                ..wanted.clone()
            };
            new_project(&validator).expect("it is made");
            let code = fs::read_to_string(validator.folder.join(language.source())).expect("it is there");
            assert!(code.contains("judge") && !code.contains("extract("), "{code}");
            for project in [&wanted, &validator] {
                for (file, _) in project.files() {
                    let text = fs::read_to_string(project.folder.join(file)).expect("it is there");
                    assert!(!text.contains("{{"), "{file}");
                }
            }
            assert!(!validator.folder.join(CLUSTERS).exists());
            assert!(wanted.folder.join(contract).exists());
            let package = wanted.folder.join(contract).with_file_name("").join("..");
            let has_guide = language == Language::Rust || package.join("README.md").exists();
            assert!(has_guide, "{language:?}");
            #[cfg(unix)]
            if language == Language::JavaScript {
                use std::os::unix::fs::PermissionsExt;
                let tool = fs::metadata(package.join("build/cli.js")).expect("it is there");
                assert_eq!(tool.permissions().mode() & 0o111, 0o111);
            }
            assert!(matches!(new_project(&wanted), Err(ScaffoldError::Occupied(_))));
            let elsewhere = NewProject {
                folder: folder.path().join(format!("{language:?}-elsewhere")),
                sdk: Some(package.join(language.template().inner)),
                ..wanted
            };
            new_project(&elsewhere).expect("it is made");
            assert!(!elsewhere.folder.join("package-lock.json").exists());
        }
    }

    #[test]
    fn names_that_are_none_are_refused() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        for name in [
            "",
            "Jobs",
            "job offers",
            "-jobs",
            "jobs-",
            "9lives",
            "job--offers",
            "jöbs",
            "a/b",
        ] {
            let wanted = NewProject {
                name: Some(name.to_owned()),
                ..project(folder.path().join("x"))
            };
            assert!(
                matches!(new_project(&wanted), Err(ScaffoldError::Name(_))),
                "{name}"
            );
        }
        for name in ["test", "core", "fn"] {
            let wanted = project(folder.path().join(name));
            let error = new_project(&wanted).expect_err("it is taken");
            assert!(
                error.to_string().contains(&format!("such as `{name}-events`")),
                "{error}"
            );
        }
        let wanted = NewProject {
            object: Some("job".to_owned()),
            ..project(folder.path().join("jobs"))
        };
        assert!(matches!(new_project(&wanted), Err(ScaffoldError::Object(_))));
    }
}
