/**
 * A signed head: the key of an installation signs which hash a log had at a seq. A reader who has the log later can check that it
 * is the one that was signed.
 *
 * What is signed is a text of eight lines, so that `openssl pkeyutl -verify -rawin` can check it without this code. Names are quoted
 * as JSON, so no name can add a line.
 */
export interface HeadStatement {
  /** `log`: of a conversation, an autonomous agent or a space. `audit-log`: of administrative actions; `seq` is then its entry. */
  readonly of: 'log' | 'audit-log'
  readonly tenant: string
  /** Empty for an audit log: a tenant has one. */
  readonly id: string
  readonly seq: number
  readonly hash: string
  /** When it was signed, in milliseconds since 1970, by the clock of the process that signed it. */
  readonly at: number
  /** The fingerprint of the key: SHA-256 of its public half in DER form (SPKI), as hex. */
  readonly key: string
}

export interface SignedHead {
  /** As `headText` writes it. */
  readonly text: string
  /** Ed25519, in base64. */
  readonly signature: string
  /** PEM. It is part of each head, so that a head can be checked after the key was replaced. */
  readonly publicKey: string
}

/** The key of an installation. The private half stays behind `sign`. */
export interface Signer {
  /** Its fingerprint. */
  readonly key: string
  /** PEM. */
  readonly publicKey: string
  /** Returns the Ed25519 signature of the text in UTF-8, in base64. */
  sign(text: string): string
}

/** The kind of the notes in which signed heads are stored, each at the seq of its head. */
export const SIGNED_HEAD = 'signed-head'

const FIRST_LINE = 'holdpoint signed head 1'
const LINES =
  /^(.*)\nof: (log|audit-log)\ntenant: (.*)\nid: (.*)\nseq: (\d+)\nhash: ([0-9a-f]{64})\nat: (\d+)\nkey: (.*)\n$/

export function headText({ of, tenant, id, seq, hash, at, key }: HeadStatement): string {
  const quoted = [JSON.stringify(tenant), JSON.stringify(id)] as const
  return `${FIRST_LINE}\nof: ${of}\ntenant: ${quoted[0]}\nid: ${quoted[1]}\nseq: ${seq}\nhash: ${hash}\nat: ${at}\nkey: ${key}\n`
}

/** Undefined for a text that `headText` does not write. */
export function readHeadText(text: string): HeadStatement | undefined {
  const found = LINES.exec(text)
  if (!found) return undefined
  const [, , of = '', tenant = '', id = '', seq = '', hash = '', at = '', key = ''] = found
  const statement: HeadStatement = {
    of: of === 'log' ? 'log' : 'audit-log',
    tenant: quotedText(tenant),
    id: quotedText(id),
    seq: Number(seq),
    hash,
    at: Number(at),
    key,
  }
  return headText(statement) === text ? statement : undefined
}

export function signHead(signer: Signer, statement: Omit<HeadStatement, 'key'>): SignedHead {
  const text = headText({ ...statement, key: signer.key })
  return { text, signature: signer.sign(text), publicKey: signer.publicKey }
}

/** What is not a quoted text is compared with the whole text afterwards, and differs. */
function quotedText(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return ''
  }
}
