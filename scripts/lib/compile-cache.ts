/** Load it with `--import` before a program that runs from the sources. It stores their compiled code for the next start. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '../../.cache/compile'))
