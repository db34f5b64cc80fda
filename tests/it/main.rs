//! Integration tests. One binary, a module for each subject.

mod adapters;
mod canonical;
mod commands;
mod conformance;
mod docs;
mod keys;
mod layers;
mod lint;
mod list;
mod live;
mod next;
mod plan;
mod probe;
mod project;
mod pty;
mod rules;
mod safety;
mod samples;
mod sandbox;
mod screen;
mod screens;
mod skill;
mod story;
mod traces;
mod wait;
mod watch;
