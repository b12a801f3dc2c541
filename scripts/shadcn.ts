/**
 * Follows the guide "Own the components" in an empty project: `npx shadcn add` from the registry that a gateway serves, and
 * our own command. The copied files must type-check with the options of a new Vite project, and build. It downloads
 * shadcn, so it is not part of `npm test`. Build with `tsc -b` before.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { items } from '@holdpoint/ui/registry'
import { startGateway } from '../packages/gateway/src/start-gateway.ts'
import { buildConsole } from './lib/console.ts'
import { ownRegistry } from './lib/own-registry.ts'
import { pageOptions } from './lib/page-options.ts'
import { stream } from './lib/run.ts'
import { packAll } from './lib/tarballs.ts'
import { read, report, root } from './lib/workspace.ts'

const SHADCN = 'shadcn@4.23.0'
const { devDependencies: pinned } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }

/** A page that uses files of both commands. */
const PAGE = `
import './index.css'
import { createRoot } from 'react-dom/client'
import { connect } from '@holdpoint/client'
import { HoldpointProvider } from '@holdpoint/react'
import { MessageList } from '@/components/holdpoint/message-list'
import { Composer } from '@/components/holdpoint/composer'
import { MessageList as OwnList } from './own/message-list'
import { HoldCard } from './own/hold-card'

console.log(HoldCard)
createRoot(document.body).render(
  <HoldpointProvider client={connect({ url: location.origin, token: () => 'none' })}>
    <MessageList conversationId="order-17" />
    <Composer conversationId="order-17" />
    <OwnList conversationId="order-17" />
  </HoldpointProvider>,
)
`

/** Writes a project like the one that `npm create vite` and `npx shadcn init` create. */
function writeProject(project: string, registry: string): void {
  const files: Readonly<Record<string, string | object>> = {
    '.npmrc': `@holdpoint:registry=${registry}\n`,
    'package.json': {
      name: 'consumer',
      private: true,
      type: 'module',
      dependencies: { react: pinned['react'], 'react-dom': pinned['react-dom'] },
      devDependencies: { '@types/react': pinned['@types/react'], '@types/react-dom': pinned['@types/react-dom'] },
    },
    'components.json': {
      style: 'new-york',
      rsc: false,
      tsx: true,
      tailwind: { config: '', css: 'src/index.css', baseColor: '', cssVariables: true },
      aliases: { components: '@/components', utils: '@/lib/utils', ui: '@/components/ui', lib: '@/lib' },
    },
    'tsconfig.json': {
      compilerOptions: { ...pageOptions, paths: { '@/*': ['./src/*'] } },
      include: ['src'],
    },
    'index.html': '<script type="module" src="/src/main.tsx"></script>',
    'src/index.css': '@import "tailwindcss";\n',
    'src/main.tsx': PAGE,
  }
  mkdirSync(join(project, 'src'), { recursive: true })
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(project, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}

async function must(command: readonly string[], cwd: string): Promise<void> {
  console.log(`\n$ ${command.join(' ')}`)
  const code = await stream(command, cwd)
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(' ')} ended with ${code}`)
}

async function check(scratch: string): Promise<void> {
  const registry = await ownRegistry(packAll(scratch))
  const gateway = await startGateway({
    PORT: '0',
    HOLDPOINT_STORE: join(scratch, 'store.db'),
    HOLDPOINT_APP: join(root, 'examples/start/app.ts'),
  })
  try {
    const project = join(scratch, 'project')
    writeProject(project, registry.url)
    const addresses = items.map(({ name }) => `${gateway.served.url}/r/${name}.json`)
    await must(['npx', '--yes', SHADCN, 'add', ...addresses, '--yes'], project)
    await must(['npx', '--yes', '@holdpoint/ui', 'add', 'chat', '--to', 'src/own'], project)
    await must([join(root, 'node_modules/.bin/tsc'), '-p', '.'], project)
    await build(project)
  } finally {
    await gateway.stop()
    registry.close()
  }
}

/** Builds with the bundler and the Tailwind of this clone. */
async function build(project: string): Promise<void> {
  const { build: bundle } = await import('vite')
  const { default: tailwind } = await import('@tailwindcss/vite')
  await bundle({
    root: project,
    configFile: false,
    plugins: [tailwind()],
    resolve: { alias: { '@': join(project, 'src'), tailwindcss: join(root, 'node_modules/tailwindcss') } },
    build: { rolldownOptions: { checks: { moduleLevelDirective: false } } },
  })
  const [style = ''] = globSync(join(project, 'dist/assets/*.css')).map((file) => readFileSync(file, 'utf8'))
  // Our own colours must work through the variables that were copied with the items.
  if (!/\.bg-held\{background-color:var\(--held\)/.test(style)) throw new Error('The page has no colour for held calls')
}

const scratch = mkdtempSync(join(tmpdir(), 'holdpoint-shadcn-'))
const problems: string[] = []
try {
  await buildConsole()
  await check(scratch)
} catch (error) {
  problems.push(error instanceof Error ? error.message : String(error))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
report(problems, `shadcn: ${items.length} items were added by ${SHADCN} and by our own command, type-check and build`)
