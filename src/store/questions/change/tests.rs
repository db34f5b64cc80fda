use super::*;
use crate::store::testing::{Sandbox, set_mode};
use std::fs;
use std::os::unix::fs::symlink;
use std::time::SystemTime;
