//! Schemas of the commands' JSON, for tests: a schema file agrees with its type, and output with the schema file.
//!
//! `RENGA_BLESS=1` rewrites the files. Invariant: a keyword that [`faults`] does not know fails the test. Called by:
//! tests of the crates with commands. Not here: the types, which are beside their commands.
#![forbid(unsafe_code)]

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Keywords that restrict nothing: names, comments, and bounds that the numbers' types have.
const ANNOTATIONS: [&str; 8] = ["$schema", "$defs", "title", "description", "format", "minimum", "maximum", "default"];

fn file(command: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/schemas");
    folder.join(format!("{command}.json"))
}

/// The schema of the JSON that serde writes of a `T`.
pub fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Fails unless the schema file of `command` is that of `T`.
///
/// # Panics
/// If it is not.
pub fn expect_file<T: JsonSchema>(command: &str) {
    let (path, schema) = (file(command), schema_of::<T>());
    if std::env::var_os("RENGA_BLESS").is_some() {
        fs::write(&path, format!("{schema:#}\n")).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let is_same = serde_json::from_str::<Value>(&found).is_ok_and(|found| found == schema);
    assert!(is_same, "{} does not agree with its type: RENGA_BLESS=1 rewrites it", path.display());
}

/// Fails unless `output` follows the schema file of `command`.
///
/// # Panics
/// If it does not.
pub fn expect_valid(command: &str, output: &str) {
    let text = fs::read_to_string(file(command)).unwrap_or_else(|error| panic!("the schema of {command}: {error}"));
    let schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
    let output: Value = serde_json::from_str(output).unwrap_or_else(|error| panic!("{command}: {error} in\n{output}"));
    let faults = faults(&schema, &schema, &output, command);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// How `value`, which is at `place` of an output, breaks `schema`, a part of `root`.
///
/// # Panics
/// If the schema has a keyword that is unknown here.
pub fn faults(root: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let keywords = schema.as_object().into_iter().flatten();
    keywords.flat_map(|keyword| keyword_faults(root, schema, keyword, value, place)).collect()
}

fn keyword_faults(
    root: &Value,
    schema: &Value,
    (keyword, wanted): (&String, &Value),
    value: &Value,
    place: &str,
) -> Vec<String> {
    let below = |schema: &Value, value: &Value, name: &str| faults(root, schema, value, &format!("{place}.{name}"));
    let members = || value.as_object().into_iter().flatten();
    let is_known = |name: &str| schema["properties"].get(name).is_some();
    let matching = || list(wanted).iter().filter(|one| faults(root, one, value, place).is_empty()).count();
    let is_met = match keyword.as_str() {
        "type" => {
            wanted.as_str().map_or_else(|| list(wanted).iter().any(|one| is_of(value, one)), |_| is_of(value, wanted))
        }
        "const" => value == wanted,
        "enum" => list(wanted).contains(value),
        "oneOf" => matching() == 1,
        "anyOf" => matching() > 0,
        "required" => list(wanted).iter().all(|name| name.as_str().is_some_and(|name| value.get(name).is_some())),
        "properties" => {
            return members()
                .flat_map(|(name, one)| wanted.get(name).map_or(Vec::new(), |schema| below(schema, one, name)))
                .collect();
        }
        "additionalProperties" if *wanted == Value::Bool(false) => members().all(|(name, _)| is_known(name)),
        "additionalProperties" => {
            return members()
                .filter(|(name, _)| !is_known(name))
                .flat_map(|(name, one)| below(wanted, one, name))
                .collect();
        }
        "items" => return list(value).iter().flat_map(|one| below(wanted, one, "[]")).collect(),
        "$ref" => {
            let path = wanted.as_str().and_then(|path| path.strip_prefix('#')).unwrap_or("?");
            let schema = root.pointer(path).unwrap_or_else(|| panic!("{place}: the schema has no {wanted}"));
            return faults(root, schema, value, place);
        }
        known => {
            assert!(ANNOTATIONS.contains(&known), "{place}: `{known}` is no keyword that is checked here");
            true
        }
    };
    if is_met { Vec::new() } else { vec![format!("{place}: not {keyword} {wanted}: {value}")] }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

/// Whether `value` is of a type of JSON schema.
fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{faults, schema_of};
    use schemars::JsonSchema;
    use serde_json::json;

    /// An output.
    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is needed")]
    struct Measured {
        /// Of what.
        name: String,
        /// By place.
        by_place: std::collections::BTreeMap<String, u64>,
        /// One, or none.
        part: Option<Part>,
    }

    /// A part.
    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is needed")]
    enum Part {
        /// Without anything.
        Empty,
        /// With so many.
        Full {
            /// How many.
            counts: Vec<u64>,
        },
    }

    #[test]
    fn faults_of_each_wrong_output_are_found() {
        let schema = schema_of::<Measured>();
        let faults = |value: &serde_json::Value| faults(&schema, &schema, value, "x");
        for part in [json!(null), json!("Empty"), json!({"Full": {"counts": [1, 2]}})] {
            let value = json!({"name": "a", "by_place": {"b": 1}, "part": part});
            assert_eq!(faults(&value), [""; 0], "{value}");
        }
        for (value, place) in [
            (json!([]), "x"),
            (json!({"name": "a", "part": null}), "x"),
            (json!({"name": 1, "by_place": {}, "part": null}), "x.name"),
            (json!({"name": "a", "by_place": {}, "part": null, "more": 1}), "x"),
            (json!({"name": "a", "by_place": {"b": "c"}, "part": null}), "x.by_place.b"),
            (json!({"name": "a", "by_place": {}, "part": "Half"}), "x.part"),
            (json!({"name": "a", "by_place": {}, "part": {"Full": {"counts": [1, -0.5]}}}), "x.part"),
        ] {
            let found = faults(&value);
            assert!(found.iter().any(|fault| fault.starts_with(&format!("{place}: "))), "{value}: {found:?}");
        }
    }
}
