//! The command line of onionskin: the commands of the ready program `onionskin`, and of each program with `onionskin::main!`.
//!
//! Programs use it through the crate `onionskin`, whose feature `cli` brings it. `PROGRAM --help` shows the commands.

// `start` reads the commands that `arguments` lists and runs one of them. Each command has a module; those of servers are in `mcp`. They
// work with the app that `agents` makes of what the arguments and the `program` name, with the model of `model`; `loaded` has the agents
// of files. Where these name items in Rust, the ready program runs the program of their `package`. `settings` are what
// the ready program uses where no option says it, from files, the environment and the `variables` of `.env`. `signals` ends a command, `questions`
// asks the person at the terminal line by line (`lines`), `typeahead` keeps what was typed early from answering, `failure` says why there
// is no result, `log` shows what hooks log, `text`, `times` and `calls` make texts for people, `states` is the folder of files for later commands, `output` writes to them, `read` and `write` are for
// files.

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "acp")]
mod acp;
mod agents;
mod arguments;
mod calls;
mod chat;
mod check;
mod completions;
mod config;
mod docs;
mod failure;
mod import;
mod lines;
mod list;
mod loaded;
mod log;
#[cfg(feature = "mcp")]
mod mcp;
mod migrate;
mod model;
mod new;
mod output;
mod package;
mod program;
mod questions;
mod read;
mod run;
mod schema;
#[cfg(feature = "serve")]
mod serve;
mod sessions;
mod settings;
mod signals;
mod start;
mod states;
mod text;
mod times;
mod typeahead;
mod variables;
mod working_folder;
mod write;

pub use program::{Prepared, Program};
