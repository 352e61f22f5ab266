//! The implementation of `Attributes` for a struct.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::settings::{Attribute, Field, Other, Settings};

/// The implementation: description and reader.
pub fn implementation(settings: &Settings) -> TokenStream {
    let Settings { name, summary, home, fields, others } = settings;
    let component = quote!(#home::component);
    let mut groups: Vec<TokenStream> = fields.iter().map(|f| described(f, &component)).collect();
    groups.extend(others.iter().map(|o| other(o, &component)));
    let readers = fields.iter().map(|f| reader(f, &component));
    quote! {
        impl #component::attributes::Attributes for #name {
            const SUMMARY: &'static str = #summary;
            const ATTRIBUTES: &'static [#component::description::AttributeDescription] = {
                const GROUPS: &[&[#component::description::AttributeDescription]] = &[#(#groups),*];
                const N: usize = #component::attributes::total(GROUPS);
                const ALL: [#component::description::AttributeDescription; N] =
                    #component::attributes::concat::<N>(GROUPS);
                &ALL
            };
            fn read(
                builder: &#component::build::Builder<'_>,
            ) -> ::core::result::Result<Self, #component::build::BuildError> {
                // Unused where there is no field.
                let _ = builder;
                ::core::result::Result::Ok(Self { #(#readers),* })
            }
        }
    }
}

/// The descriptions of a field: one, or those of its group.
fn described(field: &Field, component: &TokenStream) -> TokenStream {
    let ty = &field.ty;
    let Some(Attribute { name, summary, default, unit, aliases, kind, or_default, .. }) = &field.attribute
    else {
        return quote_spanned!(ty.span()=> <#ty as #component::attributes::Attributes>::ATTRIBUTES);
    };
    let kind = match kind {
        Some(kind) => quote! {{
            #[allow(unused_imports, reason = "a kind may be named by its path")]
            use #component::description::AttributeKind::*;
            #kind
        }},
        None => quote_spanned!(ty.span()=> <#ty as #component::attributes::ReadAttribute>::KIND),
    };
    let kind = if *or_default { quote!((#kind).or_default()) } else { kind };
    let default = match default {
        Some(default) => quote!(#default),
        None => quote_spanned!(ty.span()=> <#ty as #component::attributes::ReadAttribute>::DEFAULT),
    };
    quote! {
        &[#component::description::AttributeDescription::new(#name, #kind, #summary)
            .default(#default)
            .unit(#unit)
            .aliases(&[#(#aliases),*])]
    }
}

fn other(other: &Other, component: &TokenStream) -> TokenStream {
    let Other { constructor, name, default, summary, aliases } = other;
    let (default, summary) = (default.iter(), summary.iter());
    quote! {
        &[#component::description::AttributeDescription::#constructor(#name)
            #(.default(#default))*
            #(.summary(#summary))*
            .aliases(&[#(#aliases),*])]
    }
}

/// The field's initialiser.
fn reader(field: &Field, component: &TokenStream) -> TokenStream {
    let (own, ty) = (&field.name, &field.ty);
    match &field.attribute {
        None => quote!(#own: <#ty as #component::attributes::Attributes>::read(builder)?),
        Some(Attribute { name, range: None, .. }) => {
            quote!(#own: <#ty as #component::attributes::ReadAttribute>::read(builder, #name)?)
        }
        Some(Attribute { name, range: Some(range), .. }) => quote! {
            #own: #component::attributes::#range(
                <#ty as #component::attributes::ReadAttribute>::read(builder, #name)?,
                #name,
            )?
        },
    }
}
