//! The executors' adapters, pure: one gate, any executor, the same answers.
//!
//! Responsible for turning questions into the calls of an executor's own dialog tool and its replies into answers.
//! Not responsible for reading or writing files (`store`) nor for the commands (`command`).

pub mod advice;
pub mod call;
pub mod canonical;
pub mod compile;
pub mod contract;
pub mod control;
pub mod document;
pub mod fault;
pub mod header;
pub mod layout;
mod line;
pub mod plain;
pub mod plan;
pub mod profile;
pub mod progress;
pub mod relay;
pub mod render_claude;
pub mod render_codex;
pub mod reply;
pub mod report;
pub mod screen;
#[allow(clippy::module_inception, reason = "the fold is what the room is named after")]
pub mod session;
pub mod take;
pub mod task_sync;
pub mod tool;
pub mod tree;
mod turn;

pub use control::{Control, Marks};
pub use fault::Fault;
pub use profile::{Executor, OnEscape, Profile};
pub use reply::{CallReply, Said};
pub use session::{Dialogue, Outcome};
pub use task_sync::{TaskStatus, TaskSync};
