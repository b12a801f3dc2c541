/**
 * Makes a clone ready to run: installs the dependencies when they are missing or belong to another package-lock.json.
 * `npm start` and `npm test` call it first, so it must run on any Node >= 20 with nothing installed: plain JavaScript,
 * no imports from npm. One of the dependencies is Node itself (the `node` package); npm puts node_modules/.bin first on
 * PATH for scripts, so whatever comes after this file runs on the pinned version.
 *
 * `--mark`: only records which lock file the installation came from. npm calls it so after every install (`postinstall`).
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const markFile = join(modules, '.holdpoint-ready')

/** Identifies the installation that this clone needs. It contains the platform, because some tools are native binaries. */
function wanted() {
  const lock = readFileSync(join(root, 'package-lock.json'))
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`
}

function reasonToInstall() {
  if (!existsSync(modules)) return 'node_modules is missing'
  if (!existsSync(markFile)) return 'node_modules was not installed completely'
  if (readFileSync(markFile, 'utf8') !== wanted()) return 'node_modules was installed from another package-lock.json'
  return undefined
}

function mark() {
  if (existsSync(modules)) writeFileSync(markFile, wanted())
}

function install(reason) {
  console.log(`holdpoint: ${reason}; running \`npm ci\` (about a minute)`)
  const started = Date.now()
  // The machine's Node only installs, and the pinned Node runs everything else. Do not warn about the machine's Node.
  const args = ['ci', '--loglevel=error', '--engine-strict=false']
  const npm = process.env.npm_execpath
  const viaNode = npm !== undefined && /\.[cm]?js$/.test(npm)
  const done = viaNode
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  if (done.status !== 0) {
    fail(
      '`npm ci` did not finish (its own message is above).\n' +
        '  - No network, or a registry that cannot be reached: check `npm ping`, then try again.\n' +
        '  - "package.json and package-lock.json are not in sync": run `npm install` and commit the lock file.\n' +
        '  - Anything else: remove node_modules, run `npm ci` by hand and read what it says.',
    )
  }
  console.log(`holdpoint: installed in ${Math.round((Date.now() - started) / 1000)} s`)
}

/** An install script downloads the pinned Node. Some npm settings turn install scripts off. */
function checkPinnedNode() {
  const pinned = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node
  const node = join(modules, '.bin', 'node')
  const found = spawnSync(node, ['--version'], { encoding: 'utf8', shell: process.platform === 'win32' })
  if (found.status === 0 && found.stdout.trim() === `v${pinned}`) return
  fail(
    `the pinned Node ${pinned} is not in node_modules/.bin.\n` +
      '  Its package fetches the binary in an install script. If your npm has `ignore-scripts` on, run\n' +
      '  `npm ci --ignore-scripts=false`.',
  )
}

function fail(message) {
  console.error(`holdpoint: ${message}`)
  process.exit(1)
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  fail(`Node ${process.versions.node} is too old: Node 20 or newer is needed to install. See https://nodejs.org.`)
}
if (process.argv.includes('--mark')) {
  mark()
} else {
  const reason = reasonToInstall()
  if (reason !== undefined) {
    install(reason)
    checkPinnedNode()
    mark()
  }
}
