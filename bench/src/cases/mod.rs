//! The ways to call `add_one`, one file each.

#[cfg(feature = "peers")]
mod adk;
#[cfg(feature = "peers")]
mod aisdk;
#[cfg(feature = "peers")]
mod autoagents;
mod by_hand;
mod direct;
mod ours;
#[cfg(feature = "peers")]
mod rig;
#[cfg(feature = "peers")]
mod rmcp;

use std::pin::Pin;

/// What the model wrote.
const TEXT: &str = r#"{"x":41}"#;

/// The tool's function, the same in every case.
async fn add_one(x: i64) -> i64 {
    x + 1
}

/// One way to call the tool.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Makes that many calls, one after the other.
    pub(crate) run: Box<dyn Fn(u32) -> Pin<Box<dyn Future<Output = ()>>>>,
}

/// A case whose one call is an expression; what it names is shared by all calls.
macro_rules! calls {
    ($name:literal, $about:literal, $call:expr) => {
        calls!($name, $about, (), |_unit| $call)
    };
    ($name:literal, $about:literal, $shared:expr, |$it:ident| $call:expr) => {{
        let shared = std::rc::Rc::new($shared);
        Case {
            name: $name,
            about: $about,
            run: Box::new(move |count| {
                let $it = std::rc::Rc::clone(&shared);
                Box::pin(async move {
                    for _ in 0..count {
                        std::hint::black_box($call.await).expect("the call succeeds");
                    }
                })
            }),
        }
    }};
}
use calls;

/// All cases, in the order of the table; the first one is the measure of the others.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = direct::cases();
    cases.extend(ours::cases());
    cases.extend(by_hand::cases());
    #[cfg(feature = "peers")]
    cases.extend(
        [rmcp::cases(), rig::cases(), autoagents::cases(), aisdk::cases(), adk::cases()]
            .into_iter()
            .flatten(),
    );
    cases
}
