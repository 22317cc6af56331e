use onionskin::tool;

macro_rules! adders {
    ($($name:ident: $step:literal),*) => {
        $(
            /// Adds.
            #[tool]
            pub fn $name(x: i64) -> i64 {
                x + $step
            }
        )*
    };
}

/// Adds.
#[tool]
pub fn add_one(x: i64) -> i64 {
    x + 1
}

adders!(add_two: 2);
