//! `main!`. Without the feature it says which one is missing.

/// Makes the `main` of a program with the commands of onionskin: `run`, `list`, `check` and the others, which `--help` shows.
///
/// ```no_run
/// use onionskin::agent;
///
/// agent! { Helper { instruction: "Help." } }
///
/// onionskin::main!(Helper);
/// ```
///
/// With keys, a program also offers what cards can name, and sets up what its agents need:
///
/// ```no_run
/// use onionskin::declaration::AppBuilder;
/// use onionskin::loader::Registry;
/// use onionskin::{Provided, agent, tool};
///
/// struct Prices;
///
/// /// The price of a lamp, in cents.
/// #[tool]
/// fn price(prices: Provided<Prices>) -> u32 {
///     # let _ = prices;
///     4200
/// }
///
/// agent! { Desk { instruction: "Sell.", function_tools: [price] } }
///
/// onionskin::main! {
///     agents: [Desk],
///     registry: Registry::new().file("cards/tools.rs", |items| items.tool::<price>()),
///     setup: |app| app.provide(Prices),
/// }
/// ```
///
/// | Key | Value |
/// |---|---|
/// | `agents` | the types of the agents |
/// | `registry` | a [`Registry`](crate::loader::Registry) of the items that cards of `--card` and the folder of `--workflow` can name |
/// | `setup` | a function that adds to the [`AppBuilder`](crate::declaration::AppBuilder) what the agents need: servers, services, a model, a state. It gives the builder, a `Result` with it, or a future of such a `Result` |
///
/// The name, the version and the description are those of the package. Feature `cli`.
#[cfg(feature = "cli")]
#[macro_export]
macro_rules! main {
    ($($program:tt)*) => {
        $crate::__private0::main! { $crate $($program)* }
    };
}

/// Makes the `main` of a program with the commands of onionskin. It needs the feature `cli`.
#[cfg(not(feature = "cli"))]
#[macro_export]
macro_rules! main {
    ($($program:tt)*) => {
        ::core::compile_error!("`main!` makes a command line: enable feature `cli` of onionskin");
        fn main() {}
    };
}
