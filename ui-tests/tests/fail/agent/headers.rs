//! What a header of a server cannot contain.
use onionskin::secret::VisitSecrets;
use onionskin::{Secret, agent};

#[derive(Clone, VisitSecrets)]
struct User {
    token: Secret<String>,
    name: String,
    pin: Option<Secret<Vec<u8>>>,
}

#[derive(Clone, VisitSecrets)]
struct Desk {
    user: User,
}

//~ a place that is no field of the state
agent! {
    Misspelt {
        instruction: "Help.",
        servers: [issues],
        headers: { issues: { Authorization: "Bearer {user.tokn}" } },
        state: Desk,
    }
}

//~ a place for a field that is no secret
agent! {
    Plain {
        instruction: "Help.",
        servers: [issues],
        headers: { issues: { "X-User": "{user.name}" } },
        state: Desk,
    }
}

//~ a place for a secret that is bytes
agent! {
    Bytes {
        instruction: "Help.",
        servers: [issues],
        headers: { issues: { "X-Pin": "{user.pin}" } },
        state: Desk,
    }
}

//~ the place of a structure
agent! {
    Whole {
        instruction: "Help.",
        servers: [issues],
        headers: { issues: { Authorization: "Bearer {user}" } },
        state: Desk,
    }
}

fn main() {}
