//! The schemas of a hundred documented tools, built: what the first listing of a program's tools costs.
//!
//! `schemas COUNT` builds those of that many tools, at most 100, and prints how many microseconds it took. A program of its
//! own: in one with the calls, it changes what the compiler inlines into them.

use std::time::Instant;

use onionskin::{Tool, tool};

/// Where to look.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Place {
    /// The street and the number.
    street: String,
    city: Option<String>,
}

macro_rules! tools {
    ($($tool:ident)*) => {
        $(
            /// Searches a catalogue.
            #[tool]
            fn $tool(
                /// What to look for.
                words: Vec<String>,
                /// Where to look.
                place: Option<Place>,
                /// How many records to give.
                #[arg(default = 10, range(1..=50))]
                limit: u8,
            ) -> Vec<String> {
                let _ = place;
                words.into_iter().take(limit.into()).collect()
            }
        )*

        /// Lists that many of the tools; gives the parts of their schemas.
        fn list(count: usize) -> usize {
            let tools: [fn() -> usize; 100] =
                [$(|| $tool {}.definition().input_schema.as_object().map_or(0, serde_json::Map::len)),*];
            tools.iter().take(count).map(|tool| tool()).sum()
        }
    };
}

tools! {
    t00 t01 t02 t03 t04 t05 t06 t07 t08 t09 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19
    t20 t21 t22 t23 t24 t25 t26 t27 t28 t29 t30 t31 t32 t33 t34 t35 t36 t37 t38 t39
    t40 t41 t42 t43 t44 t45 t46 t47 t48 t49 t50 t51 t52 t53 t54 t55 t56 t57 t58 t59
    t60 t61 t62 t63 t64 t65 t66 t67 t68 t69 t70 t71 t72 t73 t74 t75 t76 t77 t78 t79
    t80 t81 t82 t83 t84 t85 t86 t87 t88 t89 t90 t91 t92 t93 t94 t95 t96 t97 t98 t99
}

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(100);
    let begin = Instant::now();
    let parts = std::hint::black_box(list(count));
    let took = begin.elapsed();
    assert_eq!(parts == 0, count == 0, "{count} tools have {parts} parts of schemas");
    println!("{}", took.as_micros());
}
