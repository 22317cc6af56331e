//! [`VisitSecrets`]: lists the secrets in a value.

use std::any::Any;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{OsStr, OsString};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use super::owned::owned;
use super::value::{Secret, texts};

/// A type that lists the secrets in it, so that a session can redact them.
///
/// Derive it for the state of an agent, and for each type in the state that contains a [`Secret`]. A new
/// session knows the secrets of its state, and `State::update` adds those of the new state. Building an agent
/// fails if its state owns a secret that it does not list (`BuildError::UnvisitedSecret`).
///
/// ```
/// use std::sync::Arc;
/// use onionskin::Secret;
/// use onionskin::secret::VisitSecrets;
///
/// #[derive(Clone, VisitSecrets)]
/// struct Config {
///     region: String,
///     login: Option<Login>,
///     tokens: Arc<Vec<Secret<String>>>,
/// }
///
/// #[derive(Clone, VisitSecrets)]
/// struct Login {
///     user: String,
///     password: Secret<String>,
/// }
///
/// let config = Config {
///     region: "eu".into(),
///     login: Some(Login { user: "ada".into(), password: "hunter2".into() }),
///     tokens: Arc::new(vec!["first-token".into(), "second-token".into()]),
/// };
/// let mut secrets = Vec::new();
/// config.visit_secrets(&mut |secret| secrets.push(str::from_utf8(secret).unwrap().to_owned()));
/// assert_eq!(secrets, ["hunter2", "first-token", "second-token"]);
/// ```
///
/// Secrets inside a `Mutex` or another cell are not listed, because they change without an update of the
/// state. Pass them to `ToolContext::conceal`.
#[diagnostic::on_unimplemented(
    message = "the secrets in `{Self}` cannot be listed",
    label = "does not implement `VisitSecrets`",
    note = "write `#[derive(onionskin::secret::VisitSecrets)]` on your own type"
)]
pub trait VisitSecrets {
    /// Passes the text, or the bytes, of each secret in this value to `visit`.
    fn visit_secrets(&self, visit: &mut dyn FnMut(&[u8]));
}

impl<T> VisitSecrets for Secret<T> {
    fn visit_secrets(&self, visit: &mut dyn FnMut(&[u8])) {
        self.each(visit);
    }
}

impl<T: VisitSecrets> VisitSecrets for Option<T> {
    fn visit_secrets(&self, visit: &mut dyn FnMut(&[u8])) {
        if let Some(value) = self {
            value.visit_secrets(visit);
        }
    }
}

impl<T: VisitSecrets, E: VisitSecrets> VisitSecrets for Result<T, E> {
    fn visit_secrets(&self, visit: &mut dyn FnMut(&[u8])) {
        match self {
            Ok(value) => value.visit_secrets(visit),
            Err(error) => error.visit_secrets(visit),
        }
    }
}

/// Implements `VisitSecrets` for collections: each item, or value, is visited.
macro_rules! items {
    ($([$($parameters:tt)*] $type:ty: $items:ident),* $(,)?) => {$(
        impl<$($parameters)*> VisitSecrets for $type {
            fn visit_secrets(&self, visit: &mut dyn FnMut(&[u8])) {
                for item in self.$items() {
                    item.visit_secrets(visit);
                }
            }
        }
    )*};
}

items!(
    [T: VisitSecrets] [T]: iter,
    [T: VisitSecrets, const N: usize] [T; N]: iter,
    [T: VisitSecrets] Vec<T>: iter,
    [T: VisitSecrets] VecDeque<T>: iter,
    [T: VisitSecrets] LinkedList<T>: iter,
    [T: VisitSecrets] BinaryHeap<T>: iter,
    [T: VisitSecrets] BTreeSet<T>: iter,
    [T: VisitSecrets, H] HashSet<T, H>: iter,
    [K, T: VisitSecrets] BTreeMap<K, T>: values,
    [K, T: VisitSecrets, H] HashMap<K, T, H>: values,
);

/// Implements `VisitSecrets` for pointers: the value behind is visited.
macro_rules! pointers {
    ($([$($parameters:tt)*] $type:ty),* $(,)?) => {$(
        impl<$($parameters)*> VisitSecrets for $type {
            fn visit_secrets(&self, visit: &mut dyn FnMut(&[u8])) {
                (**self).visit_secrets(visit);
            }
        }
    )*};
}

pointers!(
    [T: VisitSecrets + ?Sized] &T,
    [T: VisitSecrets + ?Sized] Box<T>,
    [T: VisitSecrets + ?Sized] Rc<T>,
    [T: VisitSecrets + ?Sized] Arc<T>,
    [T: VisitSecrets + ToOwned + ?Sized] Cow<'_, T>,
);

