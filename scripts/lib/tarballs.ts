import { join } from 'node:path'
import { capture } from './run.ts'
import { packageFolders, root } from './workspace.ts'

/** Every package as it would be published, by its folder. What they are made of must have been built before. */
export function packAll(to: string): ReadonlyMap<string, string> {
  return new Map(
    packageFolders().map((folder) => {
      const { code, stdout, stderr } = capture(
        ['npm', 'pack', '--silent', '--pack-destination', to],
        join(root, folder),
      )
      if (code !== 0) throw new Error(`${folder} cannot be packed\n${stderr}`)
      return [folder, join(to, stdout.trim())] as const
    }),
  )
}
