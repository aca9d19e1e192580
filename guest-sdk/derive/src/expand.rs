//! Generation of `impl Record` from a struct.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Data, DeriveInput, Error, Field, Fields, GenericArgument, Ident, PathArguments, PathSegment, Result, Type,
};

use crate::attributes::{AttributeOptions, RecordOptions};
use crate::names;

/// Generates the `impl Record` for a struct.
pub(crate) fn record(input: &DeriveInput) -> Result<TokenStream> {
    let options = RecordOptions::read(&input.attrs)?;
    let (attributes, skipped) = split(fields(input)?)?;
    let object_type = options.name.unwrap_or_else(|| input.ident.to_string());
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let schema = attributes.iter().map(AttributeField::schema_entry);
    let visits = attributes
        .iter()
        .enumerate()
        .map(|(index, attribute)| attribute.visit(index));
    let reads = attributes
        .iter()
        .enumerate()
        .map(|(index, attribute)| attribute.read(index));
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::magpie_sdk::Record for #name #arguments #bounds {
            const OBJECT_TYPE: &'static str = #object_type;

            const SCHEMA: &'static [::magpie_sdk::Attribute] = &[#(#schema),*];

            fn visit<'a>(
                &'a self,
                visitor: &mut dyn ::core::ops::FnMut(usize, ::magpie_sdk::ValueRef<'a>),
            ) {
                #(#visits)*
            }

            fn from_values(
                values: &[(usize, ::magpie_sdk::ValueRef<'_>)],
            ) -> ::core::result::Result<Self, ::magpie_sdk::Error> {
                ::core::result::Result::Ok(Self {
                    #(#reads,)*
                    #(#skipped: ::core::default::Default::default(),)*
                })
            }
        }
    })
}

/// Generates the error about a struct, and an `impl Record` without attributes: without one, the
/// compiler would report an error for each use of the struct, too.
pub(crate) fn refused(input: &DeriveInput, error: &Error) -> TokenStream {
    let error = error.to_compile_error();
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote! {
        #error

        #[automatically_derived]
        impl #generics ::magpie_sdk::Record for #name #arguments #bounds {
            const OBJECT_TYPE: &'static str = "";

            const SCHEMA: &'static [::magpie_sdk::Attribute] = &[];

            fn visit<'a>(
                &'a self,
                _: &mut dyn ::core::ops::FnMut(usize, ::magpie_sdk::ValueRef<'a>),
            ) {
            }

            fn from_values(
                _: &[(usize, ::magpie_sdk::ValueRef<'_>)],
            ) -> ::core::result::Result<Self, ::magpie_sdk::Error> {
                ::core::unreachable!()
            }
        }
    }
}

/// A field that is an attribute of the schema.
struct AttributeField<'a> {
    field: &'a Ident,
    field_type: &'a Type,
    name: String,
    options: AttributeOptions,
}

