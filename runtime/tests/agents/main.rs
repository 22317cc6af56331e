//! Agents: their runs, children, limits, failures and histories.

mod agent_macro;
mod agent_tool;
mod asking_again;
mod children;
mod children_by_hand;
mod depth;
mod failures;
mod idempotency;
mod interrupted;
mod limits;
mod same_requests;
mod scripted_model;
mod sessions;
mod sources;
