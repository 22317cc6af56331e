//! Each option can be written as its row shows.

use onionskin_vocabulary::options;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, parse_quote};

use super::{Key, find};
use crate::diag::Errors;
use crate::middleware::{self, MiddlewareKind};
use crate::param::{Arg, Bind};
use crate::{agent_hooks, guardrail, hook, tool, toolbox};

/// Reads each form of each option alone.
fn assert_read(keys: &[Key], read: impl Fn(&Key, TokenStream, &mut Errors)) {
    for key in keys {
        for form in key.forms.split('`').skip(1).step_by(2) {
            assert!(form.starts_with(key.name), "`{form}` is in the row of `{}`", key.name);
            let mut errors = Errors::default();
            read(key, form.parse().unwrap(), &mut errors);
            assert!(errors.is_empty(), "`{form}`: {}", errors.into_tokens());
        }
    }
}

#[test]
fn an_option_is_read_as_its_row_shows_it() {
    assert_read(options::tool(), |_, form, errors| drop(tool::Options::parse(form, errors)));
    for (keys, within) in [(options::annotations(), quote!(annotations)), (options::cache(), quote!(cache))] {
        let forms = find(options::tool(), &within.to_string()).unwrap().forms;
        assert!(keys.iter().all(|key| forms.contains(key.name)), "{forms}");
        assert_read(keys, |_, form, errors| drop(tool::Options::parse(quote!(#within(#form)), errors)));
    }
    assert_read(options::toolbox(), |_, form, errors| drop(toolbox::Options::parse(form, errors)));
    assert_read(options::arg(), |_, form, errors| {
        let attribute: Attribute = parse_quote!(#[arg(#form)]);
        drop(Arg::read([attribute].iter(), errors));
    });
    assert_read(options::bind(), |_, form, errors| {
        drop(Bind::read(&parse_quote!(#[bind("user.name", #form)]), errors));
    });
}

#[test]
fn an_option_of_a_function_is_read_as_its_row_shows_it() {
    fn check<P: Copy + Into<MiddlewareKind>>(attribute: &middleware::Attribute<P>) {
        let (first, _) = attribute.places[0];
        let place: TokenStream = first.parse().unwrap();
        assert_read(attribute.keys, |key, form, errors| {
            let is_place = attribute.places.iter().any(|(name, _)| *name == key.name);
            drop(attribute.read(if is_place { form } else { quote!(#place, #form) }, errors));
        });
    }
    check(&hook::ATTRIBUTE);
    check(&guardrail::ATTRIBUTE);
    check(&agent_hooks::RUN);
    check(&agent_hooks::TURN);
    check(&agent_hooks::MESSAGE);
}
