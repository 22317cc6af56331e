#[onionskin::tool_hook]
