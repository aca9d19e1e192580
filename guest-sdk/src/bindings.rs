//! The contract as Rust types and functions, generated from `../wit`.
//!
//! One small world for each exported interface rather than the contract's three: a component's
//! type is the union of the parts that its export macro used, so a plugin exports what it has, all
//! plugins share one set of Rust types, and no interface is generated twice (its helper macros
//! could not be, as macros of one crate share one name space).

/// What a component says about itself, and what any component may ask of the host.
pub mod description {
    wit_bindgen::generate!({
        inline: r"
            package magpie:parts;
            world description {
                import magpie:vertical/host@0.1.0;
                export magpie:vertical/description@0.1.0;
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

/// Finding objects, and the page they are found on.
pub mod extraction {
    wit_bindgen::generate!({
        inline: r"
            package magpie:parts;
            world extraction {
                import magpie:vertical/pages@0.1.0;
                export magpie:vertical/extraction@0.1.0;
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

/// Saying which objects are the same.
pub mod clustering {
    wit_bindgen::generate!({
        inline: r"
            package magpie:parts;
            world clustering {
                export magpie:vertical/clustering@0.1.0;
            }
        ",
        path: "../wit",
        world: "magpie:parts/clustering",
        with: { "magpie:vertical/objects@0.1.0": super::extraction::magpie::vertical::objects },
        pub_export_macro: true,
        export_macro_name: "export_clustering",
        additional_derives: [PartialEq],
    });
}

/// Asking a search engine for an object.
pub mod querying {
    wit_bindgen::generate!({
        inline: r"
            package magpie:parts;
            world querying {
                export magpie:vertical/querying@0.1.0;
            }
        ",
        path: "../wit",
        world: "magpie:parts/querying",
        with: { "magpie:vertical/objects@0.1.0": super::extraction::magpie::vertical::objects },
        pub_export_macro: true,
        export_macro_name: "export_querying",
        additional_derives: [PartialEq],
    });
}

pub use clustering::exports::magpie::vertical::clustering as clusters;
pub use description::exports::magpie::vertical::description as descriptions;
pub use description::magpie::vertical::host;
pub use extraction::exports::magpie::vertical::extraction as extractions;
pub use extraction::magpie::vertical::{objects, pages};
pub use querying::exports::magpie::vertical::querying as queries;
