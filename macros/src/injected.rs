//! Types that the runtime injects, by their names: a macro knows no more of a type.

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{GenericArgument, PathArguments, PathSegment, Token, Type};

use crate::number::is_primitive;

/// The types that the context lends parts of itself as, by the last segment of their path.
const LENT: &[&str] = &["ToolContext", "RunContext", "AgentInfo", "SessionState"];

/// The types that the context makes for the call and gives away.
const MADE: &[&str] =
    &["CancellationToken", "Progress", "Provided", "IdempotencyKey", "State", "Team", "ToolSource"];

fn is_one_of(names: &[&str], segment: &PathSegment) -> bool {
    names.iter().any(|name| segment.ident == name)
}

/// Returns whether the runtime fills a parameter of this type.
pub(crate) fn is_injected(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| {
        // Ours have an argument, `State<T>`. A type of the name without one is the user's own.
        let is_generic = segment.ident == "State" || segment.ident == "Provided";
        let own = is_generic && matches!(segment.arguments, PathArguments::None);
        !own && (is_one_of(LENT, segment) || is_one_of(MADE, segment))
    }) || optional(ty).is_some()
}

/// `Provided<T>` of a parameter `Option<Provided<T>>`.
fn optional(ty: &Type) -> Option<&Type> {
    let inner = argument(plain(ty), "Option").map(plain)?;
    (matches!(inner, Type::Path(_)) && is_named(inner, "Provided") && is_injected(inner)).then_some(inner)
}

/// Returns whether a type is `Provided<T>` or `Option<Provided<T>>`.
pub(crate) fn is_provided(ty: &Type) -> bool {
    optional(ty).is_some() || argument(plain(ty), "Provided").is_some()
}

/// The only type argument of `Name<T>` or `Name<'_, T>`.
pub(crate) fn argument<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let Type::Path(path) = ty else { return None };
    let segment = path.path.segments.last().filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(args) = &segment.arguments else { return None };
    let mut types = args.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.next().filter(|_| types.next().is_none())
}

/// The type that the context gives for a parameter. `true`: the function takes a reference to it.
pub(crate) fn requested(ty: &Type) -> (&Type, bool) {
    match plain(ty) {
        Type::Reference(reference) if reference.mutability.is_none() && is_given(&reference.elem) => {
            (plain(&reference.elem), true)
        }
        plain => (plain, false),
    }
}

/// Returns whether the context gives it by value only.
fn is_given(ty: &Type) -> bool {
    is_injected(ty)
        && last_segment(ty).is_some_and(|segment| is_one_of(MADE, segment))
        && matches!(plain(ty), Type::Path(_))
}

/// The type without the invisible groups of `macro_rules`, and without parentheses.
pub(crate) fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        other => other,
    }
}

/// The last segment of a type's path, behind any reference.
pub(crate) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        Type::Reference(reference) => last_segment(&reference.elem),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

/// Returns whether the last segment of a type's path, behind any reference, is this name.
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == name)
}

/// The first `Name<..>` in a type. A type of that name without parameters is the user's own.
pub(crate) fn within<'t>(ty: &'t Type, name: &str) -> Option<&'t PathSegment> {
    struct Find<'t, 'n>(&'n str, Option<&'t PathSegment>);
    impl<'t> Visit<'t> for Find<'t, '_> {
        fn visit_path_segment(&mut self, segment: &'t PathSegment) {
            if segment.ident == self.0 && matches!(segment.arguments, PathArguments::AngleBracketed(_)) {
                self.1.get_or_insert(segment);
            }
            visit::visit_path_segment(self, segment);
        }
    }
    let mut find = Find(name, None);
    find.visit_type(ty);
    find.1
}

/// Returns whether a type is a primitive, a text, or a list or an `Option` of one. The model can fill it, and the runtime has no values of it. It needs
/// no check, so most tools cost the compiler nothing there.
pub(crate) fn is_plain(ty: &Type) -> bool {
    match plain(ty) {
        Type::Reference(reference) => is_plain(&reference.elem),
        Type::Slice(slice) => is_plain(&slice.elem),
        Type::Path(path) if path.qself.is_none() => {
            path.path
                .get_ident()
                .is_some_and(|name| name == "str" || name == "String" || is_primitive(&name.to_string()))
                || generic_args(ty, &["Option", "Vec"]).is_some_and(|args| args.iter().all(is_plain_argument))
        }
        Type::Tuple(tuple) => tuple.elems.is_empty(),
        _ => false,
    }
}

/// The generic arguments of a type whose last path segment has one of these names.
pub(crate) fn generic_args<'t>(
    ty: &'t Type,
    names: &[&str],
) -> Option<&'t Punctuated<GenericArgument, Token![,]>> {
    let Type::Path(path) = plain(ty) else { return None };
    let last = path.path.segments.last().filter(|last| names.iter().any(|name| last.ident == name))?;
    match &last.arguments {
        PathArguments::AngleBracketed(args) if path.qself.is_none() => Some(&args.args),
        _ => None,
    }
}

pub(crate) fn is_plain_argument(arg: &GenericArgument) -> bool {
    matches!(arg, GenericArgument::Type(ty) if is_plain(ty))
}

#[cfg(test)]
mod tests {
    use super::{LENT, MADE};

    #[test]
    fn t7_every_injected_type_is_named_where_people_look() {
        let pages = [
            (
                "state.md",
                include_str!("../../docs/book/src/guides/state.md"),
                "The runtime fills parameters of these types:",
            ),
            (
                "tool.md",
                include_str!("../../runtime/core/src/docs/tool.md"),
                "The runtime injects types with these names",
            ),
            (
                "inject.rs",
                include_str!("../../runtime/tools/src/context/inject.rs"),
                "note = \"these can be injected:",
            ),
        ];
        for (page, text, begin) in pages {
            let (_, list) = text.split_once(begin).unwrap_or_else(|| panic!("{page} has no list"));
            let list: String = list.lines().take(3).collect();
            for name in LENT.iter().chain(MADE) {
                let is_generic = matches!(*name, "State" | "Provided");
                let ty = if is_generic { format!("{name}<T>") } else { (*name).to_owned() };
                let shown = if LENT.contains(name) { format!("`&{ty}`") } else { format!("`{ty}`") };
                assert!(list.contains(&shown), "{page} does not name {shown}");
            }
        }
    }
}
