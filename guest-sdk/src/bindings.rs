//! The contract as Rust types and functions, generated from `../wit`.
//!
//! There is one small world for each exported interface instead of the contract's three. A
//! component's type is the union of the parts whose export macros it used, so a plugin exports
//! exactly what it implements, and all plugins share one set of Rust types. No interface is
//! generated twice: its helper macros would clash, as macros of one crate share one namespace.

/// Description of a component, and the services of the host.
pub mod description {
    wit_bindgen::generate!({
        inline: r"
            package magpie:parts;
            world description {
                import magpie:vertical/host@0.1.3;
                export magpie:vertical/description@0.1.3;
            }
        ",
        path: "../wit",
        world: "magpie:parts/description",
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_description",
        additional_derives: [PartialEq],
    });
}

/// Extraction of objects, and the page from which they are extracted.
pub mod extraction {
    wit_bindgen::generate!({
        inline: r"
            package magpie:parts;
            world extraction {
                import magpie:vertical/pages@0.1.3;
                export magpie:vertical/extraction@0.1.3;
            }
        ",
        path: "../wit",
        world: "magpie:parts/extraction",
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_extraction",
        additional_derives: [PartialEq],
    });
}

/// Comparison of objects.
pub mod clustering {
    wit_bindgen::generate!({
        inline: r"
            package magpie:parts;
            world clustering {
                export magpie:vertical/clustering@0.1.3;
            }
        ",
        path: "../wit",
        world: "magpie:parts/clustering",
        with: { "magpie:vertical/objects@0.1.3": super::extraction::magpie::vertical::objects },
        pub_export_macro: true,
        export_macro_name: "export_clustering",
        additional_derives: [PartialEq],
    });
}

/// Search engine queries for an object.
pub mod querying {
    wit_bindgen::generate!({
        inline: r"
            package magpie:parts;
            world querying {
                export magpie:vertical/querying@0.1.3;
            }
        ",
        path: "../wit",
        world: "magpie:parts/querying",
        with: { "magpie:vertical/objects@0.1.3": super::extraction::magpie::vertical::objects },
        pub_export_macro: true,
        export_macro_name: "export_querying",
        additional_derives: [PartialEq],
    });
}

/// Judgement of pages.
pub mod validation {
    wit_bindgen::generate!({
        inline: r"
            package magpie:parts;
            world validation {
                export magpie:vertical/validation@0.1.3;
            }
        ",
        path: "../wit",
        world: "magpie:parts/validation",
        with: {
            "magpie:vertical/objects@0.1.3": super::extraction::magpie::vertical::objects,
            "magpie:vertical/pages@0.1.3": super::extraction::magpie::vertical::pages,
        },
        pub_export_macro: true,
        export_macro_name: "export_validation",
        additional_derives: [PartialEq],
    });
}

pub use clustering::exports::magpie::vertical::clustering as clusters;
pub use description::exports::magpie::vertical::description as descriptions;
pub use description::magpie::vertical::host;
pub use extraction::exports::magpie::vertical::extraction as extractions;
pub use extraction::magpie::vertical::{objects, pages};
pub use querying::exports::magpie::vertical::querying as queries;
pub use validation::exports::magpie::vertical::validation as validations;
