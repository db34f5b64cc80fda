//! The executors' adapters, pure: one gate, any executor, the same answers. Questions become the calls of an executor's own
//! dialog tool, and its replies become answers.

pub mod advice;
pub mod call;
pub mod canonical;
pub mod contract;
pub mod control;
pub mod document;
pub mod inquiry;
pub mod layout;
mod marks;
mod output;
pub mod plan;
pub mod profile;
pub mod progress;
pub mod question;
pub mod relay;
pub mod report;
pub mod routing;
pub mod screens;
pub mod session;
pub mod silence;
pub mod task_sync;
pub mod values;
