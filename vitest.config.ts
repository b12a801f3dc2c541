import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'
import { temporaryFolder } from './test/temporary-folder.ts'

// For the processes that tests start, and for vitest's own.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.cache/node')
process.env.TMPDIR = temporaryFolder()

/** Their tests need no database, so a run of these files alone starts none. */
const PURE = ['core', 'runtime', 'spaces', 'models', 'protocol', 'testing'].map(
  (name) => `packages/${name}/test/**/*.test.{ts,tsx}`,
)

/**
 * Files that change the process they run in, so each gets a process of its own: they replace modules, define the globals
 * of a page, or listen to every warning. All other files share processes, which load the packages once; a process for
 * each file took twice the processor time.
 */
const ALONE = [
  'packages/{react,ui}/test/**/*.test.{ts,tsx}',
  'packages/holdpoint/test/{forgotten-close,http-tool-guard,problems}.test.ts',
  'packages/mcp/test/{hostile,hostile-connection}.test.ts',
  'packages/store-sqlite/test/{crash,permissions}.test.ts',
]

// Tests run on the sources: the workspace packages resolve through the custom condition, with no build before.
export default defineConfig({
  resolve: { conditions: ['@holdpoint/source'] },
  ssr: { resolve: { conditions: ['@holdpoint/source'] } },
  test: {
    // A limit for what hangs. A host that takes most of the processor away makes every test many times slower.
    testTimeout: 120_000,
    // More than most machines have cores: much of the time goes into waiting for processes that start and are killed.
    maxWorkers: 3,
    hookTimeout: 240_000,
    // One second by default, as for `vi.waitFor`: see wait-for-long.ts.
    expect: { poll: { timeout: 60_000 } },
    setupFiles: [join(import.meta.dirname, 'test/wait-for-long.ts')],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          globalSetup: ['./test/compiled-global-setup.ts', './test/postgres-global-setup.ts'],
          include: ['packages/*/test/**/*.test.{ts,tsx}', 'apps/*/test/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
          exclude: [...PURE, ...ALONE, '**/node_modules/**'],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        extends: true,
        test: {
          name: 'pure',
          include: PURE,
          isolate: false,
          typecheck: {
            enabled: true,
            include: ['packages/*/test/**/*.test-d.ts'],
            tsconfig: './tsconfig.test.json',
          },
        },
      },
    ],
  },
})
