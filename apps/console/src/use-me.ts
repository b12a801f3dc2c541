/** The id of the user: the name that their answers have, otherwise the owner of the key or token. */
import { useEffect, useState } from 'react'
import type { CallerRow, Client } from '@holdpoint/client'
import { useClient } from '@holdpoint/react'
import { useBy } from './preferences.ts'

/** Asked once for each client: a credential stays the same while its client is used. */
const callers = new WeakMap<Client, Promise<CallerRow>>()

export function useCaller(): CallerRow | undefined {
  const client = useClient()
  const [caller, setCaller] = useState<CallerRow>()
  useEffect(() => {
    let here = true
    const request = callers.get(client) ?? client.keys.me()
    callers.set(client, request)
    request.then(
      (row) => here && setCaller(row),
      () => callers.delete(client),
    )
    return () => {
      here = false
    }
  }, [client])
  return caller
}

export function useMe(): string | undefined {
  const by = useBy()
  const caller = useCaller()
  return by ?? caller?.by
}
