//! The executors' adapters, pure: one gate, any executor, the same answers.
//!
//! Responsible for turning questions into the calls of an executor's own dialog tool and its replies into answers.
//! Not responsible for reading or writing files (`store`) nor for the commands (`command`).

pub mod canonical;
pub mod control;
pub mod layout;
pub mod profile;
pub mod progress;
pub mod screen;
pub mod task_sync;
pub mod tree;

pub use control::{Control, Marks};
pub use profile::{Executor, OnEscape, Profile};
pub use task_sync::{TaskStatus, TaskSync};
