//! The workflow of two agents, run as a user runs it.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

#[path = "shared/example.rs"]
mod example;

#[test]
fn a10_the_hooks_of_the_workflow_run_in_the_same_order_in_each_turn() {
    let shown = example::run(env!("CARGO_BIN_EXE_onboarding"), &[]);
    let wanted = "\
Connect my mail.
  send user -> onboarding: Connect my mail.
  state of onboarding: 1 messages
  last of onboarding: Connect my mail.
  all of onboarding: 1 messages
  AgentAPIKeyInput (api_key_input) for \"mail\"
  state of onboarding: 3 messages
  last of onboarding: sk-17
  all of onboarding: 3 messages
  send onboarding -> guide: Is [key] a key for mail?
  state of onboarding: 5 messages
  last of onboarding: It is.
  all of onboarding: 5 messages
  send onboarding -> user: Connected with [key] .
= Connected with [key] . (turns: 3)
Thank you, and forget sk-17 please.
  send user -> onboarding: Thank you, and forget [key] please.
  state of onboarding: 7 messages
  last of onboarding: Thank you, and forget [key] please.
  all of onboarding: 7 messages
  send onboarding -> user: You are welcome.
= You are welcome. (turns: 1)
";
    assert_eq!(shown, wanted);
}
