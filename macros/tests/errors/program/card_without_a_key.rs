onionskin::main!("cards/clerk.md");
