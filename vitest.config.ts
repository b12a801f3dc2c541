import { defineConfig } from 'vitest/config'

// Tests run on the sources: the workspace packages resolve through the custom condition, with no build before.
export default defineConfig({
  resolve: { conditions: ['@holdpoint/source'] },
  ssr: { resolve: { conditions: ['@holdpoint/source'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    typecheck: {
      enabled: true,
      include: ['packages/*/test/**/*.test-d.ts'],
      tsconfig: './tsconfig.test.json',
    },
  },
})
