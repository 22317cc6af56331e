use onionskin::tool;

macro_rules! tools {
    ($($(#[$meta:meta])* $name:ident($($param:ident: $ty:ty),*) $body:block)*) => {
        $(
            $(#[$meta])*
            #[tool]
            async fn $name($($param: $ty),*) -> String $body
        )*
    };
}

tools! {
    /// Greets.
    greet(name: String) { format!("Hello {name}") }
    /// Leaves.
    r#move(to: &str, maybe: Option<&str>) { format!("{to} {maybe:?}") }
}

pub(crate) fn main() {
    /// In a function.
    #[tool]
    fn inner(r#type: u8) -> u8 {
        r#type
    }
    let _ = (inner::default(), greet::default(), r#move::default());
    assert_eq!(inner(1), 1);
}
