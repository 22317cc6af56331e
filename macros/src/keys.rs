//! The keys of an attribute, in one table each. The table gives the struct of the values, its defaults, the
//! reader of each key, the suggestions for a misspelt one, and the documentation.

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

/// A key that users can write.
#[derive(Clone, Copy)]
pub(crate) struct Key<R = Parsed> {
    pub(crate) name: &'static str,
    /// Its row in the documentation: how it is written, and what it does.
    pub(crate) row: &'static str,
    pub(crate) read: R,
}

impl<R> Key<R> {
    /// How it is written with a value: the last such form in its row.
    pub(crate) fn form(&self) -> &'static str {
        let forms = self.row.split(" | ").next().unwrap_or_default().split('`').skip(1).step_by(2);
        forms.filter(|form| form.contains(['=', '('])).last().unwrap_or(self.name)
    }
}

/// The key of this name.
pub(crate) fn find<'k, R>(keys: &'k [Key<R>], name: &str) -> Option<&'k Key<R>> {
    keys.iter().find(|key| key.name == name)
}

/// The names of all keys, in the order of the documentation.
pub(crate) fn names<R>(keys: &[Key<R>]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

/// Writes a struct of options that darling reads, and the table `KEYS`. The struct has `#[derive(Default, FromMeta)]`: one that this
/// macro wrote could not see the readers.
///
/// An entry is the row of the documentation, the field, its key where that is another word, its type, and what reads it.
/// The reader is named with its module, because darling has a variable for each field. Fields behind `..` are no options.
macro_rules! options {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident {
            $(
                #[doc = $row:literal]
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

        impl $name {
            /// Each key.
            $vis const KEYS: &'static [$crate::keys::Key] = &[$(
                $crate::keys::Key { name: $crate::keys::options!(@name $field $($key)?), row: $row,
                read: $crate::keys::options!(@parsed $($read)::+) },
            )+];
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
pub(crate) mod tests;
