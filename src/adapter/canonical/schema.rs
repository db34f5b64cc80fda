//! The JSON Schema of Canonical Prompt documents.
//!
//! Responsible for one text that says what `read::check_shape` accepts, for editors and other programs. What a schema cannot
//! say (ids that exist, steps that can be reached) is named in its descriptions and checked by `rules`.

/// JSON Schema, draft 2020-12, of a document.
pub const SCHEMA: &str = include_str!("canonical-prompt.schema.json");
