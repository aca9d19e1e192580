//! The methods of asking forms.

use magpie_model::words;

words! {
    /// The sort of requests that forms are asked.
    pub enum SurfaceMethod as "method of asking forms" {
        /// Names of objects.
        Entities = "entities",
        /// Submissions of filter forms, by informative templates.
        Isit = "isit",
        /// Words of records and results.
        Probe = "probe",
        /// All of them, the request with the most expected new objects first.
        Auto = "auto",
    }
}

#[expect(clippy::derivable_impls, reason = "`words!` takes no attributes of values")]
impl Default for SurfaceMethod {
    fn default() -> SurfaceMethod {
        SurfaceMethod::Auto
    }
}

impl SurfaceMethod {
    /// Returns `true` if text fields are asked for names of objects.
    pub(super) fn asks_names(self) -> bool {
        match self {
            SurfaceMethod::Entities | SurfaceMethod::Auto => true,
            SurfaceMethod::Isit | SurfaceMethod::Probe => false,
        }
    }

    /// Returns `true` if text fields are asked for words.
    pub(super) fn asks_words(self) -> bool {
        match self {
            SurfaceMethod::Probe | SurfaceMethod::Auto => true,
            SurfaceMethod::Entities | SurfaceMethod::Isit => false,
        }
    }

    /// Returns `true` if the inputs of filter forms are tried.
    pub(super) fn asks_filters(self) -> bool {
        match self {
            SurfaceMethod::Isit | SurfaceMethod::Auto => true,
            SurfaceMethod::Entities | SurfaceMethod::Probe => false,
        }
    }
}
