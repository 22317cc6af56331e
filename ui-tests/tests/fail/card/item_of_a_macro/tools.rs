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

adders!(add_one: 1, add_two: 2);
