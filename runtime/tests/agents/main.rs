//! Agents: their runs, children, limits, failures and histories.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "tests say what they expect")]
#![allow(clippy::unused_async, clippy::unused_self, reason = "tests say what they expect")]

#[macro_use]
#[path = "../shared/by_hand.rs"]
mod by_hand;
mod agent_macro;
mod agent_tool;
#[path = "../shared/answers.rs"]
mod answers;
mod apps;
mod asking_again;
mod attempts;
mod between_turns;
mod builder_settings;
mod built_by_hand;
mod cancelled;
#[path = "../shared/changing_server.rs"]
mod changing_server;
mod children;
mod children_by_hand;
mod compared;
mod costs;
#[path = "../shared/cut.rs"]
mod cut;
mod depth;
mod described;
mod doubt;
mod dropped;
mod effects;
mod failures;
mod histories;
mod idempotency;
mod interrupted;
mod killed;
mod limits;
mod loops_by_hand;
mod made_at_run_time;
mod model_requests;
mod model_suite;
mod names;
mod parallel;
mod prefix_changes;
mod prompt_order;
mod prompts;
mod provided_values;
mod recorded_state;
mod replay;
mod reported;
mod reports;
mod request_options;
mod request_settings;
mod run_input;
mod run_tools;
mod run_tools_life;
mod scripted;
mod scripted_children;
mod scripted_model;
mod server_data;
mod server_headers;
mod sessions;
mod shown_meta;
mod sources;
mod stopped_at;
mod stored_forms;
mod stored_records;
mod strategies;
mod support;
mod typed_answers;
mod unfinished;
mod with_a_journal;
mod words_and_ends;
