//! Integration tests. One binary, a module for each subject.

mod keys;
mod probe;
mod pty;
mod screen;
