import { readFileSync } from 'node:fs'
import { defineConfig, type Plugin } from 'vitest/config'

// Tests run on the sources: the workspace packages resolve through the custom condition, with no build before.
export default defineConfig({
  plugins: [mutant()],
  resolve: { conditions: ['@holdpoint/source'] },
  ssr: { resolve: { conditions: ['@holdpoint/source'] } },
  test: {
    include: ['packages/*/test/**/*.test.{ts,tsx}', 'apps/*/test/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    // A property that takes two seconds takes ten where others use the processor too.
    testTimeout: 30_000,
    // One for each core: much of the time goes into waiting for processes that were killed, and for leases to run out.
    maxWorkers: 2,
    hookTimeout: 30_000,
    // A mutant is met by the tests of the machine alone, hundreds of times, and needs no database.
    globalSetup: process.env.HOLDPOINT_MUTANT ? [] : ['./test/postgres-global-setup.ts'],
    typecheck: {
      enabled: true,
      include: ['packages/*/test/**/*.test-d.ts'],
      tsconfig: './tsconfig.test.json',
    },
  },
})

/** Puts a mutant in a source file's place, for `npm run mutate`. */
function mutant(): Plugin {
  const [original, replacement] = (process.env.HOLDPOINT_MUTANT ?? '').split('=')
  return {
    name: 'mutant',
    enforce: 'pre',
    load: (id) => (original && replacement && id.endsWith(original) ? readFileSync(replacement, 'utf8') : undefined),
  }
}
