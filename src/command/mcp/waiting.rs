//! The questions that this process waits for, from the call that asks them to the one that hands the answers over.

use crate::store::lock::gate_is_open;
use crate::store::relay::Relay;
use crate::store::{Project, Record, StateDir};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// A project with its state, as a call found them.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) project: Arc<Project>,
    pub(super) state: StateDir,
}

/// Packets by their paths, relative to the root.
#[derive(Default)]
pub(super) struct Waiting(Mutex<Packets>);

#[derive(Default)]
struct Packets {
    held: HashMap<PathBuf, Held>,
    /// How many calls there were.
    turns: u64,
}

/// A packet, and the last call that was about it.
struct Held {
    relay: Relay,
    turn: u64,
}

/// A call about a packet.
#[derive(Clone)]
pub(super) struct Turn {
    pub(super) packet: PathBuf,
    number: u64,
}

impl Waiting {
    fn packets(&self) -> MutexGuard<'_, Packets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a call that begins now.
    pub(super) fn begin(&self) -> u64 {
        let mut packets = self.packets();
        packets.turns += 1;
        packets.turns
    }

    /// Holds a packet until its answers are handed over, or it is withdrawn or gone. A call that has begun later may hold it
    /// already, and stays the last one.
    pub(super) fn hold(&self, relay: Relay, number: u64) -> Turn {
        let mut packets = self.packets();
        let packet = relay.packet();
        let turn = packets.held.get(&packet).map_or(number, |held| held.turn.max(number));
        packets.held.insert(packet.clone(), Held { relay, turn });
        Turn { packet, number }
    }

    /// Takes the packet away, and its record once that is in the history: the answers are handed over.
    pub(super) fn hand_over(&self, place: &Place, packet: &Path, record: &Record, now: SystemTime) {
        let held = self.packets().held.remove(packet);
        if let Some(held) = held {
            held.relay.settle(&place.state, record);
            held.relay.close(&place.project, &place.state, now);
        }
    }

    /// Forgets a packet that is gone.
    pub(super) fn forget(&self, packet: &Path) {
        self.packets().held.remove(packet);
    }

    /// Takes the packet of a cancelled call away, unless a call has come since or another process waits for it. False if a
    /// console has its form open: that can still be answered.
    pub(super) fn withdraw(&self, place: &Place, turn: &Turn, now: SystemTime) -> bool {
        let mut packets = self.packets();
        let Some(held) = packets.held.get(&turn.packet).filter(|held| held.turn == turn.number) else {
            return true;
        };
        if gate_is_open(&place.state, &held.relay.answer_path()) {
            return false;
        }
        if let Some(held) = packets.held.remove(&turn.packet)
            && held.relay.is_left()
        {
            held.relay.close(&place.project, &place.state, now);
        }
        true
    }
}
