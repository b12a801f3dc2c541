/** Checks one signed head. */
import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { readHeadText, type HeadStatement, type SignedHead } from '@holdpoint/core'
import { keyFingerprint } from './signing-key.ts'

export type VerifiedHead =
  | { readonly ok: true; readonly head: HeadStatement }
  | { readonly ok: false; readonly message: string }

/** `trusted`: the fingerprints of the keys that the caller knows. Without it, only the signature is checked: any key will do. */
export function verifySignedHead(
  { text, signature, publicKey }: SignedHead,
  trusted?: ReadonlySet<string>,
): VerifiedHead {
  const head = readHeadText(text)
  if (!head) return wrong('The signed text is not that of a head.')
  const known = publicKeyOf(publicKey)
  // One text for a key, so that no byte of an export is insignificant.
  if (!known || publicKey !== known.pem) return wrong('The public key is not an Ed25519 key in PEM form.')
  if (known.fingerprint !== head.key) return wrong('The signed text names another key than the one beside it.')
  const bytes = Buffer.from(signature, 'base64')
  // Some other texts decode to the same bytes.
  if (bytes.toString('base64') !== signature || !verify(null, Buffer.from(text), known.key, bytes))
    return wrong('The signature does not fit the signed text.')
  if (trusted && !trusted.has(head.key)) return wrong(`It was signed with the key ${head.key}, which was not given.`)
  return { ok: true, head }
}

/** The fingerprints of public keys in PEM form, one or more in a text. Undefined if it has something else. */
export function fingerprintsOf(pem: string): readonly string[] | undefined {
  const blocks = pem.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? []
  const keys = blocks.map(publicKeyOf)
  const known = keys.filter((key) => key !== undefined)
  return known.length === 0 || known.length < keys.length ? undefined : known.map(({ fingerprint }) => fingerprint)
}

interface PublicKey {
  readonly key: KeyObject
  readonly fingerprint: string
  /** As it is always written. */
  readonly pem: string
}

/** The heads of a file have the same key nearly always, and reading one takes as long as checking a signature. */
let newest: { readonly given: string; readonly read: PublicKey } | undefined

function publicKeyOf(given: string): PublicKey | undefined {
  if (newest?.given === given) return newest.read
  const read = readPublicKey(given)
  if (read) newest = { given, read }
  return read
}

function readPublicKey(given: string): PublicKey | undefined {
  try {
    const key = createPublicKey(given)
    const pem = String(key.export({ type: 'spki', format: 'pem' }))
    // A private key in PEM form gives a public one too, and must not be passed around.
    if (key.asymmetricKeyType !== 'ed25519' || pem.trim() !== given.trim()) return undefined
    return { key, fingerprint: keyFingerprint(key.export({ type: 'spki', format: 'der' })), pem }
  } catch {
    return undefined
  }
}

function wrong(message: string): VerifiedHead {
  return { ok: false, message }
}