macro_rules! tuples {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: VisitSecrets),*> VisitSecrets for ($($name,)*) {
            fn visit_secrets(&self, visit: &mut dyn FnMut(&[u8])) {
                #[expect(non_snake_case, reason = "the parameters name the items")]
                let ($($name,)*) = self;
                $($name.visit_secrets(visit);)*
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}

/// Implements `VisitSecrets` for types without secrets, so that generic types can contain them.
macro_rules! without_secrets {
    ($($type:ty;)*) => {$(
        impl VisitSecrets for $type {
            fn visit_secrets(&self, _: &mut dyn FnMut(&[u8])) {}
        }
    )*};
}

without_secrets! {
    (); bool; char; str; String; OsStr; OsString; Path; PathBuf; Value;
    IpAddr; Ipv4Addr; Ipv6Addr; SocketAddr; SocketAddrV4; SocketAddrV6;
    AtomicBool; AtomicI32; AtomicI64; AtomicIsize; AtomicU32; AtomicU64; AtomicUsize;
    Duration; Instant; SystemTime;
    f32; f64; i8; i16; i32; i64; i128; isize; u8; u16; u32; u64; u128; usize;
}

/// An empty cell lists no secrets. A session is not notified when the cell is set.
impl<T: VisitSecrets> VisitSecrets for OnceLock<T> {
    fn visit_secrets(&self, visit: &mut dyn FnMut(&[u8])) {
        self.get().visit_secrets(visit);
    }
}

impl<T: ?Sized> VisitSecrets for PhantomData<T> {
    fn visit_secrets(&self, _: &mut dyn FnMut(&[u8])) {}
}

/// A value of any type. The compiler selects the inherent method if the type implements [`VisitSecrets`],
/// otherwise the method of [`VisitNone`].
pub struct Visited<'v, T: ?Sized>(pub &'v T);

impl<T: VisitSecrets + ?Sized> Visited<'_, T> {
    /// Passes each secret to `visit`.
    pub fn visit(&self, visit: &mut dyn FnMut(&[u8])) {
        self.0.visit_secrets(visit);
    }
}

/// A value that is not known to have secrets.
pub trait VisitNone {
    /// Visits nothing.
    fn visit(&self, _: &mut dyn FnMut(&[u8])) {}
}

impl<T: ?Sized> VisitNone for Visited<'_, T> {}

/// Lists the secrets of a state behind `Any`.
#[derive(Clone, Copy)]
pub struct StateVisitor(VisitAny);

type VisitAny = fn(&dyn Any, &mut dyn FnMut(&[u8]));

impl StateVisitor {
    /// The visitor of a state's type.
    pub fn new<S: VisitSecrets + 'static>() -> Self {
        Self(|state, visit| {
            if let Some(state) = state.downcast_ref::<S>() {
                state.visit_secrets(visit);
            }
        })
    }

    /// The visitor of a state that no agent declares. It copies the state to find the secrets that it owns.
    pub fn by_copy<S: Clone + 'static>() -> Self {
        Self(|state, visit| {
            let state = state.downcast_ref::<S>();
            state.into_iter().flat_map(owned).for_each(|secret| visit(&secret));
        })
    }

    /// The secrets of a state; none without a visitor.
    pub fn listed(visitor: Option<Self>, state: &dyn Any) -> Vec<Vec<u8>> {
        visitor.map(|visitor| visitor.secrets(state)).unwrap_or_default()
    }

    fn secrets(self, state: &dyn Any) -> Vec<Vec<u8>> {
        texts(|visit| (self.0)(state, visit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(value: &(impl VisitSecrets + ?Sized)) -> Vec<String> {
        let mut listed = Vec::new();
        value.visit_secrets(&mut |secret| listed.push(String::from_utf8_lossy(secret).into_owned()));
        listed
    }

    fn secret(text: &str) -> Secret<String> {
        text.into()
    }

    #[test]
    fn t8_containers_list_the_secrets_in_them() {
        assert_eq!(listed(&Arc::new(vec![secret("a"), secret("b")])), ["a", "b"]);
        assert_eq!(listed(&BTreeMap::from([(1, [secret("a")]), (2, [secret("b")])])), ["a", "b"]);
        assert_eq!(listed(&HashMap::from([("one", Box::new(secret("a")))])), ["a"]);
        assert_eq!(
            listed(&(1_u8, "text", Some(secret("a")), VecDeque::from([Rc::new(secret("b"))]))),
            ["a", "b"]
        );
        assert_eq!(listed(&Err::<u8, _>(secret("a"))), ["a"]);
        assert_eq!(listed(&Arc::<[Secret<String>]>::from([secret("a")])), ["a"]);
        assert_eq!(listed(&Secret::new(serde_json::json!({ "a": ["b", 1] }))), ["b", "1"]);
        assert!(
            listed(&("text".to_owned(), PhantomData::<Secret<String>>, serde_json::json!("text"))).is_empty()
        );
    }

    #[test]
    #[expect(clippy::needless_borrow, reason = "as the macros write it")]
    fn t8_a_value_is_visited_if_its_type_lists_secrets_and_passed_over_otherwise() {
        struct Unlisted(#[expect(dead_code, reason = "it is not visited")] Secret<String>);
        let mut listed = Vec::new();
        (&Visited(&Some(secret("a")))).visit(&mut |secret| listed.push(secret.to_vec()));
        (&Visited(&Some(Unlisted(secret("b"))))).visit(&mut |secret| listed.push(secret.to_vec()));
        assert_eq!(listed, [b"a"]);
    }
}