impl AttributeField<'_> {
    fn schema_entry(&self) -> TokenStream {
        let Self {
            field_type,
            name,
            options,
            ..
        } = self;
        // An error about a field's type points at the type.
        let kind = match &options.kind {
            Some(kind) => quote!(#kind),
            None => quote_spanned! { field_type.span() =>
                <<#field_type as ::magpie_sdk::AttributeField>::Item as ::magpie_sdk::AttributeValue>::KIND
            },
        };
        let label = options.label.clone().unwrap_or_else(|| names::label(name));
        let AttributeOptions {
            required,
            identifies,
            query,
            expires,
            ..
        } = options;
        let weight = options.weight.unwrap_or(1.0);
        let schema_org = match &options.schema_org {
            Some(path) => quote!(::core::option::Option::Some(#path)),
            None => quote!(::core::option::Option::None),
        };
        quote! {
            ::magpie_sdk::Attribute {
                name: #name,
                kind: #kind,
                label: #label,
                required: #required || <#field_type as ::magpie_sdk::AttributeField>::REQUIRED,
                repeated: <#field_type as ::magpie_sdk::AttributeField>::REPEATED,
                identifies: #identifies,
                query: #query,
                expires: #expires,
                weight: #weight,
                schema_org: #schema_org,
            }
        }
    }

    fn visit(&self, index: usize) -> TokenStream {
        let field = self.field;
        quote!(::magpie_sdk::derived::visit(&self.#field, #index, visitor);)
    }

    fn read(&self, index: usize) -> TokenStream {
        let Self { field, name, .. } = self;
        quote!(#field: ::magpie_sdk::derived::read(values, #index, #name)?)
    }
}

fn fields(input: &DeriveInput) -> Result<&Fields> {
    match &input.data {
        Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => Ok(&data.fields),
        _ => Err(Error::new(
            input.ident.span(),
            "expected a struct with named fields",
        )),
    }
}

/// Splits the fields into attributes and the names of skipped fields.
fn split(fields: &Fields) -> Result<(Vec<AttributeField<'_>>, Vec<&Ident>)> {
    let (mut attributes, mut skipped) = (Vec::new(), Vec::new());
    let mut taken = HashSet::new();
    for field in fields {
        let options = AttributeOptions::read(&field.attrs)?;
        let ident = identifier(field)?;
        if options.skip {
            skipped.push(ident);
            continue;
        }
        let name = options
            .rename
            .clone()
            .unwrap_or_else(|| names::attribute_name(&ident.to_string()));
        if let Some(problem) = names::name_problem(&name) {
            return Err(Error::new(ident.span(), problem));
        }
        if !taken.insert(name.clone()) {
            return Err(Error::new(
                ident.span(),
                format!("two attributes have the name `{name}`"),
            ));
        }
        // The compiler would report each use of the type, and suggest types that are none either.
        if is_standard_duration(&field.ty) {
            return Err(Error::new(
                field.ty.span(),
                "the standard library's `Duration` can't be a value of an attribute: use `magpie_sdk::Duration`",
            ));
        }
        attributes.push(AttributeField {
            field: ident,
            field_type: &field.ty,
            name,
            options,
        });
    }
    Ok((attributes, skipped))
}

/// Returns true for `std::time::Duration`, alone or within `Option` or `Vec`.
fn is_standard_duration(written: &Type) -> bool {
    let Type::Path(written) = written else {
        return false;
    };
    let segments: Vec<&PathSegment> = written.path.segments.iter().collect();
    match segments.as_slice() {
        [.., before, last] if before.ident == "time" && last.ident == "Duration" => true,
        [.., last] => match &last.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().any(
                |argument| matches!(argument, GenericArgument::Type(inner) if is_standard_duration(inner)),
            ),
            _ => false,
        },
        [] => false,
    }
}

fn identifier(field: &Field) -> Result<&Ident> {
    field
        .ident
        .as_ref()
        .ok_or_else(|| Error::new(field.span(), "expected a struct with named fields"))
}

#[cfg(test)]
mod tests {
    use super::{record, refused};

    /// Error message for a struct that the macro refuses.
    fn refusal(source: &str) -> String {
        let input = syn::parse_str(source).expect("the test's source is Rust");
        record(&input).expect_err(source).to_string()
    }

    #[test]
    fn a_struct_becomes_an_impl() {
        let input =
            syn::parse_str("#[record(name = \"Book\")] struct B { #[attribute(query)] list_price: String }");
        let code = record(&input.expect("is Rust")).expect("is fine").to_string();
        assert!(code.contains("impl :: magpie_sdk :: Record for B"), "{code}");
        assert!(
            code.contains("\"Book\"") && code.contains("\"list-price\"") && code.contains("\"List price\"")
        );
    }

    #[test]
    fn a_refused_struct_is_a_record_all_the_same() {
        let input = syn::parse_str("struct S<T> { #[attribute(identify)] a: T }").expect("is Rust");
        let error = record(&input).expect_err("`identify` is no key");
        let code = refused(&input, &error).to_string();
        assert_eq!(code.matches("compile_error !").count(), 1, "{code}");
        assert!(
            code.contains("impl < T > :: magpie_sdk :: Record for S < T >"),
            "{code}"
        );
    }

    #[test]
    fn only_structs_with_named_fields_are_records() {
        for source in ["enum E { A }", "struct S(String);", "struct S;"] {
            assert!(refusal(source).contains("named fields"), "{source}");
        }
    }

    #[test]
    fn unknown_words_are_refused_with_the_known_ones() {
        assert!(refusal("struct S { #[attribute(identify)] a: String }").contains("`identifies`"));
        assert!(refusal("#[record(label = \"x\")] struct S { a: String }").contains("`name = "));
        assert!(refusal("struct S { #[attribute(kind = \"date\")] a: String }").contains("`date-time`"));
    }

    #[test]
    fn a_duration_of_the_standard_library_is_refused_with_ours() {
        for written in [
            "std::time::Duration",
            "Option<core::time::Duration>",
            "Vec<time::Duration>",
        ] {
            let refused = refusal(&format!("struct S {{ a: {written} }}"));
            assert!(refused.contains("magpie_sdk::Duration"), "{written}: {refused}");
        }
        let ours = syn::parse_str("struct S { a: Option<magpie_sdk::Duration> }").expect("is Rust");
        assert!(record(&ours).is_ok());
    }

    #[test]
    fn names_are_plain_and_each_taken_once() {
        assert!(refusal("struct S { #[attribute(rename = \"A b\")] a: String }").contains("lowercase"));
        assert!(
            refusal("struct S { #[attribute(rename = \"b\")] a: String, b: String }")
                .contains("two attributes")
        );
    }
}
