//! How results are printed: a table for people, or JSON, YAML, names for programs.

use clap::ValueEnum;
use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};
use serde_json::Value;

/// Forms of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Columns.
    Table,
    /// As the API gives it.
    Json,
    /// The same as YAML.
    Yaml,
    /// Names alone, one a line.
    Name,
}

/// Columns of a table: title and JSON Pointer.
pub type Columns = &'static [(&'static str, &'static str)];

/// Prints items.
pub fn items(output: Output, columns: Columns, list: &[Value]) -> anyhow::Result<()> {
    match output {
        Output::Table => println!("{}", table(columns, list)),
        Output::Name => {
            for item in list {
                println!("{}", text(item.pointer("/name").or(item.pointer("/id"))));
            }
        }
        Output::Json => println!("{}", serde_json::to_string_pretty(list)?),
        Output::Yaml => print!("{}", serde_yaml_ng::to_string(list)?),
    }
    Ok(())
}

/// Prints one document.
pub fn document(output: Output, columns: Columns, value: &Value) -> anyhow::Result<()> {
    match output {
        Output::Json => println!("{}", serde_json::to_string_pretty(value)?),
        Output::Yaml => print!("{}", serde_yaml_ng::to_string(value)?),
        Output::Table | Output::Name => items(output, columns, std::slice::from_ref(value))?,
    }
    Ok(())
}

fn table(columns: Columns, list: &[Value]) -> Table {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(columns.iter().map(|(title, _)| *title));
    for item in list {
        table.add_row(columns.iter().map(|(_, pointer)| text(item.pointer(pointer))));
    }
    table
}

/// A cell: control characters that a foreign text could bring are left out.
fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.chars().filter(|c| !c.is_control()).collect(),
        Some(other) => other.to_string(),
    }
}
