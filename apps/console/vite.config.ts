/** Builds the console and the registry of components into the gateway's package, which serves both. */
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
    // The content security policy does not allow fonts in `data:` URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // Dependencies with a 'use client' line cause this warning. There are no server components here.
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
