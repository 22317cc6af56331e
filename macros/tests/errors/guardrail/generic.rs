use onionskin::{Args, Inject, guardrail};

#[guardrail(input)]
fn check<'a, T: Inject<'a>>(args: &Args, #[inject] more: T) {
    let _ = (args, more);
}

fn main() {}
