import { defineConfig } from 'vitest/config'

// Tests run on the sources: the workspace packages resolve through the custom condition, with no build before.
export default defineConfig({
  resolve: { conditions: ['@holdpoint/source'] },
  ssr: { resolve: { conditions: ['@holdpoint/source'] } },
  test: {
    include: ['packages/*/test/**/*.test.{ts,tsx}', 'apps/*/test/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    // A property that takes two seconds takes ten where others use the processor too.
    testTimeout: 30_000,
    // One for each core: much of the time goes into waiting for processes that were killed, and for leases to run out.
    maxWorkers: 2,
    hookTimeout: 30_000,
    globalSetup: ['./test/postgres-global-setup.ts'],
    typecheck: {
      enabled: true,
      include: ['packages/*/test/**/*.test-d.ts'],
      tsconfig: './tsconfig.test.json',
    },
  },
})
