//! novel-gate: the author's side terminal for novels written with AI executors.
//!
//! An executor's instruction packet may carry a *gate*: questions (`novel_ask`) and a place for the answers
//! (`answer_path`). The step may not run until a valid answer record lies there. This program asks the
//! questions and writes the record.
//!
//! The rooms, from the ground up; imports only ever point towards the top of this list:
//!
//! * [`platform`]: what differs between systems. Their own calls on files, processes and the terminal.
//! * [`text`]: pure words on cells. Display width, wrapping, making hostile text harmless, the two languages.
//! * [`ask`]: the domain, pure. Exact JSON, questions, records, packets, the one rule book, half-made answers.
//! * [`adapter`]: the executors' adapters, pure. Questions -> tool calls, replies -> answers; canonical prompts; plans.
//! * [`store`]: files. The project root, confined paths, scanning, watching, the write protocol, drafts.
//! * [`command`]: one file for each subcommand.
//! * [`console`]: the full-screen program. A stack of screens: key -> action -> screen -> effects -> frame.
//!
//! Above them [`mod@run`] joins the command line ([`cli`]) and the [`environment`] to a command or the console; [`error`] and
//! [`exit`] are what everything ends with.
//!
//! `command` and `console` do not know each other. Side effects live in `store`, at the console's edge and in `main`.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "no program reads how a test spells a path"))]

pub mod adapter;
pub mod ask;
pub mod cli;
pub mod command;
pub mod console;
pub mod environment;
pub mod error;
pub mod exit;
pub mod platform;
pub mod run;
pub mod store;
pub mod text;

pub use environment::Environment;
pub use run::run;
