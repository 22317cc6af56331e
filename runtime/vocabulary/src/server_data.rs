//! The tools by which an agent reads resources and prompts of an MCP server. The model calls them `docs__read_resource`, as the server's own
//! tools.

/// Lists the resources that the agent may read.
pub const LIST_RESOURCES: &str = "list_resources";

/// Reads a resource.
pub const READ_RESOURCE: &str = "read_resource";

/// Lists the prompts that the agent may get.
pub const LIST_PROMPTS: &str = "list_prompts";

/// Gets a prompt.
pub const GET_PROMPT: &str = "get_prompt";
