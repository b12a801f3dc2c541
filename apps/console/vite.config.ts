/** The console, built into the gateway's package, which serves it; with the components' registry beside it. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'
import { registryFiles } from '@holdpoint/ui/registry'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  plugins: [tailwind(), registry()],
  resolve: { conditions: ['@holdpoint/source', 'module', 'browser', 'production'] },
  build: {
    outDir: here('../../packages/gateway/console'),
    emptyOutDir: true,
    // Fonts as data would need a looser policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // Said of every component that marks itself for servers; there is none here.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
})

function registry(): Plugin {
  return {
    name: 'holdpoint-registry',
    apply: 'build',
    generateBundle(): void {
      const read = (file: string): string => readFileSync(here(`../../packages/ui/${file}`), 'utf8')
      for (const [fileName, source] of registryFiles(read))
        this.emitFile({ type: 'asset', fileName: `r/${fileName}`, source })
    },
  }
}
