/** The client tools that this page runs, by tool name. */
import type { ClientToolSet } from '@holdpoint/client'

export const pageTools: ClientToolSet = {
  'browser.time_zone': {
    run: () => {
      const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions()
      return { timeZone, locale, time: new Date().toLocaleTimeString(locale) }
    },
  },
}
