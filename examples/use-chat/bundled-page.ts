import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** The page as one script. An application has a bundler of its own for this. */
export async function bundledPage(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('page.tsx', import.meta.url)),
    platform: 'browser',
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  return output[0].code
}
