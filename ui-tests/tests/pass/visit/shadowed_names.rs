#![allow(dead_code, non_camel_case_types, unused_macros)]

struct String;
struct Vec;
struct Option;
struct Visited;
struct Secret;
trait VisitSecrets {}
trait VisitSome {}
trait FnMut {}
mod core {}
mod std {}
mod onionskin {}
type u8 = ();
macro_rules! assert {
    () => {};
}

#[derive(peel::secret::VisitSecrets)]
#[visit_secrets(crate = ::peel)]
struct r#struct<'a, T: ?::core::marker::Sized + 'a> {
    r#type: &'a T,
    visit: peel::Secret<::std::string::String>,
    __visit: Secret,
}

#[derive(peel::secret::VisitSecrets)]
#[visit_secrets(crate = ::peel)]
enum Shape {
    r#Circle { r: u8 },
    Both(peel::Secret<::std::string::String>, Visited),
    #[deprecated]
    Old { #[deprecated] secret: peel::Secret<[::core::primitive::u8; 3]> },
    #[cfg(any())]
    Never(Never),
}

impl Shape {
    /// A method of the same name.
    fn visit_secrets(&self) {}
}

pub(crate) fn main() {
    let mut listed = 0;
    let shape = Shape::Both("a".into(), Visited);
    peel::secret::VisitSecrets::visit_secrets(&shape, &mut |_| listed += 1);
    let shape = r#struct { r#type: &shape, visit: "b".into(), __visit: Secret };
    peel::secret::VisitSecrets::visit_secrets(&shape, &mut |_| listed += 1);
    ::std::assert_eq!(listed, 3);
}
