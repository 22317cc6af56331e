use onionskin::ui::ui_tool;

/// Shows a picture.
#[ui_tool(component = "Picture", external)]
fn show() -> String;

fn main() {}
