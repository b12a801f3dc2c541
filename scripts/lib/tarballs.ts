import { join } from 'node:path'
import { capture } from './run.ts'
import { packageFolders, root } from './workspace.ts'

/** Packs every package as npm would publish it. Returns the tarballs by folder. Build the packages before. */
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
