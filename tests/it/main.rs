//! Integration tests. One binary, a module for each subject.

mod probe;
mod pty;
mod screen;
