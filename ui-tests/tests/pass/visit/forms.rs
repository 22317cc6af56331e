//! Structs and enums of all forms, generic ones too, beside lints that are denied and forbidden.
#![forbid(missing_docs, nonstandard_style, unreachable_pub, unused_qualifications, unused_imports, unused_variables)]
#![deny(warnings, unused, clippy::pedantic, dead_code, single_use_lifetimes, unused_results, let_underscore_drop)]

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use onionskin::Secret;
use onionskin::secret::VisitSecrets;

type Key = Secret<String>;

/// No secret.
#[derive(Clone, VisitSecrets)]
pub struct Unit;

/// No value of it can be made.
#[derive(Clone, VisitSecrets)]
pub enum Never {}

/// Holds no secret and does not derive the trait.
#[derive(Clone)]
pub struct Plain;

/// Of several types.
#[derive(Clone, VisitSecrets)]
pub struct Pair<'a, T>(pub &'a T, pub Key, pub Plain, #[cfg(any())] pub Missing);

/// Of each kind of variant.
#[derive(Clone, VisitSecrets)]
pub enum Login {
    /// Nothing.
    Guest,
    /// A tuple.
    Token(Key, u8),
    /// With fields.
    Password {
        /// With a raw name.
        r#type: Option<Key>,
        /// Without secrets.
        user: String,
        /// Like the argument of the method.
        visit: Key,
    },
    /// Recursive.
    Both(Box<Self>, Box<Login>),
}

/// A type with an associated type.
pub trait Kind {
    /// The associated type.
    type Value;
}

/// Text.
pub struct Text;

impl Kind for Text {
    type Value = Key;
}

/// Generic over types and a number.
#[derive(VisitSecrets)]
pub struct Page<K: Kind, T = u8, const N: usize = 1>
where
    T: Clone,
{
    /// Of the parameter.
    pub items: [T; N],
    /// Of a type beneath the parameter.
    pub value: K::Value,
    /// Not of the parameter.
    pub kind: PhantomData<K>,
    /// A secret of a type that is not a secret itself.
    pub secret: Secret<Option<String>>,
    /// Recursive.
    pub next: Option<Box<Page<K, T, N>>>,
    /// Shared.
    pub shared: Arc<BTreeMap<String, Vec<Login>>>,
}

/// Wraps a secret of any type.
#[derive(VisitSecrets)]
pub struct Wrapper<T>(pub Secret<T>);

fn listed(value: &impl VisitSecrets) -> String {
    let mut listed = Vec::new();
    value.visit_secrets(&mut |secret| listed.push(String::from_utf8_lossy(secret).into_owned()));
    listed.join(" ")
}

pub(crate) fn main() {
    assert_eq!(listed(&Unit), "");
    assert_eq!(listed(&None::<Never>), "");
    assert_eq!(listed(&Pair(&Key::from("a"), "b".into(), Plain)), "a b");
    let password = || Login::Password { r#type: Some("c".into()), user: "ada".into(), visit: "d".into() };
    let both = Login::Both(Box::new(password()), Box::new(Login::Token("e".into(), 1)));
    assert_eq!(listed(&both), "c d e");
    assert_eq!(listed(&Login::Guest), "");
    let page = |text: &str, next| Page::<Text, Key, 2> {
        items: [text.into(), "g".into()],
        value: "h".into(),
        kind: PhantomData,
        secret: Secret::new(Some("i".to_owned())),
        next,
        shared: Arc::new(BTreeMap::from([("j".to_owned(), vec![password()])])),
    };
    assert_eq!(listed(&page("f", Some(Box::new(page("k", None))))), "f g h i k g h i c d c d");
    assert_eq!(listed(&Wrapper(Secret::new(b"l".to_vec()))), "l");
}
