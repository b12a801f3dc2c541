/** `holdpoint completion`: a script for the shell. It has every name itself, so a press of Tab starts no program. */
import { CLI_OPTIONS } from './cli-options.ts'
import type { Command } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import { commandNames } from './usage.ts'
import { named } from './with-place.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The second words of commands that have some. */
const SECOND_WORDS: Readonly<Record<string, readonly string[]>> = {
  holds: ['list', 'show', 'approve', 'reject', 'answer'],
  conversations: ['list', 'show', 'cancel'],
  preferences: ['show', 'set'],
  keys: ['list', 'create', 'revoke'],
  rules: ['list', 'revoke'],
  completion: SHELLS,
}

/** Options whose value is a file. */
const FILES = ['--store', '--app', '--file']
const COMMANDS_WITH_FILES = ['dev', 'start', 'backup', 'restore', 'verify']

export async function completion({ args, out }: Command): Promise<ExitCode> {
  const { SHELL } = named(args, 'SHELL')
  const shell = SHELLS.find((each) => each === SHELL)
  if (!shell) throw new UsageError(`There is completion for ${SHELLS.join(', ')}.`)
  const script = { bash, zsh, fish }[shell]()
  out.result({ shell, script }, script.split('\n'))
  return EXIT.ok
}

function options(): readonly string[] {
  return Object.keys(CLI_OPTIONS).map((name) => `--${name}`)
}

/** With a value: the next word is no command. */
function optionsWithValue(): readonly string[] {
  return Object.entries(CLI_OPTIONS).flatMap(([name, { type }]) => (type === 'string' ? [`--${name}`] : []))
}

function bash(): string {
  return `# holdpoint: eval "$(holdpoint completion bash)"
_holdpoint() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" second="" skip="" each
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$skip" ]; then skip=""; continue; fi
    case "$each" in
      ${optionsWithValue().join('|')}) skip=1 ;;
      -*) ;;
      *) if [ -z "$command" ]; then command="$each"; elif [ -z "$second" ]; then second="$each"; fi ;;
    esac
  done
  COMPREPLY=()
  case "$before" in ${FILES.join('|')}) COMPREPLY=($(compgen -f -- "$word")); return ;; esac
  if [ -n "$skip" ]; then return; fi
  case "$word" in -*) COMPREPLY=($(compgen -W "${options().join(' ')}" -- "$word")); return ;; esac
  if [ -z "$command" ]; then COMPREPLY=($(compgen -W "${commandNames().join(' ')}" -- "$word")); return; fi
  case "$command" in ${COMMANDS_WITH_FILES.join('|')}) COMPREPLY=($(compgen -f -- "$word")); return ;; esac
  if [ -n "$second" ]; then return; fi
  case "$command" in
${Object.entries(SECOND_WORDS)
  .map(([name, words]) => `    ${name}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$word")) ;;`)
  .join('\n')}
  esac
}
complete -F _holdpoint holdpoint`
}

/** zsh runs the function of bash. */
function zsh(): string {
  return `# holdpoint: eval "$(holdpoint completion zsh)"
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bash()}`
}

function fish(): string {
  const seconds = Object.entries(SECOND_WORDS).map(
    ([name, words]) =>
      `complete -c holdpoint -n "__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${words.join(' ')}" -f -a "${words.join(' ')}"`,
  )
  const flags = Object.entries(CLI_OPTIONS).map(([name, { type }]) => {
    const takes = type !== 'string' ? '' : FILES.includes(`--${name}`) ? ' -r -F' : ' -x'
    return `complete -c holdpoint -l ${name}${takes}`
  })
  return [
    '# holdpoint: holdpoint completion fish | source',
    'complete -c holdpoint -f',
    `complete -c holdpoint -n "__fish_use_subcommand" -f -a "${commandNames().join(' ')}"`,
    ...seconds,
    `complete -c holdpoint -n "__fish_seen_subcommand_from ${COMMANDS_WITH_FILES.join(' ')}" -F`,
    ...flags,
  ].join('\n')
}
