/** Registers this browser for notifications: the service worker, and a subscription with the gateway's key. */

export function canPush(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis
}

/** Asks the user. Throws when they refuse. Returns what the gateway needs. */
export async function registerPush(publicKey: string): Promise<object> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('This browser does not allow notifications of the console. Change that in its settings.')
  const registration = await navigator.serviceWorker.register(workerUrl())
  await navigator.serviceWorker.ready
  const before = await registration.pushManager.getSubscription()
  // A subscription is bound to a key, and a gateway may have another one now.
  await before?.unsubscribe()
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  return made.toJSON()
}

/** The policy of the page allows script URLs only from here. */
function workerUrl(): string {
  const url = '/push-worker.js'
  const { trustedTypes } = globalThis as {
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(url: string): string }
    }
  }
  policy ??= trustedTypes?.createPolicy('push-worker', { createScriptURL: () => url })
  return policy?.createScriptURL(url) ?? url
}

let policy: { createScriptURL(url: string): string } | undefined
