//! The words that the macros know, each with the documentation that an editor shows for it.
//!
//! Macro expansions for rust-analyzer name these constants with the spans of the user's words. They have no
//! effect at run time. They are the rows of the vocabulary.

/// A word of a macro.
#[derive(Clone, Copy, Debug)]
pub struct Key;

/// Returns a value of a type, in code that never runs, so that an editor completes the fields of the type.
#[must_use]
pub fn value<T>() -> T {
    unreachable!("only editors read this")
}

macro_rules! keys {
    ($($(#[doc = $of:literal])+ $module:ident { $($(#[doc = $doc:expr])+ $key:ident)* })*) => {$(
        $(#[doc = $of])+
        #[allow(non_upper_case_globals)]
        pub mod $module {
            use super::Key;

            $($(#[doc = $doc])+ pub const $key: Key = Key;)*
        }
    )*};
}

/// The fields of `agent!`.
#[allow(non_upper_case_globals)]
pub mod agent {
    use super::Key;

    macro_rules! fields {
        ($($(#[doc = $about:literal])+ $module:ident $name:ident {
            $(#[doc = $form:literal] #[doc = $doc:expr] $key:ident => $variant:ident,)*
        })*) => {$($(
            #[doc = $form]
            ///
            #[doc = $doc]
            pub const $key: Key = Key;
        )*)*};
    }

    onionskin_vocabulary::agent_fields!(fields);
}

macro_rules! words {
    ($($(#[doc = $about:literal])+ $module:ident $name:ident {
        $($(#[doc = $doc:expr])+ $key:ident => $variant:ident,)*
    })*) => {
        keys! { $($(#[doc = $about])+ $module { $($(#[doc = $doc])+ $key)* })* }
    };
}

onionskin_vocabulary::request_params!(words);
onionskin_vocabulary::limits!(words);
onionskin_vocabulary::agent_words!(words);

macro_rules! options {
    ($($(#[doc = $about:literal])+ $module:ident {
        $(#[doc = $forms:literal] #[doc = $does:literal] $key:ident)*
    })*) => {$(
        $(#[doc = $about])+
        #[allow(non_upper_case_globals)]
        pub mod $module {
            $(option! { $forms $does $key })*
        }
    )*};
}

macro_rules! option {
    // `crate` is a keyword and cannot be the name of a constant.
    ($forms:literal $does:literal crate) => {};
    ($forms:literal $does:literal $key:ident) => {
        #[doc = $forms]
        ///
        #[doc = $does]
        pub const $key: super::Key = super::Key;
    };
}

onionskin_vocabulary::options!(options);

/// The built-in tools.
pub mod runtime {
    use super::Key;

    /// Tools that use the files of a folder.
    #[derive(Clone, Copy, Debug)]
    pub struct Filesystem {
        /// Reads a text file, with feature `filesystem`.
        pub read: Key,
        /// Writes a whole text file, with feature `filesystem`.
        pub write: Key,
        /// Lists a folder, with feature `filesystem`.
        pub list: Key,
        /// Replaces a text in a file, with feature `filesystem`.
        pub edit: Key,
        /// Finds lines in files, with feature `filesystem`.
        pub search: Key,
    }

    /// Tools that use the files of a folder: `filesystem.read` and others.
    #[allow(non_upper_case_globals)]
    pub const filesystem: Filesystem =
        Filesystem { read: Key, write: Key, list: Key, edit: Key, search: Key };

    /// Tools that ask the user.
    #[derive(Clone, Copy, Debug)]
    pub struct Human {
        /// Asks a question, with feature `human-input`.
        pub input: Key,
    }

    /// Tools that ask the user: `human.input`.
    #[allow(non_upper_case_globals)]
    pub const human: Human = Human { input: Key };

    /// Tools that work with the system's shell.
    #[derive(Clone, Copy, Debug)]
    pub struct Shell {
        /// Runs a program, with feature `shell`.
        pub execute: Key,
    }

    /// Tools that work with the system's shell: `shell.execute`.
    #[allow(non_upper_case_globals)]
    pub const shell: Shell = Shell { execute: Key };

    /// Tools that read skills.
    #[derive(Clone, Copy, Debug)]
    pub struct Skills {
        /// Reads the instructions of a skill, with feature `skills`.
        pub read: Key,
    }

    /// Tools that read skills: `skills.read`.
    #[allow(non_upper_case_globals)]
    pub const skills: Skills = Skills { read: Key };
}
