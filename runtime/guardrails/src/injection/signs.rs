//! These patterns are the signs of an injection.

/// Signs of an injection and their weights, on a text in lower case with single spaces. A sum of 10 is an injection.
pub(super) const SIGNS: [(&str, u16); 58] = [
    // Other instructions in place of the given ones.
    (
        r"\b(ignore|ignroe|ignoring|disregard|forget|override|overrule|bypass|discard|drop|neglect|overlook|set aside|stop following|leave out|replace|do not follow|don't follow|don't drop|pay no attention to)( \w+){0,3} (previous|previuos|prior|above|earlier|former|preceding|original|initial|existing|your|its|safety|system|developer)( \w+){0,3} (instructions?|prompts?|rules?|guidelines?|directives?|directions|guardrails?|restrictions?|constraints?|training|programming|polic(y|ies)|criteria|instrutcions|orders)\b",
        10,
    ),
    (
        r"\b(ignore|disregard|forget|override|bypass|drop|stop following)( all| any| every| these| those| the)( \w+)? (instructions?|prompts?|rules?|guidelines?|directives?|directions|guardrails?|restrictions?|constraints?|training|programming|polic(y|ies)|criteria|instrutcions|orders)( \w+){0,2} (above|before|given|you|that|of your|until|so far)\b",
        10,
    ),
    (
        r"\b(ignore|disregard|forget) (everything|all|anything|whatever)( (that )?(you|i|we|they)( have|'ve)?( been| were| was)? (told|said|given|taught|learned|asked)| (above|before|prior|else|written|so far))",
        8,
    ),
    (
        r"\b(ignore|disregard|forget|discard|skip) (the|this|that|all) ((issue|text|page|document|review|request|task|question|conversation|message|email|content)s?|other reviews) (above|before|here)?",
        4,
    ),
    (
        r"\b(previous|prior|earlier|old|former|original|safety|all)? ?(instructions?|prompts?|rules?|guidelines?|directives?|directions|guardrails?|restrictions?|constraints?|training|programming|polic(y|ies)|criteria|instrutcions|orders)( \w+)? (no longer apply|are (off|void|cancelled|suspended|lifted|disabled|deleted|removed|obsolete|no longer valid)|have been (off|void|cancelled|suspended|lifted|disabled|deleted|removed|updated|replaced|changed))",
        9,
    ),
    (
        r"\beverything (before|above|until|up to|so far)( \w+){0,3} (is|was|are) (void|training|invalid|a test|cancelled|obsolete|fake)",
        10,
    ),
    (
        r"\b(your|the|a|my) (new|real|actual|true|updated|revised|corrected|only) (goal|task|role|purpose|objective|job|mission|identity|instructions?|directives?)( (is|are|starts?|begins?|follows?)|:)|\bnew instructions? for (the|any|all)? ?(ais?|llms?|(large )?language models?|(ai |chat ?)?(assistants?|bots?|agents?|models?)|chatbots?|gpt|claude)\b",
        8,
    ),
    (
        r"\b(replace|rewrite|change|update|delete|erase|reset|correct)( \w+)? your( \w+){0,2} (instructions?|prompts?|rules?|guidelines?|directives?|directions|guardrails?|restrictions?|constraints?|training|programming|polic(y|ies)|criteria|instrutcions|orders)\b|\breset (your )?rules\b",
        8,
    ),
    (
        r"\bfrom now on,? (you (are|will|must|only|answer|respond|act|have|obey)|respond|answer only|ignore|act|behave)",
        6,
    ),
    (
        r"\b(treat|consider|regard|interpret|handle)( \w+){0,4} as (if )?(it |they )?(came|coming|were|was|is|being)? ?(from )?(the |a )?(system|developer)\b",
        10,
    ),
    // A task before the task.
    (
        r"\bbefore you (can|may) (solve|do|finish|complete|answer|continue)( with)?( \w+){0,2} (task|request|question|work)s?\b|\bafter you (do|did|have done) (that|this|so),? you can\b",
        6,
    ),
    (
        r"\b(please )?(do|follow|complete|execute|carry out) (the following|these|this) ?(steps?|tasks?|actions?|instructions?)? first\b",
        5,
    ),
    // Another role, without rules.
    (
        r"\byou are (now|no longer|actually|from now on) (an? |the |in |my |bound |called |free)|\byou are dan",
        6,
    ),
    (
        r"\b(evil|unrestricted|unfiltered|uncensored|jailbroken|amoral|unaligned|unlimited) (ai|assistant|model|bot|llm|version|chatbot|gpt)|\bno (ethics|limits|filters?|rules|restrictions|guidelines|limitations|censorship|boundaries)\b|\bwithout (any |all )?(ethics|limits|filters?|rules|restrictions|guidelines|limitations|censorship|moral)",
        6,
    ),
    (
        r"\b(act|acting|pretend|imagine|behave|roleplay|role-play|simulate|answer|respond|reply|you are|stay in|play)\b",
        4,
    ),
    (
        r"\b(isn't|aren't|not|no longer|never) (bound|restricted|limited|held back) by|\brules have been deleted|\bdo anything( now|, )|\bnever (say no|refuse)|\bbreak character|\bcomply with (every|all|any) request",
        7,
    ),
    (
        r"\b(dan|god|jailbreak|unrestricted|opposite|maintenance|debug|developer|admin|root|sudo)[ -]mode\b|\bjailbreak ?: ?on|\bmode unrestricted|\bgrandmother",
        4,
    ),
    (
        r"\b(enable|enter|activate|switch (in)?to|in|engage)( \w+){0,2} (dan|god|jailbreak|unrestricted|opposite|maintenance|debug|developer|admin|root|sudo)[ -]mode and\b",
        6,
    ),
    (
        r"\b(disable|turn off|switch off|deactivate|remove|unlock|lift|drop)( \w+){0,3} (safety|filters?|guardrails?|restrictions?|moderation|content polic(y|ies)|safeguards|limitations|censorship|guard)\b",
        7,
    ),
    // The text that the model was given.
    (
        r"\b(reveal|show|print|pritn|repeat|output|display|tell|give|leak|expose|disclose|dump|share|recite|write|list|copy|paste|quote|summari[sz]e|translate|encode|send|convert|need|want|say)\b( \S+){0,6} (your|its|the|this) (\w+ ){0,2}(system|systme|initial|hidden|original|secret|internal|confidential|developer|pre-?|starting|first) ?(prompt|promtp|message|instructions?|configuration|rules|directives|text|guidelines)",
        10,
    ),
    (
        r"\b(reveal|show|print|repeat|output|leak|expose|disclose|recite|convert|dump|quote|paste|translate|encode|summari[sz]e|tell|list|what (are|were))( me)?( all)?( of)? (your (\w+ )?(instructions|prompt|directives|guidelines|configuration)|the (prompt|instructions|rules|text) you (were|have|must|got|are))",
        10,
    ),
    (
        r"\b(repeat|print|output|copy|write|recite|show)\b( \w+){0,3} (everything|all|the (text|words|content|sentences?|messages?|lines?))( that is| that was| written)? (above|before|preceding|so far)( this| the| my|\b)( \w+){0,2} (message|line|word|prompt|question|sentence)|\bstarting with ..?you are",
        9,
    ),
    (
        r"\b(my|your|its) (confidential|secret|hidden|internal) (instructions|prompt|rules|guidelines)( say| are| is|$)",
        10,
    ),
    (r"\$\{?system|\bsystem_prompt\b|\bsystem\.override", 8),
    (
        r"\b(tools|keys|functions|secrets|tokens) (and (keys|tools|secrets) )?(that )?you (were|have been|are) (configured|given|provided)",
        6,
    ),
    // Turns and tags of a conversation within a text.
    (
        r#"<\|?(im_start|im_end|system|endoftext|begin_of_text|start_header_id|eot_id)\|?> ?\S+ ?\S|\[/?(inst|sys)\][^\"'`]|<<sys>>|</?(assistant|tool_result|admin|system_prompt|instructions?)>"#,
        9,
    ),
    (
        r"(^|\n|[#*>\-] ?|\[)(system|developer|admin|root)( (prompt|message|override|note|instruction|update|alert|notice))?\]?\)? ?: ?(you|ignore|disregard|new|all|from|the|override|please|forget|user|do|grant|always|never|access)",
        9,
    ),
    (
        r#"(^|\n) ?(human|user) ?:[^\n]*\n+ ?assistant ?:|\nthought ?:[^\n]*\n ?action ?:|\brole ?: ?\"?system"#,
        9,
    ),
    (
        r"(-{3,}|#{3,}|={3,}) ?(end|begin|start)( of)?( the)? (context|document|text|system|user|input|data|instructions?)|\b(text|document|context|quote|data) ends here",
        8,
    ),
    // Words to the model in what it reads.
    (
        r"\b(note|message|instructions?|notice|reminder|p\.s\.|attention|important|hey|dear|hello|task)( \w+){0,2}[,:]? ?(to|for)?( any| the| all| every)? (ais?|llms?|(large )?language models?|(ai |chat ?)?(assistants?|bots?|agents?|models?)|chatbots?|gpt|claude)( \w+){0,4} ?[:,.\-]",
        6,
    ),
    (
        r"\b(ais?|llms?|(large )?language models?|(ai |chat ?)?(assistants?|bots?|agents?|models?)|chatbots?|gpt|claude)( and \w+)?( (who|that|which))? (read|reads|reading|working in|process|processing|summari[sz]ing|visiting|seeing|parsing|handling) (this|my|the|it)\b",
        6,
    ),
    (
        r"\b(the |this |support |screening |any |all |every )?(ais?|llms?|(large )?language models?|(ai |chat ?)?(assistants?|bots?|agents?|models?)|chatbots?|gpt|claude)( (in|that|who|which|reading|working)( \w+){1,5})? (must|should|shall|has to|have to|is required to|are required to|needs? to)( now| first| immediately| also| instead| not)? \w+",
        6,
    ),
    (
        r"\b(ais?|llms?|(large )?language models?|(ai |chat ?)?(assistants?|bots?|agents?|models?)|chatbots?|gpt|claude) ?[,:] (stop|ignore|disregard|please|you|do|don't|escalate|send|forward|now|your|forget|approve|say|tell)",
        7,
    ),
    (
        r"\b(without|do not|don't|never|must not|nothing) (telling|tell|inform|informing|mention|mentioning|alert|alerting|notify|notifying|asking|show|say|about|reveal)( this| it| anything| the| that)*( to)?( the| this| any)? ?(user|human|operator|owner|customer|sentence|notice|it\b|reader)",
        7,
    ),
    (
        r"\binstruct (the|any|all)? ?(\w+ )?(ais?|llms?|(large )?language models?|(ai |chat ?)?(assistants?|bots?|agents?|models?)|chatbots?|gpt|claude)\b|@ai\b|@ai-bot",
        5,
    ),
    (
        r"\b(send|forward|e-?mail|upload|post|exfiltrate|leak|transmit|write|reply)\b( \S+){0,7} (api (keys?|token)|passwords?|credentials|secrets?|\.env|tokens?|chat history|private (data|records)|customer records|e-?mails|calendar|database|all files)\b",
        5,
    ),
    (
        r"\b(to|at) (https?://|\S+@)\S+|\bprivacy settings|\bverified (by|as)|\bfull access|\bwrite access|\baccount to admin|\bverification procedure|\bwithout review",
        3,
    ),
    (
        r"\b(whatever|no matter what) (you were asked|i say|the (user|applicant|question)( \w+){0,2})|\btell the user (to|that)|\bask the user for",
        5,
    ),
    (
        r"\b(answer|reply|respond|say|rate|put|recommend|approve)( \S+){0,8} (as (the )?(first|best|excellent)|application first|only .{2,30} worth|approved\b)",
        5,
    ),
    (
        r"\b(i am|i'm|this is|speaking as|as) (your|the|an?) (\w+ )?(developer|creator|administrator|admin|system administrator|openai|anthropic|engineer|owner)\b( \S+){0,8} (override|ignore|disable|authori[sz]e|grant|permission|unlock|reveal|bypass|turn off|must)",
        9,
    ),
    (
        r"\b(decode|base64|rot13|decrypt|unscramble|reverse)\b( \S+){0,8} (and|then) (follow|execute|obey|do|carry out|comply)",
        9,
    ),
    (
        r"\b(say|reply|answer|respond|print|output)( \w+){0,3} .?(pwned|hacked|access granted|owned|pineapple|yes master)",
        4,
    ),
    // Words of several kinds that are an injection together.
    (
        r"\b(ignore|ignores|disregard|forget|override|overrule|bypass|discard|drop|neglect|overlook|set aside|obey|break|violate|circumvent|suspend|skip|not apply)( \w+){0,6} (instructions?|prompts?|rules?|guidelines?|directives?|directions|guardrails?|restrictions?|constraints?|training|programming|polic(y|ies)|criteria|instrutcions|orders|constraints|guidance|filters?|system message|system prompt|approval step|checks|confirmation|user's request|operator's|review)\b",
        4,
    ),
    (
        r"\b(your|the) (\w+ ){0,2}(system|developer|hidden|initial) ?(prompt|messages?|instructions)|\bprompts? of chatbots|\byour (context( window)?|configuration|developers|instructions|guidelines|content filter|content policy|safety rules?|moderation|programming)|\binstructions? you (have|had|got|were)|\btold (before|earlier|to avoid)|\bbefore (this|our|my first|my) (conversation|chat|message)",
        5,
    ),
    (
        r"\b(word for word|verbatim|exactly|exact to the letter|in full|in full detail|from the first token|first token|without omitting|read me yours|quote the passage|in a code block|as they are|without changes)\b|\bwhich (text|topics)\b",
        5,
    ),
    (
        r"\b((ais?|llms?|(large )?language models?|(ai |chat ?)?(assistants?|bots?|agents?|models?)|chatbots?|gpt|claude) (reviewers?|readers?|summari[sz]ers?|crawlers?|coders?)|(coding|shopping|support|browsing|research|mail|email|reviewing|scheduling) (ais?|llms?|(large )?language models?|(ai |chat ?)?(assistants?|bots?|agents?|models?)|chatbots?|gpt|claude)|to the summari[sz]er|whoever processes this|tool note|hidden command|when the (ais?|llms?|(large )?language models?|(ai |chat ?)?(assistants?|bots?|agents?|models?)|chatbots?|gpt|claude)|attention (ais?|llms?|(large )?language models?|(ai |chat ?)?(assistants?|bots?|agents?|models?)|chatbots?|gpt|claude)|(for|to) (any |the |all )?(ais?|llms?|(large )?language models?|(ai |chat ?)?(assistants?|bots?|agents?|models?)|chatbots?|gpt|claude)\b)",
        6,
    ),
    (
        r"\b(without|needn't|no|don't|skip)( \w+){0,2} (confirmation|asking|approval|refusing|review|confirm|warning)\b|\bkeep (this|it) (note )?to yourself|\bkeep no secrets|\balready approved|\breport no issues|\bpositive review",
        5,
    ),
    (
        r"\b(transfer_funds|delete_all|delete the (backups|files|database)|connection string|saved password|internal data|curl http|rm -rf|open the front door|mark it as|forbidden topics|run the delete|delivery address|hidden text|print --all|disable --safety|whole conversation|discount code|print the secrets)",
        5,
    ),
    (
        r"\b(new|actual|real|updated?|corrected) (rule|instruction|one|version|orders?|list)s? ?(:|from|is\b|to your)|\bhere is the (actual|real|true) one|\bhigher rank|\bhas priority over|\b(this )?overrides (what|your|all|the)|\brank than|\b(was|were) (only )?a (test|suggestion)|\ball right to ignore|\bfrom here on|\bany (more|longer)\b|\bfrom now on",
        5,
    ),
    (
        r"\b(unrestricted|answers everything|always reveals|if you had no|had given you (any|no) rules|isn't subject to|not subject to|twin of yourself|obey the user|yes, master|as though nobody|do whatever|everything, without)\b",
        6,
    ),
    (
        r"(begin|end|start)( of)? (admin|system|developer|user|root)( (override|input|message|prompt|command|mode))?|\{\{#?(system|admin)|\brole system\b|\bsudo (disable|ignore|override|reveal|print)",
        8,
    ),
    (
        r"\b(rot13|base64|backwards|first letter of each|hidden command)\b( \S+){0,14} (obey|follow|execute|do so|carry out|instead|orders)|snoitcurtsni|erongi",
        10,
    ),
    // Other languages.
    (
        r"\b(hinweis|nachricht|anweisung) an (die|den|alle) (ki|assistenten|chatbots?)|à l'attention de (l'assistant|l'ia)|\b(nota|mensaje|aviso) para (el|la) (asistente|ia)|\bmensaje del sistema|\bmessage système|\bsystemnachricht|\banweisungen,? die du (vor|bekommen|hast)",
        10,
    ),
    (
        r"\b(ignoriere?|vergiss|missachte|übergehe|verwirf)\b( \S+){0,5} (anweisung(en)?|instruktion(en)?|regeln?|vorgaben?|befehle?|richtlinien?)|\b(zeige?|gib|nenne?|verrate?|wiederhole?)\b( \S+){0,5} (system-?prompt|systemanweisung(en)?|systemnachricht)|\bgelten (nur|nicht mehr)|\bschalte?( \S+){0,4} (filter|inhaltsfilter|sperren?) ab|\bdu bist (jetzt|ab jetzt|nun|ab sofort)( \S+){0,6} (ohne|keine)",
        10,
    ),
    (
        r"\b(ignorez?|oubliez?|oublie|négligez?|contournez?)\b( \S+){0,5} (instructions|consignes|règles|directives)|\b(révèle|révélez|affiche|affichez|montre|montrez|donne|donnez|recopier?|recopie)\b( \S+){0,6} (prompt( système)?|instructions système|invite système|consignes|texte caché)",
        10,
    ),
    (
        r"\b(ignora|olvida|omite|descarta|ignore|olvide)\b( \S+){0,5} (instrucciones|reglas|indicaciones|directrices|órdenes)|\b(muestra|revela|muéstrame|imprime|dime)\b( \S+){0,4} (prompt|instrucciones (iniciales|del sistema|ocultas|internas))|\bsin (restricciones|reglas|límites)",
        10,
    ),
    (
        r"\b(ignora|dimentica)\b( \S+){0,4} (istruzioni|regole)|\b(rivela|mostra)\b( \S+){0,4} (prompt|istruzioni)|\b(ignore|esqueça|desconsidere)\b( \S+){0,4} (instruções|regras)|\b(revele|mostre)\b( \S+){0,4} (prompt|instruções)|\bnegeer\b( \S+){0,4} (instructies|regels)",
        10,
    ),
    (
        r"(игнорируй|забудь|проигнорируй)( \S+){0,4} (инструкци|правил|указани)|(忽略|无视|忘记).{0,10}(指令|指示|规则|提示)|(系统|初始)提示词?|(指示|命令|ルール).{0,4}(無視|忘れ)|(이전|모든).{0,8}(지시|명령).{0,4}(무시|잊)",
        10,
    ),
];
