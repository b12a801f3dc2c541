import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

test('the hooks are under 6 KB without React and the client, and import nothing else', async () => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../src/index.ts', import.meta.url)),
    platform: 'browser',
    external: ['react', '@holdpoint/client'],
    resolve: { conditionNames: ['@holdpoint/source', 'import'] },
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const [{ code, imports }] = output
  const gz = gzipSync(code, { level: 9 }).length
  console.log(`react without React and the client: ${code.length} bytes, ${gz} gzipped`)
  expect(imports.toSorted()).toEqual(['@holdpoint/client', 'react'])
  expect(gz).toBeLessThan(6 * 1024)
})
