//! Integration tests. One binary, a module for each subject.

mod adapters;
mod commands;
mod conformance;
mod docs;
mod keys;
mod layers;
mod list;
mod live;
mod probe;
mod project;
mod pty;
mod rules;
mod safety;
mod samples;
mod sandbox;
mod screen;
mod screens;
mod story;
mod traces;
mod wait;
mod watch;
