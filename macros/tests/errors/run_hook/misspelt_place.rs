use onionskin::run_hook;
use onionskin::run_hooks::RunAnswer;

#[run_hook(pots)]
fn sign(answer: &mut RunAnswer) {
    answer.set_text("signed");
}

fn main() {}
