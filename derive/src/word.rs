//! `#[derive(Word)]`: an enum becomes the words that an attribute may be.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Ident, LitStr, Meta, Path, Result, Token};

use crate::settings::text;

/// An enum of words.
pub struct Words {
    name: Ident,
    home: Path,
    variants: Vec<Variant>,
    /// The enum of more words that these are some of.
    of: Option<Path>,
}

struct Variant {
    name: Ident,
    /// The word, then others that mean the same.
    words: Vec<LitStr>,
}

impl Words {
    /// Reads an enum.
    pub fn new(input: &DeriveInput, home: Path) -> Result<Self> {
        let Data::Enum(data) = &input.data else {
            return Err(Error::new(input.span(), "words are the variants of an enum"));
        };
        let mut words = Self { name: input.ident.clone(), home, variants: Vec::new(), of: None };
        for attr in input.attrs.iter().filter(|a| a.path().is_ident("word")) {
            match attr.parse_args::<Meta>()? {
                Meta::NameValue(v) if v.path.is_ident("of") => words.of = Some(path(&v.value)?),
                Meta::NameValue(v) if v.path.is_ident("crate") => words.home = text(&v.value)?.parse()?,
                other => return Err(Error::new(other.span(), "known are: of = ..., crate = \"...\"")),
            }
        }
        words.variants = data.variants.iter().map(Variant::new).collect::<Result<_>>()?;
        let mut seen = Vec::new();
        for word in words.variants.iter().flat_map(|v| &v.words) {
            if seen.contains(&word.value()) {
                return Err(Error::new(word.span(), "another variant has this word"));
            }
            seen.push(word.value());
        }
        Ok(words)
    }

    /// The implementation of `Word`, and the conversion into the enum that has more words.
    pub fn implementation(&self) -> TokenStream {
        let Self { name, home, variants, of } = self;
        let canonical = variants.iter().map(|v| &v.words[0]);
        let others = variants.iter().flat_map(|v| &v.words[1..]);
        let arms = variants.iter().map(|Variant { name, words }| quote!(#(#words)|* => Self::#name));
        let names: Vec<&Ident> = variants.iter().map(|v| &v.name).collect();
        let more = of.iter().map(|of| {
            quote! {
                impl ::core::convert::From<#name> for #of {
                    fn from(word: #name) -> Self {
                        match word { #(#name::#names => Self::#names),* }
                    }
                }
            }
        });
        quote! {
            impl #home::component::attributes::Word for #name {
                const WORDS: &'static [&'static str] = &[#(#canonical,)* #(#others),*];
                fn named(word: &str) -> ::core::option::Option<Self> {
                    ::core::option::Option::Some(match word {
                        #(#arms,)*
                        _ => return ::core::option::Option::None,
                    })
                }
            }
            #(#more)*
        }
    }
}

impl Variant {
    fn new(variant: &syn::Variant) -> Result<Self> {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new(variant.span(), "a word holds nothing"));
        }
        let mut words = Vec::new();
        for attr in variant.attrs.iter().filter(|a| a.path().is_ident("word")) {
            words.extend(attr.parse_args_with(Punctuated::<LitStr, Token![,]>::parse_terminated)?);
        }
        if words.is_empty() {
            words.push(LitStr::new(&small(&variant.ident.to_string()), variant.ident.span()));
        }
        Ok(Self { name: variant.ident.clone(), words })
    }
}

fn path(value: &syn::Expr) -> Result<Path> {
    match value {
        syn::Expr::Path(path) => Ok(path.path.clone()),
        other => Err(Error::new(other.span(), "a path is wanted")),
    }
}

/// The name of a variant with a small first letter.
fn small(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn words(input: &DeriveInput) -> Result<Words> {
        Words::new(input, parse_quote!(::sim_core))
    }

    #[test]
    fn variants_are_words() {
        let w = words(&parse_quote! {
            #[word(of = fem::Method)]
            enum Some { Large, #[word("None", "nothing")] Nothing, BySvd }
        })
        .unwrap();
        let of = |k: usize| w.variants[k].words.iter().map(LitStr::value).collect::<Vec<_>>();
        assert_eq!(
            (of(0), of(1), of(2)),
            (vec!["large".into()], vec!["None".into(), "nothing".into()], vec!["bySvd".into()])
        );
        assert!(w.of.is_some_and(|p| p.segments.len() == 2));
    }

    #[test]
    fn what_is_no_word_is_said() {
        let error = |input: DeriveInput| words(&input).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error(parse_quote! { struct A; }).contains("variants of an enum"));
        assert!(error(parse_quote! { enum A { B(f64) } }).contains("holds nothing"));
        assert!(
            error(parse_quote! { enum A { #[word("x")] B, #[word("y", "x")] C } })
                .contains("another variant")
        );
        assert!(error(parse_quote! { #[word(off = B)] enum A { B } }).contains("known are"));
        assert!(error(parse_quote! { #[word(of = "B")] enum A { B } }).contains("a path"));
    }
}
