import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import type { connect } from '@holdpoint/client'

/** Everything a page may want, in one file, as small as it gets. */
async function bundled(): Promise<{
  readonly code: string
  readonly modules: readonly string[]
  readonly imports: readonly string[]
}> {
  const entry = fileURLToPath(new URL('../src/index.ts', import.meta.url))
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    resolve: { conditionNames: ['@holdpoint/source', 'import'] },
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const [{ code, moduleIds, imports }] = output
  return { code, modules: moduleIds, imports }
}

test('a page loads under 12 KB, with nothing of Node and nothing that drives', async () => {
  const { code, modules, imports } = await bundled()
  const gz = gzipSync(code, { level: 9 }).length
  console.log(`client for the browser: ${code.length} bytes, ${gz} gzipped`)
  expect(imports).toEqual([])
  expect(code).not.toMatch(/["']node:|\brequire\(|\bprocess\.|\bBuffer\b/)
  const packages = modules.map((id) => /packages\/([^/]+)\/src\/(.*)$/.exec(id)?.slice(1) ?? [id])
  expect(packages.filter(([name]) => !['client', 'protocol', 'core'].includes(name ?? ''))).toEqual([])
  const shapes = /^(?:live\/|model\/reply|log\/message|space\/space-event)/
  expect(packages.filter(([name, file]) => name === 'core' && !shapes.test(file ?? ''))).toEqual([])
  expect(gz).toBeLessThan(12 * 1024)
})

test('the bundle runs where there is nothing but what a browser has', async () => {
  const { code } = await bundled()
  const made = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { connect: typeof connect }
  const client = made.connect({
    url: 'https://holdpoint.acme.test',
    key: 'hp_test',
    fetch: async () => new Response(JSON.stringify({ items: [] })),
  })
  expect(await client.holds.list()).toEqual({ items: [] })
})
