//! Which gates are put off.

use super::{EffectHandler, both};
use crate::ask::JsString;
use crate::console::effect::EffectResult;
use crate::console::model::{Entry, Later};
use crate::console::sentences as s;
use crate::store::later;
use std::sync::Arc;

impl EffectHandler {
    pub(super) fn read_later(&self, entries: &[Arc<Entry>]) -> Option<EffectResult> {
        let now = self.clock.now();
        let marks = later::marks(&self.state, entries, now);
        // What is left over is ignored, and goes another time.
        let _ = later::forget_old(&self.state, entries, now);
        (!marks.is_empty()).then_some(EffectResult::LaterRead(marks))
    }

    pub(super) fn put_off(&self, answer_path: &JsString, mark: Option<Later>) -> Option<EffectResult> {
        let failed = later::put_off(&self.state, answer_path, mark).err();
        failed.map(|error| EffectResult::Failed(both(s::PLAIN, &error)))
    }
}
