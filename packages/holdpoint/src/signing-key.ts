/** The key of an installation, which signs the heads of logs: Ed25519, from a PEM text or from a file. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { closeSync, fstatSync, linkSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { HoldpointError, messageOf, type Signer } from '@holdpoint/core'

/**
 * `pem`: a private key in PKCS #8, from a secret store or the environment. `file`: the path of one. If there is no such file, a key is
 * made, which only the user of this process can read.
 */
export function signingKey(from: { readonly pem: string } | { readonly file: string }): Signer {
  if ('pem' in from) return signerOf(from.pem, 'The signing key')
  return signerOf(readKey(from.file) ?? makeKey(from.file), from.file)
}

/** Where a gateway on a SQLite file has its key. */
export function signingKeyBeside(store: string): string {
  return `${store}.signing-key.pem`
}

/** SHA-256 of a public key in DER form (SPKI), as hex: `openssl pkey -pubin -in public.pem -outform DER | sha256sum`. */
export function keyFingerprint(der: Uint8Array): string {
  return createHash('sha256').update(der).digest('hex')
}

function signerOf(pem: string, what: string): Signer {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    // The error of the platform may quote the key.
    throw invalid(`${what} is not a private key in PEM form. Make one with: openssl genpkey -algorithm ed25519`)
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw invalid(`${what} is a key of the type ${key.asymmetricKeyType}. Only Ed25519 is used.`)
  const publicKey = createPublicKey(key)
  return {
    key: keyFingerprint(publicKey.export({ type: 'spki', format: 'der' })),
    publicKey: String(publicKey.export({ type: 'spki', format: 'pem' })),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
  }
}

/** Undefined if there is no file. A key that other users can read is refused, as ssh does. */
function readKey(file: string): string | undefined {
  let open: number
  try {
    open = openSync(file, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw invalid(`The signing key ${file} cannot be read: ${messageOf(error)}`, error)
  }
  try {
    if (process.platform !== 'win32' && (fstatSync(open).mode & 0o077) !== 0)
      throw invalid(`Other users can read the signing key ${file}. Change that with: chmod 600 ${file}`)
    return readFileSync(open, 'utf8')
  } finally {
    closeSync(open)
  }
}

/** Of several processes that start at once, one makes the key. No process sees a file that is not written whole. */
function makeKey(file: string): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  const draft = `${file}.${process.pid}.new`
  try {
    writeFileSync(draft, String(privateKey.export({ type: 'pkcs8', format: 'pem' })), { mode: 0o600, flag: 'wx' })
    try {
      linkSync(draft, file)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    } finally {
      unlinkSync(draft)
    }
  } catch (error) {
    throw invalid(`The signing key ${file} cannot be made: ${messageOf(error)}`, error)
  }
  const key = readKey(file)
  if (key === undefined) throw invalid(`The signing key ${file} was removed while it was made.`)
  return key
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function invalid(message: string, cause?: unknown): HoldpointError {
  return new HoldpointError('config-invalid', message, cause === undefined ? {} : { cause })
}
