//! Integration tests. One binary, a module for each subject.

#![allow(clippy::disallowed_methods, reason = "no program reads how a test spells a path")]

mod adapters;
mod ahead;
mod canonical;
mod commands;
mod completions;
mod conflicts;
mod conformance;
mod contract;
mod copies;
mod crash;
mod docs;
mod doctor;
#[cfg(unix)]
mod editor;
mod encodings;
mod examples;
mod faults;
#[cfg(unix)]
mod ground;
mod history;
mod hook;
mod in_process;
mod init;
mod json_schema;
mod kept;
mod keys;
mod layers;
mod licences;
mod limits;
mod lint;
mod list;
#[cfg(unix)]
mod live;
#[cfg(unix)]
mod loop_program;
mod mcp;
mod misspelt;
mod next;
mod object;
mod older;
mod outliving;
mod pictures;
mod plan;
mod project;
#[cfg(unix)]
mod pty;
mod races;
mod random;
mod reference;
mod repairing;
mod rules;
#[cfg(unix)]
mod safety;
mod samples;
mod sandbox;
#[cfg_attr(windows, expect(dead_code, reason = "what needs it runs only on Unix"))]
mod screen;
mod screens;
mod settings;

mod skill;
mod story;
mod system;
mod told;
mod traces;
mod wait;
mod watch;
