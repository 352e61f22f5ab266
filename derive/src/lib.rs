//! `#[derive(Attributes)]`: a struct of a component's settings becomes its description and its reader.
//!
//! The macro makes an implementation of `sim_core::component::attributes::Attributes`, whose documentation says how it is used.
//!
//! `#[derive(Word)]`: an enum becomes the words that an attribute may be, see `sim_core::component::attributes::Word`.
//!
//! Each has two entry points, which differ in one thing: by which crate the generated code reaches `sim-core`. Crates of the
//! workspace have it as `sim_core`; whoever uses Weft from outside has only `weft`. Each of the two crates exports the entry
//! points that fit.

mod expand;
mod settings;
mod word;

use proc_macro::TokenStream;
use syn::parse_quote;

/// Derives `Attributes` where `sim_core` is a dependency.
#[proc_macro_derive(Attributes, attributes(attribute, attributes))]
pub fn attributes(input: TokenStream) -> TokenStream {
    derive(input, parse_quote!(::sim_core))
}

/// Derives `Attributes` where `weft` is a dependency: `weft::prelude` exports it as `Attributes`.
#[proc_macro_derive(AttributesOutside, attributes(attribute, attributes))]
pub fn attributes_outside(input: TokenStream) -> TokenStream {
    derive(input, parse_quote!(::weft::__sim_core))
}

/// Derives `Word` where `sim_core` is a dependency.
#[proc_macro_derive(Word, attributes(word))]
pub fn word(input: TokenStream) -> TokenStream {
    derive_word(input, parse_quote!(::sim_core))
}

/// Derives `Word` where `weft` is a dependency: `weft::prelude` exports it as `Word`.
#[proc_macro_derive(WordOutside, attributes(word))]
pub fn word_outside(input: TokenStream) -> TokenStream {
    derive_word(input, parse_quote!(::weft::__sim_core))
}

fn derive_word(input: TokenStream, home: syn::Path) -> TokenStream {
    let parsed = syn::parse(input).and_then(|input| word::Words::new(&input, home));
    let output = parsed.map_or_else(|e| e.to_compile_error(), |words| words.implementation());
    output.into()
}

fn derive(input: TokenStream, home: syn::Path) -> TokenStream {
    let parsed = syn::parse(input).and_then(|input| settings::Settings::new(&input, home));
    let output = parsed.map_or_else(|e| e.to_compile_error(), |settings| expand::implementation(&settings));
    output.into()
}
