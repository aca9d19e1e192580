//! The macro that exports a type as a component.

/// Exports a type as the component's vertical. One line at the end of a plugin:
///
/// ```
/// # use magpie_sdk::{Error, Found, Page, Record, Vertical};
/// # #[derive(Record)] struct Event { name: String }
/// # struct Events;
/// # impl Vertical for Events {
/// #     type Record = Event;
/// #     const NAME: &'static str = "events";
/// #     fn extract(_: &Page) -> Result<Vec<Found<Event>>, Error> { Ok(Vec::new()) }
/// # }
/// magpie_sdk::export!(Events);
/// ```
///
/// - `export!(Events)`: the whole vertical, the contract's world `vertical`. The type is a
///   [`Vertical`](crate::Vertical).
/// - `export!(Events as extractor)`: extraction only, which makes a smaller component; the host
///   then compares and searches by the schema. Also a [`Vertical`](crate::Vertical).
/// - `export!(Events as clusterer)`: for another author's extractor. The type is a
///   [`Clusterer`](crate::Clusterer).
/// - `export!(Reviews as validator)`: judges pages. The type is a
///   [`Validator`](crate::Validator).
///
/// The macro also sends the text of panics to the log, so that it is not lost. Outside Wasm it only
/// checks that the type implements the trait.
#[macro_export]
macro_rules! export {
    ($plugin:ty) => {
        $crate::__export!($plugin: $crate::Vertical => description extraction clustering querying);
    };
    ($plugin:ty as extractor) => {
        $crate::__export!($plugin: $crate::Vertical => description extraction);
    };
    ($plugin:ty as clusterer) => {
        $crate::__export!($plugin: $crate::Clusterer => description clustering);
    };
    ($plugin:ty as validator) => {
        $crate::__export!($plugin: $crate::Validator => validator_description validation);
    };
}

/// Implementation of `export!`, with the parts of the contract listed.
#[doc(hidden)]
#[macro_export]
macro_rules! __export {
    ($plugin:ty: $wanted:path => $($part:ident)*) => {
        const _: () = {
            const fn is_wanted<T: $wanted>() {}
            is_wanted::<$plugin>();
        };

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Exported;
            $($crate::__export_part!($plugin, Exported, $part);)*
        };
    };
}

/// One part of the contract: the generated trait, and the symbols that the host calls.
#[doc(hidden)]
#[macro_export]
macro_rules! __export_part {
    ($plugin:ty, $exported:ident, description) => {
        $crate::__export_part!($plugin, $exported, described by describe);
    };
    ($plugin:ty, $exported:ident, validator_description) => {
        $crate::__export_part!($plugin, $exported, described by describe_validator);
    };
    ($plugin:ty, $exported:ident, described by $describe:ident) => {
        impl $crate::bindings::descriptions::Guest for $exported {
            fn describe() -> $crate::bindings::descriptions::VerticalInfo {
                $crate::component::report_panics();
                $crate::component::$describe::<$plugin>(
                    env!("CARGO_PKG_VERSION"),
                    env!("CARGO_PKG_DESCRIPTION"),
                )
            }
        }
        $crate::bindings::description::export_description!(
            $exported with_types_in $crate::bindings::description
        );
    };
    ($plugin:ty, $exported:ident, validation) => {
        impl $crate::bindings::validations::Guest for $exported {
            fn judge(
                page: &$crate::bindings::pages::Page,
            ) -> Result<$crate::Judgement, $crate::bindings::objects::Error> {
                $crate::component::report_panics();
                Ok($crate::component::judge::<$plugin>(&$crate::Page::lent(page))?)
            }
        }
        $crate::bindings::validation::export_validation!(
            $exported with_types_in $crate::bindings::validation
        );
    };
    ($plugin:ty, $exported:ident, extraction) => {
        impl $crate::bindings::extractions::Guest for $exported {
            fn extract(
                page: &$crate::bindings::pages::Page,
            ) -> Result<Vec<$crate::Object>, $crate::bindings::objects::Error> {
                $crate::component::report_panics();
                Ok($crate::component::extract::<$plugin>(&$crate::Page::lent(page))?)
            }
        }
        $crate::bindings::extraction::export_extraction!(
            $exported with_types_in $crate::bindings::extraction
        );
    };
    ($plugin:ty, $exported:ident, clustering) => {
        impl $crate::bindings::clusters::Guest for $exported {
            fn prepare(
                objects: Vec<$crate::Object>,
            ) -> Result<Vec<$crate::bindings::clusters::Prepared>, $crate::bindings::objects::Error> {
                $crate::component::report_panics();
                Ok($crate::component::prepare::<$plugin>(&objects)?)
            }

            fn compare(
                one: Vec<u8>,
                many: Vec<Vec<u8>>,
            ) -> Result<Vec<$crate::Verdict>, $crate::bindings::objects::Error> {
                $crate::component::report_panics();
                Ok($crate::component::compare::<$plugin>(&one, &many)?)
            }

            fn merge(
                objects: Vec<$crate::Object>,
            ) -> Result<$crate::Merged, $crate::bindings::objects::Error> {
                $crate::component::report_panics();
                Ok($crate::component::merge::<$plugin>(&objects)?)
            }
        }
        $crate::bindings::clustering::export_clustering!(
            $exported with_types_in $crate::bindings::clustering
        );
    };
    ($plugin:ty, $exported:ident, querying) => {
        impl $crate::bindings::queries::Guest for $exported {
            fn queries(
                object: $crate::Object,
            ) -> Result<Vec<$crate::Query>, $crate::bindings::objects::Error> {
                $crate::component::report_panics();
                Ok($crate::component::queries::<$plugin>(&object)?)
            }
        }
        $crate::bindings::querying::export_querying!(
            $exported with_types_in $crate::bindings::querying
        );
    };
}
