/** The registry, `npx shadcn add` and our own command copy complete components from the sources. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { items, registryFiles, registryItem } from '@holdpoint/ui/registry'

const home = fileURLToPath(new URL('../', import.meta.url))
const read = (file: string): string => readFileSync(join(home, file), 'utf8')

test.each(items.map(({ name }) => name))(
  '%s brings every file it imports, without extensions, and names its packages',
  (name) => {
    const item = registryItem(name, read)
    const files = new Set(item?.files.map(({ path }) => path.replace(/.*\//, '').replace(/\.tsx?$/, '')))
    const packages = new Set([
      'react',
      'react-dom',
      ...(item?.dependencies ?? []).map((each) => each.replace(/@\^.*$/, '')),
    ])
    for (const { content } of item?.files ?? [])
      for (const [, from = ''] of content.matchAll(/from '([^']+)'/g)) {
        if (from.startsWith('.')) expect(files).toContain(from.slice(2))
        else expect(packages).toContain(from)
      }
    expect(item?.cssVars.light).toHaveProperty('held')
    expect(item?.cssVars.dark).toHaveProperty('ok')
    expect(item?.cssVars.theme).toHaveProperty('color-held-muted')
  },
)

test('every component of the package is in some item', () => {
  const all = new Set(
    items.flatMap(({ name }) => registryItem(name, read)?.files.map(({ path }) => path.replace(/.*\//, '')) ?? []),
  )
  const sources = readdirSync(join(home, 'src')).filter((file) => /\.tsx?$/.test(file) && file !== 'index.ts')
  expect(sources.filter((file) => !all.has(file))).toEqual([])
})

test('the list names every item, without its contents', () => {
  const files = new Map(registryFiles(read))
  const index = JSON.parse(files.get('registry.json') ?? '') as {
    readonly items: readonly { readonly name: string; readonly files: readonly object[] }[]
  }
  expect(index.items.map(({ name }) => name)).toEqual(items.map(({ name }) => name))
  expect(JSON.stringify(index)).not.toContain('content')
  expect([...files.keys()]).toContain('approval-card.json')
})

test('our own command copies an item, keeps changed files, and lists missing packages', () => {
  const project = mkdtempSync(join(tmpdir(), 'holdpoint-ui-'))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  const run = (...args: readonly string[]): { code: number | null; said: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(home, 'src/add/main.ts'), ...args], {
      cwd: project,
      encoding: 'utf8',
    })
    return { code: status, said: stdout + stderr }
  }
  expect(run('list').said).toContain('approval-card')
  expect(run('add', 'approval-card', '--to', 'ui')).toMatchObject({
    code: 0,
    said: expect.stringContaining('npm install @cfworker/json-schema@'),
  })
  const card = join(project, 'ui/approval-card.tsx')
  expect(readFileSync(card, 'utf8')).toContain("from './button'")
  expect(run('add', 'approval-card', '--to', 'ui').code).toBe(0)
  writeFileSync(card, 'mine')
  expect(run('add', 'hold-card', '--to', 'ui')).toMatchObject({
    code: 1,
    said: expect.stringContaining('Not copied, because you changed'),
  })
  expect(readFileSync(card, 'utf8')).toBe('mine')
  expect(run('add', 'hold-card', '--to', 'ui', '--overwrite').code).toBe(0)
  expect(run('add', 'nonsense')).toMatchObject({
    code: 1,
    said: expect.stringContaining('There is no component "nonsense"'),
  })
  expect(run().code).toBe(1)
})
