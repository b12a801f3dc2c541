/**
 * Checks which files may import which: between the folders of a package, and across packages. The linter checks rules that
 * need only the written name of an import (.oxlintrc.json: no npm package in the core). This script checks rules that need
 * the resolved path. `import/no-cycle` checks files inside one folder.
 */
import { dirname, join } from 'node:path/posix'
import { hasExportStar, importsOf, type Import } from './lib/source.ts'
import { find, read, report } from './lib/workspace.ts'

interface Reach {
  /** Folders it may import from at run time, besides itself and the base (the files directly in `src`). */
  readonly imports: readonly string[]
  /** Folders it may name in `import type` only. */
  readonly types: readonly string[]
}

/**
 * The folders of the packages that make up the runtime, lowest first in each package. Some folders may import types from a
 * higher folder: a handler gets the agent that it belongs to, so the types of a tool name the agent. The turn machine must
 * not import the driver, not even as a type. In `runtime`, the driver (`drive`) is generic over its machine and must not
 * import conversations.
 */
const folders: Readonly<Record<string, Readonly<Record<string, Reach>>>> = {
  core: {
    rule: { imports: ['tool', 'log', 'model'], types: ['turn'] },
    log: { imports: ['tool', 'model'], types: ['turn', 'plan', 'rule'] },
    tool: { imports: ['log', 'model'], types: ['turn', 'plan', 'plugin', 'agent'] },
    model: { imports: ['log', 'tool'], types: ['turn', 'prompt'] },
    plan: { imports: ['log'], types: [] },
    turn: { imports: ['log', 'tool', 'model', 'plan'], types: ['rule'] },
    live: { imports: ['log', 'tool', 'model', 'turn'], types: ['rule'] },
    prompt: { imports: ['log', 'tool', 'model'], types: [] },
    plugin: { imports: ['log', 'tool', 'model', 'turn', 'plan'], types: ['live', 'hooks'] },
    hooks: { imports: ['log', 'tool', 'model', 'prompt'], types: ['turn', 'plugin'] },
    context: { imports: ['log', 'tool', 'model', 'prompt'], types: ['turn', 'agent'] },
    audit: { imports: ['log', 'tool', 'model', 'prompt', 'context'], types: ['turn', 'agent', 'rule'] },
    agent: { imports: ['log', 'tool', 'model', 'plugin', 'context', 'audit', 'hooks'], types: ['turn'] },
  },
  runtime: {
    rules: { imports: ['log'], types: [] },
    files: { imports: [], types: [] },
    drive: { imports: ['log'], types: ['rules', 'files'] },
    log: { imports: ['drive', 'session'], types: [] },
    hooks: { imports: [], types: ['conversation'] },
    call: { imports: ['drive', 'step', 'conversation', 'files'], types: [] },
    step: { imports: ['hooks', 'call', 'conversation', 'files'], types: ['drive', 'rules'] },
    conversation: { imports: ['log', 'drive', 'hooks', 'step', 'call', 'session', 'files'], types: ['rules'] },
    session: { imports: ['log', 'drive', 'conversation'], types: [] },
    replay: { imports: ['conversation', 'drive', 'session'], types: ['scan'] },
    scan: { imports: [], types: [] },
    subscribe: { imports: ['node'], types: ['session'] },
    node: { imports: ['log', 'drive', 'conversation', 'runtime', 'subscribe', 'rules', 'files'], types: [] },
    runtime: {
      imports: ['log', 'drive', 'conversation', 'session', 'node', 'replay', 'rules', 'scan', 'files'],
      types: ['subscribe'],
    },
  },
  spaces: {
    space: { imports: [], types: ['agent'] },
    agent: { imports: [], types: ['space'] },
  },
}
/** Our packages that each of these packages may import. The core imports none. */
const below: Readonly<Record<string, readonly string[]>> = {
  core: [],
  runtime: ['@holdpoint/core'],
  spaces: ['@holdpoint/core', '@holdpoint/runtime'],
}
const base = 'base'

export function violations(file: string, text: string): string[] {
  const ring = /^packages\/(core|runtime|spaces)\/src\//.exec(file)?.[1]
  const imports = importsOf(text)
  const relative = imports.filter(({ from }) => from.startsWith('.'))
  return [
    // The linter checks this too, but not for `import('…')`.
    ...(ring === undefined ? [] : imports.flatMap((imported) => importsForeign(file, ring, imported))),
    ...relative.flatMap((imported) => leavesHome(file, imported)),
    ...(ring === undefined ? [] : relative.flatMap((imported) => reachesUp(file, ring, imported))),
    ...(file.startsWith('packages/') && hasExportStar(text)
      ? [`${file}: \`export *\` hides what is public; name the exports`]
      : []),
  ]
}

function importsForeign(file: string, ring: string, { from }: Import): string[] {
  const allowed = below[ring] ?? []
  if (from.startsWith('.') || allowed.some((name) => from === name || from.startsWith(`${name}/`))) return []
  return [
    allowed.length === 0
      ? `${file}: imports ${from}; the core imports nothing but its own files`
      : `${file}: imports ${from}; ${ring} imports only its own files and ${allowed.join(' and ')}`,
  ]
}

/** A package or an example must import other packages by their published names. */
function leavesHome(file: string, imported: Import): string[] {
  const home = /^(?:packages|examples|apps)\/[^/]+\//.exec(file)?.[0]
  if (home === undefined || target(file, imported).startsWith(home)) return []
  // Tests of several packages share code in the test folder of the root, for example a database server. The main file of an
  // example is its test.
  const isTest = file.startsWith(`${home}test/`) || /^examples\/[^/]+\/main\.ts$/.test(file)
  if (isTest && target(file, imported).startsWith('test/')) return []
  return [`${file}: imports ${imported.from}, outside ${home}; import the package by its name`]
}

function reachesUp(file: string, ring: string, imported: Import): string[] {
  const source = `packages/${ring}/src/`
  const from = folderOf(file, source)
  const path = target(file, imported)
  if (!path.startsWith(source)) return []
  const to = folderOf(path, source)
  if (from === 'index' || to === from || to === base) return []
  // Only the core has base files below its folders; in the other two, the files directly in `src` are on top.
  if (from === base && ring !== 'core') return []
  const reach = from === base ? { imports: [], types: [] } : folders[ring]?.[from]
  if (reach === undefined) return [`${file}: the folder ${from}/ is not listed in scripts/boundaries.ts; add it`]
  if (reach.imports.includes(to)) return []
  if (reach.types.includes(to)) {
    return imported.typeOnly ? [] : [`${file}: imports ${imported.from}; ${from} may only \`import type\` from ${to}`]
  }
  return [`${file}: imports ${imported.from}; ${from} is below ${to} and must not import it`]
}

function folderOf(file: string, source: string): string {
  const [folder = '', ...rest] = file.slice(source.length).split('/')
  if (rest.length > 0) return folder
  return folder === 'index.ts' || folder === 'view.ts' ? 'index' : base
}

function target(file: string, imported: Import): string {
  return join(dirname(file), imported.from)
}

if (import.meta.main) {
  const files = find('packages/*/{src,test}/**/*.{ts,tsx}', 'examples/**/*.{ts,tsx}', 'apps/*/{src,test}/**/*.{ts,tsx}')
  report(
    files.flatMap((file) => violations(file, read(file))),
    `boundaries: ${files.length} files import only what they may`,
  )
}
