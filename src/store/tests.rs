//! Tests of more than one file of this room.

mod faults;
