//! The members that a type reads, without a value of it.

use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use std::cell::RefCell;

/// The members of a struct as they are spelled, in their order.
pub(super) fn of<'de, T: Deserialize<'de>>() -> Vec<&'static str> {
    let seen = RefCell::new(Vec::new());
    // It ends with an error, because there is no value; by then the members have been asked for.
    let _ = T::deserialize(Asking(&seen));
    seen.into_inner()
}

struct Asking<'s>(&'s RefCell<Vec<&'static str>>);

impl<'de> Deserializer<'de> for Asking<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom("no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.borrow_mut().extend(fields);
        Err(Self::Error::custom("no value"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
