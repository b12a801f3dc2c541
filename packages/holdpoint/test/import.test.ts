/** What an import loads: it is most of what a short program pays. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const PROGRAM = `
  const { agent, tool } = await import('holdpoint')
  const { createRequire } = await import('node:module')
  const loaded = () => ({
    fetch: process.moduleLoadList.includes('NativeModule internal/deps/undici/undici'),
    ajv: Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/ajv/')),
  })
  const before = loaded()
  tool({ name: 'look', description: 'Looks', input: { type: 'object', properties: {} }, run: () => 1 })
  console.log(JSON.stringify({ before, after: loaded() }))
`

test('an import loads neither Ajv nor the fetch of Node; Ajv comes with the first JSON Schema', () => {
  const flags = ['--conditions=@holdpoint/source', '--input-type=module', '--eval', PROGRAM]
  const { stdout, stderr } = spawnSync(process.execPath, flags, { cwd: import.meta.dirname, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({ before: { fetch: false, ajv: false }, after: { fetch: false, ajv: true } })
})
