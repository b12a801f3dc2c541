/**
 * Shows notifications of holds, also when the console is closed. It handles no requests of pages. A notification with the tag of an
 * earlier one replaces it, so a hold that is over says so in its place.
 */
self.addEventListener('push', (event) => {
  const { title = 'A hold has changed', body = '', url = '/holds', tag, over = false } = event.data?.json() ?? {}
  const options = { body, tag, silent: over, renotify: !over && tag !== undefined, data: { url }, icon: '/mark.svg' }
  event.waitUntil(self.registration.showNotification(title, options))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const url = new URL(event.notification.data?.url ?? '/holds', self.location.origin)
  // Only pages of the console.
  if (url.origin !== self.location.origin) return
  event.waitUntil(self.clients.openWindow(url.href))
})
