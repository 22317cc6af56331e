use onionskin::agent;

agent! {
    Clock {
        instruction: "Tell the time.",
        servers: [time, files],
        tools: { files: ["read-file"], time: ["list-folder"] },
    }
}

fn main() {}
