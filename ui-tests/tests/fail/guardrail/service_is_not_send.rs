use std::rc::Rc;

use onionskin::{Args, Provided, guardrail};

struct Words(Rc<str>);

#[guardrail(input)]
fn check(args: &Args, words: Provided<Words>) -> Result<(), String> {
    if args.text().contains(&*words.0) { Err("no".to_owned()) } else { Ok(()) }
}

fn main() {}
