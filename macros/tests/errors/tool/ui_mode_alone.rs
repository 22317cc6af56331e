use onionskin::ui::ui_tool;

/// Shows a picture.
#[ui_tool(component = "Picture", mode)]
fn show() -> String {
    String::new()
}

fn main() {}
