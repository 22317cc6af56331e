//! The shop, in a terminal as a user has it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::path::Path;

#[path = "../../runtime/cli/tests/chat/screen.rs"]
#[allow(dead_code, reason = "the tests of the command line use the rest")]
mod screen;

use screen::Terminal;

fn chat() -> Terminal {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let arguments = ["chat", "--model", "script:examples/src/bin/shop/script.yaml"];
    Terminal::new(env!("CARGO_BIN_EXE_shop"), folder, (90, 30), &[("NO_COLOR", "1")], &arguments)
}

#[test]
fn o1_a_chat_shows_so_many_instances_of_a_child_and_asks_for_approval() {
    let mut chat = chat();
    let shown = chat.enter_until("Where are my parcels?", "· 2 of 3 the station");
    assert!(shown.contains("├ • Carrier[1] · ") && shown.contains("├ • Carrier[2] · "), "{shown}");
    assert!(shown.contains("└ and 2 more Carrier, 2 running"), "{shown}");
    let shown = chat.until_prompt("");
    assert!(shown.contains("All four are in the van.\nClerk · "), "{shown}");
    assert!(shown.contains("└ and 2 more Carrier\n") && !shown.contains("Carrier[3]"), "{shown}");

    chat.types_until(
        "I want my money back.\r",
        "Clerk: refund {\"order\":7,\"cents\":3900}\ny, a (always with these arguments), n [reason]> ",
    );
    chat.types_until("perhaps\r", "write y, a or n\ny, a (always with these arguments), n [reason]> ");
    let shown = chat.types_to_prompt("y\r");
    assert!(shown.contains("I am sorry about the lamp: 3900 cents of order 7 were paid back."), "{shown}");
    chat.leave();
}

#[test]
fn o1_a_chat_gives_the_agent_the_reason_of_a_denial() {
    let chat = chat();
    chat.enter_until("Where are my parcels?", "All four are in the van.");
    chat.enter_until("I want my money back.", "n [reason]> ");
    let shown = chat.types_to_prompt("n it is too much\r");
    assert!(shown.contains("lamp: Tool execution was not approved: it is too much."), "{shown}");
}

#[test]
fn o1_servers_end_with_a_chat() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let arguments =
        ["chat", "--card", "examples/cards", "--model", "script:examples/src/bin/shop/script.yaml"];
    for (keys, code) in [("\u{4}", 0), ("\u{3}", 130)] {
        let mut chat = Terminal::new(env!("CARGO_BIN_EXE_reports"), folder, (90, 30), &[], &arguments);
        chat.until_prompt("");
        let servers = chat.children();
        assert!(!servers.is_empty() && servers.iter().all(|server| screen::runs(server)), "{servers:?}");
        chat.types_until("/tools\r", "agent__London-Project-Manager");
        chat.until_prompt("");
        chat.types(keys);
        assert_eq!(chat.code(), code);
        assert!(!servers.iter().any(|server| screen::runs(server)), "{servers:?}");
    }
}
