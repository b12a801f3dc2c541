/** `npm run tarballs -- ../tarballs`: packs the packages, so that you can install them before they are published. */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { capture } from './lib/run.ts'
import { buildConsole } from './lib/console.ts'
import { packAll } from './lib/tarballs.ts'
import { packageFolders } from './lib/workspace.ts'

const to = resolve(process.env['INIT_CWD'] ?? '.', process.argv[2] ?? 'tarballs')
const built = capture(['tsc', '-b', ...packageFolders()])
if (built.code !== 0) throw new Error(built.stdout + built.stderr)
await buildConsole()
mkdirSync(to, { recursive: true })
console.log(`${packAll(to).size} packages in ${to}. In your project: npm install ${to}/*.tgz`)
