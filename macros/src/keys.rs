//! The keys of an attribute or of `agent!`, in one table each. The table generates the struct of the values, its defaults, the
//! reader of each key, the suggestions for a misspelt one, and the documentation.

/// A key that users can write.
pub(crate) struct Key<R> {
    pub(crate) name: &'static str,
    /// Its row in the documentation: how it is written, and what it does.
    #[cfg(test)]
    pub(crate) row: &'static str,
    pub(crate) read: R,
}

/// The key of this name.
pub(crate) fn find<'k, R>(keys: &'k [Key<R>], name: &str) -> Option<&'k Key<R>> {
    keys.iter().find(|key| key.name == name)
}

/// The names of all keys, in the order of the documentation.
pub(crate) fn names<R>(keys: &[Key<R>]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

/// Writes a struct with a field for each key, its `Default`, and the table `KEYS`.
///
/// An entry is the row of the documentation, the key, the field, its default where that is not the type's, and how it is
/// read. The last part is an expression over the name behind `from`; `?` gives an error.
macro_rules! keys {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident from $given:ident: $of:ty {
            $(
                #[doc = $row:literal]
                $key:literal => $field:ident: $ty:ty $([$default:expr])? = $read:expr;
            )+
        }
    ) => {
        $(#[$about])*
        $vis struct $name {
            $($vis $field: $ty,)+
        }

        impl ::core::default::Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::keys::keys!(@default $($default)?),)+ }
            }
        }

        impl $name {
            /// Each key with its reader.
            $vis const KEYS: &'static [$crate::keys::Key<fn(&mut Self, &mut $of) -> ::syn::Result<()>>] = &[$(
                $crate::keys::Key {
                    name: $key,
                    #[cfg(test)]
                    row: $row,
                    read: {
                        fn read(all: &mut $name, $given: &mut $of) -> ::syn::Result<()> {
                            all.$field = $read;
                            Ok(())
                        }
                        read
                    },
                },
            )+];
        }
    };
    (@default) => { ::core::default::Default::default() };
    (@default $default:expr) => { $default };
}

pub(crate) use keys;

/// Holds a page of the documentation to these keys: each row of its tables that begins as a row of a key does is that row,
/// and no row is missing.
#[cfg(test)]
pub(crate) fn assert_documented<R>(page: &str, heading: &str, keys: &[Key<R>]) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/core/src/docs").join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let (_, section) = text.split_once(heading).unwrap_or_else(|| panic!("{page} has no {heading:?}"));
    let section = section.split("\n# ").next().unwrap_or_default();
    let mut found: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    let rows: Vec<_> = keys.iter().map(|key| format!("| {} |", key.row.trim())).collect();
    let mut rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    found.sort_unstable();
    rows.sort_unstable();
    assert_eq!(found, rows, "the table under {heading:?} in {page} differs from the keys");
    for key in keys {
        assert!(key.row.contains(&format!("`{}", key.name)), "the row of `{}` is of another key", key.name);
    }
}

/// Holds the words that editors show for these keys, in `__private0/keys.rs` of the runtime, to their rows.
/// `TRYBUILD=overwrite` writes them.
#[cfg(test)]
pub(crate) fn assert_shown<R>(module: &str, keys: &[Key<R>]) {
    /// One test writes at a time.
    static FILE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = FILE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/core/src/__private0/keys.rs");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text
        .split_once(&format!("\n    {module} {{\n"))
        .unwrap_or_else(|| panic!("{} has no module `{module}`", path.display()));
    let (found, after) = rest.split_once("    }\n").unwrap();
    // `crate` is a keyword, so no constant has this name.
    let shown: String = keys.iter().filter(|key| key.name != "crate").map(Key::shown).collect();
    if crate::pages::overwrites() {
        std::fs::write(&path, format!("{before}\n    {module} {{\n{shown}    }}\n{after}")).unwrap();
    } else {
        assert_eq!(
            found, shown,
            "the words of `{module}` differ from the rows; TRYBUILD=overwrite writes them anew"
        );
    }
}

#[cfg(test)]
impl<R> Key<R> {
    /// The constant of the key: how it is written, and what it does as a sentence.
    fn shown(&self) -> String {
        let (form, words) = self.row.trim().split_once(" | ").unwrap();
        let mut sentence: String =
            words.chars().take(1).flat_map(char::to_uppercase).chain(words.chars().skip(1)).collect();
        if !sentence.ends_with('.') {
            sentence.push('.');
        }
        let mut shown = format!("        /// {form}\n        ///\n");
        let mut line = String::new();
        for word in sentence.split(' ') {
            // 120 columns with the indent and `/// `.
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > 108 {
                shown.push_str(&format!("        /// {line}\n"));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        shown.push_str(&format!("        /// {line}\n        {}\n", self.name));
        shown
    }
}
