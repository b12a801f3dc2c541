#!/usr/bin/env node
/** `npx @holdpoint/ui add approval-card`: copies components into a project, which owns them from then on. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { items, registryItem, type RegistryItem } from './registry.ts'

const USAGE = `holdpoint-ui list                         lists the components
holdpoint-ui add <name…> [--to <folder>]  copies components (default folder: src/components/holdpoint)
                         [--overwrite]    replaces files that you changed`

// The path is the same from `dist/add` and from `src/add`.
const home = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string): string => readFileSync(join(home, file), 'utf8')
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { to: { type: 'string' }, overwrite: { type: 'boolean' }, help: { type: 'boolean' } },
})
const [command, ...names] = positionals
if (command === 'list') for (const { name, description } of items) say(`${name.padEnd(18)}${description}`)
else if (command === 'add' && names.length > 0)
  add(names, String(values.to ?? 'src/components/holdpoint'), values.overwrite === true)
else {
  say(USAGE)
  process.exitCode = values.help === true ? 0 : 1
}

function add(wanted: readonly string[], to: string, overwrite: boolean): void {
  const found = wanted.map(
    (name) =>
      registryItem(name, read) ??
      fail(`There is no component "${name}". Run \`holdpoint-ui list\` to see all of them.`),
  )
  const files = new Map(
    found.flatMap((item) => item.files.map(({ path, content }) => [nameOf(path), content] as const)),
  )
  files.set('theme.css', read('src/theme.css'))
  const kept: string[] = []
  for (const [name, content] of files) {
    const path = join(to, name)
    const there = existsSync(path) ? readFileSync(path, 'utf8') : undefined
    if (there !== undefined && there !== content && !overwrite) kept.push(relative('.', path))
    else {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
    }
  }
  say(`${files.size - kept.length} files in ${to}.`)
  if (kept.length > 0) {
    say(`Not copied, because you changed these files: ${kept.join(', ')}. Use --overwrite to replace them.`)
    process.exitCode = 1
  }
  say(`Now: npm install ${dependencies(found).join(' ')}`)
}

function dependencies(found: readonly RegistryItem[]): string[] {
  return [...new Set(found.flatMap((item) => item.dependencies))]
}

function nameOf(path: string): string {
  return path.split('/').at(-1) ?? path
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
