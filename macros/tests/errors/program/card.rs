onionskin::main!(card = "cards");
