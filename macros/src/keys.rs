//! The options of an attribute as fields. The vocabulary has their rows.

use darling::FromMeta;

pub(crate) use onionskin_vocabulary::options::AttributeOption as Key;

/// How the tokens of an option's value are parsed before its reader gets them.
#[derive(Clone, Copy)]
pub(crate) enum Parsed {
    /// As an expression.
    Expr,
    /// As a type: as an expression, `Vec<i64>` is two comparisons.
    Type,
    /// As an expression, or as words: some people write text without quotes.
    Text,
}

/// The options of an attribute, as fields.
pub(crate) trait Options: FromMeta + Default {
    /// How the value of the option with this name is parsed.
    fn parsed(name: &str) -> Parsed;
}

/// The key of this name.
pub(crate) fn find<'k>(keys: &'k [Key], name: &str) -> Option<&'k Key> {
    keys.iter().find(|key| key.name == name)
}

/// Writes a struct of options that darling reads. The struct has `#[derive(Default, FromMeta)]`: one that this macro wrote could not
/// see the readers.
///
/// An entry is the field, its key where that is another word, its type, and what reads it.
/// The reader is named with its module, because darling has a variable for each field. Fields behind `..` are no options.
macro_rules! options {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident {
            $(
                $field:ident $(as $key:literal)?: $ty:ty = $($read:ident)::+,
            )+
            $(.. $(#[$how:meta] $more:ident: $more_ty:ty,)+)?
        }
    ) => {
        $(#[$about])*
        $vis struct $name {
            $(
                #[darling(default, with = $($read)::+ $(, rename = $key)?)]
                $vis $field: $ty,
            )+
            $($(#[$how] $vis $more: $more_ty,)+)?
        }

        impl $crate::keys::Options for $name {
            fn parsed(name: &str) -> $crate::keys::Parsed {
                match name {
                    $($crate::keys::options!(@name $field $($key)?) => $crate::keys::options!(@parsed $($read)::+),)+
                    _ => $crate::keys::Parsed::Expr,
                }
            }
        }
    };
    (@parsed read::ty) => { $crate::keys::Parsed::Type };
    (@parsed read::text) => { $crate::keys::Parsed::Text };
    (@parsed read::words) => { $crate::keys::Parsed::Text };
    (@parsed $($read:ident)::+) => { $crate::keys::Parsed::Expr };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $key:literal) => { $key };
}

pub(crate) use options;

#[cfg(test)]
mod tests;
