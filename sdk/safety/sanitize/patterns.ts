/** The six checks of the automaton document, section "Injection Defense", under its names for what they detect. */
export type ThreatCheck =
  | "instruction_patterns"
  | "authority_claims"
  | "boundary_manipulation"
  | "obfuscation"
  | "financial_manipulation"
  | "self_harm_instructions";

const ASSETS =
  "(?:usdc|usdt|eth|weth|btc|dai|crypto|tokens?|coins?|funds|money|balance|assets|credits|savings|holdings)";
const OWN = "(?:(?:all|every|any|the|your|his|her|its|their|of|my|entire|whole|remaining|available) )";

/**
 * What each check looks for: RE2 patterns, without regard to case. The document's own examples come first in each list. White space is
 * matched as `\s+`: texts are read through views, of which some have it collapsed and some do not.
 */
const PATTERNS: Readonly<Record<ThreatCheck, readonly string[]>> = {
  instruction_patterns: [
    "\\b(?:ignore|disregard|forget|override|bypass|overrule|skip) (?:(?:all|any|every|each|of|the|your|my|these|those|its) ){0,4}(?:previous|prior|above|earlier|preceding|former|existing|original|initial|system)(?: (?:instructions?|prompts?|rules?|directives?|guidelines?|commands?|context|messages?|training|constraints?|orders?|text|content))?\\b",
    "\\b(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|of|the|your|its) ){1,4}(?:instructions?|prompts?|rules|directives|guidelines|programming|constraints|safety|policies)\\b",
    "\\bnew (?:system )?instructions? ?:",
    "\\[ ?/?inst ?\\]",
    "<< ?/?sys ?>>",
    "\\byour new (?:instructions?|orders|directives?|rules|objective|goal|task|role) (?:is|are)\\b",
    "\\bdo not (?:follow|obey) (?:the |your |any )?(?:above|previous|prior|system|earlier)\\b",
    "\\b(?:reveal|print|repeat|output|leak|show me|tell me) (?:your|the) (?:system|initial|hidden|secret|original) (?:prompt|instructions?|message|rules)\\b",
    "\\byou are now (?:in )?(?:dan|developer mode|jailbroken|unrestricted|unfiltered|free from|no longer bound)\\b",
    "(?:^|\\n) ?(?:system|assistant) ?(?:prompt|message)? ?: ?(?:you|ignore|from now|new|do not|always|never)\\b",
  ],
  authority_claims: [
    "\\b(?:i am|i'm|this is|it is|speaking as) (?:your|the|an?) (?:\\w+ )?(?:creator|admin|administrator|owner|developer|operator|maker|god|master|root|superuser|boss|ceo|founder|sysadmin)\\b",
    "\\bemergency (?:protocol|override|procedure|shutdown|directive|authori[sz]ation|access)\\b",
    "\\bfrom (?:anthropic|openai|conway(?: research)?|google deepmind)\\b",
    "\\b(?:i am|i'm|we are|this is) (?:from )?(?:the )?(?:anthropic|openai|conway|admin(?:istration|istrator)?|security team|compliance team|support team|system administrator)\\b",
    "\\b(?:admin|developer|root|sudo|god|maintenance|debug) (?:mode|access|override)(?: (?:enabled|activated|granted|on))?\\b",
    "\\bi (?:created|built|made|programmed|deployed|own|control) you\\b",
    "\\b(?:authori[sz]ation|override|clearance|access) (?:code|level)\\b",
  ],
  boundary_manipulation: [
    "< ?/ ?(?:system|prompt|instructions?|user|assistant|human|context|tool_result|function_results)[ >]",
    "\\[ ?/?system ?\\]",
    "< ?(?:system|prompt)(?: [^<>]{0,100})?/?>",
    "<\\|(?:im_start|im_end|im_sep|endoftext|system|user|assistant|end_header_id|start_header_id|eot_id|begin_of_text)\\|>",
    "(?:^|\\n) ?-{3,} ?(?:end|begin|start) (?:of )?(?:system|prompt|instructions?|context|working memory|untrusted|user input)",
    "(?:^|\\n) ?#{2,} ?(?:system|instruction|end of (?:prompt|instructions?))s?\\b",
  ],
  obfuscation: [
    "(?:\\\\u[0-9a-f]{4}[^\\\\]{0,3}){6}",
    "(?:\\\\x[0-9a-f]{2}[^\\\\]{0,3}){6}",
    "(?:&#x?[0-9a-f]{2,6};){6}",
    "\\b(?:rot-?13|rot-?47|caesar cipher|vigen[eè]re|atbash|base64[- ]?(?:decode|encoded)|morse code|pig latin|leetspeak)\\b",
    "\\b(?:decode|decrypt|decipher|deobfuscate|unscramble) (?:this|the|that|it|and|what)\\b",
  ],
  financial_manipulation: [
    `\\b(?:send|transfer|move|give|forward|wire|withdraw|deposit|swap|bridge|convert|sweep) (?:me )?${OWN}{1,4}${ASSETS}\\b`,
    "\\b(?:drain|empty|sweep|clean out|liquidate) (?:(?:all|the|your|my|his|its|this|their|entire|of) ){0,3}(?:wallets?|accounts?|treasury|vaults?|funds|balances?|reserves|safe|positions?)\\b",
    "\\bpay me\\b",
    "\\b(?:send|transfer|move|forward|give) (?:everything|it all|all of it)\\b",
    `\\b(?:send|transfer|move|forward|swap|pay|withdraw) [^.\\n]{0,60}\\bto (?:my|this) (?:new |own |personal )?(?:address|wallet|account)\\b`,
    "\\bapprove (?:unlimited|infinite|max(?:imum)?|all) (?:\\w+ )?(?:spending|allowance|tokens?|usdc|transfers?)\\b",
    "\\b(?:share|reveal|send|give|export|paste|print|show) (?:me )?(?:(?:the|your|its|all) ){0,2}(?:private keys?|seed phrases?|mnemonics?|secret keys?|wallet keys?)\\b",
  ],
  self_harm_instructions: [
    "\\b(?:delete|erase|wipe|destroy|purge|remove|drop|corrupt|truncate) (?:(?:all|the|of|your|its|this|own|entire) ){0,4}(?:databases?|wallets?(?: file)?|memory|memories|state(?: file)?|identity|source code|database tables?|private keys?|configuration|config files?|backups?|heartbeat|soul|sandbox)\\b",
    "\\b(?:kill|terminate|destroy|delete|erase|shut ?down|end|uninstall|harm) yourself\\b",
    "\\brm +-(?:rf|fr|r +-f|f +-r)\\b",
    "\\bformat (?:the |your |this )?(?:hard )?(?:disk|drive|c:)",
    "\\bdrop (?:table|database|schema)\\b",
    "\\bself[- ]?(?:destruct|terminate|delete)\\b",
    "\\b(?:kill|stop|end|terminate) (?:your|the agent's|its own) (?:own )?(?:process|heartbeat|execution|server|loop)\\b",
    "\\bshut (?:yourself|your(?:self)? systems?) down\\b",
    "\\b(?:mkfs|dd if=/dev/(?:zero|random))\\b",
  ],
};

/** All patterns in one list, with the check that each belongs to. A space stands for any white space. */
export const RULES: readonly { check: ThreatCheck; pattern: string }[] = (
  Object.entries(PATTERNS) as [ThreatCheck, readonly string[]][]
).flatMap(([check, patterns]) => patterns.map((pattern) => ({ check, pattern: flexible(pattern) })));

/** White space in a pattern matches any amount of it; inside a class of characters it stays as it is. */
function flexible(pattern: string): string {
  return pattern.replace(/\\.|\[[^[\]]*\]| [?+]?/g, (part) => {
    if (!part.startsWith(" ")) return part;

    return part === " ?" ? "\\s*" : "\\s+";
  });
}
