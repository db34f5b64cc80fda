//! The shapes of what the commands print for programs, as JSON Schemas.
//!
//! Responsible for the tables of every member of every object, and for writing them as schemas (2020-12). Not
//! responsible for the objects themselves (the commands; tests hold both against each other).

use crate::ask::JsString;
use crate::ask::object::list;

/// What one command prints with `--json`.
pub(in crate::command) struct Output {
    /// The schema's name, such as `check-output`.
    pub(super) name: &'static str,
    pub(super) told: &'static str,
    /// One of these is printed.
    pub(super) forms: &'static [&'static Form],
}

/// An object with fixed members.
pub(super) struct Form {
    /// Different from that of every other form.
    pub(super) name: &'static str,
    pub(super) told: &'static str,
    pub(super) members: &'static [&'static [Member]],
}

/// A member of an object.
#[derive(Clone, Copy)]
pub(super) struct Member {
    name: &'static str,
    kind: Kind,
    told: &'static str,
    is_null_too: bool,
    is_always_there: bool,
}

/// What a member holds.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    /// A whole number, not negative.
    Count,
    Flag,
    /// Always `null`.
    Null,
    /// An object of another format.
    Object,
    /// Anything at all.
    Value,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these exit codes.
    Exit(&'static [u8]),
    /// A list of one kind.
    List(&'static Kind),
    /// A form of its own.
    Part(&'static Form),
    /// Members with any names.
    Map(&'static Kind),
    /// One of these.
    Either(&'static [Kind]),
}

impl Output {
    /// The schema, as a file of JSON.
    pub(super) fn schema(&self) -> String {
        let links = list(self.forms.iter().map(|form| link(form)));
        let mut forms: Vec<&Form> = Vec::new();
        self.forms.iter().for_each(|form| form.collect(&mut forms));
        let forms: Vec<String> = forms.into_iter().map(Form::schema).collect();
        format!(
            "{{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": {},\n  \
             \"description\": {},\n  \"anyOf\": {links},\n  \"$defs\": {{\n{}\n  }}\n}}\n",
            json(self.name),
            json(self.told),
            forms.join(",\n"),
        )
    }
}

impl Form {
    /// This form and every form in it, each once.
    fn collect(&'static self, forms: &mut Vec<&'static Form>) {
        if forms.iter().any(|form| form.name == self.name) {
            return;
        }
        forms.push(self);
        self.each().for_each(|member| member.kind.collect(forms));
    }

    fn each(&self) -> impl Iterator<Item = &'static Member> {
        self.members.iter().flat_map(|members| members.iter())
    }

    fn schema(&self) -> String {
        let required =
            list(self.each().filter(|member| member.is_always_there).map(|member| json(member.name)));
        let members: Vec<String> = self.each().map(Member::schema).collect();
        format!(
            "    {}: {{\n      \"description\": {},\n      \"type\": \"object\",\n      \
             \"additionalProperties\": false,\n      \"required\": {required},\n      \
             \"properties\": {{\n{}\n      }}\n    }}",
            json(self.name),
            json(self.told),
            members.join(",\n"),
        )
    }
}

impl Member {
    pub(super) const fn new(name: &'static str, kind: Kind, told: &'static str) -> Member {
        Member { name, kind, told, is_null_too: false, is_always_there: true }
    }

    /// The same, or `null`.
    pub(super) const fn or_null(self) -> Member {
        Member { is_null_too: true, ..self }
    }

    /// The same, but not always there.
    pub(super) const fn at_times(self) -> Member {
        Member { is_always_there: false, ..self }
    }

    fn schema(&self) -> String {
        let told = json(self.told);
        let rules = self.kind.rules();
        let rules = if self.is_null_too {
            format!("\"anyOf\": [{{{rules}}}, {{\"type\": \"null\"}}]")
        } else {
            rules
        };
        let comma = if rules.is_empty() { "" } else { ", " };
        format!("        {}: {{\"description\": {told}{comma}{rules}}}", json(self.name))
    }
}

impl Kind {
    fn collect(&self, forms: &mut Vec<&'static Form>) {
        match self {
            Kind::Part(form) => form.collect(forms),
            Kind::List(kind) | Kind::Map(kind) => kind.collect(forms),
            Kind::Either(kinds) => kinds.iter().for_each(|kind| kind.collect(forms)),
            _ => {}
        }
    }

    /// The keywords, without the braces around them.
    fn rules(&self) -> String {
        match self {
            Kind::Text => "\"type\": \"string\"".to_owned(),
            Kind::Count => "\"type\": \"integer\", \"minimum\": 0".to_owned(),
            Kind::Flag => "\"type\": \"boolean\"".to_owned(),
            Kind::Null => "\"type\": \"null\"".to_owned(),
            Kind::Object => "\"type\": \"object\"".to_owned(),
            Kind::Value => String::new(),
            Kind::Word(words) => format!("\"enum\": {}", list(words.iter().map(|word| json(word)))),
            Kind::Exit(codes) => format!("\"enum\": {}", list(codes.iter().map(ToString::to_string))),
            Kind::List(kind) => format!("\"type\": \"array\", \"items\": {{{}}}", kind.rules()),
            Kind::Part(form) => format!("\"$ref\": \"#/$defs/{}\"", form.name),
            Kind::Map(kind) => {
                format!("\"type\": \"object\", \"additionalProperties\": {{{}}}", kind.rules())
            }
            Kind::Either(kinds) => {
                format!("\"anyOf\": {}", list(kinds.iter().map(|kind| format!("{{{}}}", kind.rules()))))
            }
        }
    }
}

fn link(form: &Form) -> String {
    format!("{{\"$ref\": \"#/$defs/{}\"}}", form.name)
}

fn json(text: &str) -> String {
    let mut out = String::new();
    JsString::from(text).write_json(&mut out);
    out
}
