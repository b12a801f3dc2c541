/** On an old Node, importing a package or running the command prints one sentence with the required version. */
import { expect, test } from 'vitest'
import { nodeProblem } from '../packages/store-sqlite/src/check-node.ts'
import { capture } from '../scripts/lib/run.ts'
import { find, read } from '../scripts/lib/workspace.ts'

const NEEDED = '24.15'

/** Simulates a Node of that version. Node 20 has no node:sqlite, and fails on its import before any code runs. */
function onNode(version: string, ...program: readonly string[]) {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  // Before 20.16, the function that looks up a built-in module does not exist.
  const without = version.startsWith('20.') ? '; process.getBuiltinModule = undefined' : ''
  const flags = version.startsWith('20.') ? ['--no-experimental-sqlite'] : []
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(older + without)}`]
  return capture([process.execPath, ...flags, '--conditions=@holdpoint/source', ...preload, ...program])
}

const sentence = (version: string): string => `Holdpoint needs Node ${NEEDED} or newer, and this is Node ${version}.`

test.each([
  ['holdpoint', '20.20.2'],
  ['holdpoint', '22.22.0'],
  ['holdpoint', '24.14.9'],
  ['@holdpoint/gateway', '20.20.2'],
  ['@holdpoint/mcp', '20.20.2'],
  ['@holdpoint/store-sqlite', '20.20.2'],
])('importing %s on Node %s prints the required version', (name, version) => {
  const { code, stderr } = onNode(version, '--input-type=module', '-e', `await import('${name}')`)
  expect(code).not.toBe(0)
  expect(stderr).toContain(`HoldpointError: ${sentence(version)}`)
  expect(stderr).not.toMatch(/^ +at /m)
})

test('the command prints it in one line', () => {
  expect(onNode('20.20.2', 'packages/gateway/src/main.ts')).toEqual({
    code: 1,
    stdout: '',
    stderr: `holdpoint: ${sentence('20.20.2')}\n`,
  })
})

test('a Node that was started without node:sqlite gets the same message', () => {
  const program = ['--input-type=module', '-e', `await import('holdpoint')`]
  const { stderr } = capture([
    process.execPath,
    '--no-experimental-sqlite',
    '--conditions=@holdpoint/source',
    ...program,
  ])
  expect(stderr).toContain('Holdpoint needs the module node:sqlite, and this Node was started without it.')
})

test('the required version is that of the packages, and newer versions work', () => {
  const engines = find('packages/*/package.json').flatMap((file) => {
    const { engines: { node } = {} } = JSON.parse(read(file)) as { engines?: { node?: string } }
    return node ?? []
  })
  expect(new Set(engines)).toEqual(new Set([`>=${NEEDED}`]))
  for (const good of ['24.15.0', '24.21.0', '25.0.0', '26.1.0']) expect(nodeProblem(good)).toBeUndefined()
})
