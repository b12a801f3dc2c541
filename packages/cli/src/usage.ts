/** The text of `holdpoint help`. */
const WHERE = `Where:
  --url URL --key KEY     a gateway (HOLDPOINT_URL, HOLDPOINT_KEY)
  --store FILE|URL        a SQLite file or postgres://… (HOLDPOINT_STORE); --app FILE adds its agents
  --tenant NAME           for a caller with several tenants
  --by PERSON             act for this person, with a key that may
  --json                  print JSON`

const COMMANDS: Readonly<Record<string, string>> = {
  dev: 'dev APP                                   serve an app file, and again when it changes; open the console',
  start: 'start APP                                 serve an app file',
  tail: 'tail [CONVERSATION]                       print events as they happen, of one conversation or of all',
  holds: `holds [--mine] [--agent A] [--tool T]     list open holds
  holds show CONVERSATION CALL              show one, with all of its arguments
  holds approve CONVERSATION CALL           approve it; --input JSON changes the arguments
  holds reject CONVERSATION CALL            reject it; --reason TEXT
  holds answer CONVERSATION CALL            answer it; --value JSON, or a form on a terminal`,
  inbox:
    'inbox [--agent A] [--tool T]              your holds on the whole screen: read, approve, edit, reject, answer',
  preferences: `preferences                               show when and where you are told of holds
  preferences set [--off C] [--on C]        turn channels off and on; --quiet 22:00-07:00, --digest 09:00,16:30,
                                            --zone Europe/Berlin; none removes the hours`,
  send: 'send CONVERSATION TEXT                    send a message; --file FILE, --wait SECONDS, --agent A',
  conversations: `conversations [--agent A] [--status S]    list conversations
  conversations show CONVERSATION           show the newest turns
  conversations cancel CONVERSATION         cancel the turn`,
  search: `search [TEXT] [--agent A] [--tool T]      search messages, replies and calls; --status, --limit, --after`,
  test: 'test export CONVERSATION [FILE]           write a conversation as a test: the same calls, arguments and order',
  agents: 'agents                                    list agents',
  keys: `keys                                      list keys
  keys create NAME --scope S [--acts-for P] create a key, which is shown once
  keys revoke ID                            revoke a key`,
  rules: `rules                                     list the rules about calls
  rules revoke RULE                         revoke a rule; --reason TEXT`,
  doctor: 'doctor                                    check Node, the store or the gateway, the key and the clock',
  backup: 'backup FILE NEW-FILE                      copy a SQLite store, also while it is in use',
  restore: 'restore BACKUP NEW-FILE                   make a store from a backup',
  export:
    'export [CONVERSATION] [--hashes]          write a conversation, or everything, as lines; with hashes for verify',
  'signing-keys': 'signing-keys                              print the public keys that sign logs',
  verify: 'verify FILE [--key PUBLIC.pem]            check an export with hashes, without a store',
  repair: `repair FILE|URL CONVERSATION NEW-FILE     truncate a damaged conversation to what is as it was written
                                            --from EXPORT restores it; --fence takes it from a process that drives it`,
  completion: 'completion SHELL                          print the completion for bash, zsh or fish',
}

/** In the order of the help. */
export function commandNames(): readonly string[] {
  return Object.keys(COMMANDS)
}

const EXITS = `Exit codes: 0 done, 1 something is broken, 2 wrong arguments, 3 refused (such as a hold that is over).`

export function usage(command: string | undefined): string {
  const one = command === undefined || !Object.hasOwn(COMMANDS, command) ? undefined : COMMANDS[command]
  const lines = one === undefined ? Object.values(COMMANDS) : [one]
  return `Usage: holdpoint COMMAND [options]\n\n  ${lines.join('\n  ')}\n\n${WHERE}\n\n${EXITS}\n`
}
