/**
 * Modules that are loaded on first use. Imported at the top, they would take a third of the import time of this package: `node:http`
 * loads Node's `fetch`, and Ajv is 95 files.
 */
import { createRequire } from 'node:module'
import type * as http from 'node:http'
import type * as tls from 'node:tls'
import type * as draft07 from 'ajv'
import type * as draft201909 from 'ajv/dist/2019.js'
import type * as draft202012 from 'ajv/dist/2020.js'

const require = createRequire(import.meta.url)

export function nodeHttp(): typeof http {
  return require('node:http') as typeof http
}

export function nodeTls(): typeof tls {
  return require('node:tls') as typeof tls
}

export function ajvDraft07(): typeof draft07.Ajv {
  return (require('ajv') as typeof draft07).Ajv
}

export function ajvDraft201909(): typeof draft201909.Ajv2019 {
  return (require('ajv/dist/2019.js') as typeof draft201909).Ajv2019
}

export function ajvDraft202012(): typeof draft202012.Ajv2020 {
  return (require('ajv/dist/2020.js') as typeof draft202012).Ajv2020
}
