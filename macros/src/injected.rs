//! Types that the runtime injects, by their names: a macro knows no more of a type.

use syn::{PathArguments, PathSegment, Type};

/// By the last segment of their path.
const INJECTED: &[&str] = &[
    "ToolContext",
    "RunContext",
    "AgentInfo",
    "SessionState",
    "CancellationToken",
    "Progress",
    "IdempotencyKey",
    "State",
    "Team",
    "ToolSource",
];

/// Those that the context lends as well as gives.
const LENT: &[&str] = &["ToolContext", "RunContext", "AgentInfo", "SessionState"];

/// Whether a parameter of this type is for the runtime to fill.
pub(crate) fn is_injected(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| {
        // Ours is the state of something; a type that is just called so is somebody's own.
        let own = segment.ident == "State" && matches!(segment.arguments, PathArguments::None);
        !own && INJECTED.iter().any(|name| segment.ident == name)
    })
}

/// What is asked of the context for a parameter, and whether the function takes a reference to that.
pub(crate) fn asked(ty: &Type) -> (&Type, bool) {
    match plain(ty) {
        Type::Reference(reference) if reference.mutability.is_none() && is_given(&reference.elem) => {
            (plain(&reference.elem), true)
        }
        plain => (plain, false),
    }
}

/// Whether the context gives it by value only.
fn is_given(ty: &Type) -> bool {
    let is_lent = |segment: &PathSegment| LENT.iter().any(|name| segment.ident == name);
    is_injected(ty) && !last_segment(ty).is_some_and(is_lent) && matches!(plain(ty), Type::Path(_))
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

/// Whether the last segment of a type's path, behind any reference, is this name.
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == name)
}
